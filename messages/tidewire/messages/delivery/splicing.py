"""Replaces events of one batch by events of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.arrow.literals import column_of, constant, filled, with_column
from tidewire.runtime.batch import EventColumns, Layout
from tidewire.runtime.batch.event_columns import IMAGES


def splice(
    outer: EventColumns, drop: Sequence[int], inner: EventColumns, before: Sequence[int], described: Sequence[str] = ()
) -> EventColumns:
    """The events of `outer` without some, with those of `inner` inserted.

    Tables and layouts of `inner` are merged with equal ones of `outer`. Errors are those of `outer`.

    Args:
        outer: the original events.
        drop: rows of `outer` to remove.
        inner: the events to insert. Their `message` becomes that of the row of `outer` before which they are inserted.
        described: the event columns that contain indexes of descriptions.
        before: for each event of `inner`, the row of `outer` before which it is inserted.
    """
    names = list(outer.tables)
    known = {table: at for at, table in enumerate(names)}
    for table in inner.tables:
        if table not in known:
            known[table] = len(names)
            names.append(table)
    tables = [known[table] for table in inner.tables]
    layouts, moved = _layouts(outer.layouts, inner.layouts, tables)
    at = column_of(before, pa.int64())
    columns = {
        "message": outer.events.column("message").take(at),
        "table": column_of(tables, pa.int64()).take(inner.events.column("table")),
    }
    for layout, row in IMAGES:
        number, image_row = inner.events.column(layout), inner.events.column(row)
        has = pc.greater_equal(number, constant(0, pa.int64()))
        found = pc.if_else(has, number, constant(None, pa.int64()))
        columns[layout] = filled(column_of([to for to, _ in moved], pa.int64()).take(found), -1)
        base = filled(column_of([first for _, first in moved], pa.int64()).take(found), 0)
        # a bootstrap has a layout and no row
        columns[row] = pc.if_else(
            pc.greater_equal(image_row, constant(0, pa.int64())), pc.add(image_row, base), image_row
        )
    for name in described:
        columns[name] = pc.add(inner.events.column(name), constant(len(outer.descriptions), pa.int64()))
    added = pa.RecordBatch.from_arrays(
        [columns.get(name, inner.events.column(name)) for name in inner.events.schema.names],
        schema=inner.events.schema,
    )
    dropped = set(drop)
    stay = column_of([row for row in range(outer.num_events) if row not in dropped], pa.int64())
    both = pa.Table.from_batches([outer.events.take(stay), added.cast(outer.events.schema)])
    order = pc.sort_indices(pa.concat_arrays([stay, at]))  # stable
    made = both.take(order).combine_chunks().to_batches()
    events, layouts = _used(made[0] if made else outer.events.slice(0, 0), layouts)
    return EventColumns(events, names, layouts, outer.errors, outer.tombstones, outer.descriptions + inner.descriptions)


def _used(events: pa.RecordBatch, layouts: Sequence[Layout]) -> tuple[pa.RecordBatch, list[Layout]]:
    """The events, and the layouts that some of their images use."""
    used = sorted({at for name, _ in IMAGES for at in pc.unique(events.column(name)).to_pylist() if at >= 0})
    if len(used) == len(layouts):
        return events, list(layouts)
    for name, _ in IMAGES:
        number = pc.index_in(events.column(name), value_set=column_of(used, pa.int64())).cast(pa.int64())
        events = with_column(events, name, filled(number, -1))
    return events, [layouts[at] for at in used]


def _layouts(
    outer: Sequence[Layout], inner: Sequence[Layout], tables: Sequence[int]
) -> tuple[list[Layout], list[tuple[int, int]]]:
    """All layouts, and for each layout of `inner` its new index and the index of its first row there."""
    found = [Layout(one.table, one.columns, list(one.arrays), one.num_rows, one.lacks) for one in outer]
    known: dict[tuple[Any, ...], int] = {}
    for at, layout in enumerate(found):
        known.setdefault(_key(layout, layout.table), at)
    moved = []
    for layout in inner:
        # text with invalid UTF-8 is binary in one batch and utf8 in the other: such layouts stay separate
        key = _key(layout, tables[layout.table])
        at = known.setdefault(key, len(found))
        if at == len(found):
            found.append(Layout(key[0], layout.columns, list(layout.arrays), layout.num_rows, layout.lacks))
            moved.append((at, 0))
            continue
        into = found[at]
        moved.append((at, into.num_rows))
        into.arrays = [pa.concat_arrays(pair) for pair in zip(into.arrays, layout.arrays, strict=True)]
        into.num_rows += layout.num_rows
    return found, moved


def _key(layout: Layout, table: int) -> tuple[Any, ...]:
    return table, layout.columns, tuple(array.type for array in layout.arrays), layout.lacks
