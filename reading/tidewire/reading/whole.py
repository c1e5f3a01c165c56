"""Partial row images: old images are completed from new ones, and the remaining partial rows are reported.

A producer may send only the changed columns of an updated row's old image, only the handle key of a row that is too
large for a message, and of any row only what MySQL logged. None of these may be taken for the whole row.
"""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.runtime.arrow.literals import column_of, constant, filled
from tidewire.runtime.batch import Column, EventColumns, Layout

_PLACES = ["new_row", "old_layout", "old_row"]
KEY_ONLY = "the message has the row's handle key columns only: the whole row was too large for it"


def incomplete(decoded: EventColumns) -> pa.Array:
    """bool: whether the images of an event are partial: only the handle key, or fewer columns than the table has."""
    events = decoded.events
    marked = filled(pc.not_equal(events.column("handle_key_only"), constant(0, pa.int64())), False)
    marked = pc.or_(marked, pc.is_valid(events.column("claim_check")))
    parts = [at for at, layout in enumerate(decoded.layouts) if layout.lacks]
    return pc.or_(marked, pc.is_in(_telling(events), column_of(parts, pa.int64()))) if parts else marked


def shortfalls(decoded: EventColumns, event: pa.Array) -> dict[int, str]:
    """Why rows are partial, by row.

    Args:
        event: for each row, its event.
    """
    events = decoded.events
    keys = ("handle_key_only", "claim_check")
    rows = pc.indices_nonzero(incomplete(decoded).take(event))
    marked, claims, layouts = (
        column.take(event.take(rows)).to_pylist() for column in (*map(events.column, keys), _telling(events))
    )
    return {
        row: _reason(claim) if key or claim is not None else part_of(decoded.layouts[layout].lacks)
        for row, key, claim, layout in zip(rows.to_pylist(), marked, claims, layouts, strict=True)
    }


def _telling(events: pa.RecordBatch) -> pa.Array:
    """int64: the layout of the image that shows whether a row is complete: the new one if there are two."""
    new, old = events.column("new_layout"), events.column("old_layout")
    return pc.if_else(pc.greater_equal(new, constant(0, new.type)), new, old)


def _reason(claim: str | None) -> str:
    return KEY_ONLY if claim is None else f"{KEY_ONLY} and lies in {claim}"


def part_of(lacks: tuple[str, ...]) -> str:
    """Why rows that lack these columns are partial."""
    named = ", ".join(f"`{name}`" for name in lacks)
    return (
        f"the message has a part of the row: its table also has {named}. MySQL logs whole rows with "
        "binlog_row_image=FULL"
    )


def complete(decoded: EventColumns, wanted: Collection[int]) -> EventColumns:
    """The same events with old images of updates completed: a column that only the new image has did not change. Other
    partial rows stay unchanged.

    Args:
        wanted: the relevant tables; others need not be completed.
    """
    events = decoded.events
    new_layout, old_layout = events.column("new_layout"), events.column("old_layout")
    none = constant(0, new_layout.type)
    differ = pc.and_(
        pc.not_equal(new_layout, old_layout),
        pc.and_(pc.greater_equal(new_layout, none), pc.greater_equal(old_layout, none)),
    )
    differ = pc.and_not(differ, incomplete(decoded))
    factor = constant(len(decoded.layouts), new_layout.type)
    pair = pc.if_else(differ, pc.add(pc.multiply(new_layout, factor), old_layout), constant(None, new_layout.type))
    groups: dict[tuple[int, tuple[Column, ...]], list[int]] = {}
    for code in pc.unique(pair.drop_null()).to_pylist():
        new, old = (decoded.layouts[number] for number in divmod(code, len(decoded.layouts)))
        if new.table in wanted and not {column.name for column in new.columns} <= {c.name for c in old.columns}:
            own = tuple(column for column in old.columns if column not in new.columns)
            groups.setdefault((code // len(decoded.layouts), own), []).append(code)
    layouts, old_row = list(decoded.layouts), events.column("old_row")
    for (number, own), codes in groups.items():
        mask = filled(pc.is_in(pair, column_of(codes, pair.type)), False)
        olds = [code % len(decoded.layouts) for code in codes]
        made = _completed(decoded.layouts, number, own, olds, events.select(_PLACES).filter(mask))
        old_layout = pc.replace_with_mask(old_layout, mask, pa.repeat(constant(len(layouts), none.type), made.num_rows))
        old_row = pc.replace_with_mask(old_row, mask, _count(made.num_rows))
        layouts.append(made)
    used = {*pc.unique(old_layout).to_pylist(), *pc.unique(new_layout).to_pylist()}
    for number in {code % len(decoded.layouts) for codes in groups.values() for code in codes} - used:
        # all events with this layout use the completed one, so its rows are dropped
        empty = layouts[number]
        layouts[number] = Layout(empty.table, empty.columns, [array.slice(0, 0) for array in empty.arrays], 0)
    return decoded.with_columns({"old_layout": old_layout, "old_row": old_row}, layouts)


def _completed(
    layouts: list[Layout], number: int, own: tuple[Column, ...], olds: list[int], events: pa.RecordBatch
) -> Layout:
    """The old images of these events, one row each.

    Args:
        number: the new images' layout, the same for all events.
        own: the columns for which the old images' values are used: the new images lack them, or describe them
            differently.
        olds: the layouts of the old images.
        events: the updates: `_PLACES` of them.
    """
    new = layouts[number]
    differing = {column.name: column for column in own}
    columns = tuple(differing.pop(column.name, column) for column in new.columns) + tuple(differing.values())
    new_row, old_layout, old_row = (events.column(name) for name in _PLACES)
    arrays = []
    for column in columns:
        parts = [new.arrays[new.columns.index(column)]] if column in new.columns else []
        rows = new.num_rows if parts else 0
        bases: list[int | None] = [None] * len(layouts)
        for old in olds:
            if column in layouts[old].columns:
                parts.append(layouts[old].arrays[layouts[old].columns.index(column)])
                bases[old] = rows
                rows += layouts[old].num_rows
        own_row = pc.add(column_of(bases, pa.int64()).take(old_layout), old_row)
        arrays.append(_joined(parts).take(pc.coalesce(own_row, new_row)))
    return Layout(new.table, columns, arrays, len(new_row))


def _joined(parts: list[pa.Array]) -> pa.Array:
    """Parts of one column; text that is not UTF-8 somewhere is binary everywhere."""
    if len({part.type for part in parts}) > 1:
        parts = [part.cast(pa.binary()) for part in parts]
    return parts[0] if len(parts) == 1 else pa.concat_arrays(parts)


def _count(rows: int) -> pa.Array:
    """int64: 0, 1, 2 and so on."""
    one = constant(1, pa.int64())
    return pc.subtract(pc.cumulative_sum(pa.repeat(one, rows)), one)
