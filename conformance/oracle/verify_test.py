#!/usr/bin/env python3
"""What verify.py holds an adapter to, on recordings of its own: the engine's answers, one thing of them changed.

  verify_test.py PROBETEST

A recording is made of what the engine does with one pod; held against it, the engine is equal.  Then one note at a time
is put in or taken out.  Another is the kubelet's own, of a case of the contract: told otherwise, it does not pass it.  What is no part of the protocol (its section 3) is passed over; anything else is told.
"""

import contextlib
import copy
import io
import itertools
import os
import signal
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import client  # noqa: E402
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


def written(folder, observes, items, minor="1.36", name="pod"):
    body = [record.dump(item) for item in items]
    head = {"recording": 1, "k8s": minor, "module": "k8s.io/kubernetes v1", "observes": observes, "hash": record.digest(body)}
    path = os.path.join(folder, f"{name}{name and '-'}{minor}.jsonl.xz")
    with record.lzma.open(path, "wt", encoding="utf-8") as f:
        f.write("\n".join([record.dump(head)] + body) + "\n")
    return path


def verified(folder, probetest):
    """(exit code, what is printed) of all that is recorded there."""
    with contextlib.redirect_stdout(io.StringIO()) as told:
        return verify.main([folder, "--", probetest, "serve"]), told.getvalue()


LIVENESS = "contract-restart-policy.always"
STATUS = "contract-http-status.200"


def of_the_contract(probetest):
    """(what, is it judged so): a kubelet's recording of one case of the contract, as it is and told otherwise."""
    header, items = record.read_recording(os.path.join(HERE, "recordings", "pod-1.37.jsonl.xz"))
    whole = items[LIVENESS]

    late = {**whole, "trace": [[at, [{**effect, "grace": 31} if effect["e"] == "kill" else effect for effect in effects]]
                               for at, effects in whole["trace"]]}
    other = {**whole, "script": [[at, [{**event, "restarts": 7} if event["e"] == "running" else event for event in events]]
                                 for at, events in whole["script"]]}
    fire = {"case": STATUS, "layer": "fire", "ok": {"result": "success"}}
    for what, name, item, differences in (
            ("as it is", "pod", whole, 0), ("a kill with another grace", "pod", late, 1), ("another world", "pod", other, 1),
            ("a result", "handlers", fire, 0), ("another result", "handlers", {**fire, "ok": {"result": "failure"}}, 1)):
        with tempfile.TemporaryDirectory() as folder:
            written(folder, header["observes"], [whole], "1.37", "pod")
            written(folder, header["observes"], [item], "1.37", name)
            code, told = verified(folder, probetest)
            passed = f"contract: {1 + (name == 'handlers') - differences} answers"
            yield what, code == (differences > 0) and passed in told


# A leaf of the answer to each kind of question, and what stands there in its place.
LEAVES = {"port": (("port",), 1), "check": (("errors", 0, "text"), "spec: Required value"), "actions": (("createSandbox",), 0),
          "events": (("events", 0, "count"), 999), "kubectl": (("columns", "READY"), "0/7")}


def otherwise(item):
    """The case with one thing of its answer changed: a leaf, or the instant of the first effect."""
    out = copy.deepcopy(item)
    if "trace" in item:
        out["trace"][0][0] += 1
        return out
    (*way, last), instead = LEAVES[item["layer"]]
    at = out["ok"]
    for step in way:
        at = at[step]
    at[last] = instead
    return out


def can_change(item):
    try:
        return otherwise(item) is not None
    except LookupError:
        return False


def of_each_layer(probetest):
    """(what, is it told where it is): of three of the kubelet's answers the one in the middle is changed."""
    for name, layer in (("", "port"), ("", "check"), ("", "probe"), ("pod", "pod"), ("pod", "actions"), ("kubectl", "events"), ("kubectl", "kubectl")):
        file = f"{name}{name and '-'}1.37.jsonl.xz"
        header, items = record.read_recording(os.path.join(HERE, "recordings", file))
        three = [item for _, item in sorted(items.items()) if item["layer"] == layer and "contract" not in item["case"] and can_change(item)][:3]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, file)
            for middle, differences in ((three[1], []), (otherwise(three[1]), [f"{path}:3: {three[1]['case']}: "])):
                written(folder, header["observes"], [three[0], middle, three[2]], "1.37", name)
                code, told = verified(folder, probetest)
                lines = [line for line in told.splitlines() if ".xz:" in line]
                yield f"{layer}: {differences or 'as it is'}", code == len(differences) == len(lines) and all(map(str.startswith, lines, differences))


def main(argv):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and nothing is left
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    command, problems, tried = [argv[1], "serve"], [], 0
    engine = client.Adapter(command)
    observes = engine.ask("hello", protocol=1, k8s="1.36", gates={}, seed=1)["observes"]
    trace = verify.answer_to(engine, ITEM)
    engine.close()
    tries = [("the trace itself", trace, False)]
    tries += [(f"besides {record.dump(e)}", said(trace, 5000, e), told) for e, told in BESIDES]
    tries += [(f"without {record.dump(e)}", t, True) for e, t in unsaid(trace)]
    with tempfile.TemporaryDirectory() as folder:
        for name, changed, told in tries:
            tried += 1
            path = written(folder, observes, [{**ITEM, "trace": changed}])
            _, _, differing, *_ = verify.verify_file(path, command)
            if bool(differing) != told:
                problems.append(f"{name}: {'nothing is told' if told else differing[0]}")
    for name, right in itertools.chain(of_the_contract(argv[1]), of_each_layer(argv[1])):
        tried += 1
        if not right:
            problems.append(name)
    print("\n".join(problems + [f"verify.py: {tried} recordings, {len(problems)} judged wrongly"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
