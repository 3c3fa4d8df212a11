#!/usr/bin/env python3
"""Asks the real server, or kubectl, what conformance/protocol/real_answers.jsonl asks, and writes the answers there.

  real_answers.py [--all] FILE

A line of FILE is {"k8s": MINOR, "gates": {...}, "ask": REQUEST, "ok": REPLY} without blanks between; a new one has no "ok" yet.
Asked is build/oracle/MINOR/kubelet-adapter, or kubectl-adapter for op kubectl, as build.sh and build_kubectl.sh make them: of
the lines without "ok", with --all of all of them.
Exit 0: written, 1: an answer has changed, 2: usage, 4: an adapter is not there or is unusable.
"""

import json
import os
import re
import sys

import client

LINE = re.compile(r'\{"k8s":"([0-9.]+)","gates":(\{[^{}]*\}),"ask":(\{.*?\})(?:,"ok":(.*))?\}\n')
ORDER = ("pod", "columns", "describe", "READY", "STATUS", "RESTARTS", "errors", "warnings", "field", "type", "detail", "text")  # as protocol.md has them


def ordered(value):
    """The members of a reply in one order; a pod's have the server's own."""
    if isinstance(value, list):
        return [ordered(item) for item in value]
    if isinstance(value, dict):
        return {key: value[key] if key == "pod" else ordered(value[key]) for key in sorted(value, key=lambda k: (ORDER + (k,)).index(k))}
    return value


def asked(adapters, k8s, gates, request):
    """The answer as a line has it, of an adapter that was greeted before or is now."""
    name = "kubectl-adapter" if '"op":"kubectl"' in request else "kubelet-adapter"
    try:
        if (name, k8s, gates) not in adapters:
            adapter = client.Adapter([os.path.join("build", "oracle", k8s, name)], None)  # it ends itself where it gets stuck
            adapter.ask("hello", protocol=1, k8s=k8s, gates=json.loads(gates), seed=1)
            adapters[name, k8s, gates] = adapter
        return json.dumps(ordered(adapters[name, k8s, gates].ask(**json.loads(request))), ensure_ascii=False, separators=(",", ":"))
    except (OSError, ValueError, client.AdapterError) as e:
        raise client.AdapterError(f"{name} of {k8s}: {e}: {request}") from None


def main(argv):
    again = argv[:1] == ["--all"]
    if len(argv) != 1 + again:
        print(__doc__, file=sys.stderr)
        return 2
    out, changed, adapters = [], 0, {}
    try:
        lines = open(argv[-1], encoding="utf-8").readlines()
    except (OSError, ValueError) as e:
        print(f"{argv[-1]}: {e}", file=sys.stderr)
        return 2
    if not lines:
        print(f"{argv[-1]}:1: no line", file=sys.stderr)
        return 2
    for number, line in enumerate(lines, 1):
        parts = LINE.fullmatch(line)
        if not parts:
            print(f"{argv[-1]}:{number}: wanted k8s, gates, ask and ok, without blanks", file=sys.stderr)
            return 2
        k8s, gates, request, known = parts.groups()
        try:
            answer = known if known and not again else asked(adapters, k8s, gates, request)
        except client.AdapterError as e:
            print(f"{argv[-1]}:{number}: {e}", file=sys.stderr)
            return 4
        if known and answer != known:
            print(f"{argv[-1]}:{number}: {answer}", file=sys.stderr)
            changed += 1
        out.append(f'{{"k8s":"{k8s}","gates":{gates},"ask":{request},"ok":{answer}}}\n')
    with open(argv[-1], "w", encoding="utf-8") as file:
        file.writelines(out)
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
