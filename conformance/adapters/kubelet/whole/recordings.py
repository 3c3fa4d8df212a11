#!/usr/bin/env python3
"""recordings.py: keep what the whole real kubelet did, and compare others with it.

  recordings.py record [--repeat N] [--only GLOB] OUT.jsonl.xz -- ADAPTER...
  recordings.py compare [--only GLOB] RECORDING.jsonl.xz -- ADAPTER...

A recording is what conformance/oracle/record.py describes: a header line and one line for each
scenario of scenarios.py, with what was sent and what the kubelet did. `compare` plays the scenario's
world anew, so that it goes on where the other's kills and starts come at other times; it shows the
first instant that differs. A scenario on which the kubelet disagrees with itself when it is
repeated is named and not kept. Exit 0 when all agree, 1 when not, 2 usage, 4 when the adapter is unusable.
"""
import argparse
import datetime
import fnmatch
import hashlib
import json
import lzma
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import play  # noqa: E402
import scenarios  # noqa: E402

ORDERED = {"Pulled", "Created", "Started", "BackOff", "Failed"}


def canon(v):
    return json.dumps(v, sort_keys=True, separators=(",", ":"))


def digest(v):
    if isinstance(v, dict):
        v = {k: x for k, x in v.items() if k != "races"}
    return hashlib.sha256(canon(v).encode()).hexdigest()[:16]


def selected(minor, only):
    for s in scenarios.SCENARIOS:
        if s["since"] <= minor <= s.get("untilMinor", 999) and minor not in s.get("races", []) and fnmatch.fnmatch(s["name"], only):
            yield s


def run(argv, scenario, minor):
    """Play it: the recording's line."""
    adapter = play.started(argv)
    turns, trace, now = [], [], 0
    try:
        for at, e in play.play(adapter, {**scenario, "k8s": "1.%d" % minor}):
            now = at
            if e["e"] == "<":
                if not turns or turns[-1][0] != e["turn"]:
                    turns.append((e["turn"], at, []))
                turns[-1][2].append(e["sent"])
            elif trace and trace[-1][0] == at:
                trace[-1][1].append(e)
            else:
                trace.append([at, [e]])
            if len(trace) > 20000:
                raise RuntimeError("more than 20000 instants")
    finally:
        adapter.close()
    return {"case": "pod-" + scenario["name"], "layer": "pod", "scenario": digest(scenario),
            "open": play.opening(scenario),
            "script": [[at, events] for _, at, events in turns], "trace": trace,
            "end": max(now, scenario["until"])}


def flat(item):
    return [[at, e] for at, effects in item["trace"] for e in effects]


def normal(trace):
    """The trace as it is compared: probe and hook numbers by order of appearance of their owner,
    the effects of one instant and kind as a set, but for the order that section 3.1 keeps."""
    instants = {}
    for at, e in trace:
        e = {k: v for k, v in e.items() if k != "n"}
        if str(e.get("message", "")).endswith("context canceled"):
            e["message"] = "... context canceled"  # section 2.1: the rest is not judged
        instants.setdefault(at, []).append(e)
    out, published = [], {}
    for at in sorted(instants):
        kept = [e for e in instants[at] if e["e"] in ("start", "sandbox") or
                (e["e"] == "event" and e.get("reason") in ORDERED)]
        rest = {}
        for e in instants[at]:
            if e in kept:
                continue
            # Of several published values in one instant the last counts, and only if it is a change.
            if e["e"] in ("state", "started", "ready", "phase", "condition"):
                key = (e["e"], e.get("container"), e.get("type") if e["e"] == "condition" else None)
                rest[key] = e
            else:
                rest[(e["e"], canon(e), len(rest))] = e
        for key in [k for k in rest if k[0] in ("state", "started", "ready", "phase", "condition")]:
            before = published.get(key, {"started": False, "ready": False, "phase": "Pending"}.get(key[0]))
            published[key] = rest[key]["value"] if "value" in rest[key] else canon(rest[key])
            if before == published[key]:
                del rest[key]
        out += [[at, e] for e in kept]
        out += sorted([[at, e] for e in rest.values()], key=canon)
    return out


def hello(argv):
    a = play.started(argv)
    try:
        return a.ask("hello", protocol=1, gates={}, seed=1)
    finally:
        a.close()


def record(args, argv):
    info = hello(argv)
    minor = int(info["version"].split(".")[1])
    body, unstable = [], 0
    for s in selected(minor, args.only):
        item = run(argv, s, minor)
        same = all(normal(flat(run(argv, s, minor))) == normal(flat(item)) for _ in range(args.repeat - 1))
        print("%-40s %5d effects%s" % (s["name"], len(flat(item)), "" if same else ", not stable: not kept"), flush=True)
        unstable += not same
        if same:
            body.append(item)
    if not body and not unstable:
        raise ValueError("no scenario %s" % args.only)
    body = [canon(item) for item in sorted(body, key=lambda item: item["case"])]
    go = subprocess.run(["go", "env", "GOVERSION"], stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    head = {"recording": 1, "k8s": info["k8s"][0], "module": "k8s.io/kubernetes " + info["version"], "go": go,
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "cases": len(body),
            "suite": digest(scenarios.SCENARIOS), "observes": info["observes"], "hash": hashed(body)}
    with lzma.open(args.recording, "wt", encoding="utf-8", preset=9) as z:
        z.write("\n".join([canon(head)] + body) + "\n")
    print("%s: %d scenarios, %d not stable, %d bytes" % (args.recording, len(body), unstable, os.path.getsize(args.recording)))
    return 0


def hashed(lines):
    return hashlib.sha256(("\n".join(lines) + "\n").encode()).hexdigest()


def load(path):
    with lzma.open(path, "rt", encoding="utf-8") as z:
        lines = z.read().split("\n")[:-1]
    head = json.loads(lines[0])
    if hashed(lines[1:]) != head["hash"]:
        raise ValueError("%s: damaged: the hash does not fit" % path)
    return head, [json.loads(x) for x in lines[1:]]


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
        left = list(other)
        for x in mine:
            if x in left:
                left.remove(x)
                lines += ["    %10.3f %s" % (at / 1000, play.text(x[1]))] if sign == "-" else []
            else:
                lines.append("  %s %10.3f %s" % (sign, at / 1000, play.text(x[1])))
    if len(lines) == 1 or not any(x.startswith(("  -", "  +")) for x in lines[1:]):
        lines.append("  (another order)")
    return "\n".join(lines)


def compare(args, argv):
    head, items = load(args.recording)
    minor = int(head["k8s"].split(".")[1])
    observes = set(hello(argv)["observes"]) & {"probe", "started", "ready", "hook", "kill", "sandbox", "start",
                                               "backoff", "event", "state", "phase", "condition", "apidelete"}
    known = {"pod-" + s["name"]: s for s in scenarios.SCENARIOS}
    bad = stale = good = 0
    for item in items:
        s = known.get(item["case"])
        if not fnmatch.fnmatch(item["case"], "pod-" + args.only):
            continue
        if s is None or digest(s) != item["scenario"]:
            print("%s: recorded for another scenario; record it again" % item["case"])
            stale += 1
            continue
        try:
            d = diff([flat(item)], flat(run(argv, s, minor)), observes)
        except RuntimeError as err:
            d = None
            print("%s: %s" % (item["case"], err))
            bad += 1
            continue
        good, bad = good + (d is None), bad + (d is not None)
        if d is not None:
            print(report(item["case"], d), flush=True)
    if good + bad + stale == 0:
        raise ValueError("%s: no scenario %s" % (args.recording, args.only))
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
    ap.add_argument("recording")
    args = ap.parse_args(sys.argv[1:cut])
    try:
        return (record if args.verb == "record" else compare)(args, sys.argv[cut + 1:])
    except (OSError, ValueError, RuntimeError) as err:
        print("recordings.py: %s" % err, file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main())
