#!/usr/bin/env python3
"""Golden recordings: what the real kubelet answered to the whole table, for people without Go.

  record.py MINOR FILE.jsonl.xz RESULT.jsonl PROBETEST [SELECTION...] -- ADAPTER ARGS...

Runs the table on the adapter through a tee, writes the sealed result to RESULT.jsonl and the answers
to FILE, and says how they differ from what FILE held before.  With a selection of cases (as in `probetest run`) those
alone are played, and of the others FILE keeps what it held, where it is of the same module.  A recording is one JSON object a line:
  a header   recording, k8s, module, go, date, cases (how many), the effect kinds that the adapter observes, suite
             and hash (of the lines below)
  a case     case, layer, gates and either
             open, script [[ms, [events]]], trace [[ms, [effects]]], end     (layers probe, pod)
             ask, ok                                                         (port, check, actions, events, kubectl)
             ok, its result alone                                            (fire; contract cases)
Of a contract case of layers probe and pod there is also told: how many effects had been told before each entry of the
script, so that recorded.py can answer in the kubelet's place.
The exit code is that of the run, or 4 when the recording cannot be made.
"""

import datetime
import hashlib
import json
import lzma
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ASKED = ("port", "check", "actions", "events", "kubectl")


def tee(log_path, command):
    """Stands between runner and adapter and notes both halves of each exchange, each process in a file of
    its own: the runner has several at once where it plays for real (layer fire)."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with open(f"{log_path}/{time.time_ns()}", "ab", buffering=0) as log:
        for request in sys.stdin.buffer:
            log.write(request.rstrip(b"\n") + b"\t")  # at once: who does not answer in time is killed
            try:
                child.stdin.write(request)
                child.stdin.flush()
            except BrokenPipeError:
                break
            reply = child.stdout.readline()
            if not reply:
                break
            log.write(reply)
            sys.stdout.buffer.write(reply)
            sys.stdout.buffer.flush()
    child.stdin.close()
    return child.wait()


def units(log_path):
    """The exchanges but those of layer fire, process by process, cut into cases: (gates, [(request, reply), ...])."""
    for name in sorted(os.listdir(log_path)):
        yield from units_of(os.path.join(log_path, name))


NO_REPLY = {"error": {"code": "none", "message": "it died or was killed"}}


def exchanges(path):
    """(request, reply) of one process; the last request may have got none."""
    with open(path, encoding="utf-8") as log:
        for line in log:
            request, _, reply = line.rstrip("\n").partition("\t")
            yield json.loads(request), json.loads(reply) if reply else NO_REPLY


def units_of(path):
    """Each case ends with its question, with its `close`, or with the first thing that is refused, be it `hello`."""
    gates, unit = {}, []
    for request, reply in exchanges(path):
        if request["op"] == "fire":
            continue
        if request["op"] == "hello" and "ok" in reply:
            gates = request.get("gates", {})
        elif request["op"] in ASKED and not unit:
            yield gates, [(request, reply)]
        else:
            unit.append((request, reply))
            if request["op"] == "close" or "error" in reply:
                yield gates, unit
                unit = []


def in_contract(line):
    """A result line of a case of the contract.  A draft has no topic."""
    return line.get("topic", "").startswith("contract/")


def result_of(line):
    """Of a result line of layer fire: what the adapter's result was."""
    found = [moment["got"] for moment in line.get("timeline", ()) if moment["got"].startswith("result: ")]
    return {"case": line["case"], "layer": "fire", "ok": {"result": found[0].partition(": ")[2]}} if found else None


def recorded(item, gates, unit):
    """One case as it is kept, or None when the adapter refused something."""
    if any("ok" not in reply for _, reply in unit):
        return None
    out = {"case": item["case"], "layer": item["layer"]}
    if gates:
        out["gates"] = gates
    first, reply = unit[0]
    bare = {k: v for k, v in first.items() if k not in ("id", "op")}
    if first["op"] in ASKED:
        return {**out, "ask": bare, "ok": reply["ok"]}
    script, trace, told, now = [], [], [], 0
    for request, reply in unit[:-1]:
        if request["op"] == "advance" and request.get("events"):
            script.append([now, request["events"]])
            told.append(sum(len(effects) for _, effects in trace))
        ok = reply["ok"]
        now = ok["at"]
        if ok["effects"]:
            if trace and trace[-1][0] == now:
                trace[-1][1].extend(ok["effects"])
            else:
                trace.append([now, list(ok["effects"])])
    return {**out, "open": bare, "script": script, "trace": trace, "end": now, **({"told": told} if in_contract(item) else {})}


def read_recording(path, prefix=""):
    """(header, {case: line as an object}), of cases whose name begins so; an empty one when there is no file."""
    if not os.path.exists(path):
        return None, {}
    with lzma.open(path) as f:
        head, _, body = f.read().partition(b"\n")
    header = json.loads(head)
    if header["hash"] != hashlib.sha256(body).hexdigest():
        raise ValueError(f"{path}: damaged: the hash does not fit")
    wanted = f'"case":"{prefix}'
    lines = body.decode().split("\n")[:-1]  # not splitlines: a text may have a separator of its own
    return header, {item["case"]: item for item in map(json.loads, (line for line in lines if wanted in line))}


def digest(lines):
    return hashlib.sha256(("\n".join(lines) + "\n").encode()).hexdigest()


# One for all: json.dumps makes a new one at each call.
dump = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


class Attempts:
    """Which attempt of which worker an n is, counted."""

    def __init__(self):
        self.count = {}

    def of(self, effects):
        """(n, which) of those that begin."""
        for effect in effects:
            if "n" in effect:
                key = (effect["e"], effect.get("pod"), effect["container"], effect["type"], effect["cid"])
                self.count[key] = self.count.get(key, 0) + 1
                yield effect["n"], key + (self.count[key],)


def difference(old, new):
    """What a person wants to know about two recordings, one line each."""
    out = [f"gone: {case}" for case in old if case not in new]
    out += [f"new: {case}" for case in new if case not in old]
    out += [f"changed: {case}" for case in new if case in old and dump(old[case]) != dump(new[case])]
    return sorted(out)


def run_table(minor, result_path, probetest, selection, command):
    """(exit code of the run, result lines, exchanges cut into cases)."""
    with tempfile.TemporaryDirectory(suffix=".exchanges") as log:
        code = subprocess.call([probetest, "run", "--k8s", minor, "--timeout", "60000", "--report", result_path, *selection, "--", sys.executable,
                                os.path.abspath(__file__), "--tee", log] + command)
        with open(result_path, encoding="utf-8") as f:
            lines = [json.loads(line) for line in f]
        return code, lines, list(units(log)) if code in (0, 1) else []


def was_asked(line):
    """Whether the adapter heard of the case: a skip may be what it declined (protocol.md, section 5)."""
    if line["layer"] == "fire":
        return False  # never recorded: its ports differ each time
    return line["verdict"] not in ("skip", "not-run") or line.get("why", "").startswith("it answered")


def is_kept(item):
    """What the table does not agree with is to be cleared up; of what may go several ways (level observed, and
    `any_of`, whose name is then in `why`) the way that it went is nothing to hold anyone to."""
    return item["verdict"] == "pass" and not item.get("why")


def go_version(program):
    """Of the Go that built the adapter; what is no program of Go's does not say."""
    if not shutil.which("go"):
        return "unknown"
    said = subprocess.run(["go", "version", program], capture_output=True, text=True).stdout.split()
    return said[-1] if said else "unknown"


def record(minor, path, result_path, probetest, selection, command):
    code, lines, cases = run_table(minor, result_path, probetest, selection, command)
    if code not in (0, 1):
        return code
    header = lines[0]
    played = [l for l in lines if "case" in l and was_asked(l)]
    if len(cases) != len(played):
        print(f"record: {len(played)} cases were played, but {len(cases)} are in the exchanges", file=sys.stderr)
        return 4
    new = {}
    for item, (gates, unit) in zip(played, cases):
        kept = recorded(item, gates, unit)
        if kept and is_kept(item):
            new[item["case"]] = kept
    kept = [result_of(l) for l in lines if l.get("layer") == "fire" and in_contract(l) and is_kept(l)]
    new |= {item["case"]: item for item in kept if item}
    old_head, old = read_recording(path)
    module = "k8s.io/kubernetes " + header["adapter"]["version"]
    if selection:
        if old_head and old_head["module"] != module:
            print(f"record: {path} is of {old_head['module']}, this is {module}: play the whole table", file=sys.stderr)
            return 4
        asked = {line.get("case") for line in lines}
        new |= {case: item for case, item in old.items() if case not in asked}
    changes = difference(old, new)
    if old:
        print("\n".join(changes[:40] + ([f"... and {len(changes) - 40} more"] if len(changes) > 40 else [])) or
              f"the recording of {minor} is as it was")
    body = [dump(new[case]) for case in sorted(new)]
    go = go_version(command[0])
    head = {"recording": 1, "k8s": minor, "module": module, "go": go,
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "cases": len(body),
            "observes": sorted(set(header["adapter"].get("observes", ())) - {"request", "text"}), "suite": header["suite"], "hash": digest(body)}
    if not changes and old_head and old_head.get("observes") == head["observes"]:
        return code
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with lzma.open(path + ".new", "wt", encoding="utf-8", preset=9) as f:  # beside it: who is ended here leaves the old one whole
        f.write("\n".join([dump(head)] + body) + "\n")
    os.replace(path + ".new", path)
    print(f"recorded: {path}: {len(body)} cases, {os.path.getsize(path)} bytes")
    return code


def main(argv):
    if argv[:1] == ["--tee"] and len(argv) >= 3:
        return tee(argv[1], argv[2:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and nothing is left
    cut = argv.index("--") if "--" in argv else 0
    if cut < 4 or len(argv) == cut + 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return record(*argv[:4], argv[4:cut], argv[cut + 1:])
    except (OSError, ValueError, KeyError) as e:
        print(f"record: {e!r}", file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
