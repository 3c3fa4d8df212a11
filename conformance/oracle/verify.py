#!/usr/bin/env python3
"""Holds an adapter (the engine) against the golden recordings of the real kubelet.

  verify.py [--jobs N] [--k8s LIST] [--contract] RECORDINGS-DIR -- PROBETEST serve
  verify.py --played CASE RECORDINGS-DIR

Each recorded case is played again: its script of world events and answers, at the recorded instants,
and what the adapter does is compared with what the kubelet did: per instant, the notes of one
container and kind in order; different ones have none.  Cases of layers that the adapter does not
claim are counted and named.

Then the recordings themselves are judged by the contract: recorded.py answers in each kubelet's place, and of layer fire
the result is what the contract wants.  --contract does this alone.  --played tells which minors' kubelets a case, with all of
its rows, is recorded of.  Exit 0: equal, 1: not, 2: usage, 3: a recording is damaged, 4: the
adapter is unusable.
"""

import glob
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile

import documents
import play
import record

ROUNDS_MAX = 10000
NEVER_BEGUN = 4000000000  # nobody waits for an answer to it


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
                what = {k: v for k, v in effect.items() if k != "n"}
                if what.get("message", "").endswith("context canceled"):
                    what["message"] = "context canceled"
                notes.setdefault(owner(effect), []).append(what)
        if notes:
            out.append((at, notes))
    return out


class Replay:
    """One recorded case played on an adapter."""

    def __init__(self, adapter, item):
        self.adapter, self.item = adapter, item
        attempts = record.Attempts()  # the kubelet's
        self.recorded = {n: which for _, effects in item["trace"] for n, which in attempts.of(effects)}
        self.trace, self.attempts, self.begun, self.now = [], record.Attempts(), {}, 0

    def play(self):
        self._take(self.adapter.ask("open", **self.item["open"]))
        try:
            for at, events in self.item["script"]:
                self._advance(at)
                self._take(self.adapter.ask("advance", to=self.now, events=[self._mine(e) for e in events]))
            self._advance(self.item["end"])
        finally:
            self.adapter.ask("close")
        return self.trace

    def _mine(self, event):
        if event["e"] != "answer":
            return event
        begun = self.begun.get(self.recorded.get(event["n"]))
        return dict(event, n=NEVER_BEGUN if begun is None else begun)

    def _advance(self, to):
        for _ in range(ROUNDS_MAX):
            reply = self.adapter.ask("advance", to=to, events=[])
            self._take(reply)
            if self.now >= to and not reply["effects"]:
                return
        raise play.AdapterError(f"livelock at {self.now} ms", "livelock")

    def _take(self, reply):
        self.now = reply["at"]
        if not reply["effects"]:
            return
        if self.trace and self.trace[-1][0] == self.now:
            self.trace[-1][1].extend(reply["effects"])
        else:
            self.trace.append([self.now, list(reply["effects"])])
        self.begun.update((which, n) for n, which in self.attempts.of(reply["effects"]))


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


# ---- the recordings against the contract ------------------------------------------------------------


def contract_of(probetest, minor):
    """Case to what it is, as the contract has it today."""
    done = subprocess.run([probetest, "export", "--k8s", minor, "^contract-"], capture_output=True, text=True, check=True)
    return {case["id"]: case for case in map(json.loads, done.stdout.splitlines()[1:])}


def recorded_of(folder, minor, prefix):
    path = os.path.join(folder, f"{prefix}{minor}.jsonl.xz")
    return record.read_recording(path, "contract-")[1]


def play_recorded(folder, minor, probetest, cases):
    """The result lines of these cases, answered from the recordings."""
    adapter = [sys.executable, "-S", "-E", os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded.py"), folder, minor]
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as report:
        done = subprocess.run([probetest, "run", "--quiet", "--k8s", minor, "--report", report.name, *(f"^{case}$" for case in cases), "--", *adapter],
                              capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise OSError(done.stderr.strip() or f"{probetest} ended with {done.returncode}")
        with open(report.name, encoding="utf-8") as f:
            return [line for line in map(json.loads, f) if "case" in line]


def judge_contract(task):
    """(minor, cases judged, cases of the contract, [differences]) of one minor's recordings."""
    folder, minor, probetest = task
    today = contract_of(probetest, minor)
    results = [(case, item["ok"]["result"]) for prefix in ("", "handlers-") for case, item in recorded_of(folder, minor, prefix).items()
               if item["layer"] == "fire" and case in today]
    wrong = [(case, f"the kubelet: {result}; the contract: {today[case]['wanted']['result']}") for case, result in results
             if result != today[case]["wanted"]["result"]]
    played = [case for prefix in ("", "pod-") for case, item in recorded_of(folder, minor, prefix).items()
              if item["layer"] != "fire" and case in today]
    lines = play_recorded(folder, minor, probetest, sorted(set(played))) if played else []
    wrong += [(line["case"], line.get("why", line["verdict"])) for line in lines if line["verdict"] != "pass"]
    return minor, len({case for case, _ in results}) + len(lines), len(today), wrong


def work_contract(task):
    try:
        return judge_contract(task)
    except (ValueError, KeyError, EOFError, OSError, subprocess.SubprocessError) as e:
        return f"{task[1]}: {e}"


def contract(folder, minors, probetest, pool):
    """Judge them all, and tell; the exit code."""
    code, total, apply = 0, 0, 0
    for result in pool.imap(work_contract, [(folder, minor, probetest) for minor in minors]):
        if isinstance(result, str):
            print(f"verify: {result}", file=sys.stderr)
            return 4
        minor, judged, count, wrong = result
        for case, why in wrong:
            print(f"{case} as recorded on {minor}: {why[:400]}")
        code = 1 if wrong else code
        total += judged - len(wrong)
        apply += count
    print(f"contract: {total} answers of the real kubelet pass it, of {apply} that {len(minors)} minors have to give")
    return code


def compare(adapter, item, observes, minor):
    """None, or how the adapter differs from the recording."""
    if "ask" in item:
        want = documents.judged(item["layer"], item["ok"], minor)
        got = documents.answer(adapter, item["layer"], item["ask"], minor)
        want, got = record.dump(want), record.dump(got)
        return None if want == got else f"the kubelet: {want}; here: {got}"
    trace = Replay(adapter, item).play()
    if record.dump(trace) == record.dump(item["trace"]):
        return None
    return first_difference(comparable(item["trace"], observes), comparable(trace, observes))


def verify_file(path, command):
    """(k8s, equal, [differences], {layer: cases not claimed}); raises ValueError when damaged."""
    header, items = record.read_recording(path)
    adapter, greeted = None, None
    equal, differing, unclaimed = 0, [], {}
    try:
        for case in sorted(items):
            item = items[case]
            if item["layer"] == "fire":
                continue  # no attempt is made here: the table says what the engine's come to
            gates = item.get("gates", {})
            if adapter is None:
                adapter, greeted = play.Adapter(command), None
            if greeted != gates:
                hello = adapter.ask("hello", protocol=1, k8s=header["k8s"], gates=gates, seed=1)
                greeted = gates
            if item["layer"] not in hello["layers"]:
                unclaimed[item["layer"]] = unclaimed.get(item["layer"], 0) + 1
                continue
            try:
                why = compare(adapter, item, set(hello["observes"]) & set(header["observes"]), int(header["k8s"].split(".")[1]))
            except play.AdapterError as e:
                why = f"{e.code}: {e}"
                adapter.process.kill()
                adapter.close()
                adapter = None
            if why:
                differing.append((case, why))
            else:
                equal += 1
    finally:
        if adapter:
            adapter.close()
    return header, equal, differing, unclaimed


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
    path, command = task
    try:
        return verify_file(path, command)
    except (ValueError, KeyError, EOFError, OSError) as e:
        return f"{path}: {e}"


def main(argv):
    if argv[:1] == ["--played"] and len(argv) == 3:
        found = played(argv[2], argv[1])
        print("".join(f"{name}: {spans(minors)}\n" for name, minors in sorted(found.items())) or f"no recording has {argv[1]}\n", end="")
        return 0 if found else 1
    jobs, minors, alone = 1, None, False
    while argv and argv[0] in ("--jobs", "--k8s", "--contract"):
        if argv[0] == "--contract":
            alone, argv = True, argv[1:]
            continue
        if argv[0] == "--jobs":
            jobs = int(argv[1])
        else:
            minors = argv[1].split(",")
        argv = argv[2:]
    if len(argv) < 3 or argv[1] != "--":
        print(__doc__, file=sys.stderr)
        return 2
    paths = sorted(glob.glob(os.path.join(argv[0], "*.jsonl.xz")))
    if minors:
        paths = [p for p in paths if minor_of(p) in minors]
    if not paths:
        print(f"verify: no recordings in {argv[0]}", file=sys.stderr)
        return 3
    code, total, left_out = 0, 0, {}
    with multiprocessing.Pool(jobs) as pool:
        if alone:
            return contract(argv[0], sorted({minor_of(p) for p in paths}), argv[2], pool)
        for result in pool.imap(work, [(p, argv[2:]) for p in paths]):
            if isinstance(result, str):
                print(f"verify: {result}", file=sys.stderr)
                code = max(code, 3)
                continue
            header, equal, differing, unclaimed = result
            total += equal
            for case, why in differing:
                print(f"{case} on {header['k8s']}: {why[:400]}")
            for layer, count in unclaimed.items():
                left_out[layer] = left_out.get(layer, 0) + count
            code = max(code, 1 if differing else 0)
        if code < 3:
            code = max(code, contract(argv[0], sorted({minor_of(p) for p in paths}), argv[2], pool))
    for layer, count in sorted(left_out.items()):
        print(f"recordings: {count} of layer {layer} are not compared: it is not claimed")
    print(f"recordings: {total} answers of the real kubelet in {len(paths)} files are the engine's too" if code == 0 else
          f"recordings: {total} equal; see above")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
