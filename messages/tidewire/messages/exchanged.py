"""Statements that exchange a partition concern two tables; producers name their messages after one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.arrow.storage import TEXT
from tidewire.runtime.batch.event_columns import EventColumns
from tidewire.runtime.batch.roles import STATEMENT
from tidewire.runtime.tables.sql_declared import exchanged_tables

if TYPE_CHECKING:
    from tidewire.runtime.batch.roles import Roles

_WORD = "exchange"


def named_after_exchange(columns: EventColumns, roles: Roles, other: bool) -> EventColumns:
    """The events, with statements that exchange a partition assigned to one of their two tables.

    Args:
        roles: the names of fields by their meaning.
        other: whether to use the table that receives the partition; otherwise the partitioned one. A statement that
            cannot be parsed keeps its table.
    """
    if columns.num_events == 1 and columns.layouts:
        return columns  # a row; the checks below would take a tenth of the time of encoding it
    source = columns.source((roles[STATEMENT],), (TEXT,))
    if not source.has_values(0):
        return columns
    found = {
        row: statement
        for row in range(source.rows)
        if isinstance(statement := source.value(0, row), str) and _WORD in statement.lower()
    }
    if not found:
        return columns
    numbers = columns.events.column("table")
    tables = list(columns.tables)
    named = numbers.to_pylist()
    for row, statement in found.items():
        chosen = _table_of(statement, tables[named[row]][0] or "", other)
        if chosen is not None and chosen != tables[named[row]]:
            named[row] = len(tables)
            tables.append(chosen)
    if len(tables) == len(columns.tables):
        return columns
    changed = columns.with_columns({"table": column_of(named, numbers.type)})
    return EventColumns(
        changed.events, tables, changed.layouts, changed.errors, changed.tombstones, changed.descriptions
    )


def _table_of(statement: str, schema: str, other: bool) -> tuple[str, str] | None:
    """Schema and name of one of the two tables of a statement; None if it does not exchange a partition."""
    tables = exchanged_tables(statement, schema)
    return None if tables is None else tables[1 if other else 0]
