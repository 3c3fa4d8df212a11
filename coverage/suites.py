#!/usr/bin/env python3
"""suites.py BUILD: plays each suite of tests with the coverage build, and says what of the specification each reaches.

Rules: a rule fired in a suite if a line of code that names it ran (KP_RULE_BELOW_THRESHOLD in a statement; where there is
none, the statement below the comment that says P-046, or the function that the comment is about; of a switch or a gate, or a table
of data, a line that asks it).  conformance/places.awk knows where that is.
States of the worker: each guard, for each type of probe, in each group of versions (worker_states.c).
Everything in full: BUILD/rules.txt, BUILD/worker-states.txt.  Below coverage/floors: exit code 1.
"""
import collections
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

BUILD = sys.argv[1]
COMMAND = BUILD + "/probetest"
DATA = os.path.abspath(BUILD + "/data")
KEPT = sorted(glob.glob("fuzz/corpus/*/*"))


def replays():
    of = collections.defaultdict(list)
    for name in KEPT:
        of[name.split("/")[2]].append(name)
    of["case"] += sorted(glob.glob("conformance/cases/**/*.yaml", recursive=True))
    return [[f"{BUILD}/replay-{target}", *names] for target, names in sorted(of.items())]


SUITES = {
    "unit": [[BUILD + "/unit", "--forward"]],
    "memory": [[BUILD + "/memory", *(name for name in KEPT if "/protocol-serve/" in name)]],
    "table": [[COMMAND, "run", "--k8s", "all", "--quiet"]],
    "serve": [[COMMAND, "run", "--quiet", "--", COMMAND, "serve"]],
    "commands": [["conformance/input_test.sh"], ["conformance/commands_test.sh", COMMAND],
                 ["/usr/bin/python3", "conformance/real_stack_test.py", COMMAND]],
    "replay": replays(),
}


def states_file(name):
    return f"{DATA}/{name}.states"


def play(name):
    """A suite's counts are its own, in DATA/NAME.  What is slowed down by counting gets the time that valgrind gets.  The suite's log is
    BUILD/suite-NAME.log; a suite that fails ends the run: its coverage would mean nothing."""
    began = time.monotonic()
    env = dict(os.environ, WORKER_STATES=states_file(name), PROBETEST=COMMAND, UNDER_VALGRIND="1", TMPDIR=os.path.abspath(DATA), GCOV_PREFIX=f"{DATA}/{name}",
               GCOV_PREFIX_STRIP=str(os.getcwd().count("/")))
    with open(f"{BUILD}/suite-{name}.log", "wb") as log:
        for words in SUITES[name]:
            done = subprocess.run(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=env)
            if done.returncode != 0:
                return f"coverage: suite {name}: {' '.join(words)[:100]}: exit {done.returncode}, see {log.name}"
    print(f"suite {name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return None


def play_all():
    """As many at once as there are processors; the longest first."""
    shutil.rmtree(DATA, ignore_errors=True)
    os.makedirs(DATA)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [fault for fault in pool.map(play, SUITES) if fault]
    if faults:
        sys.exit("\n".join(faults))


def merge_counts():
    """All suites' counts where the compiler left its notes, for lcov."""
    whole, *others = [f"{DATA}/{name}" for name in SUITES]
    for other in others:
        subprocess.run(["gcov-tool", "merge", "-o", DATA + "/sum", whole, other], check=True, stderr=subprocess.DEVNULL)
        whole = DATA + "/whole"
        shutil.rmtree(whole, ignore_errors=True)
        os.rename(DATA + "/sum", whole)
    shutil.copytree(whole, os.getcwd(), dirs_exist_ok=True)


# ---- which lines ran ----------------------------------------------------------------------------

def executed(name):
    """How often each line ran in a suite, and each function began: {(file, line): n}, {(file, name): (line, n)}."""
    lines, functions = {}, {}
    objects = [o for o in glob.glob(f"{DATA}/{name}/**/*.gcda", recursive=True) if not o.endswith("_test.gcda")]
    for o in objects:
        note = o[:-len("gcda")] + "gcno"
        os.symlink(os.path.abspath(os.path.relpath(note, f"{DATA}/{name}")), note)
    with tempfile.TemporaryDirectory() as scratch:
        printed = subprocess.run(["gcov", "--json-format", "--stdout", *objects], cwd=scratch, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    for document in printed.splitlines():
        for file in json.loads(document)["files"]:
            name = os.path.relpath(file["file"]) if os.path.isabs(file["file"]) else file["file"]
            for line in file["lines"]:
                key = name, line["line_number"]
                lines[key] = lines.get(key, 0) + line["count"]
            for function in file["functions"]:
                functions[name, function["name"]] = (function["start_line"], function["end_line"],
                                                     function["execution_count"])
    return lines, functions


# ---- where the rules stand ----------------------------------------------------------------------

class Places:
    """For each rule the lines of code whose running shows it."""

    def __init__(self, lines, functions):
        self.lines, self.functions, self.text = lines, functions, {}
        self.sources = sorted({name for name, _ in lines if name.endswith((".c", ".h"))})

    def source(self, name):
        if name not in self.text:
            with open(name) as file:
                self.text[name] = [""] + file.read().split("\n")
        return self.text[name]

    def users(self, word, names):
        """Instrumented lines that have the word."""
        pattern = re.compile(rf"\b(?:KP_GATE_)?{re.escape(word)}\b")
        return {(name, n) for name in names for n, text in enumerate(self.source(name))
                if pattern.search(text) for n in [self.near(name, n, -1)] if n}

    def near(self, name, line, step):
        """The instrumented line at or next to it, at most ten away."""
        return next((n for n in range(line, line + 10 * step, step) if (name, n) in self.lines), None)

    def of(self, name, line, where):
        """(how good a witness, the lines)."""
        text = self.source(name)[line]
        if name.endswith(".def"):
            return 2, self.users(where, self.sources)
        function = self.functions.get((name, where))
        if not function:
            return 0 if "KP_" in text else 1, self.users(where, [name]) or self.users(where, self.sources)
        if line < function[0]:
            return 1, {(name, function[0])}
        comment = text.lstrip().startswith(("/*", "*"))
        at = self.near(name, line, 1 if comment else -1)
        return 1 if comment else 0, {(name, at)} if at else set()


def rule_lines(lines, functions):
    """{name: lines}; the best kind of witness that a rule has counts alone."""
    rows = subprocess.run("awk -v every=1 -f conformance/places.awk " + os.environ["PLACES_FROM"], shell=True, check=True,
                          capture_output=True, text=True).stdout
    places = Places(lines, functions)
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    for rule, name, line, where in re.findall(r'PLACE\((\w+), "(.*)", (\d+), "(.*)"\)', rows):
        kind, at = places.of(name, int(line), where)
        if at:
            found[rule][kind] |= at
    return {rule: kinds[min(kinds)] for rule, kinds in found.items()}


def all_rules():
    """{name: id}, names of those that are silent."""
    text = "".join(open(name).read() for name in sorted(glob.glob("core/rules/rules_*.def")))
    silent = set(re.findall(r"^SILENT\((\w+)", text, re.M))
    return dict(re.findall(r'^RULE\((\w+), "([^"]+)"', text, re.M)), silent


# ---- reports ------------------------------------------------------------------------------------

def share(part, whole):
    return f"{part:4d} of {whole}  {100 * part / whole:5.1f} %"


def report_rules(fired, places):
    rules, silent = all_rules()
    judged = [rule for rule in rules if rule not in silent]
    with open(BUILD + "/rules.txt", "w") as file:
        for rule in rules:
            suites = [name for name in SUITES if rule in fired[name]]
            print(f"{rules[rule]} {rule:30s}  {'silent  ' if rule in silent else ''}{' '.join(suites) or '-'}"
                  f"  ({len(places.get(rule, ()))} lines)", file=file)
    print("\nrules that fired, of those that a trace can show")
    for name in SUITES:
        print(f"  {name:10s}{share(sum(rule in fired[name] for rule in judged), len(judged))}")
    nowhere = [rule for rule in judged if not any(rule in fired[name] for name in SUITES)]
    print(f"  {'any':10s}{share(len(judged) - len(nowhere), len(judged))}")
    for rule in nowhere:
        print(f"    {rules[rule]} {rule} fired nowhere{'' if rule in places else ': no line of code names it'}")
    return 100 * (len(judged) - len(nowhere)) / len(judged)


def read_states(name):
    states, impossible = {}, set()
    for line in open(states_file(name)) if os.path.exists(states_file(name)) else ():
        kind, *state, count = line.split()
        if kind == "impossible":
            impossible.add(tuple(state))
        else:
            states[tuple(state)] = states.get(tuple(state), 0) + int(count)
    return states, impossible


def report_states(states, impossible):
    every = sorted({state for suite in states.values() for state in suite}, key=lambda s: (s[0], s[1], version(s[2])))
    reached = {name: {state for state, count in states[name].items() if count} for name in SUITES}
    with open(BUILD + "/worker-states.txt", "w") as file:
        for state in every:
            print(f"{state[0]:24s}{state[1]:11s}from {state[2]:8s} "
                  f"{' '.join(name for name in SUITES if state in reached[name]) or '-'}", file=file)
    groups = sorted({state[2] for state in every}, key=version)
    print(f"\nstates of the worker: guard, type, group of versions that it cannot tell apart ({len(groups)}: from "
          f"{', '.join(groups)})")
    for name in SUITES:
        print(f"  {name:10s}{share(len(reached[name]), len(every))}")
    missing = [state for state in every if not any(state in reached[name] for name in SUITES)]
    print(f"  {'any':10s}{share(len(every) - len(missing), len(every))}")
    for state in missing[:20]:
        print(f"    {' '.join(state)}: in no suite")
    for state in sorted(impossible):
        print(f"    {' '.join(state)}: no state that should be, and one that was")
    return -1 if impossible else 100 * (len(every) - len(missing)) / len(every)


def version(text):
    return [int(part) for part in text.split(".")]


def floor(what, got):
    want = next(float(line.split()[1]) for line in open("coverage/floors") if line.startswith(what + " "))
    if got < want:
        print(f"{what}: {got:.1f} %, the floor is {want:g}   BELOW")
    return got >= want


def main():
    fired, states, impossible = {}, {}, set()
    play_all()
    merge_counts()
    ran = {name: executed(name) for name in SUITES}
    places = rule_lines({key: 0 for lines, _ in ran.values() for key in lines},
                        {key: place for _, functions in ran.values() for key, place in functions.items()})
    for name, (lines, _) in ran.items():
        fired[name] = {rule for rule, at in places.items() if any(lines.get(key, 0) > 0 for key in at)}
        states[name], wrong = read_states(name)
        impossible |= wrong
    held = [floor("rules", report_rules(fired, places)), floor("states", report_states(states, impossible))]
    sys.exit(not all(held))


main()
