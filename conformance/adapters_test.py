#!/usr/bin/env python3
"""The runner against adapters that behave and adapters that do not.

    adapters_test.py PROBETEST [NAME...]

Each broken adapter of adapters/broken gets exactly the verdict and exit code that expected.tsv says;
the shipped ones pass what they claim; the engine behind `serve` yields the bytes of the engine in
process; bad input ends in one clear line; Ctrl-C loses nothing; nobody is left behind.  Exit code: 0, or 1 with a line for each thing that is not so.
"""
import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BROKEN = os.path.join(HERE, "adapters", "broken")
ROOT = os.path.dirname(HERE)
PROBETEST = sys.argv[1] if len(sys.argv) > 1 else "build/probetest"
ONLY = sys.argv[2:]
FEW = r"^readiness-threshold\.(one|two|three|starts)-|^liveness-threshold\.one$"  # some seconds of virtual time each
TWO = r"^readiness-threshold\.(one-success|three-successes)$"
NO_ATTEMPT = "--not=^fire-"
ONE = r"^readiness-threshold\.two-failures-tolerated$"
SELECTION = {"fire_nonsense": r"^fire-path\.", "fire_leaves_open": r"^fire-tcp-open\.listening$",
             "fire_hangs": r"^fire-tcp-dial\.blackhole$", "slow": ONE, "hangs": TWO, "livelock": ONE, "luck": r"^liveness-threshold|^no-status",
             "declines": r"^running\.", "port_in_quotes": r"^port-name\.", "declines_claimed": r"^running\.",
             "fire_own_words": r"^fire-tcp-open\.listening$", "fire_own_words_aside": r"^fire-tcp-open\.listening$",
             "claims_a_tier": "contract", "declines_all": "contract",
             **dict.fromkeys(("real_behind", "real_ahead", "real_late", "real_probes_late", "real_mixed_up", "real_hangs", "real_dies",
                              "real_program_hangs", "real_taken_port", "real_children", "real_virtual"), r"^short-periods$"),
             "real_stops_the_runner": r"^short$"}
# The files of the cases that are chosen above: many jobs begin the command for a few of them, and reading all takes it longer.
FILES = ("actions/compute-pod-actions", "contract/asking", "contract/thresholds", "fire/http-paths", "fire/tcp", "port/ports", "probe/thresholds", "probe/worker")
# Real time, beside loops: of each kind one that takes no minute even if a second is a second.
REAL_CASES = ["^contract-(initial-delay|periods.5|failures-in-a-row.(liveness-)?short-period|successes-in-a-row.1|sidecar-lets-go)"]
SOME = tempfile.TemporaryDirectory()
LONG = ("real_clock", "real_stops_the_runner", "real_behind", "real_late", "real_probes_late", "bad_input", "ignores_hello", "slow", "hangs", "fire_hangs", "fire_leaves_open")  # begun first: in the end nobody waits for one of them alone
OPTIONS = {"fire_hangs": ["--timeout", "3000"], "hangs": ["--timeout", "2000"], "real_hangs": ["--timeout", "2000"],
           "claims_a_tier": ["--require", "90%"]}
# What real adapters play: a red case is played down to real time, so one of some seconds.
SHORT = """about: What a test needs.
cases:
  - id: short
    why: a case of two seconds
    rules: [P-039]
    probe: {type: liveness}
    events: "0s web running"
    watch: [ready]
    for: 2s
    trace: "0s..1s web ready"
  - id: short-periods
    why: a case of six periods
    rules: [P-017]
    probe: {type: liveness, periodSeconds: 2}
    events: "0s web running"
    watch: [probe liveness]
    for: 12s
    trace: |
      maybe 0s web/1 probe liveness
      1s..2s web/1 probe liveness
      3s..4s web/1 probe liveness
      5s..6s web/1 probe liveness
      7s..8s web/1 probe liveness
      9s..10s web/1 probe liveness
      maybe 11s..12s web/1 probe liveness
"""
problems = []


def problem(name, text):
    problems.append(f"{name}: {text}")


def copy_some():
    """Those files, and the short cases, as a table of their own."""
    for name in FILES:
        path = os.path.join(SOME.name, name + ".yaml")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy(os.path.join(HERE, "cases", name + ".yaml"), path)
    with open(os.path.join(SOME.name, "contract", "short.yaml"), "w", encoding="utf-8") as file:
        file.write(SHORT)


def marked(mark):
    """An environment by which descendants are told from other people's processes."""
    return dict(os.environ, PROBETEST_TEST=mark)


def run(*arguments, mark="", **variables):
    # The adapters need nothing but Python's own modules, and many of them are begun anew for each case.
    words = [own for word in arguments for own in ([sys.executable, "-S", "-E"] if word == "python3" else [word])]
    return subprocess.run([PROBETEST, *words], cwd=ROOT, capture_output=True, text=True,
                          timeout=900, env=dict(marked(mark), **variables))


def cases_of(path):
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert lines[0]["selected"] == len(lines) - 2 == sum(lines[-1]["totals"].values())
    return lines[1:-1]


def left_behind(mark):
    """What still runs with that mark, a zombie included."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if f"PROBETEST_TEST={mark}".encode() in file.read().split(b"\0"):
                    with open(f"/proc/{pid}/cmdline", "rb") as words:
                        found.append(words.read().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


def mark_of(name):
    return f"{os.getpid()}.{name.replace(' ', '-')}"


def broken(name, command, verdict, code, which):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "r.jsonl")
        # Who is not to be late has all the time that it takes: Python alone may begin in seconds where much else runs.
        limit = [] if verdict in ("timeout", "not-run", "noisy") else ["--timeout", "600000"]
        done = run("run", "--quiet", "--cases", SOME.name, "--k8s", "1.36", "--report", report, *limit, *OPTIONS.get(name, []),
                   SELECTION.get(name, FEW), "--", *command.split(), mark=mark_of(name), TMPDIR=folder)
        if set(os.listdir(folder)) - {"r.jsonl"}:
            problem(name, f"left behind: {os.listdir(folder)}")
        if done.returncode != int(code):
            problem(name, f"exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
            return
        if verdict == "not-run":
            if "the adapter is unusable" not in done.stderr or done.stderr.count("\n") > 4:
                problem(name, f"no clear line: {done.stderr}")
            return
        cases = cases_of(report)
    verdicts = [case["verdict"] for case in cases]
    wanted = {verdict} if which == "each" else {verdict, "pass"}
    if not verdicts or set(verdicts) != wanted:
        problem(name, f"verdicts {verdicts}, not {which} {verdict}")
    if left_behind(mark_of(name)):
        problem(name, f"left behind: {left_behind(mark_of(name))}")


def shipped(name, command, layers):
    done = run("run", "--require", layers, "--jobs", "2", "--", *command)
    if done.returncode != 0:
        problem(name, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")


def same_bytes():
    """One process; several, and the attempts, are for `make same`."""
    with tempfile.TemporaryDirectory() as folder:
        contents = {}
        for name, adapter in {"in process": [], "serve": ["--", PROBETEST, "serve"]}.items():
            report = os.path.join(folder, "r.jsonl")
            done = run("run", "--quiet", "--report", report, NO_ATTEMPT, *adapter)
            if done.returncode != 0:
                problem("same bytes", f"{name}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
                return
            with open(report, "rb") as file:
                contents[name] = file.read()
    if contents["serve"] != contents["in process"]:
        problem("same bytes", "serve differs from in process")


def real_clock():
    """What is right in virtual time is right in real time, also on a machine that is busy: beside four loops a processor."""
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(4 * (os.cpu_count() or 1))]
    try:
        done = run("run", "--quiet", *REAL_CASES, "--", "python3", "conformance/adapters/python/naive_real.py")
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    if done.returncode not in (0, 4) or ", 0 failed" not in done.stdout or " pass" not in done.stdout:
        problem("real_clock", f"exit code {done.returncode}\n{done.stdout}{done.stderr}")


# One line of shell each; `say` answers the next request.
SAY = """say() { read -r l || exit 0; l=${l#*:}; printf '{"id":%s,%s}\\n' "${l%%,*}" "$1"; }
hello() { say '"ok":{"protocol":1,"name":"x","layers":["probe"]}'; }
"""


def bad_input():
    """(what, arguments, exit code, text that must be in the one line on stderr)"""
    with tempfile.TemporaryDirectory() as folder:
        report, known = os.path.join(folder, "r.jsonl"), os.path.join(folder, "known")
        run("run", "--quiet", "--report", report, ONE, PROBETEST_CASES=SOME.name)
        with open(report, "rb") as file:
            whole = file.read()
        files = {"truncated": whole[:-70], "edited": whole.replace(b'"pass":1', b'"pass":2'),
                 "empty": b"", "foreign": b"hello\n", "halved": whole[:len(whole) // 2]}
        for name, content in files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        with open(known, "w", encoding="utf-8") as file:
            file.write("case: nobody\nsignature: s\nreason: r\n")
        with open(os.path.join(folder, "wrong"), "w", encoding="utf-8") as file:
            file.write("case: nobody\n\nreason\n")
        sh = ["--", "sh", "-c"]
        rows = [
            ("adapter not found", ["run", ONE, "--", "/nonexistent"], 4, "No such file"),
            ("adapter not executable", ["run", ONE, "--", "/etc/passwd"], 4, "Permission denied"),
            ("adapter exits before hello", ["run", ONE, "--", "true"], 4, "exited with code 0"),
            ("adapter floods stderr", ["run", "--timeout", "2000", ONE, *sh, SAY +
             "hello; head -c 100000000 /dev/zero >&2; say '\"ok\":{\"at\":0,\"effects\":[]}'; say x"],
             1, ""),
            ("adapter closes stdin", ["run", "--timeout", "2000", ONE, *sh, SAY +
             "hello; exec 0<&-; sleep 20"], 1, ""),
            ("adapter ignores SIGTERM", ["run", "--timeout", "2000", ONE, *sh, SAY +
             "trap '' TERM; hello; while :; do sleep 1; done"], 1, ""),
            ("nothing behind --", ["run", ONE, "--"], 2, "no command after --"),
            ("unknown id", ["run", "no-such-case"], 2, "no-such-case"),
            ("unknown option", ["run", "--frobnicate"], 2, "--frobnicate"),
            ("unknown version", ["run", "--k8s", "1.99"], 2, "1.99"),
            ("no table", ["run", "--cases", "/nonexistent"], 3, "/nonexistent"),
            ("required layer", ["run", "--require", "fire", ONE], 1, "layer fire is required"),
            ("known failures of nobody", ["run", "--known", known, ONE], 1, "there is no case nobody"),
            ("known failures with errors", ["run", "--known", os.path.join(folder, "wrong"), ONE], 2,
             "wrong:1:1: the block lacks"),
            ("known failures absent", ["run", "--known", "/nonexistent", ONE], 2, "No such file"),
            ("report into nowhere", ["run", "--report", "/nonexistent/r.jsonl", ONE], 2, "No such file"),
            ("truncated result", ["verify-report", os.path.join(folder, "truncated")], 1, "truncated"),
            ("halved result", ["verify-report", os.path.join(folder, "halved")], 1, "line"),
            ("edited result", ["verify-report", os.path.join(folder, "edited")], 1, "line"),
            ("empty result", ["verify-report", os.path.join(folder, "empty")], 1, "truncated"),
            ("foreign result", ["report", os.path.join(folder, "foreign")], 2, "line 1"),
            ("whole result", ["verify-report", report], 0, ""),
            ("a result against itself", ["diff", report, report], 0, ""),
        ]
        for what, arguments, code, text in rows:
            done = run(*arguments, mark=mark_of(what), PROBETEST_CASES=SOME.name)
            if done.returncode != code or text not in done.stderr:
                problem(what, f"exit code {done.returncode}, wanted {code} and \"{text}\"\n{done.stderr}")
            if left_behind(mark_of(what)):
                problem(what, f"left behind: {left_behind(mark_of(what))}")


def schemas_bite():
    """A schema that fits everything would not be noticed otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "r.jsonl")
        proxy = [sys.executable, os.path.join(HERE, "schema_proxy.py")]
        done = run("run", "--report", report, ONE, "--", *proxy, sys.executable,
                   os.path.join(BROKEN, "unknown_effect.py"), PROBETEST_CASES=SOME.name)
        if done.returncode != 1 or "schema: ok.effects[0]: fits 0 of" not in done.stdout:
            problem("schemas", f"an unknown effect is not noticed\n{done.stdout}{done.stderr}")
        if subprocess.run([*proxy, "--result", report], cwd=ROOT).returncode != 0:
            problem("schemas", "the result file does not fit schema/result.json")


def transcripts():
    done = subprocess.run([sys.executable, os.path.join(HERE, "transcripts.py"), PROBETEST], cwd=ROOT,
                          capture_output=True, text=True)
    if done.returncode != 0:
        problem("transcripts", done.stdout + done.stderr)


def interrupted():
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "r.jsonl")
        child = subprocess.Popen([PROBETEST, "run", "--quiet", "--report", report, "ports", "--",
                                  "sh", "-c", SAY.replace('"probe"', '"port"') +
                                  "hello; say '\"ok\":{\"port\":80}'; sleep 47"],
                                 cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env=marked(mark_of("interrupted")))
        for _ in range(3000):  # until it plays
            if os.path.exists(report) and os.path.getsize(report) > 0:
                break
            time.sleep(0.1)
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=300)
        if child.returncode != 1 or "interrupted" not in out or "cases were not run\n" not in err:
            problem("interrupted", f"exit code {child.returncode}\n{out}{err}")
        done = run("verify-report", report)
        if done.returncode != 0 or ", of an interrupted run\n" not in done.stdout:
            problem("interrupted", f"the result file is damaged, or it is not said: {done.stdout}")
        if left_behind(mark_of("interrupted")):
            problem("interrupted", "left its adapter behind")


def known_failures():
    """A run that fails becomes one that passes, and then one that notices what has changed."""
    luck = ["--", "python3", os.path.join(BROKEN, "luck.py")]
    with tempfile.TemporaryDirectory() as folder:
        known = os.path.join(folder, "known")
        steps = [("unlisted", [], luck, 1), ("updated", ["--update-known"], luck, 1),
                 ("listed", [], luck, 0), ("passes", [], [], 1)]
        for what, options, adapter, code in steps:
            given = [] if what == "unlisted" else ["--known", known]
            done = run("run", "--quiet", "--cases", SOME.name, "--k8s", "1.36", *given, *options, r"^liveness-threshold", *adapter)
            if done.returncode != code or ("xfail" in done.stdout) != (what == "listed"):
                problem("known failures", f"{what}: exit code {done.returncode}, not {code}\n"
                        f"{done.stdout}{done.stderr}")
        with open(known, encoding="utf-8") as file:
            text = file.read()
        with open(known, "w", encoding="utf-8") as file:
            file.write(text.replace("not explained yet", "it never probes"))
        run("run", "--quiet", "--cases", SOME.name, "--k8s", "1.36", "--known", known, "--update-known", r"^liveness-threshold", *luck)
        with open(known, encoding="utf-8") as file:
            if file.read() != text.replace("not explained yet", "it never probes"):
                problem("known failures", "updating did not keep the reasons")


def targets():
    """What a target is asked for and has not is told, and nothing passes."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    for target, choice, text in [
            ("adapters", "NAME=hangs,slow", "adapters: no hangs,slow: "), ("adapters", "NAME=hangs nobody", "adapters: no nobody: "),
            ("alternates", "NAME=haproxy nobody", "alternates: there is no nobody"), ("differential", "N=0", "--n 0: wanted 1 or more"),
            ("differential", "AGAINST=nobody", "AGAINST=nobody: "), ("distributions", "NAME=nobody", "distributions: no nobody: "),
            ("fire", "CASE=nosuch", "no case is called 'nosuch'"), ("fuzz", "FUZZ=nobody", "FUZZ=nobody is no target"),
            ("mutants", "FILE=nobody.c", "FILE=nobody.c: no file with mutants"), ("mutants", "FILE=core/prober/worker.c core/prober/results.c", "no file with mutants"),
            ("oracle", "ADAPTERS=prober nobody", "matrix: no adapter nobody: "), ("oracle", "K8S=1.99", "Kubernetes 1.99 is not among the releases"),
            ("static", "ARCHES=nobody", "static: no architecture nobody"), ("unit", "SUITE=nobody", "unit: no test of that name"),
            ("unit", "SUITE=text_test node_test", "usage: unit ")]:
        done = subprocess.run(["make", "-s", target, choice], cwd=ROOT, capture_output=True, text=True, env=environment)
        if done.returncode == 0 or text not in done.stdout + done.stderr:
            problem(f"make {target} {choice}", f"exit code {done.returncode}, not \"{text}\"\n{done.stdout}{done.stderr}")
    done = subprocess.run([sys.executable, "conformance/check.py"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 2:
        problem("check.py without a step", f"exit code {done.returncode}")


def jobs():
    with open(os.path.join(BROKEN, "expected.tsv"), encoding="utf-8") as file:
        for line in file.read().splitlines()[1:]:
            yield line.split("\t")[0], broken, line.split("\t")
    for name, command, layers in [("naive", ["python3", "conformance/adapters/python/naive.py"], "port,probe"),
                                  ("prober", ["python3", "conformance/adapters/python/prober.py"], "fire"),
                                  ("naive_pod", ["python3", "conformance/adapters/python/naive_pod.py"], "pod"),
                                  ("starter", ["python3", "conformance/adapters/python/starter.py"], "probe")]:
        yield name, shipped, (name, command, layers)
    if shutil.which("node"):
        yield "javascript", shipped, ("javascript", ["node", "conformance/adapters/javascript/adapter.js"], "port,probe")
    for work in (real_clock, same_bytes, bad_input, schemas_bite, targets, transcripts, interrupted, known_failures):
        yield work.__name__, work, ()


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and nothing is left
    names = [job[0] for job in jobs()]
    for name in ONLY:
        if name not in names:
            print(f"adapters: no {name}: {' '.join(names)}", file=sys.stderr)
            return 2
    copy_some()
    chosen = sorted((job for job in jobs() if not ONLY or job[0] in ONLY), key=lambda job: job[0] not in LONG)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        try:
            for name, future in [(name, pool.submit(work, *given)) for name, work, given in chosen]:
                try:
                    future.result()
                except Exception as error:  # noqa: BLE001: whatever it is, the others go on
                    problem(name, repr(error))
        finally:
            pool.shutdown(cancel_futures=True)
    for text in problems:
        print(text)
    print(f"adapters: {len(chosen)} jobs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
