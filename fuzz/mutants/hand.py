#!/usr/bin/env python3
"""hand.py OUT LIST.yaml...: writes each C file that a list names to OUT with the list's mutants in it, asleep.

OUT/list names them as operators.py does.  A text that is not in its file any more, or stands there twice, is an error: the list
follows the code.
"""
import os
import re
import sys

import schemata
import yaml


faults = []


def fail(place, why):
    faults.append(f"{place}: {why}")


def pattern_of(text):
    """Whatever the line breaks; the part in guillemets is group 1."""
    words = re.split(r"(«|»|\s+)", text.strip())
    parts = {"«": "(", "»": ")"}
    out = "".join(parts.get(w, r"\s+" if w.isspace() else re.escape(w)) for w in words if w)
    bound = r"(?<![A-Za-z0-9_])" if re.match(r"\w", text.strip().lstrip("«")) else ""
    return re.compile(bound + (out if "«" in text else f"({out})"))


def change_of(place, edit, sources):
    path = edit["file"]
    if path not in sources:
        sources[path] = open(path, "rb").read()
    text = sources[path].decode("latin-1")
    found = list(pattern_of(edit["from"]).finditer(text))
    if len(found) != 1:
        fail(place, f"'{edit['from']}' is {len(found)} times in {path}")
        return path, None
    start, end = found[0].span(1)
    replaced = text[start:end].rstrip()
    kind = "statement" if replaced.endswith((";", "}")) else "expression"
    return path, (start, end, kind, edit["to"], None)


def main():
    out, lists = sys.argv[1], sys.argv[2:]
    sources, changes, lines, number = {}, {}, [], 0
    for name in lists:
        for row in yaml.safe_load(open(name)):
            number += 1
            place = f"{name}: {row['id']}"
            for edit in [row] + row.get("also", []):
                path, change = change_of(place, edit, sources)
                if change:
                    changes.setdefault(path, []).append((number, change))
            if faults:
                continue
            at = sources[row["file"]][:changes[row["file"]][-1][1][0]].count(10) + 1
            sort = os.path.basename(name).removesuffix(".yaml")
            lines.append(f"{number}\t{row['id']}\t{row['file']}:{at}\t{sort}: {row['what']} [{' '.join(row['rules'])}]\n")
    ids = [line.split("\t")[1] for line in lines]
    faults.extend(f"{name} stands there twice" for name in set(ids) if ids.count(name) > 1)
    if faults:
        sys.exit("\n".join(faults))
    for path, found in changes.items():
        schemata.write(out, path, sources[path], found)
    with open(os.path.join(out, "list"), "w") as file:
        file.writelines(lines)


main()
