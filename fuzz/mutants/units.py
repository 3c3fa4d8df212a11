#!/usr/bin/env python3
"""units.py UNIT MATRIX: tries the mutants of MATRIX that no case kills on the unit tests beside their module, and on those that
drive the whole engine.

UNIT is the unit tests built on the mutated core; $KP_MUTANT wakes a mutant (awake.c).  In MATRIX a mutant that
a test kills gets `unit:SUITE` in the place of cases.
"""
import concurrent.futures
import os
import signal
import subprocess
import sys


TIMEOUT_S = 5  # of suites that take milliseconds: what lasts longer loops
OF_THE_ENGINE = ("engine_test", "kubelet_test", "sync_answers_test")


def is_killed(unit, suite, number):
    child = subprocess.Popen([unit, suite], env={**os.environ, "KP_MUTANT": number}, start_new_session=True,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return child.wait(TIMEOUT_S) != 0
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)  # it plays its two rounds in two processes
        child.wait()
        return True


def suites_of(place):
    test = place.split(":")[0].removesuffix(".c") + "_test.c"
    own = (os.path.basename(test).removesuffix(".c"),) if os.path.exists(test) else ()
    return own + tuple(suite for suite in OF_THE_ENGINE if suite not in own)


def killer(unit, place, number):
    """The first suite that notices, or None."""
    return next((suite for suite in suites_of(place) if is_killed(unit, suite, number)), None)


def main():
    unit, matrix = sys.argv[1:]
    rows = [line.rstrip("\n").split("\t") for line in open(matrix)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        tries = []
        for row in rows:
            if row[0] != "0" and row[1][:1] in "-(":
                tries.append((row, pool.submit(killer, unit, row[3], row[0])))
        for row, suite in tries:
            if suite.result():
                row[1] = f"unit:{suite.result()}"
    with open(matrix, "w") as out:
        out.writelines("\t".join(row) + "\n" for row in rows)


main()
