#!/usr/bin/env python3
"""record.py: keep what the real kubelet did, and compare others with it.

  record.py record [--repeat N] [--only GLOB] OUT.jsonl.gz -- ADAPTER...
  record.py compare [--only GLOB] [-v] RECORDING.jsonl.gz -- ADAPTER...

A recording is a header line and one line for each scenario: {"name", "hash", "traces": [[[at, effect],
...], ...]}. More than one trace is a race of the kubelet itself, seen when the scenario was repeated:
each conforms. Exit 0 when all agree, 1 when not, 2 usage, 4 when the adapter is unusable.
"""
import argparse
import datetime
import fnmatch
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import play  # noqa: E402
import scenarios  # noqa: E402

ORDERED = {"Pulled", "Created", "Started", "BackOff", "Failed"}


def canon(v):
    return json.dumps(v, sort_keys=True, separators=(",", ":"))


def digest(v):
    return hashlib.sha256(canon(v).encode()).hexdigest()[:16]


def selected(minor, only):
    for s in scenarios.SCENARIOS:
        if s["since"] <= minor <= s.get("untilMinor", 999) and fnmatch.fnmatch(s["name"], only):
            yield s


def run(argv, scenario, minor, observes=None):
    adapter = play.Adapter(argv)
    try:
        trace = []
        for at, e in play.play(adapter, {**scenario, "k8s": "1.%d" % minor}):
            if e["e"] != "<" and (observes is None or e["e"] in observes):
                trace.append([at, e])
            if len(trace) > 20000:
                raise RuntimeError("more than 20000 effects")
        return trace
    finally:
        adapter.p.kill()
        adapter.end()


def normal(trace):
    """The trace as it is compared: probe and hook numbers by order of appearance of their owner,
    the effects of one instant and kind as a set, but for the order that section 3.1 keeps."""
    instants = {}
    for at, e in trace:
        e = {k: v for k, v in e.items() if k != "n"}
        if str(e.get("message", "")).endswith("context canceled"):
            e["message"] = "... context canceled"  # section 2.1: the rest is not judged
        instants.setdefault(at, []).append(e)
    out = []
    for at in sorted(instants):
        kept = [e for e in instants[at] if e["e"] in ("start", "sandbox") or
                (e["e"] == "event" and e.get("reason") in ORDERED)]
        rest = {}
        for e in instants[at]:
            if e in kept:
                continue
            # Of several published values in one instant the last counts.
            if e["e"] in ("state", "started", "ready", "phase", "condition"):
                key = (e["e"], e.get("container"), e.get("type") if e["e"] == "condition" else None)
                rest[key] = e
            else:
                rest[(e["e"], canon(e), len(rest))] = e
        out += [[at, e] for e in kept]
        out += sorted([[at, e] for e in rest.values()], key=canon)
    return out


def hello(argv):
    a = play.Adapter(argv)
    try:
        return a.call("hello", protocol=1, gates={}, seed=1)
    finally:
        a.p.kill()
        a.end()


def record(args, argv):
    info = hello(argv)
    minor = int(info["version"].split(".")[1])
    out, worst = [], 0
    for s in selected(minor, args.only):
        traces, seen = [], set()
        for _ in range(args.repeat):
            t = run(argv, s, minor)
            key = canon(normal(t))
            if key not in seen:
                seen.add(key)
                traces.append(t)
        worst = max(worst, len(traces))
        out.append({"name": s["name"], "hash": digest(s), "traces": traces})
        print("%-40s %5d effects %s" % (s["name"], len(traces[0]), "" if len(traces) == 1 else
                                        "%d traces" % len(traces)), flush=True)
    go = subprocess.run(["go", "version"], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
    body = "\n".join(canon(x) for x in out) + "\n"
    head = {"layer": "pod", "module": "k8s.io/kubernetes v" + info["version"], "go": go[2] if len(go) > 2 else "",
            "date": datetime.date.today().isoformat(), "repeat": args.repeat, "scenarios": len(out),
            "sha256": hashlib.sha256(body.encode()).hexdigest()}
    with open(args.recording, "wb") as f:
        with gzip.GzipFile(fileobj=f, mode="wb", mtime=0, filename="") as z:
            z.write((canon(head) + "\n" + body).encode())
    print("%s: %d scenarios, %d bytes" % (args.recording, len(out), os.path.getsize(args.recording)))
    return 0


def load(path):
    with gzip.open(path, "rt", encoding="utf-8") as z:
        head, _, body = z.read().partition("\n")
    head = json.loads(head)
    if hashlib.sha256(body.encode()).hexdigest() != head["sha256"]:
        raise ValueError("%s: the hash does not fit" % path)
    return head, [json.loads(x) for x in body.splitlines()]


def first_difference(want, got):
    for i in range(max(len(want), len(got))):
        w = want[i] if i < len(want) else None
        g = got[i] if i < len(got) else None
        if w != g:
            return i, w, g
    return None


def diff(want, got, observes):
    """The least difference between a trace and the allowed ones: None when one agrees."""
    got = normal([x for x in got if x[1]["e"] in observes])
    best = None
    for trace in want:
        allowed = normal([x for x in trace if x[1]["e"] in observes])
        d = first_difference(allowed, got)
        if d is None:
            return None
        if best is None or d[0] > best[0]:
            best = (d[0], allowed, got)
    return best


def report(name, d):
    i, want, got = d
    at = min(x[i][0] for x in (want, got) if i < len(x))
    lines = ["%s: differs at %.3f" % (name, at / 1000)]
    w = [x for x in want if x[0] == at]
    g = [x for x in got if x[0] == at]
    for sign, mine, other in (("-", w, g), ("+", g, w)):
        for x in mine:
            lines.append("  %s %10.3f %s" % (sign if x not in other else " ", at / 1000, play.text(x[1]))
                         if sign == "-" or x not in other else "")
    return "\n".join(x for x in lines if x)


def compare(args, argv):
    head, rows = load(args.recording)
    minor = int(re.search(r"v1\.(\d+)\.", head["module"]).group(1))
    observes = set(hello(argv)["observes"]) & {"probe", "started", "ready", "hook", "kill", "sandbox", "start",
                                               "backoff", "event", "state", "phase", "condition", "apidelete"}
    known = {s["name"]: s for s in scenarios.SCENARIOS}
    bad = stale = good = 0
    for row in rows:
        s = known.get(row["name"])
        if not fnmatch.fnmatch(row["name"], args.only):
            continue
        if s is None or digest(s) != row["hash"]:
            print("%s: recorded for another scenario; record it again" % row["name"])
            stale += 1
            continue
        try:
            d = diff(row["traces"], run(argv, s, minor), observes)
        except RuntimeError as err:
            print("%s: %s" % (row["name"], err))
            bad += 1
            continue
        if d is None:
            good += 1
            continue
        bad += 1
        print(report(row["name"], d), flush=True)
    print("%s: %d agree, %d differ, %d stale" % (head["module"], good, bad, stale))
    return 1 if bad or stale else 0


def main():
    if "--" not in sys.argv:
        sys.exit(__doc__)
    cut = sys.argv.index("--")
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("verb", choices=["record", "compare"])
    ap.add_argument("--repeat", type=int, default=3)
    ap.add_argument("--only", default="*")
    ap.add_argument("-v", action="store_true")
    ap.add_argument("recording")
    args = ap.parse_args(sys.argv[1:cut])
    try:
        return (record if args.verb == "record" else compare)(args, sys.argv[cut + 1:])
    except (OSError, ValueError, RuntimeError) as err:
        print("record.py: %s" % err, file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main())
