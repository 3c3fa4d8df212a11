#!/usr/bin/env python3
"""Are the conversations in protocol.md what `probetest serve` says?

    transcripts.py PROBETEST [--write]     --write puts the replies of now into the file
"""
import os
import subprocess
import sys

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "protocol.md")


def main():
    with open(PATH, encoding="utf-8") as file:
        lines = file.read().split("\n")
    asked = [index for index, line in enumerate(lines) if line.startswith("> {")]
    requests = "".join(lines[index][2:] + "\n" for index in asked)
    done = subprocess.run([sys.argv[1], "serve"], input=requests, capture_output=True, text=True, timeout=600)
    replies = done.stdout.splitlines()
    if done.returncode != 0 or len(replies) != len(asked) or not asked:
        print(f"protocol.md: {len(asked)} requests, {len(replies)} replies, exit code {done.returncode}")
        return 1
    stale = [(index + 1, reply) for index, reply in zip(asked, replies) if lines[index + 1] != "< " + reply]
    for index, reply in stale:
        print(f"protocol.md:{index + 1}: serve says otherwise now\n  was  {lines[index]}\n  is   < {reply}")
        lines[index] = "< " + reply
    if "--write" in sys.argv:
        with open(PATH, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        return 0
    if stale:
        print("right? then `conformance/transcripts.py build/probetest --write`")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
