"""Calls of the cursor over a binary message (tidewire.runtime.binary.cursor)."""

from __future__ import annotations

from ..syntax.nodes import SIZE, Assign, Call, Do, Expression, Name, Operand, Parameter, assign, object_type

READER = Name("r")
CURSOR = Parameter("r", object_type("Cursor"))
POS, END = READER.attribute("pos"), READER.attribute("end")
OFFSET = Name("offset")
"""The offset where the current value starts, for errors."""
K = Name("k")
"""The index of the current event or column."""
MESSAGE = Parameter("message", SIZE)


def read(method: str, *arguments: Operand) -> Do:
    return Do(READER.call(method, *arguments))


def select(start: Expression, stop: Expression) -> Do:
    """Restricts the cursor to a part."""
    return read("select", start, stop)


def keep_offset(comment: str = "") -> Assign:
    kept = assign(OFFSET, POS)
    return Assign(kept.targets, kept.value, comment)


def counted(primitive: str, field: Name) -> Call:
    """Reads a count, which must not exceed the number of remaining bytes."""
    if primitive == "uvarint":
        return READER.call("count", field)
    return READER.call("within", READER.call(primitive, field), POS, field)
