#!/usr/bin/env python3
"""report.py MATRIX SURVIVORS [-v]: which mutants live, and which cases kill nothing.
report.py MATRIX --floors FLOORS: of how many mutants of each file the table kills so many percent; fewer than FLOORS says fails.

SURVIVORS names mutants that no case kills, a line each: id <tab> verdict <tab> why.  Verdicts:

    equivalent   nothing that a case can see differs
    beyond       memory, speed or what an embedder sees: unit tests, `make oom` or a fuzz target look after it
    open         a case is missing

A survivor that is not listed fails, and so does a line whose mutant is dead or gone: the list only shrinks.
-v prints every mutant with the cases that kill it.
"""
import os
import sys

VERDICTS = ("equivalent", "beyond", "open")


def read_matrix(path):
    mutants, idle = [], []
    for line in open(path):
        fields = line.rstrip("\n").split("\t")
        if fields[0] == "0":
            idle.append(fields[1])
        else:
            _, killers, name, place, sort = fields
            mutants.append((name, place, sort, [] if killers[0] in "-(" else killers.split()))
    return mutants, idle


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


def by_file(matrix, path):
    """Too many to argue each: a share a file, that only rises; the survivors stand beside the matrix."""
    mutants, idle = read_matrix(matrix)
    floors = dict(line.split() for line in open(path) if line.strip() and not line.startswith("#"))
    faults, files = 0, {}
    with open(os.path.join(os.path.dirname(matrix), "survivors.txt"), "w") as out:
        for name, place, _, killers in mutants:
            row = files.setdefault(place.split(":")[0], [0, 0])
            row[0] += 1
            row[1] += bool(killers)
            if not killers:
                out.write(f"{place}: {name}\n")
    for name, (count, killed) in sorted(files.items()):
        share, floor = 100 * killed // count, int(floors.get(name, 0))
        faults += share < floor
        print(f"{name:32} {killed:5} of {count:5}  {share:3} % (floor {floor}){'   BELOW' if share < floor else ''}")
    killed = sum(row[1] for row in files.values())
    print(f"{len(mutants)} mutants, {killed} killed by the table ({100 * killed // len(mutants)} %); {len(idle)} cases kill none of them")
    return faults > 0


def main():
    if sys.argv[2] == "--floors":
        return by_file(sys.argv[1], sys.argv[3])
    matrix, survivors, verbose = sys.argv[1], sys.argv[2], "-v" in sys.argv
    mutants, idle = read_matrix(matrix)
    listed = read_survivors(survivors)
    faults = 0
    count = dict.fromkeys(VERDICTS, 0)
    killed = 0
    for name, place, sort, killers in mutants:
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
    told = ", ".join(f"{count[v]} {v}" for v in VERDICTS if count[v])
    print(f"{len(mutants)} mutants, {killed} killed by the table{', ' + told if told else ''}; {len(idle)} cases kill none of them")
    return faults > 0


sys.exit(main())
