#!/usr/bin/env python3
"""Holds an adapter (the engine) against the golden recordings of the real kubelet, and those against the contract.

  verify.py [--jobs N] [--k8s LIST] RECORDINGS-DIR -- PROBETEST serve
  verify.py --played CASE RECORDINGS-DIR

Each recorded case is played again: its script of world events and answers, at the recorded instants,
and what the adapter does is compared with what the kubelet did: per instant, the notes of one
container and kind in order; different ones have none.  What does not come out equal where all is asked at once (at_once.py)
is asked again, request by request, and judged then.  Cases of layers that the adapter does not claim are counted and named.

The contract judges the recordings: recorded.py answers in each kubelet's place, and of layer fire the result is what the
contract wants.  --played tells which minors' kubelets a case, with all of its rows, is recorded of.  Exit 0: equal, 1: not,
2: usage, 3: a recording is damaged, 4: the adapter is unusable.
"""

import collections
import glob
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile

import at_once
import client
import documents
import record


def owner(effect):
    """Whose note this is: same-instant notes of one owner are in order."""
    text = effect.get("message", "")
    kind = effect["e"]
    probe = text.split(" ", 1)[0] if kind == "event" and effect.get("reason") in ("Unhealthy", "ProbeWarning") else ""
    return f"{effect.get('pod', '')} {effect.get('container', '')} {effect.get('type', '')} {kind} {probe}"


OWN_CONDITIONS = ("Ready", "ContainersReady", "Initialized", "PodReadyToStartContainers", "AllContainersRestarting")


def is_judged(effect):
    """What the protocol leaves to others is not (section 3; the runner does the same, judge/match.c)."""
    if effect["e"] == "condition":
        return effect["type"] in OWN_CONDITIONS
    return effect["e"] != "event" or not effect["reason"].startswith("Resize")


def comparable(trace, observes):
    out = []
    for at, effects in trace:
        notes = {}
        for effect in effects:
            if effect["e"] in observes and is_judged(effect):
                what = {k: v for k, v in effect.items() if k != "n"} if "n" in effect else effect
                if effect.get("message", "").endswith("context canceled"):
                    what = {**what, "message": "context canceled"}
                notes.setdefault(owner(effect), []).append(what)
        if notes:
            out.append((at, notes))
    return out


def first_difference(want, got):
    """Two values are one where their JSON is: 1 is not true."""
    if record.dump(want) == record.dump(got):
        return None
    for i in range(max(len(want), len(got))):
        a = want[i] if i < len(want) else (None, {})
        b = got[i] if i < len(got) else (None, {})
        if record.dump(a) == record.dump(b):
            continue
        at = min(t for t, _ in (a, b) if t is not None)
        a, b = (notes if t == at else {} for t, notes in (a, b))
        for name in sorted(set(a) | set(b)):
            there, here = (record.dump(notes[name]) if name in notes else "nothing" for notes in (a, b))
            if there != here:
                return f"at {at} ms: the kubelet: {there}; here: {here}"
    return None


def compare(item, answer, about, header):
    """None, or how the adapter's answer or trace differs from what is recorded."""
    if "ask" not in item:
        observes = set(about["observes"]) & set(header["observes"])
        return first_difference(comparable(item["trace"], observes), comparable(answer, observes))
    want, got = (record.dump(documents.judged(item["layer"], ok, int(header["k8s"].split(".")[1]))) for ok in (item["ok"], answer))
    return None if want == got else f"the kubelet: {want}; here: {got}"


def answer_to(adapter, item):
    """The answer or the trace, request by request."""
    if "ask" in item:
        return adapter.ask(item["layer"], **item["ask"])
    try:
        return at_once.drive(at_once.playing(item), adapter.ask)
    except at_once.Livelock as e:
        raise client.AdapterError(str(e), "livelock") from None
    finally:
        adapter.ask("close")


def verify_file(path, command):
    """(header, equal, [differences], {layer: cases not claimed}, [(case, place, result)] of the contract); raises ValueError when damaged."""
    header, items = record.read_recording(path)
    places = {case: f"{path}:{line}" for line, case in enumerate(items, 2)}
    # Of layer fire no attempt is made here: the table says what the engine's come to.
    asked = [item for _, item in sorted(items.items()) if item["layer"] != "fire"]

    def hello_of(item):
        return {"op": "hello", "protocol": 1, "k8s": header["k8s"], "gates": item.get("gates", {}), "seed": 1}

    equal = {item["case"] for item, about, answer in at_once.answers(command, asked, hello_of)
             if item["layer"] in about["layers"] and compare(item, answer, about, header) is None}
    adapter, greeted, differing, unclaimed = None, None, [], {}
    try:
        for item in asked:
            if item["case"] in equal:
                continue
            if adapter is None:
                adapter, greeted = client.Adapter(command), None
            if greeted != hello_of(item):
                greeted = hello_of(item)
                about = adapter.ask(**greeted)
            if item["layer"] not in about["layers"]:
                unclaimed[item["layer"]] = unclaimed.get(item["layer"], 0) + 1
                continue
            try:
                why = compare(item, answer_to(adapter, item), about, header)
            except client.AdapterError as e:
                why = f"{e.code}: {e}"
                adapter.process.kill()
                adapter.close()
                adapter = None
            if why:
                differing.append(f"{places[item['case']]}: {item['case']}: {why[:400]}")
            else:
                equal.add(item["case"])
    finally:
        if adapter:
            adapter.close()
    return header, len(equal), differing, unclaimed, [
        (case, places[case], item["ok"]["result"] if item["layer"] == "fire" else None) for case, item in items.items()
        if case.startswith("contract-") and os.path.basename(path).partition("1.")[0] in ("", "pod-", "handlers-")]


# ---- the recordings against the contract ------------------------------------------------------------


def results_wanted(probetest):
    """Case of layer fire to its result, as the contract has it today."""
    done = subprocess.run([probetest, "export", "^contract-"], capture_output=True, text=True, check=True)
    return {case["id"]: case["wanted"]["result"] for case in map(json.loads, done.stdout.splitlines()[1:]) if case["layer"] == "fire"}


def play_recorded(folder, minors, probetest):
    """{(minor, case): its result line} of the contract, answered from the recordings."""
    adapter = [sys.executable, "-S", "-E", os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded.py"), folder]
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as report:
        done = subprocess.run([probetest, "run", "--quiet", "--tier", "contract", "--timeout", "600000", "--k8s", ",".join(minors), "--report", report.name, "--", *adapter],
                              capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise OSError(done.stderr.strip() or f"{probetest} ended with {done.returncode}")
        with open(report.name, encoding="utf-8") as f:
            return {(line["k8s"], line["case"]): line for line in map(json.loads, f) if "case" in line}


def judge_contract(recorded, lines, wanted):
    """(how many cases pass, [what does not]).  recorded: [(minor, case, place, its result of layer fire or None)]."""
    judged, wrong = set(), {}
    for minor, case, place, result in recorded:
        line = lines.get((minor, case))
        if line is None:
            continue  # the contract of today has it not
        judged.add((minor, case))
        if result is None and line["verdict"] != "pass":
            wrong[minor, case] = f"{place}: {case}: {line.get('why', line['verdict'])[:400]}"
        elif result is not None and result != wanted[case]:
            wrong[minor, case] = f"{place}: {case}: the kubelet: {result}; the contract: {wanted[case]}"
    return len(judged) - len(wrong), list(wrong.values())


def played(folder, case):
    """{case or row of it: [minors]}, oldest first."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl.xz")), key=lambda path: int(minor_of(path).split(".")[1])):
        for name in record.read_recording(path, case)[1]:
            if name == case or name.startswith(case + "."):
                found.setdefault(name, []).append(minor_of(path))
    return found


def spans(minors):
    """1.15, 1.16, 1.17, 1.20: "1.15 to 1.17, 1.20"."""
    out = []
    for minor in (int(m.split(".")[1]) for m in minors):
        if out and out[-1][1] == minor - 1:
            out[-1][1] = minor
        else:
            out.append([minor, minor])
    return ", ".join(f"1.{a}" if a == b else f"1.{a} to 1.{b}" for a, b in out)


def minor_of(path):
    return os.path.basename(path).split(".jsonl")[0].rpartition("-")[2]


def work(task):
    """What it comes to, or why it does not."""
    function, about, *others = task
    try:
        return function(about, *others)
    except (ValueError, KeyError, EOFError, OSError, subprocess.SubprocessError) as e:
        return f"{about}: {e}"


def verify(folder, paths, command, jobs):
    """Judge them all, and tell; the exit code."""
    minors = sorted({minor_of(path) for path in paths})
    parts = [minors[i::jobs] for i in range(min(jobs, len(minors)))]
    files = sorted(paths, key=os.path.getsize, reverse=True)  # what takes long begins first
    with multiprocessing.Pool(jobs) as pool:
        done = pool.map(work, [(play_recorded, folder, part, command[0]) for part in parts] + [(verify_file, path, command) for path in files], 1)
    contract, files = done[:len(parts)], [result for _, result in sorted(zip(files, done[len(parts):]))]
    damaged = [result for result in files if isinstance(result, str)]
    unusable = [] if damaged else [result for result in contract if isinstance(result, str)]
    for why in damaged + unusable:
        print(f"verify: {why}", file=sys.stderr)
    total, wrong, left_out, recorded = 0, [], collections.Counter(), []
    for header, equal, differing, unclaimed, of_contract in (result for result in files if result not in damaged):
        total += equal
        wrong += differing
        left_out.update(unclaimed)
        recorded += [(header["k8s"], *case) for case in of_contract]
    if not damaged and not unusable:
        lines = {key: line for part in contract for key, line in part.items()}
        passed, against = judge_contract(recorded, lines, results_wanted(command[0]))
        wrong += against
    if wrong:
        print("\n".join(wrong))
    if not damaged and not unusable:
        print(f"contract: {passed} answers of the real kubelet pass it, of {len(lines)} that {len(minors)} minors have to give")
    for layer, count in sorted(left_out.items()):
        print(f"recordings: {count} of layer {layer} are not compared: it is not claimed")
    code = 3 if damaged else 4 if unusable else 1 if wrong else 0
    print(f"recordings: {total} answers of the real kubelet in {len(paths)} files are the engine's too" if code == 0 else
          f"recordings: {total} equal; see above")
    return code


def main(argv):
    if argv[:1] == ["--played"] and len(argv) == 3:
        found = played(argv[2], argv[1])
        print("".join(f"{name}: {spans(minors)}\n" for name, minors in sorted(found.items())) or f"no recording has {argv[1]}\n", end="")
        return 0 if found else 1
    jobs, minors = 1, None
    while argv and argv[0] in ("--jobs", "--k8s"):
        if argv[0] == "--jobs":
            jobs = int(argv[1])
        else:
            minors = argv[1].split(",")
        argv = argv[2:]
    if len(argv) < 3 or argv[1] != "--":
        print(__doc__, file=sys.stderr)
        return 2
    paths = sorted(glob.glob(os.path.join(argv[0], "*.jsonl.xz")))
    for minor in minors or [""]:
        if not any(minor in ("", minor_of(path)) for path in paths):
            print(f"verify: no recordings in {argv[0]}{minor and ' of ' + minor}", file=sys.stderr)
            return 3
    if minors:
        paths = [path for path in paths if minor_of(path) in minors]
    return verify(argv[0], paths, argv[2:], jobs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
