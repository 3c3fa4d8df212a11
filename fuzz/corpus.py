#!/usr/bin/env python3
"""corpus.py PROBETEST OUT: writes each case of the table as seeds for the fuzz targets: OUT/TARGET/NAME.

Pods become documents of pod-yaml and pod-json, scenarios scripts, ports lines of port, paths and redirects URLs, what a server sends a
head; a run of the table over the adapter protocol is
recorded for both of its ends.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

import yaml

CASES = pathlib.Path("conformance/cases")

SESSION = """import subprocess, sys
served = subprocess.Popen([sys.argv[1], "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
with open(sys.argv[2], "ab") as asked, open(sys.argv[3], "ab") as told:
    for line in sys.stdin.buffer:
        asked.write(line)
        served.stdin.write(line)
        served.stdin.flush()
        reply = served.stdout.readline()
        told.write(reply)
        sys.stdout.buffer.write(reply)
        sys.stdout.buffer.flush()
"""


class Seeds:
    def __init__(self, out):
        self.out = out

    def put(self, target, data):
        if isinstance(data, str):
            data = data.encode()
        folder = os.path.join(self.out, target)
        os.makedirs(folder, exist_ok=True)
        if len(data) <= 16384:
            with open(os.path.join(folder, hashlib.sha1(data).hexdigest()[:12]), "wb") as file:
                file.write(data)


def pods_of(case):
    for key in ("pod", "yaml", "stored"):
        if case.get(key):
            yield case[key]
    yield from case.get("pods") or []


def from_case(seeds, case):
    for pod in pods_of(case):
        if isinstance(pod, str):
            seeds.put("pod-yaml", pod)
            seeds.put("pod-json", pod)
        elif isinstance(pod, dict):
            whole = pod if "spec" in pod else {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": pod}
            seeds.put("pod-yaml", yaml.safe_dump(whole, sort_keys=False))
            seeds.put("pod-json", json.dumps(whole))
    get = (case.get("probe") or {}).get("httpGet") or {}
    if get.get("path"):
        seeds.put("url", f"http://h:80/a/b\n{get['path']}")
        seeds.put("url", f"{get['path']}\n/x/../y")
    for text in re.findall(r'"((?:[^"\\]|\\.)*)"', str(case.get("server") or "")):
        said = re.sub(r"\$\{(\w+)\}", "8080", text).encode().decode("unicode_escape").encode("latin-1", "replace")
        if said.startswith(b"HTTP/"):
            seeds.put("http-reply", b"\0" + said)
            seeds.put("http-wire", b"\0" + said)
        elif b"/" in said[:40]:
            seeds.put("url", b"http://127.0.0.1:8080/a/b?c\n" + said)
    script = {k: case[k] for k in ("answers", "world", "events") if case.get(k)}
    if script:
        seeds.put("script", yaml.safe_dump(script, sort_keys=False))
    if isinstance(case.get("port"), (str, int)):
        number = isinstance(case["port"], int)
        for how in (0, 1, 2, 3, 8, 10):
            data = case["port"].to_bytes(4, "little", signed=True) if number else case["port"].encode()
            seeds.put("port", bytes([how | 4 * number]) + data)


def from_protocol(seeds, probetest, scratch):
    """Sessions of some cases of each topic, at both ends."""
    for topic in sorted(path.relative_to(CASES).with_suffix("").as_posix() for path in CASES.rglob("*.yaml")):
        asked, told = f"{scratch}/asked", f"{scratch}/told"
        for path in (asked, told):
            open(path, "wb").close()
        subprocess.run([probetest, "run", "--quiet", topic, "--", sys.executable, "-c", SESSION, probetest, asked, told],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        for target, path in (("protocol-serve", asked), ("protocol-runner", told)):
            lines = open(path, "rb").read().split(b"\n")
            for start in range(0, len(lines), 12):
                seeds.put(target, b"\n".join(lines[start:start + 12]))


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def from_frames(seeds):
    """What a gRPC server may send behind its SETTINGS, one frame and two."""
    frames = [frame(0, 0, 1, b"\0\0\0\0\2\x08\1"), frame(0, 1, 1, b"ok"), frame(1, 4, 1, b"\x88"), frame(1, 5, 1, b"\x88"),
              frame(1, 1, 1, b"\x88"), frame(9, 4, 1, b""), frame(3, 0, 1, b"\0\0\0\7"), frame(3, 0, 3, b"\0\0\0\x08"),
              frame(3, 0, 1, b"\0"), frame(7, 0, 0, bytes(8)), frame(7, 0, 0, b"\x7f\xff\xff\xff\0\0\0\0why"), frame(7, 0, 0, b"\0"),
              frame(6, 0, 0, b"pingping"), frame(4, 1, 0, b"")]
    settings = frame(4, 0, 0, b"")
    for i, first in enumerate(frames):
        seeds.put("grpc-wire", b"\0" + first)
        for j, second in enumerate(frames):
            seeds.put("grpc-wire", bytes([(i + j) % 8]) + settings + first + second)


def main():
    probetest, out = sys.argv[1:3]
    seeds = Seeds(out)
    os.makedirs(out, exist_ok=True)
    for path in sorted(CASES.rglob("*.yaml")):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        for case in document.get("cases") or []:
            for row in case.get("rows") or [{}]:
                from_case(seeds, {**(document.get("defaults") or {}), **case, **row})
    from_frames(seeds)
    from_protocol(seeds, probetest, out)
    for name in os.listdir(out):
        if os.path.isdir(os.path.join(out, name)):
            print(f"{name}: {len(os.listdir(os.path.join(out, name)))} seeds")


main()
