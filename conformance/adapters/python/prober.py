#!/usr/bin/env python3
"""A small adapter of layer fire: TCP and exec probes of Kubernetes 1.37, as the kubelet makes them.

    probetest run --k8s 1.37 '^fire-' -- python3 prober.py

Standard library only.  What it does not claim (http, grpc) is not judged.
"""
import ipaddress
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

LIMIT = 10240  # bytes of an exec's output that are kept (P-080)


def go_duration(ms):
    return f"{ms}ms" if ms < 1000 else f"{ms / 1000:g}s"


def resolve(port, ports):
    """P-132, P-133: the number of a port, or an error."""
    if isinstance(port, str):
        named = [p["containerPort"] for p in ports if p.get("name") == port]
        if not named:
            raise LookupError(f"port {json.dumps(port)} not found")
        port = named[0]
    if not 0 < port < 65536:
        raise LookupError(f"invalid port number: {port}")
    return port


def numbered(host):
    """The zone of an address as a number: the C library knows an interface's name with link-local addresses alone."""
    address, percent, zone = host.partition("%")
    names = [name for _, name in socket.if_nameindex()]
    return f"{address}%{socket.if_nametoindex(zone)}" if percent and zone in names else host


def wrong(address):
    """What Go's net.SplitHostPort has against an address that ends with a port; None: nothing."""
    host = address[:address.rindex(":")]
    if host.startswith("["):
        inside, closed, behind = host[1:].partition("]")
        if not closed:
            return "missing ']' in address"
        if behind:
            return "too many colons in address" if behind.startswith(":") else "missing port in address"
        return "unexpected '[' in address" if "[" in inside else None
    return next((f"unexpected '{sign}' in address" for sign in "[]" if sign in host), None)


def is_number(host):
    """Digits and dots that are no IPv4 address: the C library takes them for one, Go for a name that cannot be."""
    return bool(re.fullmatch("[0-9.]+", host)) and not re.fullmatch(r"[0-9]+(\.[0-9]+){3}", host)


def dialled(host, port):
    """An IPv4 address in IPv6's clothes, as it is told of a dial; None: it is none."""
    try:
        mapped = ipaddress.IPv6Address(host).ipv4_mapped
    except ValueError:
        return None
    return f"{mapped}:{port}" if mapped else None


def tcp(action, request):
    try:
        port = resolve(action["port"], request.get("ports") or [])
    except LookupError as error:
        return {"result": "unknown", "error": str(error)}
    host = action.get("host") or request.get("podIP", "")
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if wrong(address):
        return fail(f"dial tcp: address {address}: {wrong(address)}")
    if is_number(host):
        return fail(f"dial tcp: lookup {host}: no such host")
    address = dialled(host, port) or address
    try:
        socket.create_connection((numbered(host) or "localhost", port), request["timeout"] / 1000).close()
    except (socket.gaierror, UnicodeError):  # the latter for a label of more than 63 letters
        return fail(f"dial tcp: lookup {host}: no such host")
    except (TimeoutError, socket.timeout):
        return fail(f"dial tcp {address}: i/o timeout")
    except OSError as error:
        return fail(f"dial tcp {address}: connect: {os.strerror(error.errno).lower()}")
    return {"result": "success", "output": ""}


def fail(text):
    return {"result": "failure", "output": text}


def expand(word, env):
    """P-077: $(NAME) from the container's own env, $$ is $."""
    def value(match):
        if match[0] == "$$":
            return "$"
        return env.get(match[1], match[0])
    return re.sub(r"\$\$|\$\(([^)]*)\)", value, word)


def keep(stream, kept):
    """Read to the end; what is beyond the limit is read and forgotten, however much it is."""
    with stream:
        while chunk := stream.read1(65536):
            kept.extend(chunk[:LIMIT - len(kept)])


def run(action, request):
    env = {entry["name"]: entry.get("value", "") for entry in request.get("env") or []}
    argv = [expand(word, env) for word in action["command"]]
    try:
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, start_new_session=True)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in a word
        return {"result": "unknown", "class": "exec", "error": f"exec: {argv[0]}: {error}"}
    kept = [bytearray(), bytearray()]
    readers = [threading.Thread(target=keep, args=pair) for pair in zip((child.stdout, child.stderr), kept)]
    for reader in readers:
        reader.start()
    try:
        deadline = time.monotonic() + request["timeout"] / 1000
        for reader in readers:
            reader.join(max(0, deadline - time.monotonic()))
        child.wait(max(0, deadline - time.monotonic()))
        if any(reader.is_alive() for reader in readers):
            raise subprocess.TimeoutExpired(argv, request["timeout"])
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        argv_text = json.dumps(" ".join(argv), ensure_ascii=False)
        return fail(f"command timed out: {argv_text} timed out after {go_duration(request['timeout'])}")
    # A byte that is no UTF-8 becomes U+FFFD, one for one.
    text = bytes(kept[0] + kept[1])[:LIMIT].decode(errors="surrogateescape")
    text = re.sub("[\udc80-\udcff]", "\ufffd", text)
    return {"result": "failure" if child.returncode else "success", "output": text}


def answer(request):
    if request["op"] == "hello":
        return {"protocol": 1, "name": "prober.py", "version": "1", "language": "Python", "url": "",
                "k8s": ["1.37"], "layers": ["fire"], "features": ["exec", "tcp"], "clock": "real"}
    if request["op"] == "fire":
        probe = request["probe"]
        return tcp(probe["tcpSocket"], request) if "tcpSocket" in probe else run(probe["exec"], request)
    return None


for line in sys.stdin:
    asked = json.loads(line)
    ok = answer(asked)
    said = {"ok": ok} if ok else {"error": {"code": "unsupported", "message": asked["op"]}}
    print(json.dumps({"id": asked["id"], **said}), flush=True)
