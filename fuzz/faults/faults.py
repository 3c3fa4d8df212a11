#!/usr/bin/env python3
"""faults.py memory|files PROBETEST PRELOAD: each call of the command's that can fail does, one after another.

memory: with the N-th allocation failing, for every N, a command ends as it would have, or says that memory ran out and
which exit code that has; it never crashes, and gives back what it holds.
files: a result, a report and an answer that could not be written in full are told, whatever the reason: no space, a closed
stdout, a file that takes one byte at a time; interrupted calls are taken up again.
"""
import concurrent.futures
import os
import shutil
import signal
import subprocess
import sys

SCRATCH = "build/faults"
TUTORIAL = "conformance/examples/liveness-exec.yaml"
SCRIPT = "conformance/examples/graceful.script.yaml"
SESSION = "fuzz/corpus/protocol-serve/session"
TOPICS = ("probe/liveness", "pod/liveness-to-restart", "pod/deletion")
EXITS = (0, 1, 2, 3, 4)


def prepare(probetest):
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.makedirs(SCRATCH + "/cases")
    for topic in TOPICS:
        shutil.copy(f"conformance/cases/{topic}.yaml", SCRATCH + "/cases")
    subprocess.run([probetest, "run", "--quiet", "--report", SCRATCH + "/result.jsonl"], check=True,
                   stdout=subprocess.DEVNULL, env=dict(os.environ, PROBETEST_CASES=SCRATCH + "/cases"))
    with open(SCRATCH + "/broken.yaml", "w") as file:
        file.write("kind: Pod\nspec: {containers: [{name: A, livenessProbe: {periodSeconds: -1, tcpSocket: {port: x_}}}]}\n")
    with open(SCRATCH + "/known", "w") as file:
        file.write("case: no-such-case\nsignature: x\nreason: y\n")


def commands():
    """Name, arguments, stdin."""
    result = SCRATCH + "/result.jsonl"
    return [
        ("run", ["run"], None),
        ("run one", ["run", "liveness", "--k8s", "1.20,1.36"], None),
        ("run with known failures", ["run", "--known", SCRATCH + "/known"], None),
        ("run, reporting", ["run", "--quiet", "--report", SCRATCH + "/out-%d.jsonl"], None),
        ("list", ["list"], None),
        ("show", ["show", "liveness"], None),
        ("explain", ["explain", "P-046"], None),
        ("simulate", ["simulate", TUTORIAL, "--for", "3m"], None),
        ("simulate a script", ["simulate", TUTORIAL, "--script", SCRIPT, "--for", "3m", "--json"], None),
        ("simulate answers", ["simulate", TUTORIAL, "--answers", "liveness/liveness: failure", "--for", "1m"], None),
        ("simulate what is broken", ["simulate", SCRATCH + "/broken.yaml"], None),
        ("lint", ["lint", TUTORIAL], None),
        ("lint what is broken", ["lint", SCRATCH + "/broken.yaml"], None),
        ("serve", ["serve"], SESSION),
        ("report", ["report", "--format", "html", result], None),
        ("report as TAP", ["report", "--format", "tap", result], None),
        ("verify-report", ["verify-report", result], None),
        ("diff", ["diff", result, result], None),
        ("export", ["export", "liveness"], None),
        ("doctor", ["doctor", "--", "./build/probetest", "serve"], None),
    ]


class Runner:
    def __init__(self, probetest, preload):
        self.probetest, self.preload = probetest, os.path.abspath(preload)

    def run(self, arguments, stdin, fault, tag, stdout=subprocess.PIPE):
        report = f"{SCRATCH}/calls-{tag}"
        env = dict(os.environ, LD_PRELOAD=self.preload, FAULT=fault, FAULT_REPORT=report,
                   PROBETEST_CASES=SCRATCH + "/cases", LC_ALL="C")
        words = [self.probetest] + [w % tag if "%d" in w else w for w in arguments]
        with open(stdin or "/dev/null", "rb") as given:
            done = subprocess.run(words, stdin=given, stdout=stdout, stderr=subprocess.PIPE, env=env, timeout=60)
        try:
            calls, live = map(int, open(report).read().split())
        except OSError:
            calls, live = 0, 0
        return done, calls, live


def describe(code):
    return signal.Signals(-code).name if code < 0 else f"exit {code}"


def memory_fault(runner, name, arguments, stdin, whole, live_whole, n):
    done, _, live = runner.run(arguments, stdin, f"alloc:{n}", n)
    output = done.stderr + done.stdout
    same = (done.returncode, done.stdout) == (whole.returncode, whole.stdout)
    where = f"{name}: allocation {n}: "
    if done.returncode not in EXITS:
        return where + describe(done.returncode)
    if not same and b"memory" not in output:
        return where + f"{describe(done.returncode)} and not a word of memory: {done.stderr.decode(errors='replace')[:100]!r}"
    if not same and done.returncode == 0:
        return where + "exit 0, but another output"
    if live > live_whole and b"probetest: out of memory" not in done.stderr:
        return where + f"{live - live_whole} blocks not given back, {describe(done.returncode)}"
    return None


def memory(runner, only):
    faults = total = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, arguments, stdin in commands():
            if only and only not in name:
                continue
            whole, calls, live = runner.run(arguments, stdin, "alloc:0", 0)
            found = [f for f in pool.map(lambda n: memory_fault(runner, name, arguments, stdin, whole, live, n),
                                         range(1, calls + 1)) if f]
            total += calls
            faults += len(found)
            print(f"{name}: {calls} allocations, {len(found)} faults")
            for line in found[:8]:
                print("    " + line, file=sys.stderr)
    print(f"{total} allocations failed one after another, {faults} faults")
    return faults


def files(runner, only):
    faults = []

    def check(name, holds, why):
        if not holds:
            faults.append(f"{name}: {why}")

    for name, arguments, stdin in commands():
        if only and only not in name:
            continue
        whole, _, _ = runner.run(arguments, stdin, "alloc:0", 0)
        if whole.stdout:
            with open("/dev/full", "wb") as full:
                done, _, _ = runner.run(arguments, stdin, "alloc:0", 0, full)
            check(name, done.returncode not in (0, 1) or whole.returncode != 0 and done.stderr,
                  f"stdout is full: {describe(done.returncode)}, {done.stderr[:80]!r}")
        if arguments[0] == "doctor":
            continue  # it writes to an adapter as well
        for kind in ("short", "eintr"):
            _, calls, _ = runner.run(arguments, stdin, f"{kind}:0", 0)
            for n in range(1, min(calls, 60) + 1):
                done, _, _ = runner.run(arguments, stdin, f"{kind}:{n}", n)
                check(name, (done.returncode, done.stdout) == (whole.returncode, whole.stdout),
                      f"{kind} at call {n}: {describe(done.returncode)}, {len(done.stdout)} of {len(whole.stdout)} bytes")
        _, calls, _ = runner.run(arguments, stdin, "write:0", 0)
        for n in range(1, min(calls, 60) + 1):
            done, _, _ = runner.run(arguments, stdin, f"write:{n}", n)
            check(name, done.returncode in (2, 3, 4) or whole.returncode != 0 and done.returncode in EXITS,
                  f"no space at write {n}: {describe(done.returncode)}, {done.stderr[:80]!r}")
    done = subprocess.run([runner.probetest, "run", "--report", "/dev/full"], capture_output=True)
    check("run --report /dev/full", done.returncode == 2 and b"/dev/full" in done.stderr,
          f"{describe(done.returncode)}, {done.stderr[:80]!r}")
    done = subprocess.run(f"{runner.probetest} run --quiet >&-", shell=True, capture_output=True)
    check("run with stdout closed", done.returncode == 2 and done.stderr, f"{describe(done.returncode)}, {done.stderr[:80]!r}")
    for line in faults[:40]:
        print("    " + line, file=sys.stderr)
    print(f"short, interrupted and failing calls: {len(faults)} faults")
    return len(faults)


def main():
    what, probetest, preload = sys.argv[1:4]
    only = sys.argv[4] if len(sys.argv) > 4 else None
    prepare(probetest)
    return {"memory": memory, "files": files}[what](Runner(probetest, preload), only) > 0


sys.exit(main())
