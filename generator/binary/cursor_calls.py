"""Calls of the cursor that messages are read with: runtime/binary/cursor.py."""

from __future__ import annotations

from ..syntax.nodes import SIZE, Assign, Call, Do, Expression, Name, Operand, Parameter, assign, object_type

READER = Name("r")
CURSOR = Parameter("r", object_type("Cursor"))
POS, END = READER.attribute("pos"), READER.attribute("end")
OFFSET = Name("offset")
"""Where what is read starts, for an error."""
K = Name("k")
"""The number of the event, or of a column."""
MESSAGE = Parameter("message", SIZE)


def read(method: str, *arguments: Operand) -> Do:
    return Do(READER.call(method, *arguments))


def select(start: Expression, stop: Expression) -> Do:
    """Looks at a part."""
    return read("select", start, stop)


def keep_offset(comment: str = "") -> Assign:
    kept = assign(OFFSET, POS)
    return Assign(kept.targets, kept.value, comment)


def counted(primitive: str, field: Name) -> Call:
    """Reads a count, which is not more than the bytes that are left."""
    if primitive == "uvarint":
        return READER.call("count", field)
    return READER.call("within", READER.call(primitive, field), POS, field)
