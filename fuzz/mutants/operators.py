#!/usr/bin/env python3
"""operators.py OUT FILE...: writes each C file to OUT with all its operator mutants in it, asleep.

A mutant is a place and a change: a comparison moved by one or turned round, `&&` for `||`, a condition negated, a guard that
never holds, two guards in the other order, a constant one higher, plus for minus, a statement left out, true for false, one
letter of a text; a choice among several that is another (choices.py); and a border of the version tables that moves (borders.py).
Number N is awake while kp_mutant is N (mutant.h).  OUT/list names them, a line each:

    number <tab> id <tab> file:line <tab> sort: "text", "border", "choice" or another change

The id (file function "from" -> "to" #ordinal) does not move with the lines above it.  The syntax tree is libclang's.
"""
import os
import re
import sys

import borders
import choices
import schemata
from clang.cindex import Config, CursorKind as K, Index, TranslationUnit, TypeKind

Config.set_library_file(os.environ.get("LIBCLANG", "libclang-14.so.1"))

# A bound moved by one is harder to see than one turned round, so only the first is tried.
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
BINARY = {**COMPARISONS, "&&": "||", "||": "&&", "+": "-", "-": "+"}
JUMPS = (K.RETURN_STMT, K.CONTINUE_STMT, K.BREAK_STMT, K.GOTO_STMT)
SCALARS = (TypeKind.BOOL, TypeKind.CHAR_S, TypeKind.SCHAR, TypeKind.UCHAR, TypeKind.SHORT, TypeKind.USHORT, TypeKind.INT, TypeKind.UINT,
           TypeKind.LONG, TypeKind.ULONG, TypeKind.ENUM, TypeKind.POINTER)
ROOMS = ("kp_scratch_alloc", "kp_scratch_buf")  # who asks for more than he needs behaves alike
# Memory that runs out is the business of `make oom`; an assertion is no behaviour.
UNTOUCHED = re.compile(r"ENOMEM|\bassert\(|kp_mem_|sizeof")


class File:
    def __init__(self, path):
        self.path = path
        self.bytes = open(path, "rb").read()
        self.mutants = []  # (start, end, kind, from, to, function, parts, sort)
        self.function = ""
        self.sizes_room = False  # where a number one higher is more room
        self.asks_memory = False  # in the condition of an if that says that there is none
        self.before = ""  # the statement before the one that is looked at

    def text(self, start, end):
        return self.bytes[start:end].decode()

    def add(self, start, end, kind, shown, to, parts=None, sort=None):
        self.mutants.append((start, end, kind, " ".join(self.text(*shown).split()), to, self.function, parts, sort or kind))


def extent(cursor):
    return cursor.extent.start.offset, cursor.extent.end.offset


def operator_between(f, left, right):
    """The operator's text, or None where a macro hides it."""
    start, end = extent(left)[1], extent(right)[0]
    return f.text(start, end).strip() if start < end else None


def on_binary(f, cursor):
    left, right = list(cursor.get_children())
    operator = operator_between(f, left, right)
    if operator not in BINARY or UNTOUCHED.search(f.text(*extent(cursor))):
        return
    if operator == "-" and right.type.get_canonical().kind == TypeKind.POINTER:
        return
    if operator == "||" and f.asks_memory:
        return
    l, r = f.text(*extent(left)), f.text(*extent(right))
    kind = {"&&": "and", "||": "or"}.get(operator, "operator")
    f.add(*extent(cursor), kind, extent(cursor), f"{l} {BINARY[operator]} {r}",
          (extent(left), operator, BINARY[operator], extent(right)))


def is_comparison(f, cursor):
    while cursor.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR):
        children = list(cursor.get_children())
        if len(children) != 1:
            return False
        cursor = children[0]
    if cursor.kind != K.BINARY_OPERATOR:
        return False
    left, right = list(cursor.get_children())
    return operator_between(f, left, right) in COMPARISONS


def on_condition(f, condition, negate):
    text = f.text(*extent(condition))
    if negate and not is_comparison(f, condition):
        f.add(*extent(condition), "expression", extent(condition), f"!({text})")


def asks_arena(f, condition):
    """Is it asked whether there was memory for what the statement before has made?"""
    text = f.text(*extent(condition))
    made = re.fullmatch(r"!(\w+)(\.bytes)?", text)
    return re.fullmatch(r"[\w>.-]*(arena|scratch)(->|\.)failed", text) or made and re.search(rf"\b{made[1]} = [^;]*(cf_arena_|cf_node_(new|copy|json|sorted|bare)|room_for\()", f.before)


def on_if(f, cursor, siblings):
    children = list(cursor.get_children())
    condition, then = children[0], children[1]
    if UNTOUCHED.search(f.text(*extent(cursor))):
        return
    on_condition(f, condition, True)
    jumps = then.kind in JUMPS or then.kind == K.COMPOUND_STMT and any(c.kind in JUMPS for c in then.get_children())
    if len(children) == 2 and jumps:
        f.add(*extent(condition), "guard", extent(cursor), "0")
        on_order(f, cursor, siblings)


def exclude_each_other(one, other):
    """Whether two conditions ask if one and the same value equals this, and that: their order is none."""
    for pattern in (r"(.+) == ([A-Z_]\w*)", r'kp_text_equal\((.+), KP_TEXT\(("[^"]*")\)\)'):
        a, b = (re.fullmatch(pattern, " ".join(text.split())) for text in (one, other))
        if a and b and a[1] == b[1] and a[2] != b[2]:
            return True
    return False


def on_order(f, cursor, siblings):
    """Of two guards that return, the second one first."""
    if not siblings or siblings[0].kind != K.IF_STMT:
        return
    first, second = list(cursor.get_children()), list(siblings[0].get_children())
    if len(second) == 2 and first[1].kind == second[1].kind == K.RETURN_STMT:
        start, end = extent(siblings[0])[0], statement_end(f, siblings[0])
        if UNTOUCHED.search(f.text(start, end)) or exclude_each_other(f.text(*extent(first[0])), f.text(*extent(second[0]))):
            return
        f.add(extent(cursor)[0], extent(cursor)[0], "swap", (start, end), f.text(start, end))


def on_literal(f, cursor, parent):
    text = f.text(*extent(cursor))
    if parent.kind == K.BINARY_OPERATOR and operator_between(f, *parent.get_children()) in ("==", "!="):
        return
    if parent.kind == K.VAR_DECL and any(c.kind == K.INIT_LIST_EXPR for c in parent.get_children()):
        return  # an array with its elements: its size is no expression
    if f.sizes_room or parent.kind == K.VAR_DECL and parent.type.kind == TypeKind.CONSTANTARRAY:
        return
    if re.fullmatch(r"[1-9]\d*", text):
        f.add(*extent(cursor), "expression", extent(cursor), str(int(text) + 1))


def statement_end(f, cursor):
    end = extent(cursor)[1]
    match = re.compile(rb"\s*;").match(f.bytes, end)
    return match.end() if match else None


def on_statement(f, cursor):
    """A call or an assignment, left out."""
    end = statement_end(f, cursor)
    if end and not UNTOUCHED.search(f.text(extent(cursor)[0], end)):
        f.add(extent(cursor)[0], end, "statement", extent(cursor), "", plain_assignment(f, cursor))


def plain_assignment(f, cursor):
    """Both sides of an assignment of a number or a pointer that can be worked out twice; else None."""
    if cursor.kind != K.BINARY_OPERATOR or cursor.type.get_canonical().kind not in SCALARS:
        return None
    if any(c.kind in (K.CALL_EXPR, K.UNARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.StmtExpr) for c in cursor.walk_preorder()):
        return None
    left, right = list(cursor.get_children())
    if operator_between(f, left, right) != "=" or re.search(r"[^=!<>]=[^=]", f.text(*extent(right))):
        return None
    return extent(left), extent(right)


def on_return(f, cursor):
    value = re.fullmatch(r"return\s+(true|false)", f.text(*extent(cursor)))
    if value:
        start = extent(cursor)[1] - len(value[1])
        f.add(start, extent(cursor)[1], "expression", extent(cursor), "false" if value[1] == "true" else "true")


def children_to_visit(cursor):
    children = list(cursor.get_children())
    if cursor.kind == K.CASE_STMT:
        return children[1:]
    if cursor.kind == K.CXX_UNARY_EXPR:  # sizeof
        return []
    if cursor.kind == K.CALL_EXPR and cursor.spelling in ("kp_mem_array", "cf_arena_array", "cf_arena_alloc"):  # as ROOMS
        return []
    return children


def on_text(f, start, end):
    """One letter of a text becomes its neighbour; in the core alone: what handlers say is Go's and gRPC's, and attempts take time."""
    if f.path.startswith("core/handlers/"):
        return
    text = f.text(start, end)
    letter = re.search(r"(?<![\\%])[A-Za-z](?=[^\"]*\")", text[text.index('"'):]) if '"' in text else None
    if letter:
        at = text.index('"') + letter.start()
        f.add(start, end, "text", (start, end), f"{text[:at]}{chr(ord(text[at]) ^ 1)}{text[at + 1:]}")


def is_hidden(f, cursor, macros):
    """Whether a row of a table that is included, or a macro, made it."""
    start, end = extent(cursor)
    file = cursor.extent.start.file
    return file and file.name != f.path or any(m[0] <= start < m[1] or m[0] < end <= m[1] for m in macros)


def on_macro(f, start, end):
    if re.fullmatch(r'KP_TEXT\("(?:[^"\\]|\\.)*"\)', f.text(start, end)):
        on_text(f, start, end)
        if not f.path.startswith("core/handlers/"):
            choices.on_unlettered(f, start, end)


def static_tables(function):
    return [extent(c) for c in function.walk_preorder() if c.kind == K.VAR_DECL and c.storage_class.name == "STATIC"]


def visit(f, cursor, macros, parent=None, siblings=()):
    start, end = extent(cursor)
    file = cursor.extent.start.file
    if file and file.name != f.path:  # a row of a table that is included: borders.py moves those
        return
    if cursor.kind == K.ENUM_DECL or cursor.kind == K.VAR_DECL and cursor.storage_class.name == "STATIC":
        return
    if any(m[0] <= start < m[1] for m in macros) and cursor.kind != K.COMPOUND_STMT:
        if not (cursor.kind == K.BINARY_OPERATOR and end > start and not any(m[0] <= start and end <= m[1] for m in macros)):
            return
    if cursor.kind == K.IF_STMT and asks_arena(f, next(cursor.get_children())):
        return
    is_statement = parent is not None and parent.kind in (K.COMPOUND_STMT, K.IF_STMT, K.CASE_STMT, K.DEFAULT_STMT)
    if cursor.kind == K.BINARY_OPERATOR:
        on_binary(f, cursor)
    elif cursor.kind == K.IF_STMT:
        on_if(f, cursor, siblings)
    elif cursor.kind == K.INTEGER_LITERAL:
        on_literal(f, cursor, parent)
    elif cursor.kind == K.STRING_LITERAL and parent.kind != K.VAR_DECL:
        on_text(f, start, end)
    elif cursor.kind == K.RETURN_STMT:
        on_return(f, cursor)
    elif cursor.kind == K.CONDITIONAL_OPERATOR:
        on_condition(f, next(cursor.get_children()), True)
    if is_statement and cursor.kind in (K.CALL_EXPR, K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.UNARY_OPERATOR):
        text = f.text(start, end)
        is_value = parent.kind == K.IF_STMT and [c for c in parent.get_children()][0] == cursor
        if not is_value and (cursor.kind != K.BINARY_OPERATOR or re.search(r"[^=!<>]=[^=]", text)):
            on_statement(f, cursor)
    children = children_to_visit(cursor)
    if cursor.kind == K.FOR_STMT:
        children = children[-1:]
    is_room = cursor.kind == K.CALL_EXPR and cursor.spelling in ROOMS
    f.sizes_room |= is_room
    asks_memory = cursor.kind == K.IF_STMT and "return KP_ENOMEM" in f.text(*extent(children[1]))
    for i, child in enumerate(children):
        f.before = " ".join(f.text(*extent(children[i - 1])).split()) if i > 0 else ""
        f.asks_memory = asks_memory and i == 0 or f.asks_memory and cursor.kind != K.IF_STMT
        visit(f, child, macros, cursor, children[i + 1:])
    f.sizes_room &= not is_room


def collect(path):
    f = File(path)
    unit = Index.create().parse(path, args=["-I.", "-Ibuild/plain", "-std=c11", "-D_POSIX_C_SOURCE=200809L"],
                                options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
    wrong = [d for d in unit.diagnostics if d.severity >= 3]
    if wrong:
        sys.exit(f"{path}: {wrong[0].spelling}")
    own = [c for c in unit.cursor.get_children() if c.location.file and c.location.file.name == path]
    macros = [extent(c) for c in own if c.kind == K.MACRO_INSTANTIATION]
    for c in own:
        if c.kind == K.FUNCTION_DECL and c.is_definition():
            f.function = c.spelling
            visit(f, list(c.get_children())[-1], macros)
            choices.visit(f, list(c.get_children())[-1], lambda c: is_hidden(f, c, macros))
            inner, outer, tables = extent(c), set(macros), static_tables(c)
            for start, end in sorted(outer):
                if inner[0] <= start and end <= inner[1] and not any(t[0] <= start < t[1] for t in tables):
                    on_macro(f, start, end)
    return f


def main():
    out, files = sys.argv[1], sys.argv[2:]
    number, lines = 0, []
    for path in files:
        f = collect(path)
        numbered, seen = [], {}
        for mutant in f.mutants:
            number += 1
            numbered.append((number, mutant))
            start, _, kind, shown, to, function, _, sort = mutant
            verb = {"guard": "never: " + shown, "swap": "first: " + shown, "statement": "without: " + shown}.get(
                kind, f"{shown} -> {to}")
            verb = " ".join(verb.split())
            key = f"{path.removeprefix('core/')} {function}: {verb}"
            seen[key] = seen.get(key, 0) + 1
            name = key if seen[key] == 1 else f"{key} #{seen[key]}"
            lines.append(f"{number}\t{name}\t{path}:{f.bytes[:start].count(10) + 1}\t{sort}\n")
        schemata.write(out, path, f.bytes, [(n, (m[0], m[1], m[2], m[4], m[6])) for n, m in numbered])
    if "core/rules/profile.c" in files:
        lines += borders.write(out, number)
    with open(os.path.join(out, "list"), "w") as file:
        file.writelines(lines)
    print(f"{len(lines)} mutants in {len(files)} files")


main()
