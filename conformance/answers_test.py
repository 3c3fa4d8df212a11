#!/usr/bin/env python3
"""answers_test.py PROBETEST [--write]: what people ask, each with the answer of at most ten lines.

A file of conformance/answers/ begins with the public issue in which it was asked, the command, and the answer; below stands the
workload.  The answer is what the command prints before its table; --write puts it in anew, to be read before it is committed.
"""
import pathlib
import subprocess
import sys

LINES_MAX, COLUMNS_MAX = 10, 80


def ask(command, words, path):
    done = subprocess.run([command, *words.split()[1:], str(path)], capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        return ["exit code %d: %s" % (done.returncode, done.stderr.strip())]
    answer = []
    for line in done.stdout.splitlines():
        if line.split()[:2] == ["TIME", "READY"]:
            break
        answer.append(line)
    while answer and not answer[-1]:
        answer.pop()
    return answer


def main(command, write):
    bad = count = 0
    for path in sorted(pathlib.Path("conformance/answers").glob("*.yaml")):
        lines = path.read_text().splitlines()
        head, words = lines[0], lines[1].removeprefix("# $ ")
        wanted = [line[4:] for line in lines if line.startswith("# > ") or line == "# >"]
        got = ask(command, words, path)
        count += 1
        if write:
            body = [line for line in lines[2:] if not line.startswith("# >")]
            told = [("# > " + line).rstrip() for line in got]
            path.write_text("\n".join([head, lines[1], *told, *body]) + "\n")
        elif got != wanted:
            bad += 1
            print("%s: %s\n  wanted:\n    %s\n  told:\n    %s" % (path, words, "\n    ".join(wanted), "\n    ".join(got)))
        if len(got) > LINES_MAX or any(len(line) > COLUMNS_MAX for line in got):
            bad += 1
            print("%s: an answer of %d lines, %d columns" % (path, len(got), max(map(len, got))))
    print("answers: %d, each of at most %d lines" % (count, LINES_MAX))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--write" in sys.argv))
