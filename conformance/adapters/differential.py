#!/usr/bin/env python3
"""Two implementations of the layer `probe`, the same random scenarios: do they do the same?

    differential.py [options] -- COMMAND ARGS...

COMMAND is an adapter.  It is compared with python/naive.py, or with the one that --against names.
Same-instant effects are compared as protocol.md 3.1 says: the order of one worker is kept, different
workers have none.  naive.py plays along in every case, for it knows where the kubelet itself draws
lots (Go's select among a tick, a trigger and a stop; more syncs than are judged): from that instant
on a scenario is not judged.  A difference is shrunk and printed, with the seed that finds it again.

  --n N              scenarios (default 1000)
  --seed S           the first scenario's seed (default 1); scenario i has seed S + i
  --k8s LIST         minors, e.g. 1.36 or 1.20,1.31-1.37 or all (default all)
  --jobs N           processes (default 1)
  --against "CMD"    another adapter instead of naive.py
  --look before|after  naive.py's choice where the kubelet has one (P-179; default before)
  --exec-only        exec probes only (what the real prober can be asked without a network)
  --without LIST     features that scenarios leave out: sidecars, jitter, gates, termination,
                     restart, manager, clock, nostatus, phase, update, already (running), young
                     (kubelets), deleted (when opened), startedAt, error, timeout, ties (answers at
                     one instant, starts delayed alike)
  --scenario FILE    play this one scenario instead
  --trace            print what both sides do in the one scenario
  --write DIR        write each difference, shrunk, as a scenario file and as the draft of a case
  --most N           stop after so many differences (default 5)

Exit: 0 no difference, 1 differences, 2 usage, 4 an adapter cannot be used.
"""
import argparse
import copy
import json
import multiprocessing
import os
import shlex
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "python"), os.path.join(os.path.dirname(HERE), "oracle")]
import client  # noqa: E402
import draft  # noqa: E402
import naive  # noqa: E402
import scenarios  # noqa: E402

REPLY_S = 5


class Failed(scenarios.Restless):
    """The adapter itself went wrong: an error reply, a crash, silence."""


class Unplayable(Failed):
    """What the scenario asks for the adapter does not play, and says so."""


class Process:
    """An adapter command, started when first asked and again after it died."""

    def __init__(self, command):
        self.command, self.adapter = command, None

    def ask(self, request):
        try:
            self.adapter = self.adapter or client.Adapter(self.command, REPLY_S, None)
            ok = self.adapter.ask(**request)
        except client.AdapterError as why:
            if why.code in ("crash", "timeout"):
                self.end()
            raise (Unplayable if why.code == "unsupported" else Failed)(str(why)[:500]) from None
        except (OSError, ValueError) as why:
            self.end()
            raise Failed(f"{type(why).__name__}: {why}") from None
        if request["op"] == "hello":
            self.observes = set(ok.get("observes", []))
        return ok

    def end(self):
        if self.adapter is not None:
            self.adapter.process.kill()
            self.adapter.close()
            self.adapter = None


class InProcess:
    """naive.py without the pipes; remembers from where on a case is not judged."""

    def __init__(self, look):
        self.adapter = naive.Adapter(look)
        self.limit = None

    def ask(self, request):
        case = self.adapter.case
        if request["op"] == "close" and case is not None:
            limits = [t for t in (case.race, case.unjudged) if t is not None]
            self.limit = min(limits, default=None)
        reply = self.adapter.reply({"id": 0, **request})
        if "ok" not in reply:
            raise Failed(json.dumps(reply))
        return reply["ok"]

    def end(self):
        self.adapter.case = None


# ---------------------------------------------------------------- comparing

def told(effect):
    """(whose it is, what it says): same-instant notes of one owner and kind are in order."""
    kind, name = effect["e"], effect.get("container")
    if kind == "probe":
        return f"{name} {effect['type']} probe", f"{effect['cid']} attempt {effect['attempt']}"
    if kind == "result":
        return f"{name} {effect['type']} result", f"{effect['cid']} {effect['value']}"
    if kind == "event":
        text = effect["message"]
        probe = text.split(" ", 1)[0].lower()
        if text.endswith("context canceled"):  # the rest of it is not judged
            text = "... context canceled"
        return f"{name} {probe} event", f"{effect['type']} {effect['reason']} {text}"
    return f"{name} {kind}", str(effect.get("value"))


def judged(trace, limit, observes):
    """The trace in a form that can be compared: [(at, {owner: [what, ...]})]."""
    instants = []
    for at, effects in trace:
        if limit is not None and at >= limit:
            break
        owners = {}
        for effect in effects:
            if effect["e"] in observes:
                owner, what = told(effect)
                owners.setdefault(owner, []).append(what)
        if owners:
            instants.append((at, owners))
    return instants


class Comparison:
    """Plays scenarios on both sides."""

    def __init__(self, options):
        self.mine = Process(options.command)
        self.other = Process(shlex.split(options.against)) if options.against else None
        self.reference = InProcess(options.look)

    def run(self, scenario):
        """(first difference or None, limit)."""
        if self.other:
            return self.against(scenario)
        expected, limit = self.lots(scenario)
        try:
            actual = self.one(scenario, self.mine)
        except Unplayable:
            return None, 0
        if isinstance(actual, str):
            return (None, {}, {"the adapter": [actual]}), limit
        return self.differ(expected, actual, limit, self.mine.observes), limit

    def against(self, scenario):
        """The same with another adapter: naive.py is asked for the lots only where the two differ."""
        try:
            expected = self.one(scenario, self.other)
            if isinstance(expected, str):
                return (None, {}, {"the other adapter": [expected]}), None
            actual = self.one(scenario, self.mine)
        except Unplayable:
            return None, 0
        if isinstance(actual, str):
            return (None, {}, {"the adapter": [actual]}), None
        observes = self.mine.observes & self.other.observes
        if not self.differ(expected, actual, None, observes):
            return None, None
        limit = self.lots(scenario)[1]
        return self.differ(expected, actual, limit, observes), limit

    def lots(self, scenario):
        """What naive.py does, and from where on the kubelet draws lots."""
        return scenarios.play(scenario, self.reference.ask), self.reference.limit

    @staticmethod
    def differ(expected, actual, limit, observes):
        return first_difference(judged(expected, limit, observes), judged(actual, limit, observes))

    @staticmethod
    def one(scenario, process):
        try:
            return scenarios.play(scenario, process.ask)
        except Unplayable:
            raise
        except scenarios.Restless as why:
            process.end()
            return str(why)

    def end(self):
        self.mine.end()
        if self.other:
            self.other.end()


def first_difference(expected, actual):
    """(at, expected there, got there), or None."""
    for i in range(max(len(expected), len(actual))):
        want = expected[i] if i < len(expected) else None
        got = actual[i] if i < len(actual) else None
        if want == got:
            continue
        at = min(x[0] for x in (want, got) if x)
        return (at, want[1] if want and want[0] == at else {}, got[1] if got and got[0] == at else {})
    return None


# ---------------------------------------------------------------- shrinking

def smaller(scenario):
    """Scenarios with a little less in them."""
    for i in range(len(scenario["world"])):
        less = copy.deepcopy(scenario)
        del less["world"][i]
        yield less
        for j in range(len(scenario["world"][i]["events"])):
            if len(scenario["world"][i]["events"]) > 1:
                less = copy.deepcopy(scenario)
                del less["world"][i]["events"][j]
                yield less
    yield from smaller_pods(scenario)
    for key in ("jitter", "uptime", "wall"):
        if key in scenario["open"] and not (key == "uptime" and scenario["open"][key] == 120500):
            less = copy.deepcopy(scenario)
            del less["open"][key]
            if key == "uptime":
                less["open"][key] = 120500
            yield less
    for gate in scenario["gates"]:
        less = copy.deepcopy(scenario)
        del less["gates"][gate]
        yield less
    if scenario["react"]:
        yield dict(copy.deepcopy(scenario), react=None)
    yield from smaller_answers(scenario)


def smaller_pods(scenario):
    spec = scenario["open"]["pod"]["spec"]
    for group in ("containers", "initContainers"):
        for i, container in enumerate(spec.get(group, [])):
            if group == "initContainers" or len(spec[group]) > 1:
                less = copy.deepcopy(scenario)
                del less["open"]["pod"]["spec"][group][i]
                yield without_container(less, container["name"])
            for field in [f for f in container if f not in ("name", "image")]:
                less = copy.deepcopy(scenario)
                del less["open"]["pod"]["spec"][group][i][field]
                yield less
            for field, plain in (("initialDelaySeconds", 0), ("failureThreshold", 1),
                                 ("successThreshold", 1), ("timeoutSeconds", 1),
                                 ("periodSeconds", 10)):
                for kind in scenarios.KINDS:
                    if container.get(kind, {}).get(field, plain) != plain:
                        less = copy.deepcopy(scenario)
                        less["open"]["pod"]["spec"][group][i][kind][field] = plain
                        yield less
    for key in [k for k in scenario["open"]["pod"].get("status", {}) if k != "phase"]:
        less = copy.deepcopy(scenario)
        del less["open"]["pod"]["status"][key]
        yield less


def without_container(scenario, name):
    for entry in scenario["world"]:
        entry["events"] = [e for e in entry["events"] if e.get("container") != name]
    scenario["world"] = [w for w in scenario["world"] if w["events"]]
    return scenario


def smaller_answers(scenario):
    for key, script in scenario["answers"].items():
        less = copy.deepcopy(scenario)
        del less["answers"][key]
        yield less
        for i in range(len(script)):
            less = copy.deepcopy(scenario)
            del less["answers"][key][i]
            yield less
        for i, (result, latency, output) in enumerate(script):
            for plain in ([result, 0, ""], ["success", latency, output]):
                if plain != [result, latency, output]:
                    less = copy.deepcopy(scenario)
                    less["answers"][key][i] = plain
                    yield less


def shrink(comparison, scenario, difference, budget=1500, seconds=60):
    at, deadline = difference[0], time.monotonic() + seconds
    if at is not None:
        scenario = dict(copy.deepcopy(scenario), until=at + 1)
        again = comparison.run(scenario)[0]
        if not again:
            return scenario, difference
        difference = again
    shrunk = True
    while shrunk and budget > 0:
        shrunk = False
        for less in smaller(scenario):
            budget -= 1
            if budget <= 0 or time.monotonic() > deadline:
                return scenario, difference
            try:
                found = comparison.run(less)[0]
            except Failed:
                continue
            if found and (found[0] is None) == (at is None):
                if at is not None:
                    less["until"] = min(less["until"], found[0] + 1)
                scenario, difference, shrunk = less, found, True
                break
    return scenario, difference


# ---------------------------------------------------------------- telling

def describe(scenario, difference, names):
    at, want, got = difference
    lines = [f"seed {scenario['seed']}  k8s {scenario['k8s']}"]
    if at is not None:
        lines.append(f"first difference at {at / 1000:.3f} s")
    for owner in sorted(set(want) | set(got)):
        if want.get(owner) != got.get(owner):
            lines.append(f"  {owner}")
            lines.append(f"    {names[1]}: {'; '.join(want.get(owner, [])) or 'nothing'}")
            lines.append(f"    {names[0]}: {'; '.join(got.get(owner, [])) or 'nothing'}")
    lines.append("scenario:")
    lines.append(json.dumps(scenario))
    return "\n".join(lines)


def minors_of(text):
    if text == "all":
        return list(naive.MINORS)
    minors = []
    for part in text.split(","):
        ends = [int(p.strip().removeprefix("1.").split(".")[0]) for p in part.split("-")]
        minors += range(ends[0], ends[-1] + 1)
    if not minors or not set(minors) <= set(naive.MINORS):
        raise ValueError(text)
    return minors


def parse(argv):
    parser = argparse.ArgumentParser(usage="differential.py [options] -- COMMAND ARGS...")
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--k8s", default="all")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--against")
    parser.add_argument("--look", choices=["before", "after"], default="before")
    parser.add_argument("--exec-only", action="store_true")
    parser.add_argument("--without", default="")
    parser.add_argument("--scenario")
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--write")
    parser.add_argument("--most", type=int, default=5)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(argv)
    options.command = [c for i, c in enumerate(options.command) if i or c != "--"]
    if not options.command:
        parser.error("no adapter command after --")
    if options.n < 1:
        parser.error(f"--n {options.n}: wanted 1 or more")
    try:
        options.minors = minors_of(options.k8s)
    except ValueError:
        parser.error(f"--k8s {options.k8s}: known are 1.15 to 1.37")
    return options


def work(options, index, count, queue):
    """One process: every count-th scenario."""
    comparison = Comparison(options)
    played = stopped = 0
    try:
        for i in range(index, options.n, count):
            scenario = scenarios.Generator(options.seed + i, options.minors, options.exec_only,
                                           options.without.split(",")).scenario()
            difference, limit = comparison.run(scenario)
            played += 1
            stopped += limit is not None
            if difference:
                queue.put(("difference", shrink(comparison, scenario, difference)))
        queue.put(("done", (played, stopped)))
    except (OSError, Failed) as why:
        queue.put(("unusable", str(why)))
    except KeyboardInterrupt:
        pass
    except Exception as why:  # the other processes and the parent wait for a word
        queue.put(("unusable", f"{type(why).__name__}: {why}"))
        raise
    finally:
        comparison.end()


def write_draft(options, scenario, text):
    """The scenario as a case that expects what the other side did, played on both."""
    other = shlex.split(options.against) if options.against else [sys.executable, naive.__file__]
    process = Process(other)
    try:
        heard, listener = draft.exchange(process.ask)
        scenarios.play(scenario, listener)
        item = draft.of_exchange("probe", scenario["gates"], heard)
        path, verdicts = draft.write(options.write, f"draft-seed-{scenario['seed']}", item, scenario["k8s"],
                                     text.splitlines()[:-2], process.observes,
                                     [("the other", other), ("the adapter", options.command)])
    except scenarios.Restless as why:
        print(f"no draft: {why}")
        return
    finally:
        process.end()
    print(f"written to {path}: " + ", ".join(f"{name}: {verdict}" for name, verdict in verdicts))


def report(options, found, names):
    scenario, difference = found
    text = describe(scenario, difference, names)
    print(text, flush=True)
    if options.write:
        write_draft(options, scenario, text)
        os.makedirs(options.write, exist_ok=True)
        path = os.path.join(options.write, f"seed-{scenario['seed']}.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump(scenario, out, indent=1)
        print(f"written to {path}")


def one_scenario(options, names):
    try:
        with open(options.scenario, encoding="utf-8") as file:
            scenario = json.load(file)
        missing = [k for k in ("seed", "k8s", "gates", "open", "world", "answers", "react", "until")
                   if k not in scenario]
        if missing:
            raise ValueError(f"no {', '.join(missing)}")
    except (OSError, ValueError, TypeError) as why:
        print(f"differential: {options.scenario}: {why}", file=sys.stderr)
        return 2
    comparison = Comparison(options)
    difference, limit = comparison.run(scenario)
    if options.trace:
        for name, ask in ((names[0], comparison.mine.ask), (names[1], comparison.reference.ask)):
            print(name)
            for at, effects in scenarios.play(scenario, ask):
                for effect in effects:
                    words = " ".join(str(v) for k, v in effect.items() if k != "n")
                    print(f"  {at / 1000:9.3f} {words}")
    comparison.end()
    if difference:
        report(options, (scenario, difference), names)
        return 1
    print("no difference" + (f" up to {limit} ms, from where on it is not judged" if limit else ""))
    return 0


def main(argv):
    if argv[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    options = parse(argv)
    names = (os.path.basename(options.command[0]), options.against or "naive.py")
    if options.scenario:
        return one_scenario(options, names)
    queue = multiprocessing.Queue()
    jobs = [multiprocessing.Process(target=work, args=(options, i, options.jobs, queue))
            for i in range(options.jobs)]
    for job in jobs:
        job.start()
    played = stopped = differences = running = 0
    running, code, began = len(jobs), 0, time.monotonic()
    while running and differences < options.most:
        kind, what = queue.get()
        if kind == "difference":
            differences += 1
            report(options, what, names)
        elif kind == "unusable":
            print(f"differential: the adapter cannot be used: {what}", file=sys.stderr)
            running, code = running - 1, 4
        else:
            running, played, stopped = running - 1, played + what[0], stopped + what[1]
    for job in jobs:
        job.terminate()
        job.join()
    took = time.monotonic() - began
    if running:
        print(f"stopped after {differences} differences, {took:.1f} s")
    else:
        print(f"seeds {options.seed}..{options.seed + options.n - 1}: {played} scenarios, {stopped} of "
              f"them judged up to a draw of lots, {differences} differences, {took:.1f} s")
    return code or (1 if differences else 0)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
