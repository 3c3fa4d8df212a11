"""schemata.py: a C file with sleeping mutants in it.

A change is (start, end, kind, to): from byte start to end of the file, while the mutant is awake, stands `to`.  Kinds:
expression, guard (a condition), statement, swap (at start == end: `to` goes first, as well).
"""
import os


def clean(text):
    """On one line, so that the lines of the file keep their numbers."""
    return " ".join(text.split())


def render(source, mutants, start, end):
    """The text from start to end with its mutants, numbered changes, in it: the widest outside."""
    out, at = [], start
    mutants = sorted(mutants, key=lambda m: (m[1][0], -m[1][1], m[1][2] != "swap"))
    while mutants:
        number, (s, e, kind, to) = mutants[0]
        same = [m for m in mutants if m[1][:2] == (s, e) and (m[1][2] == "swap") == (kind == "swap")]
        inner = [m for m in mutants if m not in same and s <= m[1][0] and m[1][1] <= e and kind != "swap"]
        mutants = [m for m in mutants if m not in same and m not in inner]
        if s < at:
            raise ValueError(f"mutant {number} overlaps with another one")
        out.append(source[at:s].decode())
        at = e
        if kind == "swap":
            out.extend(f"if (KP_AWAKE({n})) {clean(m[3])} " for n, m in same)
        elif kind == "statement":
            choice = "".join(f"if (KP_AWAKE({n})) {{ {clean(m[3])} }} else " for n, m in same)
            out.append(f"{{ {choice}{{ {render(source, inner, s, e)} }} }}")
        else:
            choice = "".join(f"KP_AWAKE({n}) ? ({clean(m[3])}) : " for n, m in same)
            out.append(f"({choice}({render(source, inner, s, e)}))")
    out.append(source[at:end].decode())
    return "".join(out)


def write(out, path, source, mutants):
    """The file with its mutants, below the folder `out`; as it was where that is so already, so that make has nothing to do."""
    target = os.path.join(out, path)
    text = f'#include "fuzz/mutants/mutant.h"\n#line 1 "{path}"\n' + render(source, mutants, 0, len(source))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if not os.path.exists(target) or open(target).read() != text:
        with open(target, "w") as file:
            file.write(text)
