"""Events as columns: what a batch of messages decodes to, and what encoders take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa

from tidewire.runtime import compute as pc
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.layout import Layout
from tidewire.runtime.literals import column_of, filled

__all__ = ["Column", "EventColumns", "Layout", "Messages", "TableName", "messages"]

TableName = tuple[str | None, str | None]
"""Schema and name of a table; None where it has none."""


class Column(NamedTuple):
    """A column of a row image, as the wire describes it."""

    name: str
    """Its name."""
    type: int
    """MySQL type code, 0 to 255 (`tidewire.mysql.ColumnType`)."""
    flags: int
    """TiCDC column flags, 64 bits (`tidewire.mysql.ColumnFlag`)."""
    mysql_type: str | None = None
    """The declared type as the wire writes it, with its parameters (``int(10) unsigned``) or without; None when the
    protocol does not say. `tidewire.mysql.declared` takes it apart.
    """


@dataclass(slots=True)
class EventColumns:
    """Events, in order, as columns.

    `events` has a row for each event (`tidewire.events.EVENT_SCHEMA`): `message` (index of the message it came in, null
    when it was not decoded), `kind` (a code of tidewire.events), `commit_ts` (TSO) or `commit_ms`, `table` (index into
    `tables`), what else the event has (null where it or its protocol has none), and for its new and old row image the
    index into `layouts` and the row there; both are -1 when there is no such image.
    A bootstrap event has a layout and no row (-1).
    """

    events: pa.RecordBatch
    tables: list[TableName]
    """Schema and table of each table that has events."""
    layouts: list[Layout]
    errors: list[DecodeError] = field(default_factory=list)
    """Messages that could not be decoded, with their index; they have no events here."""
    tombstones: list[int] = field(default_factory=list)
    """Indexes of messages without a value (null, which an empty one is not) that say nothing in their protocol: they
    have no events, and nothing is wrong with them.
    """

    @property
    def num_events(self) -> int:
        """How many events there are."""
        return int(self.events.num_rows)


class Messages(NamedTuple):
    """Messages that lie one after the other in memory."""

    data: memoryview
    """Their bytes; at least one byte even when there is no message."""
    offsets: memoryview
    """int32 or int64: where each starts, and where the last one ends."""
    missing: frozenset[int] = frozenset()
    """The numbers of those that are null: a Kafka record without a value is not one with an empty value."""


def messages(values: pa.Array | pa.ChunkedArray | Sequence[bytes | None]) -> Messages:
    """Messages as they lie in memory, without copying those that are an Arrow array already; a null takes up
    no bytes, and its number is among the missing.

    Args:
        values: binary or large_binary array, or a sequence of bytes.

    Raises:
        TypeError: values are something else.
    """
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.Array):
        values = column_of(values, pa.large_binary())
    if pa.types.is_binary(values.type) or pa.types.is_string(values.type):
        width = 4
    elif pa.types.is_large_binary(values.type) or pa.types.is_large_string(values.type):
        width = 8
    else:
        raise TypeError(f"messages are a binary array or a sequence of bytes, not {values.type}")
    missing: frozenset[int] = frozenset()
    if values.null_count:
        missing = frozenset(pc.indices_nonzero(pc.is_null(values)).to_pylist())
        values = filled(values, b"")
    count = len(values)
    if count == 0:
        return Messages(memoryview(b"\0"), memoryview(bytes(8)).cast("q"))
    _, ends, payload = values.buffers()
    whole = memoryview(ends).cast("B")[width * values.offset : width * (values.offset + count + 1)]
    places = whole.cast("i") if width == 4 else whole.cast("q")
    data = memoryview(payload).cast("B") if payload is not None and payload.size else memoryview(b"\0")
    return Messages(data, places, missing)
