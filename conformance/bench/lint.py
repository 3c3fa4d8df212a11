#!/usr/bin/env python3
"""lint.py PROBETEST: what `lint` costs for 2 MB of manifests: once of workloads that share their numbers, as real files
do, and once where all differ, so that none is spared a play.  Processor time, of this machine; under 0.3 s is asked for."""
import os
import pathlib
import subprocess
import sys
import tempfile

EXAMPLE = (pathlib.Path(__file__).parent.parent / "examples" / "unwise.yaml").read_text(encoding="utf-8")
BYTES = 2 * 1024 * 1024


def manifest(differ):
    documents, size = [], 0
    while size < BYTES:
        n = len(documents)
        text = EXAMPLE.replace("shop", "shop%d" % n)
        if differ:
            text = text.replace("initialDelaySeconds: 60", "initialDelaySeconds: %d" % (30 + n))
        documents.append(text)
        size += len(text) + 4
    return "---\n".join(documents), len(documents)


def cost(probetest, path):
    child = subprocess.Popen([probetest, "lint", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def main():
    for differ in (False, True):
        text, count = manifest(differ)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            best = min(cost(sys.argv[1], file.name) for _ in range(5))
        print("lint of 2 MB, %d workloads %s%8.3f s" % (count, "that all differ " if differ else "of one kind     ", best))


if __name__ == "__main__":
    main()
