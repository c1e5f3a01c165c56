"""The row changes of a decoded batch by table, in one pass over the events, whatever the number of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.events import KINDS
from tidewire.runtime.arrow.literals import column_of, constant, with_column
from tidewire.runtime.batch import EventColumns, Layout

CHANGES = column_of([KINDS[kind] for kind in ("insert", "update", "delete")], pa.int64())
"""The kinds of events with row images."""
READ = (
    *("kind", "new_layout", "new_row", "old_layout", "old_row", "message", "commit_ts", "commit_ms"),
    *("handle_key_only", "claim_check"),
)
"""The event columns that are needed to make rows. Most protocols lack most others, and moving them takes time."""
_NO_LAYOUT = -1


class Runs(NamedTuple):
    """Row changes sorted by table; within a table in the order of the batch."""

    rows: pa.Array
    """For each change its event row."""
    tables: Sequence[int]
    """The distinct tables, by index."""
    ends: Sequence[int]
    """For each table, where its changes end in `rows`."""

    def counted(self) -> dict[int, int]:
        """The number of changes of each table."""
        return {table: end - start for table, start, end in self.parts()}

    def parts(self) -> Iterator[tuple[int, int, int]]:
        """For each table, where its changes start and end in `rows`."""
        yield from zip(self.tables, (0, *self.ends), self.ends, strict=False)


def runs(decoded: EventColumns) -> Runs:
    """The row changes of a batch, sorted by table."""
    events = decoded.events
    rows = pc.indices_nonzero(pc.is_in(events.column("kind").cast(pa.int64()), CHANGES))
    table = events.column("table").cast(pa.int64()).take(rows)
    order = pc.array_sort_indices(table)  # a stable sort
    encoded = pc.run_end_encode(table.take(order), run_end_type=pa.int64())
    return Runs(rows.take(order), encoded.values.to_pylist(), encoded.run_ends.to_pylist())


def by_table(decoded: EventColumns, found: Runs, wanted: Sequence[int]) -> Iterator[tuple[int, EventColumns]]:
    """The changes of each wanted table, with the layouts of that table only.

    Only the event columns in `READ` are included, and no errors.

    Args:
        decoded: the batch.
        found: its changes by table.
        wanted: tables, as indexes into `EventColumns.tables`.
    """
    own: dict[int, list[Layout]] = {}
    local: list[int] = []
    for layout in decoded.layouts:
        mine = own.setdefault(layout.table, [])
        local.append(len(mine))
        mine.append(layout)
    numbers = column_of(local, pa.int64())
    chosen = set(wanted)
    parts = [part for part in found.parts() if part[0] in chosen]
    if not parts:
        return
    rows = found.rows
    if len(parts) < len(found.tables):
        rows = pa.concat_arrays([rows.slice(start, end - start) for _, start, end in parts])
    events = decoded.events.select(list(READ)).take(rows)
    for name in ("new_layout", "old_layout"):
        column = events.column(name)
        there = pc.greater_equal(column, constant(0, column.type))
        place = numbers.take(pc.if_else(there, column, constant(None, column.type)))
        events = with_column(events, name, pc.fill_null(place, constant(_NO_LAYOUT, pa.int64())).cast(column.type))
    at = 0
    for table, start, end in parts:
        yield table, EventColumns(events.slice(at, end - start), decoded.tables, own[table])
        at += end - start
