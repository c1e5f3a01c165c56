"""Statements by which a decoder of registered records stores values in event columns: tidewire.runtime.arrow.puts."""

from __future__ import annotations

from ..syntax.calls import EVENTS, ROW
from ..syntax.nodes import Declare, Do, Expression, Name, Operand, object_type

COLUMNS = Name("events")
"""The variable with the event columns."""
DECLARED = Declare(COLUMNS.id, object_type("Columns"), EVENTS)
"""Declares this variable, at the beginning of every method that stores values."""


def put_int(column: Expression, value: Operand) -> Do:
    """Stores a signed number, or the bits of an unsigned one."""
    return Do(Name("put_int")(COLUMNS, column, ROW, value))


def put_uint(column: Expression, value: Operand) -> Do:
    """Stores an unsigned number."""
    return Do(Name("put_uint")(COLUMNS, column, ROW, value))


def put_null(column: Expression) -> Do:
    """Stores null."""
    return Do(Name("put_null")(COLUMNS, column, ROW))
