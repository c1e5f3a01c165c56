"""Calls that planners of every wire compose, under the names that they have in the runtime."""

from __future__ import annotations

from .nodes import Body, Call, Do, Expression, Literal, Name, Operand, Return, own

EVENTS = own("events")
"""The columns of events: those that a decoder fills, those that an encoder reads."""
EVENT = Name("event")
"""The number of the event that is written."""
ROW = Name("row")
"""The number of the event that is made."""


# ---- filling the columns of events: runtime/arrow/columns.py


def put_int(column: Expression, value: Operand) -> Do:
    return Do(EVENTS.call("put_int", column, ROW, value))


def put_number(column: Expression, unsigned: bool, value: Operand) -> Do:
    """A number of either kind."""
    return Do(EVENTS.call("put_uint" if unsigned else "put_int", column, ROW, value))


def put_null(column: Expression) -> Do:
    return Do(EVENTS.call("put_null", column, ROW))


# ---- reading them: runtime/arrow/column_reader.py


def int_at(column: Expression, event: Expression = EVENT) -> Call:
    return EVENTS.call("int_at", column, event)


def number_at(column: Expression, unsigned: bool, event: Expression = EVENT) -> Call:
    """A number of either kind."""
    return EVENTS.call("uint_at" if unsigned else "int_at", column, event)


def null_at(column: Expression, event: Expression = EVENT) -> Call:
    return EVENTS.call("null_at", column, event)


# ---- trouble


def failure(
    cursor: Expression, error: str, field: Expression, offset: Expression, needed: Operand, available: Operand
) -> Call:
    """The call that raises an error of the field: how much was needed and how much there is."""
    return cursor.call("fail", Name(error), field, offset, needed, available)


def fail(
    cursor: Expression, error: str, field: Expression, offset: Expression, needed: Operand, available: Operand
) -> Return:
    """Raises an error of the field."""
    return Return(failure(cursor, error, field, offset, needed, available))


def missing(cursor: Expression, field: Expression) -> Return:
    """The field is not there."""
    return fail(cursor, "MISSING", field, cursor.attribute("pos"), 1, 0)


RETURN_OK: Body = (Return(Literal(0)),)
"""Nothing was wrong."""
