"""borders.py: the borders of core/rules/profile.def and core/rules/gates.def, moved.

Each border of a row and each version from which a gate is on goes to the minor before and to the one after it, though not beyond
the row's next border; one inside a minor goes to either end of that.  A gate that is not on by default is, from its first
version.  Such a mutant differs at the versions in between, whatever is looked at (mutant.h: KP_MOVED).
"""
import os
import re
import sys

LEAST, MOST, NEVER = (15, 0), (38, 0), (1000, 0)
VERSION = re.compile(r"V\((\d+), (\d+)\)")
SWITCH = re.compile(r'(SWITCH|SPANS|LEVEL)\((\w+),\s*"[^"]*",\s*((?:V\(\d+, \d+\)[,\s]*)+)\)')
GATE = re.compile(r'GATE\((\w+),\s*"[^"]*",\s*(V\(\d+, \d+\)),\s*(V\(\d+, \d+\)|NONE),')


def written(version):
    return f"V({version[0]}, {version[1]})"


def moved(before, at, behind):
    """Where a border may go that has others on both sides: earlier, and later."""
    minor, patch = at
    earlier = max((minor, 0) if patch else (minor - 1, 0), before)
    later = min((minor + 1, 0), behind)
    return [to for to in (earlier, later) if to != at and LEAST <= max(at, to) and min(at, to) < MOST]


class Borders:
    def __init__(self, number):
        self.number, self.lines = number, []

    def name(self, path, line, row, at, to):
        self.number += 1
        self.lines.append(f"{self.number}\t{path[5:]} {row}: {written(at)} -> {written(to)}\t{path}:{line}\tborder\n")
        return self.number

    def of(self, path, line, row, before, at, behind):
        """The border as an expression, with its mutants."""
        text = written(at)
        for to in moved(before, at, behind):
            text = f"KP_MOVED({self.name(path, line, row, at, to)}, {written(at)}, {written(to)}, {text})"
        return text


def write_switches(out, path, borders):
    source = open(path).read()

    def with_mutants(row):
        line = source[:row.start()].count("\n") + 1
        versions = [(int(minor), int(patch)) for minor, patch in VERSION.findall(row[3])]
        if row[1] == "SWITCH":  # off where its minor ends, but for the last one: as SPANS has it
            versions = [one for minor, patch in versions for one in ((minor, patch), (minor + 1, 0))][:-1]
        sides = [(0, 0), *versions, MOST]
        return (f'{"SPANS" if row[1] == "SWITCH" else row[1]}({row[2]}, "", '
                + ", ".join(borders.of(path, line, row[2], *sides[i:i + 3]) for i in range(len(versions))) + ")")
    with open(os.path.join(out, path), "w") as file:
        file.write(SWITCH.sub(with_mutants, source))


def gates_on(path, borders):
    """A function from a gate to the version that has it on by default."""
    source = open(path).read()
    text = "static int kp_gate_on(int gate, int now) { switch (gate) {"
    for row in GATE.finditer(source):
        line = source[:row.start()].count("\n") + 1
        since, on = ([tuple(map(int, VERSION.match(v).groups())) if v != "NONE" else NEVER for v in row.groups()[1:]])
        border = (borders.of(path, line, row[1], since, on, MOST) if on != NEVER else
                  f"KP_MOVED({borders.name(path, line, row[1], on, since)}, {written(on)}, {written(since)}, {written(on)})")
        text += f" case KP_GATE_{row[1]}: return {border};"
    return text + " default: return 0; } }\n"


def write(out, number):
    """Puts them into the copy of core/rules/profile.c below `out`.  Returns their lines for the list; the first is number + 1."""
    borders = Borders(number)
    write_switches(out, "core/rules/profile.def", borders)
    target = os.path.join(out, "core/rules/profile.c")
    text = open(target).read()
    at = text.index("enum kp_err kp_profile_init(")
    rest, count = re.subn(r"gate_rows\[([^][]+)\]\.on\b", r"kp_gate_on(\1, now)", text[at:])
    if count == 0:
        sys.exit("borders.py: core/rules/profile.c reads no gate_rows[...].on: no mutant of gates.def would differ")
    text = text[:at] + gates_on("core/rules/gates.def", borders) + rest
    with open(target, "w") as file:
        file.write(text)
    return borders.lines
