#!/usr/bin/env python3
"""report.py MATRIX SURVIVORS [-v]: which mutants live, and which cases kill nothing.
report.py MATRIX SURVIVORS --floors FLOORS: for each file, how many of its mutants the table kills, how many only unit tests do
(trial.c), how many are argued, how many are open; those of choices.py on a line of their own.  A smaller share that is not open
of those that are not argued than FLOORS says fails.  The open ones stand, by function, in survivors.txt beside MATRIX, and the
cases that kill none in idle.txt.
report.py MATRIX SURVIVORS --files FLOORS: the same where MATRIX is about the mutants of a few files alone, and the open ones are
printed; arguments and floors of other files, and cases that kill none, are not looked at.
report.py MATRIX SURVIVORS --open LIST: the open ones are written to LIST, as a judge takes them.

A mutant that MATRIX names twice is killed where either line says so.

SURVIVORS names mutants that no case kills, a line each: id <tab> verdict <tab> why.  In an id `*` stands for anything.  Verdicts:

    equivalent   nothing that a case can see differs
    beyond       memory, speed or what an embedder sees: unit tests, `make oom` or a fuzz target look after it
    open         a case is missing

A survivor that is not listed fails, and so does a line whose mutant is dead or gone: the list only shrinks.
-v prints every mutant with the cases that kill it.
"""
import os
import re
import sys

TEXTS = {"core": "core/texts", "fakes": "core/texts"}  # of all files of a folder together; of conformance, of each of its rooms
CHOICES = " choices"  # behind the name of a file: its mutants of choices.py
VERDICTS = ("equivalent", "beyond", "open")


def read_matrix(path):
    mutants, idle = {}, []
    for line in open(path):
        fields = line.rstrip("\n").split("\t")
        if fields[0] == "0":
            idle.append(fields[1])
        else:
            _, killers, name, place, sort = fields
            lives = killers[0] in "-("
            if not lives or name not in mutants:
                mutants[name] = (name, place, sort, [] if lives else killers.split(), killers if lives else "")
    return list(mutants.values()), idle


def read_survivors(path):
    listed = {}
    for n, line in enumerate(open(path), 1):
        if line.strip() and not line.startswith("#"):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 3 or fields[1] not in VERDICTS or not fields[2]:
                sys.exit(f"{path}:{n}: wanted id, verdict and reason with tabs between")
            if fields[0] in listed:
                sys.exit(f"{path}:{n}: {fields[0]} stands there twice")
            listed[fields[0]] = (n, fields[1])
    return listed


def shown(killers):
    return ", ".join(killers[:3]) + (f" and {len(killers) - 3} more" if len(killers) > 3 else "")


def argued_by(path):
    """A function from a mutant's name to its verdict, and the lines that nobody needed."""
    rows = [(re.compile(".*".join(map(re.escape, name.split("*"))) + r"\Z"), name, n, verdict)
            for name, (n, verdict) in read_survivors(path).items()]
    used = set()

    def verdict_of(name):
        for pattern, text, _, verdict in rows:
            if pattern.match(name):
                used.add(text)
                return verdict
        return "open"
    return verdict_of, lambda: [(n, text) for _, text, n, _ in rows if text not in used]


def write_open(out, still_open):
    for name, place, error in sorted(still_open, key=lambda row: (row[1].split(":")[0], row[0])):
        out.write(f"{place}: {name}{'  ' + error if error != '-' else ''}\n")


def end(matrix, idle, still_open, count):
    """What a whole run closes with."""
    folder = os.path.dirname(matrix)
    with open(os.path.join(folder, "survivors.txt"), "w") as out:
        write_open(out, still_open)
    with open(os.path.join(folder, "idle.txt"), "w") as out:
        out.writelines(f"{case}\n" for case in idle)
    for case in idle[:20]:
        print(f"{case} kills none of them: what is it for?", file=sys.stderr)
    print(f"{len(idle)} cases kill none of them" if idle else "each case of the engine kills at least one of them")


def list_open(matrix, survivors, path):
    """Those that neither a case nor a unit test has killed so far, and no argument names."""
    verdict_of, _ = argued_by(survivors)
    with open(path, "w") as out:
        for line in open(matrix):
            number, killers, *rest = line.rstrip("\n").split("\t")
            if number != "0" and killers == "-" and verdict_of(rest[0]) == "open":
                out.write("\t".join((number, *rest)) + "\n")


def read_floors(path):
    """From a group of mutants to the least percentage that is not open: a file has one of its own, and one of choices.py."""
    floors = {}
    for line in open(path):
        if line.strip() and not line.startswith("#"):
            name, *least = line.split()
            floors.update(zip((name, name + CHOICES), map(int, least)))
    return floors


def group_of(place, sort):
    if sort == "text":
        folders = place.split("/")
        return TEXTS.get(folders[0]) or "/".join(folders[:2]) + "/texts"
    return place.split(":")[0] + (CHOICES if sort == "choice" else "")


def by_file(matrix, survivors, path, only_some):
    """What is not argued is open: a share a file, that only rises."""
    mutants, idle = read_matrix(matrix)
    floors = read_floors(path)
    verdict_of, unused = argued_by(survivors)
    count = dict.fromkeys(("killed", "unit", *VERDICTS), 0)
    faults, files, still_open = 0, {}, []
    for name, place, sort, killers, error in mutants:
        what = verdict_of(name) if not killers else "unit" if killers[0].startswith("unit:") else "killed"
        row = files.setdefault(group_of(place, sort), dict.fromkeys(count, 0))
        row[what] += 1
        count[what] += 1
        if what == "open":
            still_open.append((name, place, error))
    for name, row in sorted(files.items()):
        rest = row["killed"] + row["unit"] + row["open"]
        share, floor = 100 - -(-100 * row["open"] // rest) if rest else 100, floors.get(name, 0)
        faults += share < floor
        print(f"{name:43} {row['killed']:4} table {row['unit']:4} unit {row['equivalent']:4} equivalent {row['beyond']:4} beyond {row['open']:4} open"
              f"  {share:3} % (floor {floor}){'   BELOW' if share < floor else ''}")
    for n, text in unused():
        if only_some and text.split()[0] not in [name.removeprefix("core/") for name in files]:
            continue
        print(f"{survivors}:{n}: no survivor is named {text}: its line can go", file=sys.stderr)
        faults += 1
    print(f"{len(mutants)} mutants: {count['killed']} killed by the table, {count['unit']} by unit tests alone, "
          f"{count['equivalent']} equivalent, {count['beyond']} beyond both, "
          f"{count['open']} open")
    if only_some:
        write_open(sys.stdout, still_open)
        return faults > 0
    end(matrix, idle, still_open, count)
    return faults > 0 or len(idle) > 0


def main():
    if sys.argv[3:4] in (["--floors"], ["--files"]):
        return by_file(sys.argv[1], sys.argv[2], sys.argv[4], sys.argv[3] == "--files")
    if sys.argv[3:4] == ["--open"]:
        return list_open(sys.argv[1], sys.argv[2], sys.argv[4])
    matrix, survivors, verbose = sys.argv[1], sys.argv[2], "-v" in sys.argv
    mutants, idle = read_matrix(matrix)
    listed = read_survivors(survivors)
    faults = 0
    count = dict.fromkeys(VERDICTS, 0)
    killed = 0
    for name, place, sort, killers, _ in mutants:
        row = listed.pop(name, None)
        if killers:
            killed += 1
            if row:
                print(f"{survivors}:{row[0]}: {name} is killed by {shown(killers)}: its line can go", file=sys.stderr)
                faults += 1
        elif row:
            count[row[1]] += 1
        else:
            print(f"{place}: no case kills: {name}" + (f" ({sort})" if ":" in sort else ""), file=sys.stderr)
            faults += 1
        if verbose:
            print(f"{name}\n    {place}  {sort}\n    {shown(killers) or 'survives: ' + (row[1] if row else 'not listed')}")
    for name, (n, _) in listed.items():
        print(f"{survivors}:{n}: there is no mutant {name}", file=sys.stderr)
        faults += 1
    verdicts = ", ".join(f"{count[v]} {v}" for v in VERDICTS if count[v])
    print(f"{len(mutants)} mutants, {killed} killed by the table{', ' + verdicts if verdicts else ''}; {len(idle)} cases kill none of them")
    return faults > 0


sys.exit(main())
