"""How a decoder of registered records puts values into the columns of events: runtime/arrow/puts.pxd."""

from __future__ import annotations

from ..syntax.calls import EVENTS, ROW
from ..syntax.nodes import Declare, Do, Expression, Name, Operand, object_type

COLUMNS = Name("events")
"""A variable that is the columns of events."""
DECLARED = Declare(COLUMNS.id, object_type("Columns"), EVENTS)
"""Every method that puts something begins with it."""


def put_int(column: Expression, value: Operand) -> Do:
    """A number with a sign, or the bits of one without."""
    return Do(Name("put_int")(COLUMNS, column, ROW, value))


def put_uint(column: Expression, value: Operand) -> Do:
    """A number without a sign."""
    return Do(Name("put_uint")(COLUMNS, column, ROW, value))


def put_null(column: Expression) -> Do:
    """No value."""
    return Do(Name("put_null")(COLUMNS, column, ROW))
