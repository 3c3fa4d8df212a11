#!/usr/bin/env python3
"""Are the conversations in the pages what the adapters say?  A block tells whose it is in its first line, `$ COMMAND`; else it is
`probetest serve`.

    transcripts.py PROBETEST [--write]     --write puts the replies of now into the files
"""
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = ("protocol.md", "adapters/README.md")


def conversations(lines, serve):
    """(command, indices of its requests): each is one process from its first request on."""
    found, command = [], None
    for index, line in enumerate(lines):
        if line == "```":
            command = None
        elif line.startswith("$ ") and lines[index - 1] == "```":
            command = shlex.split(line[2:])
        elif line.startswith("> {"):
            if not found or found[-1][0] != (command or serve):
                found.append((command or serve, []))
            found[-1][1].append(index)
    return found


def hold(page, write):
    """How many replies of that page are others now."""
    path, stale = os.path.join(HERE, page), 0
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    found = conversations(lines, [sys.argv[1], "serve"])
    for command, asked in found:
        requests = "".join(lines[index][2:] + "\n" for index in asked)
        done = subprocess.run(command, input=requests, capture_output=True, text=True, timeout=600, cwd=os.path.dirname(HERE))
        replies = done.stdout.splitlines()
        if done.returncode != 0 or len(replies) != len(asked):
            print(f"{page}: {len(asked)} requests, {len(replies)} replies, exit code {done.returncode}\n{done.stderr}")
            return 1
        for index, reply in zip(asked, replies):
            if lines[index + 1] != "< " + reply:
                stale += 1
                print(f"{page}:{index + 2}: it says otherwise now\n  was  {lines[index + 1]}\n  is   < {reply}")
                lines[index + 1] = "< " + reply
    if not found:
        print(f"{page}: no conversation")
        return 1
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return stale


def main():
    write = "--write" in sys.argv
    stale = sum(hold(page, write) for page in PAGES)
    if stale and not write:
        print("right? then `conformance/transcripts.py build/probetest --write`")
    return 1 if stale and not write else 0


if __name__ == "__main__":
    sys.exit(main())
