"""Converts between the package's events and those of the naive twin."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from craft.wire import FLOATS, Cell, Change, Mark, Plain, Statement
from tidewire.events import Ddl, Event, RowChange, Watermark
from tidewire.runtime.batch import Column


def plain(events: Iterable[Event]) -> list[Plain]:
    """What the package decoded, as the twin says it: columns with type and flags, floats as their bytes."""
    return [_plain(event) for event in events]


def _plain(event: Event) -> Plain:
    assert event.commit_ts is not None
    if isinstance(event, RowChange):
        assert event.table_id is None
        new, old = _cells(event.new), _cells(event.old)
        return Change(event.kind, event.commit_ts, event.schema, event.table, event.partition_id, new, old)
    if isinstance(event, Ddl):
        assert event.ddl_type is not None
        assert event.query is not None
        return Statement(event.commit_ts, event.schema, event.table, event.ddl_type, event.query)
    assert isinstance(event, Watermark)
    return Mark(event.commit_ts)


def _cells(row: Any) -> tuple[Cell, ...] | None:
    if row is None:
        return None
    assert list(row) == [column.name for column in row.columns]
    described = zip(row.columns, row.values(), strict=True)
    return tuple(Cell(name, kind, flags, _bits(value)) for (name, kind, flags, _), value in described)


def _bits(value: Any) -> Any:
    return struct.pack("<d", value) if isinstance(value, float) else value


def made(events: Iterable[Plain]) -> list[Event]:
    """Events as a user makes them: plain mappings for rows, and columns beside them."""
    return [_made(event) for event in events]


def _made(event: Plain) -> Event:
    if isinstance(event, Mark):
        return Watermark(event.commit_ts)
    if isinstance(event, Statement):
        return Ddl(event.commit_ts, event.schema, event.table, event.type, event.query)
    columns: dict[str, Column] = {}
    for cell in (*(event.new or ()), *(event.old or ())):
        assert columns.setdefault(cell.name, Column(*cell[:3])) == Column(*cell[:3])
    return RowChange(
        event.kind,
        event.commit_ts,
        event.schema,
        event.table,
        new=_row(event.new),
        old=_row(event.old),
        partition_id=event.partition,
        columns=list(columns.values()),
    )


def _row(cells: tuple[Cell, ...] | None) -> dict[str, Any] | None:
    if cells is None:
        return None
    return {cell.name: _number(cell) for cell in cells}


def _number(cell: Cell) -> Any:
    if cell.type in FLOATS and isinstance(cell.value, bytes):
        return struct.unpack("<d", cell.value)[0]
    return cell.value
