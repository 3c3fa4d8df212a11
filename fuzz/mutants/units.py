#!/usr/bin/env python3
"""units.py UNIT MATRIX: tries the mutants of MATRIX that no case kills on the unit tests: those beside their module, then all.  Those of
core/handlers take real time: there a module's own are enough, or handlers_test.

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


REAL_TIMEOUT_S = 30  # of a suite of core/handlers, which takes half a second
HANDLERS = "core/handlers/"
JOBS = 2


def is_killed(unit, suites, number, timeout_s):
    child = subprocess.Popen([unit, *suites], env={**os.environ, "KP_MUTANT": number}, start_new_session=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S)),
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return child.wait(timeout_s) != 0
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)  # it plays its two rounds in two processes
        child.wait()
        return True


def suite_of(place):
    test = place.split(":")[0].removesuffix(".c") + "_test.c"
    if os.path.exists(test):
        return os.path.basename(test).removesuffix(".c")
    return "handlers_test" if place.startswith(HANDLERS) else None


def killer(unit, place, number):
    """What kills it: `unit:NAME`; None: nothing does."""
    suite, is_real = suite_of(place), place.startswith(HANDLERS)
    if suite and is_killed(unit, [suite], number, REAL_TIMEOUT_S if is_real else TIMEOUT_S):
        return f"unit:{suite}"
    return "unit:all" if not is_real and is_killed(unit, [], number, TIMEOUT_S) else None


def main():
    unit, matrix = sys.argv[1:]
    rows = [line.rstrip("\n").split("\t") for line in open(matrix)]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        tries = [(row, pool.submit(killer, unit, row[3], row[0]))
                 for row in rows if row[0] != "0" and row[1][:1] in "-("]
        for row, killed in tries:
            row[1] = killed.result() or row[1]
    with open(matrix, "w") as out:
        out.writelines("\t".join(row) + "\n" for row in rows)


main()
