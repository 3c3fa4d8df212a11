"""borders.py: the borders of core/rules/profile.def, built.def and gates.def, moved.

Each border of a row, each row of built.def and each version from which a gate is on goes to the minor before and to the one after
it, though not beyond the row's next border; one inside a minor goes to either end of that.  A gate that is not on by default is,
from its first version.  Such a mutant differs at the versions in between, whatever is looked at (mutant.h: KP_MOVED); where no
release lies in between, or none that a row of profile.def tells from its neighbour, there is none.
"""
import os
import re
import sys

LEAST, MOST, NEVER = ("V", 15, 0), ("V", 38, 0), ("V", 999, 0)
VERSION = re.compile(r"\b(V|GO|GODEBUG|GRPC|NET|NET_OF)\(([\d, ]+)\)")
ROW = re.compile(r'^(SWITCH|SPANS|LEVEL)\((\w+),\s*"[^"]*",\s*((?:[^/"]|\n)*?)\)(?= *(?:/\*|$))', re.M)
BUILT = re.compile(r"^(?:BUILT|LAST)\((V\([\d, ]+\)),(.*)\)", re.M)
GATE = re.compile(r'GATE\((\w+),\s*"[^"]*",\s*(V\(\d+, \d+\)),\s*(V\(\d+, \d+\)|NONE),')


def read(text):
    """The versions in a text: (kind, minor, patch)."""
    out = []
    for kind, numbers in VERSION.findall(text):
        numbers = [int(number) for number in numbers.split(",")]
        if kind == "NET_OF":
            numbers = [0, 0, (numbers[0] - 2000) * 12 + numbers[1]]
        out.append((kind[:3] if kind == "NET_OF" else kind, *(numbers if kind == "V" else (numbers + [0])[1:3])))
    return out


def written(version):
    kind, minor, patch = version
    return {"V": f"V({minor}, {patch})", "GODEBUG": f"GODEBUG(1, {minor})", "NET": f"NET(0, {minor}, {patch})"}.get(
        kind, f"{kind}(1, {minor}, {patch})")


def moved(before, at, behind):
    """Where a border may go that has others on both sides: earlier, and later."""
    kind, minor, patch = at
    earlier = max((kind, minor, 0) if patch else (kind, minor - 1, 0), before)
    later = min((kind, minor + 1, 0), behind)
    return [to for to in (earlier, later) if to != at]


class Borders:
    def __init__(self, number):
        self.number, self.lines = number, []

    def name(self, path, line, row, at, to):
        self.number += 1
        self.lines.append(f"{self.number}\t{path[5:]} {row}: {written(at)} -> {written(to)}\t{path}:{line}\tborder\n")
        return self.number

    def of(self, path, line, row, before, at, behind, releases=()):
        """The border as an expression, with its mutants."""
        text = written(at)
        for to in moved(before, at, behind):
            if (LEAST <= max(at, to) and min(at, to) < MOST if at[0] == "V" else
                    any((have >= at) != (have >= to) for have in releases if have[0] == at[0])):
                text = f"KP_MOVED({self.name(path, line, row, at, to)}, {written(at)}, {written(to)}, {text})"
        return text


def write_switches(out, path, borders, releases):
    """releases: what each is built with."""
    source = open(path).read()

    def with_mutants(row):
        line = source[:row.start()].count("\n") + 1
        versions = read(row[3])
        kind = versions[0][0]
        if row[1] == "SWITCH":  # off where its minor ends, but for the last one: as SPANS has it
            versions = [one for at in versions for one in (at, (kind, at[1] + 1, 0))][:-1]
        sides = [(kind, 0, 0), *versions, MOST if kind == "V" else (kind, 999, 0)]
        made = [borders.of(path, line, row[2], *sides[i:i + 3], releases) for i in range(len(versions))]
        if row[1] == "LEVEL":
            return f'LEVEL({row[2]}, "", {", ".join(made)})'
        made += ["NONE"] * (len(made) % 2)
        return f'SPANS({row[2]}, "", ' + ", ".join(f"{{{made[i]}, {made[i + 1]}}}" for i in range(0, len(made), 2)) + ")"
    with open(os.path.join(out, path), "w") as file:
        file.write(ROW.sub(with_mutants, source))
    return [version for row in ROW.finditer(source) for version in read(row[3]) if version[0] != "V"]


def write_built(out, path, borders, named):
    """named: the versions of Go and of modules that a row of profile.def names."""
    source = open(path).read()
    rows = list(BUILT.finditer(source))
    text = source[:rows[0].end()]
    for i in range(1, len(rows)):
        before, at = read(rows[i - 1][0]), read(rows[i][0])
        behind = read(rows[i + 1][0])[0] if i + 1 < len(rows) else MOST
        differ = any((old >= border) != (new >= border) for old, new in zip(before, at) for border in named if border[0] == new[0])
        line = source[:rows[i].start()].count("\n") + 1
        version = borders.of(path, line, "row", before[0], at[0], behind) if differ else written(at[0])
        text += source[rows[i - 1].end():rows[i].start()] + f"BUILT({version},{rows[i][2]})"
        if rows[i][0].startswith("LAST"):  # of which a constant is asked: a row of no release
            text += f"\nLAST({written(('V', 999, at[0][2]))},{rows[i][2]})"
    with open(os.path.join(out, path), "w") as file:
        file.write(text + source[rows[-1].end():])


def gates_on(path, borders):
    """A function from a gate to the version that has it on by default."""
    source = open(path).read()
    text = "static int kp_gate_on(int gate, const int *now) { switch (gate) {"
    for row in GATE.finditer(source):
        line = source[:row.start()].count("\n") + 1
        since, on = ([read(v)[0] if v != "NONE" else NEVER for v in row.groups()[1:]])
        border = (borders.of(path, line, row[1], since, on, MOST) if on != NEVER else
                  f"KP_MOVED({borders.name(path, line, row[1], on, since)}, {written(on)}, {written(since)}, {written(on)})")
        text += f" case KP_GATE_{row[1]}: return {border};"
    return text + " default: return 0; } }\n"


def write(out, number):
    """Puts them into the copy of core/rules/profile.c below `out`.  Returns their lines for the list; the first is number + 1."""
    borders = Borders(number)
    releases = read(open("core/rules/built.def").read())
    named = write_switches(out, "core/rules/profile.def", borders, releases)
    write_built(out, "core/rules/built.def", borders, named)
    target = os.path.join(out, "core/rules/profile.c")
    text = open(target).read()
    at = text.index("enum kp_err kp_profile_of(")
    end = text.index("\n}\n", at)  # behind it `now` is another one
    body, count = re.subn(r"gate_rows\[([^][]+)\]\.on\b", r"kp_gate_on(\1, now)", text[at:end])
    if count == 0:
        sys.exit("borders.py: core/rules/profile.c reads no gate_rows[...].on: no mutant of gates.def would differ")
    text = text[:at] + gates_on("core/rules/gates.def", borders) + body + text[end:]
    with open(target, "w") as file:
        file.write(text)
    return borders.lines
