"""Batches of events as Arrow columns: those that a protocol does not carry, and the times that follow from others."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

NO_BYTES = pa.py_buffer(b"")
TSO_SHIFT = pa.scalar(18, pa.uint64())
"""By how many bits the milliseconds of a TSO are above its counter."""


class _Zeros:
    """Zero bytes that all absent columns share: nobody writes into them, and they are not even paged in."""

    def __init__(self) -> None:
        self.buffer = pa.py_buffer(bytes(1 << 16))

    def of(self, size: int) -> pa.Buffer:
        """At least that many."""
        if self.buffer.size < size:
            self.buffer = pa.py_buffer(bytes(max(size, 2 * self.buffer.size)))
        return self.buffer


_zeros = _Zeros()


def absent(rows: int, kind: pa.DataType) -> pa.Array:
    """A column of nulls, int64, uint64, utf8 or binary, that takes up no memory of its own."""
    zeros = _zeros.of(8 * rows + 8)
    variable = pa.types.is_string(kind) or pa.types.is_binary(kind)
    return pa.Array.from_buffers(kind, rows, [zeros, zeros, NO_BYTES] if variable else [zeros, zeros], rows)


def complete(schema: pa.Schema, names: Sequence[str], arrays: Sequence[pa.Array], rows: int) -> pa.RecordBatch:
    """A batch with all columns of the schema; those that are not among the names are null."""
    carried = dict(zip(names, arrays, strict=True))
    whole = [carried[one.name] if one.name in carried else absent(rows, one.type) for one in schema]
    return pa.RecordBatch.from_arrays(whole, schema=schema)


def with_commit_ms(events: pa.RecordBatch) -> pa.RecordBatch:
    """Events for a protocol that carries the milliseconds of the commit only: those of `commit_ts` where there is one,
    else `commit_ms`.
    """
    physical = pc.shift_right(events.column("commit_ts"), TSO_SHIFT).cast(pa.int64())
    return _with(events, "commit_ms", pc.coalesce(physical, events.column("commit_ms")))


def with_sent_ms(events: pa.RecordBatch, now: int | None = None) -> pa.RecordBatch:
    """Events that all say when they were sent; those that do not are sent now.

    Args:
        events: the events.
        now: milliseconds since 1970; None asks the clock.
    """
    clock = time.time_ns() // 1_000_000 if now is None else now
    return _with(events, "sent_ms", pc.fill_null(events.column("sent_ms"), pa.scalar(clock, pa.int64())))


def _with(events: pa.RecordBatch, name: str, array: pa.Array) -> pa.RecordBatch:
    return events.set_column(events.schema.get_field_index(name), name, array)
