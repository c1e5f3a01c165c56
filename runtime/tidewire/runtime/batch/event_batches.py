"""Batches of events as Arrow columns: null columns for what a protocol does not carry, and times derived from
others.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.arrow.literals import constant, filled, with_column
from tidewire.runtime.arrow.zeros import zeros_of
from tidewire.runtime.batch.roles import PHYSICAL, SENT, TSO, Roles
from tidewire.runtime.tso import TSO_SHIFT

NO_BYTES = pa.py_buffer(b"")
TSO_BITS = constant(TSO_SHIFT, pa.uint64())
"""How many bits the milliseconds of a TSO are shifted to the left (its counter is below them)."""


def absent(rows: int, kind: pa.DataType) -> pa.Array:
    """A column of nulls (int64, uint64, utf8 or binary) without memory of its own."""
    zeros = pa.py_buffer(zeros_of(rows))
    return pa.Array.from_buffers(kind, rows, [zeros, zeros, NO_BYTES] if is_variable(kind) else [zeros, zeros], rows)


def is_variable(kind: pa.DataType) -> bool:
    """Whether the type is variable-width: utf8 or binary."""
    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind))


class EventBatches:
    """Makes event batches from the columns that one protocol carries; the other columns are null.

    Absent columns are cached by batch size, which mostly repeats.
    """

    def __init__(self, schema: pa.Schema, positions: Sequence[int]) -> None:
        """

        Args:
            schema: of all columns.
            positions: the ascending positions of the carried columns in it.
        """
        self._names = list(schema.names)
        self._schema = pa.schema([(one.name, one.type) for one in schema])
        self._positions = tuple(positions)
        self._absent = [(at, one.type) for at, one in enumerate(schema) if at not in self._positions]
        widths = {at: 2 if is_variable(kind) else 1 for at, kind in self._absent}
        self._widths = bytes([widths.get(at, 0) for at in range(len(schema))])
        self._template: tuple[int, list[Any]] = -1, []
        self._carried: dict[tuple[str, ...], list[int]] = {}
        self._last: tuple[Sequence[str], list[int]] = (), []

    def batch(self, arrays: Sequence[pa.Array], rows: int) -> pa.RecordBatch:
        """A batch of that many rows.

        Args:
            arrays: the columns that are carried, in order.
            rows: how many values each has.
        """
        made, template = self._template
        if rows != made:
            template = [None] * len(self._names)
            for at, kind in self._absent:
                template[at] = absent(rows, kind)
            self._template = rows, template
        # a new list: any thread may make batches
        columns = list(template)
        for at, array in zip(self._positions, arrays, strict=True):
            columns[at] = array
        return pa.RecordBatch.from_arrays(columns, self._names)

    def parts(self) -> tuple[pa.Schema, tuple[int, ...], bytes]:
        """The arguments of `Columns.to_batch` for such a batch, from columns that are not arrays yet.

        Returns:
            The schema; the positions of the columns in it; for each column of the schema 0 if it is present, 1 if
            absent, 2 if absent with variable-width values.
        """
        return self._schema, self._positions, self._widths

    def carried(self, names: Sequence[str]) -> list[int]:
        """The positions of these columns among the carried ones; -1 for a column that is not carried."""
        last, found = self._last  # read at once: threads may share this
        if last is names:
            return found
        wanted = tuple(names)
        known = self._carried.get(wanted)
        if known is None:
            position = {self._names[position]: at for at, position in enumerate(self._positions)}
            known = [position.get(name, -1) for name in wanted]
            self._carried[wanted] = known
        if wanted is names:  # a list can change
            self._last = names, known
        return known


def complete(schema: pa.Schema, carried: Mapping[str, pa.Array], rows: int) -> pa.RecordBatch:
    """A batch with all columns of the schema; those that are not carried are null."""
    positions = [at for at, name in enumerate(schema.names) if name in carried]
    return EventBatches(schema, positions).batch([carried[schema.names[at]] for at in positions], rows)


def with_commit_ms(events: pa.RecordBatch, roles: Roles) -> pa.RecordBatch:
    """Events for a protocol that carries only the milliseconds of the commit: those of the TSO if there is one,
    otherwise the event's own.

    Args:
        roles: the names of fields by their meaning.
    """
    physical = pc.shift_right(events.column(roles[TSO]), TSO_BITS).cast(pa.int64())
    return with_column(events, roles[PHYSICAL], pc.coalesce(physical, events.column(roles[PHYSICAL])))


def with_sent_ms(events: pa.RecordBatch, roles: Roles, now: int | None = None) -> pa.RecordBatch:
    """The events, each with the time when it was sent; it defaults to now.

    Args:
        roles: the names of fields by their meaning.
        now: milliseconds since 1970; None uses the clock.
    """
    clock = time.time_ns() // 1_000_000 if now is None else now
    return with_column(events, roles[SENT], filled(events.column(roles[SENT]), clock))
