"""choices.py: operators for where there are several: the wrong element, the wrong one of two fields, the least for the most,
a loop that begins late or ends early, one that counts as none, a separator that is another or comes once.

Each is a "value" (schemata.py): both sides are worked out, and whether they differ is noted; of a struct it is an "expression".
"""
import re

from clang.cindex import CursorKind as K, TypeKind

CHANGES = re.compile(r"\+\+|--|[^=!<>]=[^=]")
MEMORY = re.compile(r"ENOMEM|\bassert\(|kp_mem_|cf_arena_|_deinit\(|\bfree\(")
OTHER_WAY = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
NUMBERS = (TypeKind.BOOL, TypeKind.CHAR_S, TypeKind.SCHAR, TypeKind.UCHAR, TypeKind.SHORT, TypeKind.USHORT, TypeKind.INT, TypeKind.UINT,
           TypeKind.LONG, TypeKind.ULONG, TypeKind.LONGLONG, TypeKind.ULONGLONG, TypeKind.ENUM)
INDICES = re.compile(r"(\w+(->|\.))?(container|pod|index|i|at|k)")
TABLE_MAX = 16  # elements: longer ones are made of .def files, of which borders.py moves the rows
UNLETTERED = re.compile(r"""(KP_TEXT\()?("[^"A-Za-z\\%]+"|'[^'A-Za-z\\]')\)?""")


def extent(cursor):
    return cursor.extent.start.offset, cursor.extent.end.offset


def text_of(f, cursor):
    return f.text(*extent(cursor))


def bare(cursor):
    """Without parentheses and conversions."""
    while cursor.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR, K.CSTYLE_CAST_EXPR):
        children = [c for c in cursor.get_children() if c.kind != K.TYPE_REF]
        if len(children) != 1:
            break
        cursor = children[0]
    return cursor


def operator_of(f, cursor):
    """The operator of a binary expression; None where there is none, or a macro hides it."""
    if cursor.kind != K.BINARY_OPERATOR:
        return None
    left, right = list(cursor.get_children())
    start, end = extent(left)[1], extent(right)[0]
    return f.text(start, end).strip() if start < end else None


def add(f, cursor, to, kind="value"):
    """What changes something is worked out once: it is no "value"."""
    if CHANGES.search(text_of(f, cursor)):
        kind = "expression"
    if not MEMORY.search(text_of(f, cursor)):
        f.add(*extent(cursor), kind, extent(cursor), to, sort="choice")


# ---- elements and fields

def on_subscript(f, cursor):
    """The first element in place of the one that is meant."""
    index = list(cursor.get_children())[1]
    inner = bare(index)
    constant = inner.kind == K.INTEGER_LITERAL or inner.kind == K.DECL_REF_EXPR and inner.referenced.kind == K.ENUM_CONSTANT_DECL
    if not constant and not re.search(r"\+\+|--|=", text_of(f, index)):
        add(f, index, "0")


def on_table(f, cursor):
    """Of a short constant table one element is the one before it."""
    array, index = cursor.get_children()
    table, text = bare(array), text_of(f, index)
    if table.kind != K.DECL_REF_EXPR or table.referenced.kind != K.VAR_DECL or re.search(r"\+\+|--|=|\(", text):
        return
    kind = table.referenced.type
    if kind.kind == TypeKind.CONSTANTARRAY and kind.element_type.is_const_qualified() \
            and kind.element_count <= TABLE_MAX and bare(index).kind != K.INTEGER_LITERAL:
        for k in range(1, kind.element_count):
            add(f, index, f"({text}) == {k} ? {k - 1} : ({text})")


def on_arguments(f, call):
    """The first one of a list where another is handed on."""
    for argument in call.get_arguments():
        if argument and bare(argument).kind in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR) and INDICES.fullmatch(text_of(f, argument)) \
                and argument.type.get_canonical().kind in NUMBERS:
            add(f, argument, "0")


def on_member(f, cursor):
    """The next field of its type in place of a field."""
    field = cursor.referenced
    if not field or field.kind != K.FIELD_DECL or field.semantic_parent.kind != K.STRUCT_DECL or field.is_bitfield():
        return
    if field.semantic_parent.spelling == "kp_profile":  # of its rows the borders are moved (borders.py)
        return
    kind = field.type.get_canonical().kind
    if kind not in NUMBERS + (TypeKind.POINTER, TypeKind.RECORD):
        return
    fields = list(field.semantic_parent.type.get_fields())
    same = [c.spelling for c in fields if c.type.get_canonical().spelling == field.type.get_canonical().spelling and not c.is_bitfield()]
    text = text_of(f, cursor)
    if len(same) > 1 and field.spelling in same and text.endswith(field.spelling):
        other = same[(same.index(field.spelling) + 1) % len(same)]
        is_opaque = kind == TypeKind.POINTER and field.type.get_canonical().get_pointee().get_size() < 0
        add(f, cursor, text[:-len(field.spelling)] + other, "expression" if kind == TypeKind.RECORD or is_opaque else "value")


def is_written(f, cursor, parent):
    """Whether the child's place, and not its value, is what the parent wants: a target, or an address."""
    if parent.kind == K.BINARY_OPERATOR and operator_of(f, parent) == "=" or parent.kind == K.COMPOUND_ASSIGNMENT_OPERATOR:
        return extent(next(parent.get_children())) == extent(cursor)
    if parent.kind == K.UNARY_OPERATOR:
        return re.match(r"&|\+\+|--", text_of(f, parent)) is not None or re.search(r"(\+\+|--)$", text_of(f, parent)) is not None
    return parent.kind == K.CXX_UNARY_EXPR


# ---- none, one and several

def on_none(f, cursor):
    """One counts as none."""
    operator = operator_of(f, cursor)
    if operator not in (">", "=="):
        return
    left, right = cursor.get_children()
    text = text_of(f, left)
    if bare(left).kind == K.CALL_EXPR:  # memcmp
        return
    if text_of(f, right) == "0" and left.type.get_canonical().kind in NUMBERS and not CHANGES.search(text):
        add(f, cursor, f"({text}) {'>' if operator == '>' else '<='} 1", "expression" if "(" in text else "value")


# ---- least and most

def only_assignment(f, then):
    """Both sides of the one assignment that a branch is, as texts."""
    children = list(then.get_children()) if then.kind == K.COMPOUND_STMT else [then]
    if len(children) != 1 or operator_of(f, children[0]) != "=":
        return None
    return tuple(text_of(f, c) for c in children[0].get_children())


def on_least(f, condition, sides):
    """The greater one where the lesser is wanted, and the other way round."""
    operator = operator_of(f, condition)
    if operator not in OTHER_WAY or sides is None:
        return
    left, right = (text_of(f, c) for c in condition.get_children())
    if set(sides) == {left, right}:
        add(f, condition, f"({left}) {OTHER_WAY[operator]} ({right})")


# ---- loops

class Loop:
    """for (T i = begin; i < end; ...): what begins it late, what ends it early."""

    def __init__(self, f, cursor):
        parts = list(cursor.get_children())
        self.variable = self.begin = self.condition = self.step = None
        if len(parts) < 3 or parts[0].kind != K.DECL_STMT:
            return
        first = next(parts[0].get_children())
        value = [c for c in first.get_children() if c.kind not in (K.TYPE_REF, K.NAMESPACE_REF)]
        if value:
            self.variable, self.begin = first.spelling, text_of(f, value[-1])
            self.begin_at = value[-1]
        self.condition = parts[1]
        self.step = text_of(f, parts[2]) if len(parts) > 3 else ""

    def late(self, f):
        """Another beginning: without the first round."""
        condition = text_of(f, self.condition) if self.condition is not None else ""
        if self.variable and re.search(rf"\b{self.variable} <=? ", condition):
            return f"({self.begin}) + 1"
        if self.variable and re.search(rf"\b{self.variable}-- > ", condition):
            return f"({self.begin}) - (({self.begin}) > 0)"
        return None

    def early(self, f):
        """Other conditions: without its last round; with two rounds at most."""
        name, condition = self.variable, self.condition
        if not name or condition is None:
            return
        text = text_of(f, condition)
        if CHANGES.search(text):
            return
        linked = re.fullmatch(rf"{name} = ({name}->\w+)", self.step)
        if linked:
            yield f"({text}) && {linked[1]}"
            return
        counts = [c for c in condition.walk_preorder() if c.kind == K.BINARY_OPERATOR]
        for c in counts:
            left, right = (text_of(f, side) for side in c.get_children())
            operator = operator_of(f, c)
            if left != name or operator not in ("<", ">"):
                continue
            yield f"({text}) && ({left} + 1 < ({right}))" if operator == "<" else f"({text}) && ({left} > ({right}) + 1)"
            if operator == "<" and self.begin is not None and (self.begin, right) != ("0", "2"):
                yield f"({text}) && ({left} < ({self.begin}) + 2)"
            return


def on_loop(f, cursor):
    body = list(cursor.get_children())[-1]
    loop = Loop(f, cursor)
    if not MEMORY.search(text_of(f, body)):
        if loop.late(f):
            add(f, loop.begin_at, loop.late(f))
        for to in loop.early(f):
            add(f, loop.condition, to)
    return loop


# ---- separators

def on_separator(f, cursor, loop):
    """In a loop: what is put between two comes only between the first two."""
    condition, then = list(cursor.get_children())[:2]
    if loop and loop.variable and loop.begin is not None and UNLETTERED.search(text_of(f, then)) and then.kind == K.CALL_EXPR \
            and not re.search(rf"\b{loop.variable}\b", text_of(f, condition)):
        add(f, condition, f"({text_of(f, condition)}) && ({loop.variable} < ({loop.begin}) + 2)")


def on_unlettered(f, start, end):
    """A text or character without a letter is another."""
    text = f.text(start, end)
    if UNLETTERED.fullmatch(text):
        is_character = text.startswith("'")
        other = "~" if "#" in text else "#"
        to = f"'{other}'" if is_character else re.sub('".*"', f'"{other}"', text)
        f.add(start, end, "expression" if is_character else "text", (start, end), to, sort="choice")


# ---- all of them

def visit(f, cursor, hidden, parent=None, written=False, loop=None):
    """hidden: whether a macro or another file made a piece of text."""
    if hidden(cursor) and cursor.kind != K.COMPOUND_STMT:
        return
    if cursor.kind in (K.CXX_UNARY_EXPR, K.ENUM_DECL) or cursor.kind == K.VAR_DECL and cursor.storage_class.name == "STATIC":
        return
    children = list(cursor.get_children())
    written = parent is not None and (is_written(f, cursor, parent) or written and cursor.kind in
                                      (K.PAREN_EXPR, K.UNEXPOSED_EXPR, K.MEMBER_REF_EXPR, K.ARRAY_SUBSCRIPT_EXPR))
    if cursor.kind == K.BINARY_OPERATOR:
        on_none(f, cursor)
    elif cursor.kind == K.ARRAY_SUBSCRIPT_EXPR:
        on_subscript(f, cursor)
        on_table(f, cursor)
    elif cursor.kind == K.CALL_EXPR:
        on_arguments(f, cursor)
    elif cursor.kind == K.MEMBER_REF_EXPR and not written:
        on_member(f, cursor)
    elif cursor.kind == K.IF_STMT:
        if len(children) == 2:
            on_least(f, children[0], only_assignment(f, children[1]))
        on_separator(f, cursor, loop)
    elif cursor.kind == K.CONDITIONAL_OPERATOR:
        on_least(f, bare(children[0]), tuple(text_of(f, c) for c in children[1:]))
    elif cursor.kind == K.CHARACTER_LITERAL and parent.kind in (K.CALL_EXPR, K.UNEXPOSED_EXPR):
        on_unlettered(f, *extent(cursor))
    if cursor.kind == K.FOR_STMT:
        loop, children = on_loop(f, cursor), children[-1:]
    for child in children[1:] if cursor.kind == K.CASE_STMT else children:
        visit(f, child, hidden, cursor, written, loop)
