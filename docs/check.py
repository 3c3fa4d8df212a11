#!/usr/bin/env python3
"""check.py [--write] PROBETEST: README.md, docs/ and the pages beside the code say what the commands say; files that ARCHITECTURE.md names are there.

In a block of ```console each line that begins with "$ " is run, from the top of the tree, and what follows is its output: to the
letter, but that a line of ... stands for any lines, and times in ms and dates of HTTP may be others.  In a block of ```sh, which is not
run, and in `COMMAND` of a text each option of a command of probetest and each target of make must exist, in each page each link into the
tree, its heading too.  README.md has at most 120 lines of 100 columns.  --write puts in what the commands say now.
"""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
faults = []


def fault(path, line, what):
    faults.append("%s:%d: %s" % (os.path.relpath(path, TOP), line, what))


def settled(line):
    line = re.sub(r"\b\d+\.\d+ ms\b", "N ms", line.rstrip())
    return re.sub(r"Date: .*", "Date: D", line)


def agrees(wanted, got):
    """Line by line, a wanted line of ... for any lines."""
    wanted, got = list(map(settled, wanted)), list(map(settled, got))
    if "..." not in wanted:
        return wanted == got
    first = wanted.index("...")
    if wanted[:first] != got[:first]:
        return False
    rest = wanted[first + 1:]
    return any(agrees(rest, got[start:]) for start in range(first, len(got) + 1))


def refreshed(wanted, got):
    """What to write: the same number of lines before and behind a ... as were there."""
    if "..." not in wanted:
        return got
    first, last = wanted.index("..."), len(wanted) - 1 - wanted[::-1].index("...")
    tail = len(wanted) - 1 - last
    return got[:first] + ["..."] + (got[-tail:] if tail else [])


def blocks(lines, word):
    """(first line, lines) of each block of that word; counted from 0."""
    start = None
    for i, line in enumerate(lines):
        if start is None and line == "```" + word:
            start = i + 1
        elif start is not None and line == "```":
            yield start, lines[start:i]
            start = None


def steps(start, block):
    """(line, command, wanted) of a block."""
    found = []
    for i, line in enumerate(block):
        if line.startswith("$ "):
            found.append((start + i, line[2:], []))
        elif found:
            found[-1][2].append(line)
    return found


def run(command, env):
    done = subprocess.run(["sh", "-c", command], cwd=TOP, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, check=False)
    return done.stdout.decode("utf-8", "replace").split("\n")[:-1]


def check_console(path, lines, env, pool, write):
    asked = [step for start, block in blocks(lines, "console") for step in steps(start, block)]
    outputs = list(pool.map(lambda step: run(step[1], env), asked))
    for (at, command, wanted), got in reversed(list(zip(asked, outputs))):
        behind = []
        while wanted and not wanted[-1]:
            behind.insert(0, wanted.pop())
        if agrees(wanted, got):
            continue
        if write:
            lines[at + 1:at + 1 + len(wanted)] = refreshed(wanted, got)
        else:
            fault(path, at + 1, "`%s` says otherwise now:\n    %s" % (command, "\n    ".join(got[:12])))
    return len(asked)


def shown(lines):
    """(line, command) of each block of ```sh and of each `COMMAND` in the text."""
    for start, block in blocks(lines, "sh"):
        yield from ((start + i + 1, line) for i, line in enumerate(block))
    for at, line in prose(lines):
        yield from ((at, command) for command in re.findall(r"`((?:probetest|make) [^`]+)`", line))


def check_words(path, lines, helps, targets):
    for at, line in shown(lines):
        for name, rest in re.findall(r"(?:(?<![\w/.-])|(?<=build/))probetest ([a-z][a-z-]+)([^|;&>#]*)", line):
            if name not in helps:
                fault(path, at, "there is no command probetest %s" % name)
                continue
            for option in re.findall(r"(?<!\S)--[a-z0-9-]+", rest.split(" -- ")[0]):
                if option not in helps[name]:
                    fault(path, at, "probetest %s has no option %s" % (name, option))
        for target in re.findall(r"(?:^|[;&] *)make +([a-z][a-z-]*)", line):
            if target not in targets:
                fault(path, at, "there is no target %s" % target)


def prose(lines):
    """(line, text) outside of blocks; counted from 1."""
    inside = False
    for i, line in enumerate(lines):
        inside ^= line.startswith("```")
        if not inside:
            yield i + 1, line


def anchors(path):
    """What its headings are called in links, as GitHub does it."""
    with open(path, encoding="utf-8") as file:
        heads = [line.lstrip("#") for _, line in prose(file.read().split("\n")) if re.match("#+ ", line)]
    return {re.sub(r"[^\w -]", "", re.sub(r"\]\([^)]*\)", "", head)).strip().lower().replace(" ", "-") for head in heads}


def check_links(path, lines):
    for at, line in prose(lines):
        for link, anchor in re.findall(r"\]\(([^)#:\s]*)#?([^):\s]*)\)", line):
            target = os.path.join(os.path.dirname(path), link) if link else path
            if not os.path.exists(target):
                fault(path, at, "%s leads nowhere" % link)
            elif anchor and target.endswith(".md") and anchor not in anchors(target):
                fault(path, at, "%s has no heading %s" % (link or "this page", anchor))


def check_paths(path, lines):
    """Files and folders of the tree, also those below core/ with a * in their names."""
    for i, line in enumerate(lines):
        for name in re.findall(r"(?<![\w./-])(?:core|conformance|fakes|fuzz|coverage|docs|packaging)/[\w*./-]*[\w*/]", line):
            if not glob.glob(os.path.join(TOP, name)):
                fault(path, i + 1, "there is no %s" % name)


def check_rules(path, lines):
    """A rule behind files of the tree is named in one of them, by its id or by its name in the code."""
    names = {}
    for table in glob.glob(os.path.join(TOP, "core/rules/rules_*.def")):
        with open(table, encoding="utf-8") as file:
            names.update((number, name) for name, number in re.findall(r'RULE\((\w+), "([A-Z]-\d+)"', file.read()))
    for i, line in enumerate(lines):
        found = re.match(r" +((?:core|conformance)/\S+/)(\S+\.c)((?:, \S+\.c)*) .* ([A-Z]-\d{3})$", line)
        if not found:
            continue
        folder, first, more, rule = found.groups()
        text = ""
        for name in [first] + re.findall(r"[^ ,]+", more):
            for one in glob.glob(os.path.join(TOP, folder + name)):
                with open(one, encoding="utf-8") as file:
                    text += file.read()
        if not re.search(r"\b(%s|KP_RULE_%s)\b" % (rule, names.get(rule)), text):
            fault(path, i + 1, "%s is not in %s%s" % (rule, folder, first + more))


def check_readme(path, lines):
    if len(lines) > 120:
        fault(path, 121, "%d lines, at most 120" % len(lines))
    for i, line in enumerate(lines):
        if len(line) > 100:
            fault(path, i + 1, "%d columns, at most 100" % len(line))


def main(arguments):
    write = "--write" in arguments
    probetest = os.path.join(TOP, [one for one in arguments if one != "--write"][0])
    pages = [os.path.join(TOP, name) for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")] + \
        sorted(path for folder in ("docs", "conformance", "fuzz") for path in glob.glob(os.path.join(TOP, folder, "**", "*.md"), recursive=True))
    counts = 0
    helps = {name: subprocess.run([probetest, name, "--help"], capture_output=True, text=True, check=True).stdout for name in
             re.findall(r"(?m)^  ([a-z][a-z-]*)  ", subprocess.run([probetest, "--help"], capture_output=True, text=True, check=True).stdout)}
    targets = set()
    for makefile in [os.path.join(TOP, "Makefile")] + glob.glob(os.path.join(TOP, "*/*.mk")) + glob.glob(os.path.join(TOP, "*/*/*.mk")):
        with open(makefile, encoding="utf-8") as file:
            targets.update(re.findall(r"(?m)^([a-z][a-z-]*):", file.read()))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(4) as pool:
        os.symlink(probetest, os.path.join(folder, "probetest"))
        os.symlink(os.path.join(TOP, "packaging/test/kubectl"), os.path.join(folder, "kubectl"))
        env = dict(os.environ, PATH=folder + ":" + os.environ["PATH"], LC_ALL="C.UTF-8", COLUMNS="80", NO_COLOR="1")
        for path in pages:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            lines = text.split("\n")[:-1]
            counts += check_console(path, lines, env, pool, write)
            check_words(path, lines, helps, targets)
            check_links(path, lines)
            if path == os.path.join(TOP, "ARCHITECTURE.md"):
                check_paths(path, lines)
                check_rules(path, lines)
            if path == os.path.join(TOP, "README.md"):
                check_readme(path, lines)
            if write and "\n".join(lines) + "\n" != text:
                with open(path, "w", encoding="utf-8") as file:
                    file.write("\n".join(lines) + "\n")
    for one in faults:
        print(one, file=sys.stderr)
    if faults:
        print("docs: what is right now? then `make docs` writes it", file=sys.stderr)
        return 1
    print("docs: %d pages, %d commands, each with its output" % (len(pages), counts))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
