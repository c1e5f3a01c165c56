"""Calls of the runtime that planners for all wires use."""

from __future__ import annotations

from .nodes import Body, Call, Do, Expression, Literal, Name, Operand, Return, own

EVENTS = own("events")
"""The event columns: those that a decoder fills, or those that an encoder reads."""
EVENT = Name("event")
"""The number of the event that is being encoded."""
ROW = Name("row")
"""The number of the event that is being decoded."""


# ---- filling event columns: tidewire.runtime.arrow.columns


def put_int(column: Expression, value: Operand) -> Do:
    return Do(EVENTS.call("put_int", column, ROW, value))


def put_number(column: Expression, unsigned: bool, value: Operand) -> Do:
    """Stores a signed or unsigned number in a column."""
    return Do(EVENTS.call("put_uint" if unsigned else "put_int", column, ROW, value))


def put_null(column: Expression) -> Do:
    return Do(EVENTS.call("put_null", column, ROW))


# ---- reading event columns: tidewire.runtime.arrow.column_reader


def int_at(column: Expression, event: Expression = EVENT) -> Call:
    return EVENTS.call("int_at", column, event)


def number_at(column: Expression, unsigned: bool, event: Expression = EVENT) -> Call:
    """Reads a signed or unsigned number from a column."""
    return EVENTS.call("uint_at" if unsigned else "int_at", column, event)


def null_at(column: Expression, event: Expression = EVENT) -> Call:
    return EVENTS.call("null_at", column, event)


# ---- errors


def failure(
    cursor: Expression, error: str, field: Expression, offset: Expression, needed: Operand, available: Operand
) -> Call:
    """The call that raises a decoding error about a field, with the bytes needed and available."""
    return cursor.call("fail", Name(error), field, offset, needed, available)


def fail(
    cursor: Expression, error: str, field: Expression, offset: Expression, needed: Operand, available: Operand
) -> Return:
    """Raises a decoding error about a field."""
    return Return(failure(cursor, error, field, offset, needed, available))


def missing(cursor: Expression, field: Expression) -> Return:
    """Raises the error for a missing field."""
    return fail(cursor, "MISSING", field, cursor.attribute("pos"), 1, 0)


RETURN_OK: Body = (Return(Literal(0)),)
"""Returns the value for success."""
