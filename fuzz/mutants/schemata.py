"""schemata.py: a C file with sleeping mutants in it.

A change is (start, end, kind, to, parts): from byte start to end of the file, while the mutant is awake, stands `to`.  Kinds:
expression; operator, and, or (parts: left, operator, the other operator, right); guard (a condition that never holds); statement
(parts: both sides of an assignment, or None); swap (at start == end: `to` goes first, as well).

What stands there also notes whether it was met, and whether the mutant would have come to something else (mutant.h).
"""
import os


def clean(text):
    """On one line, so that the lines of the file keep their numbers."""
    return " ".join(text.split())


def render_expression(source, same, inner, s, e):
    """The changes of one expression, the ones that replace it whole outside those that change its operator."""
    text = None
    for number, (_, _, kind, to, parts) in sorted(same, key=lambda m: m[1][2] not in ("operator", "and", "or")):
        if kind in ("operator", "and", "or"):
            left, operator, other, right = parts
            before, after = render(source, inside(inner, *left), *left), render(source, inside(inner, *right), *right)
            if kind == "operator":
                text = f"KP_OPERATOR({number}, ({before}), {operator}, {other}, ({after}))"
            else:
                again = clean(source[slice(*right)].decode())
                text = f"KP_{kind.upper()}({number}, ({before}), ({after}), ({again}))"
            continue
        text = text or render(source, inner, s, e)
        if kind == "value":
            text = f"KP_VALUE({number}, ({text}), ({clean(to)}))"
        elif kind == "guard":
            text = f"KP_NEVER_IF({number}, ({text}))"
        else:
            text = f"(KP_ACTIVE({number}) ? ({clean(to)}) : ({text}))"
    return text


def render_statement(source, same, inner, s, e):
    choice = ""
    for number, (_, _, _, to, parts) in same:
        awake = f"KP_ACTIVE({number})"
        if parts:
            left, right = (clean(source[slice(*part)].decode()) for part in parts)
            awake = f"(KP_NOTE({number}, ({left}) != ({right})), kp_mutant == {number})"
        choice += f"if ({awake}) {{ {clean(to)} }} else "
    return f"{{ {choice}{{ {render(source, inner, s, e)} }} }}"


def inside(mutants, start, end):
    return [m for m in mutants if start <= m[1][0] and m[1][1] <= end]


def render(source, mutants, start, end):
    """The text from start to end with its mutants, numbered changes, in it: the widest outside."""
    out, at = [], start
    mutants = sorted(mutants, key=lambda m: (m[1][0], -m[1][1], m[1][2] != "swap"))
    while mutants:
        number, (s, e, kind, _, _) = mutants[0]
        same = [m for m in mutants if m[1][:2] == (s, e) and (m[1][2] == "swap") == (kind == "swap")]
        inner = [m for m in inside(mutants, s, e) if m not in same and kind != "swap"]
        mutants = [m for m in mutants if m not in same and m not in inner]
        if s < at:
            raise ValueError(f"mutant {number} overlaps with another one")
        out.append(source[at:s].decode())
        at = e
        if kind == "swap":
            out.extend(f"if (KP_ACTIVE({n})) {clean(m[3])} " for n, m in same)
        elif kind == "statement":
            out.append(render_statement(source, same, inner, s, e))
        else:
            out.append(render_expression(source, same, inner, s, e))
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
