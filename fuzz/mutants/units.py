#!/usr/bin/env python3
"""units.py UNIT MATRIX: tries the mutants of MATRIX that no case kills on the unit tests: those beside their module, then all.

Of core/handlers, whose tests wait for clocks: a module's own, then those of the whole that use little processor, many side by side.
What they say against a mutant they have to say twice, as the machine may be busy.

UNIT is the unit tests built on the mutated core; $KP_MUTANT wakes a mutant (awake.c).  In MATRIX a mutant that
a test kills gets `unit:MODULE_test`, or `unit:all`, in the place of cases.
"""
import concurrent.futures
import os
import resource
import signal
import subprocess
import sys


CPU_S = 5  # of suites that take half a second: what lasts longer loops, however busy the machine is
TIMEOUT_S = 300  # and what uses no processor for so long waits for what never comes
JOBS = 2

HANDLERS = "core/handlers/"
REAL_TIMEOUT_S = 60  # of a suite of core/handlers, which takes up to three
REAL_JOBS = 16
# Short of crowd_test and hostile_test, which use far more processor than these.
REAL_SUITES = ("faults_test", "http_test", "loop_test", "exec_test", "handlers_test")
BESIDE = {"url_escape": "url_test"}  # modules without a suite of their own


def is_killed(unit, arguments, number, timeout_s):
    child = subprocess.Popen([unit, *arguments], env={**os.environ, "KP_MUTANT": number}, start_new_session=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S)),
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return child.wait(timeout_s) != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)  # it plays its rounds in processes, and mutants leave some running
        except ProcessLookupError:
            pass
        child.wait()


def suite_of(place):
    module = place.split(":")[0].removesuffix(".c")
    name = BESIDE.get(os.path.basename(module), os.path.basename(module) + "_test")
    return name if os.path.exists(os.path.join(os.path.dirname(module), name + ".c")) else None


def killer(unit, place, number):
    """What kills it: `unit:NAME`; None: nothing does."""
    suite = suite_of(place)
    if suite and is_killed(unit, [suite], number, TIMEOUT_S):
        return f"unit:{suite}"
    return "unit:all" if is_killed(unit, [], number, TIMEOUT_S) else None


def real_killer(unit, place, number):
    suites = [suite_of(place), *REAL_SUITES]
    for suite in dict.fromkeys(filter(None, suites)):
        if all(is_killed(unit, ["--forward", suite], number, REAL_TIMEOUT_S) for _ in range(2)):
            return f"unit:{suite}"
    return None


def main():
    unit, matrix = sys.argv[1:]
    rows = [line.rstrip("\n").split("\t") for line in open(matrix)]
    left = [row for row in rows if row[0] != "0" and row[1][:1] in "-("]
    is_real = any(row[3].startswith(HANDLERS) for row in left)
    with concurrent.futures.ThreadPoolExecutor(REAL_JOBS if is_real else JOBS) as pool:
        tries = [(row, pool.submit(real_killer if is_real else killer, unit, row[3], row[0])) for row in left]
        for row, killed in tries:
            row[1] = killed.result() or row[1]
    with open(matrix, "w") as out:
        out.writelines("\t".join(row) + "\n" for row in rows)


main()
