#!/usr/bin/env python3
"""check.py STEP...: the steps of `make check`, several at once.

What a step prints stays whole and comes in the order given.  After one that failed no other is begun, those that run
are waited for, and the last line names all that failed.  Exit code: 0, or 1.
"""
import concurrent.futures
import fcntl
import os
import subprocess
import sys
import threading

MAKE = os.environ.get("MAKE", "make")
JOBS = len(os.sched_getaffinity(0)) + 3  # many steps wait for clocks and sockets
failed = threading.Event()


def play(step):
    """Its exit code and output; None: another one failed before it began."""
    if failed.is_set():
        return None
    done = subprocess.run([MAKE, "-s", "--no-print-directory", step], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, close_fds=False)
    if done.returncode != 0:
        failed.set()
    return done.returncode, done.stdout


def alone():
    """Two runs in one tree would write the same files: the second one waits for the first."""
    lock = open("build/check.lock", "w", encoding="ascii")  # held until this process ends
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("check: another one runs in this tree; waiting for it", flush=True)
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def main(steps):
    if not steps:
        print("usage: check.py STEP...", file=sys.stderr)
        return 2
    bad = []
    lock = alone()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for step, outcome in zip(steps, pool.map(play, steps)):
            if outcome:
                sys.stdout.buffer.write(outcome[1])
                sys.stdout.flush()
            if outcome and outcome[0] != 0:
                bad.append(step)
    if bad:
        print("check: failed: %s" % " ".join(bad))
    lock.close()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
