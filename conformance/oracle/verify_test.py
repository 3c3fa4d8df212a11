#!/usr/bin/env python3
"""What verify.py holds an adapter to, on recordings of its own: the engine's answers, one thing of them changed.

  verify_test.py PROBETEST

A recording is made of what the engine does with one pod; held against it, the engine is equal.  Then one note at a time
is put in or taken out.  What is no part of the protocol (its section 3) is passed over; anything else is told.
"""

import copy
import os
import signal
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import play  # noqa: E402
import record  # noqa: E402
import verify  # noqa: E402

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ns", "uid": "uid-p"},
       "spec": {"restartPolicy": "Always", "terminationGracePeriodSeconds": 30,
                "containers": [{"name": "web", "image": "app", "livenessProbe": {"exec": {"command": ["x"]}}}]}}
ITEM = {"layer": "pod", "case": "made-up.one", "end": 12000, "trace": [],
        "open": {"layer": "pod", "uptime": 120500, "wall": 0, "jitter": "none", "requeueJitter": 0,
                 "syncFrequency": 60000, "pod": POD},
        "script": [[0, [{"e": "sandbox", "do": "create", "attempt": 0}]],
                   [0, [{"e": "running", "container": "web", "cid": "web-1", "restarts": 0}]]]}


def event(reason):
    return {"e": "event", "container": "", "type": "Normal", "reason": reason, "message": "of itself"}


def condition(kind):
    return {"e": "condition", "type": kind, "status": "True", "reason": "", "message": ""}


# What the kubelet is made to have said at 5 s besides, and whether that is told.
BESIDES = [(event("ResizeStarted"), False), (event("ResizeCompleted"), False), (event("ResizeError"), False),
           (condition("PodResizePending"), False), (condition("PodResizeInProgress"), False),
           (condition("PodScheduled"), False), (condition("example.org/warm"), False),
           (event("Killing"), True), (event("Unhealthy"), True), (event("NodeResize"), True),
           (condition("Ready"), True), (condition("ContainersReady"), True), (condition("Initialized"), True),
           (condition("PodReadyToStartContainers"), True), (condition("AllContainersRestarting"), True),
           ({"e": "kill", "container": "web", "cid": "web-1", "grace": 30, "message": "", "reason": ""}, True),
           ({"e": "apidelete"}, True)]


def said(trace, at, effect):
    """The trace with one effect more."""
    out = copy.deepcopy(trace)
    for instant, effects in out:
        if instant == at:
            effects.append(effect)
            return out
    return sorted(out + [[at, [effect]]], key=lambda step: step[0])


def unsaid(trace):
    """The trace once for each of its notes, without it."""
    for i, (_, effects) in enumerate(trace):
        for j in range(len(effects)):
            out = copy.deepcopy(trace)
            del out[i][1][j]
            yield effects[j], [step for step in out if step[1]]


def written(folder, item, observes):
    body = [record.dump(item)]
    head = {"recording": 1, "k8s": "1.36", "observes": observes, "hash": record.digest(body)}
    path = os.path.join(folder, "pod-1.36.jsonl.xz")
    with record.lzma.open(path, "wt", encoding="utf-8") as f:
        f.write("\n".join([record.dump(head)] + body) + "\n")
    return path


def main(argv):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and nothing is left
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    command, problems, tried = [argv[1], "serve"], [], 0
    engine = play.Adapter(command)
    observes = engine.ask("hello", protocol=1, k8s="1.36", gates={}, seed=1)["observes"]
    trace = verify.Replay(engine, ITEM).play()
    engine.close()
    tries = [("the trace itself", trace, False)]
    tries += [(f"besides {record.dump(e)}", said(trace, 5000, e), told) for e, told in BESIDES]
    tries += [(f"without {record.dump(e)}", t, True) for e, t in unsaid(trace)]
    with tempfile.TemporaryDirectory() as folder:
        for name, changed, told in tries:
            tried += 1
            path = written(folder, {**ITEM, "trace": changed}, observes)
            _, _, differing, _ = verify.verify_file(path, command)
            if bool(differing) != told:
                problems.append(f"{name}: {'nothing is told' if told else differing[0][1]}")
    print("\n".join(problems + [f"verify.py: {tried} recordings, {len(problems)} judged wrongly"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
