"""One attempt of a probe's handler, from the sentences of `probetest contract` alone: part of naive_real.py.

`attempt(request)` is success, warning or failure.  Standard library only; gRPC is the one exchange that a
health check is, over HTTP/2 by hand.
"""
import http.client
import os
import signal
import socket
import ssl
import struct
import subprocess
import time
from urllib.parse import urljoin, urlsplit

FEATURES = ["exec", "grpc", "http", "tcp", "tls"]
REDIRECTS = 10


def attempt(request):
    """Anything that goes wrong on the way is a failure."""
    probe = request["probe"]
    handler = next(name for name in HANDLERS if name in probe)
    deadline = time.monotonic() + request["timeout"] / 1000
    try:
        return HANDLERS[handler](probe[handler], request, deadline)
    except (OSError, http.client.HTTPException, ValueError, LookupError, struct.error):
        return "failure"


def left(deadline):
    """Seconds, so that a socket that takes them waits no longer than that."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def address(action, request):
    """The host that it names or the pod's IP, and the port by its number or name."""
    port = action["port"]
    if isinstance(port, str):
        port = next(p["containerPort"] for p in request.get("ports") or [] if p.get("name") == port)
    return action.get("host") or request.get("podIP", ""), port


def run(action, _request, deadline):
    child = subprocess.Popen(action["command"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return "failure" if child.wait(left(deadline)) else "success"
    except (subprocess.TimeoutExpired, TimeoutError):
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return "failure"


def tcp(action, request, deadline):
    socket.create_connection(address(action, request), left(deadline)).close()
    return "success"


def unverified():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def get(url, headers, deadline):
    """(code, where it sends us)"""
    place = urlsplit(url)
    secure = {"context": unverified()} if place.scheme == "https" else {}
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(place.hostname, place.port, timeout=left(deadline), **secure)
    try:
        connection.putrequest("GET", place.path or "/", skip_host=any(name.lower() == "host" for name, _ in headers))
        for name, value in [*headers, ("Connection", "close")]:
            connection.putheader(name, value)
        connection.endheaders()
        connection.sock.settimeout(left(deadline))
        reply = connection.getresponse()
        return reply.status, reply.getheader("Location")
    finally:
        connection.close()


def http_get(action, request, deadline):
    host, port = address(action, request)
    host = f"[{host}]" if ":" in host else host
    url = urljoin(f"{(action.get('scheme') or 'HTTP').lower()}://{host}:{port}", action.get("path") or "/")
    headers = [(h["name"], h["value"]) for h in action.get("httpHeaders") or []]
    for _ in range(REDIRECTS):
        code, to = get(url, headers, deadline)
        if not 300 <= code < 400 or not to:
            return "success" if 200 <= code < 400 else "failure"
        if urlsplit(urljoin(url, to)).hostname != urlsplit(url).hostname:
            return "warning"
        url = urljoin(url, to)
    return "failure"


# ---- gRPC: RFC 9113, with header fields that need no table (RFC 7541, 6.2.2)

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7
END_STREAM, ACK, END_HEADERS = 1, 1, 4
SERVING = b"\x00\x00\x00\x00\x02\x08\x01"  # a message of two bytes: field 1 is 1


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def field(name, value):
    return b"".join([b"\0", *(bytes([len(word)]) + word.encode() for word in (name, value))])


def grpc_call(authority, service):
    fields = [(":method", "POST"), (":scheme", "http"), (":path", "/grpc.health.v1.Health/Check"), (":authority", authority),
              ("content-type", "application/grpc"), ("te", "trailers")]
    asked = b"\x0a" + bytes([len(service)]) + service.encode() if service else b""
    return b"".join([b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", frame(SETTINGS, 0, 0),
                     frame(HEADERS, END_HEADERS, 1, b"".join(field(*pair) for pair in fields)),
                     frame(DATA, END_STREAM, 1, b"\0" + struct.pack(">I", len(asked)) + asked)])


def grpc(action, request, deadline):
    host, port = request.get("podIP", ""), action["port"]
    said = b""
    with socket.create_connection((host, port), left(deadline)) as link, link.makefile("rb") as stream:
        link.sendall(grpc_call(f"{host}:{port}", action.get("service") or ""))
        while True:
            link.settimeout(left(deadline))
            head = stream.read(9)
            size, kind, flags = struct.unpack(">I", b"\0" + head[:3])[0], head[3], head[4]
            payload = stream.read(size)
            if kind in (SETTINGS, PING) and not flags & ACK:
                link.sendall(frame(kind, ACK, 0, payload if kind == PING else b""))
            said += payload if kind == DATA else b""
            if kind in (RST_STREAM, GOAWAY):
                return "failure"
            if kind in (DATA, HEADERS) and flags & END_STREAM:
                return "success" if said == SERVING else "failure"


HANDLERS = {"exec": run, "tcpSocket": tcp, "httpGet": http_get, "grpc": grpc}
