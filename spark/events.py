"""Messages as events: one row each, with row images as VARIANT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import StructField, StructType

from tidewire.events import KINDS
from tidewire.mysql import storage
from tidewire.runtime.batch import Column, EventColumns, Layout
from tidewire.runtime.variant import ARROW_TYPE, Objects, dictionary
from tidewire.schemas import CORRUPT_RECORD, EVENTS
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.decoding import DecodeTask, versions
from tidewire.spark.options import ReadOptions, read_options
from tidewire.spark.source import Messages, kafka_columns
from tidewire.spark.typed import is_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def from_ticdc(df: DataFrame, protocol: str, options: Mapping[str, Any] | None = None) -> DataFrame:
    """The events in a frame of messages, one row each (`tidewire.schemas.EVENTS`).

    `new` and `old` are the row images as VARIANT objects: ``variant_get(new, '$.id', 'bigint')`` or
    ``new:id::bigint``. Values are in the storage of the events, exact: numbers as numbers, BIGINT UNSIGNED beyond
    2^63 as a decimal, DECIMAL and times as text. `columns` lists name, type and flags of the columns, and the declared
    type (mysql_type) where the protocol says it, `old_columns` those of `old` where they differ. With them `to_ticdc`
    makes the same messages again. Where a protocol says milliseconds instead of a commit ts, `_commit_version` is null
    and `_commit_timestamp` is what it says.

    In mode PERMISSIVE the corrupt-record column is last: where a message could not be decoded it holds the bytes and
    the reason, and everything else is null. Batch and streaming; stateless. The events of a message are in order;
    between messages Spark keeps the order within a partition only.

    Args:
        df: messages as Spark's Kafka source gives them: `value`, and `key`, `topic`, `partition`, `offset` where there
            are such.
        protocol: name of the protocol, one of `tidewire.protocols()`.
        options: see `tidewire.spark.options.ReadOptions`, and the protocol's own.

    Raises:
        OptionError: an option is unknown or has a value that it cannot have.
        SchemaError: the frame has no binary column `value`.
    """
    chosen = read_options(protocol, options, str(df.sparkSession.conf.get("spark.sql.session.timeZone")))
    schema = event_schema(chosen)
    return kafka_columns(df).mapInArrow(EventsTask(protocol, chosen, arrow_schema(schema)), schema)


def event_schema(options: ReadOptions) -> StructType:
    """The schema of `from_ticdc`."""
    fields = list(EVENTS)
    if options.mode == "PERMISSIVE":
        fields.append(StructField(options.corrupt_column, CORRUPT_RECORD))
    return StructType(fields)


@dataclass(frozen=True)
class EventsTask(DecodeTask):
    """`mapInArrow`: messages -> events."""

    def process(self, messages: Messages, decoded: EventColumns) -> pa.RecordBatch | None:
        events = decoded.events
        message = events.column("message")
        reasons: dict[int, str] = {}
        version, time = versions(events, reasons)
        table = events.column("table")
        new_layout, old_layout = events.column("new_layout"), events.column("old_layout")
        zero = pa.scalar(0, new_layout.type)
        has_new, has_old = pc.greater_equal(new_layout, zero), pc.greater_equal(old_layout, zero)
        layout = pc.if_else(has_new, new_layout, pc.if_else(has_old, old_layout, pa.scalar(None, old_layout.type)))
        other = pc.if_else(
            pc.and_(pc.and_(has_new, has_old), pc.not_equal(new_layout, old_layout)),
            old_layout,
            pa.scalar(None, old_layout.type),
        )
        described = _variants([describe(one.columns) for one in decoded.layouts])
        images = Rows(decoded.layouts)
        columns = {
            "kind": _KIND_NAMES.take(events.column("kind")),
            "_commit_version": version,
            "_commit_timestamp": time,
            "schema": pa.array([schema for schema, _ in decoded.tables], pa.utf8()).take(table),
            "table": pa.array([name for _, name in decoded.tables], pa.utf8()).take(table),
            **{
                one.name: events.column(one.name).cast(one.type)
                for one in self.schema
                if one.name in OWN and one.name in events.schema.names
            },
            "new": images.take(new_layout, events.column("new_row")),
            "old": images.take(old_layout, events.column("old_row")),
            "columns": described.take(layout),
            "old_columns": described.take(other),
            "event": _place_in_message(message),
        }
        for name in ("topic", "partition", "offset"):
            columns[name] = messages.column(name, message)
        return self.finish(messages, decoded, columns, message, reasons)


OWN = frozenset(EVENTS.names) - {"kind", "table"}
"""The columns of a frame of events that may be columns of a decoded batch as they are."""

_KIND_NAMES = pa.array(
    [{code: name for name, code in KINDS.items()}.get(code) for code in range(max(KINDS.values()) + 1)], pa.utf8()
)


class Rows:
    """The rows of some layouts as VARIANT objects, addressed by layout and row."""

    def __init__(self, layouts: list[Layout]) -> None:
        parts, bases, rows = [], [], 0
        for layout in layouts:
            bases.append(rows)
            rows += layout.num_rows
            if layout.num_rows:
                mixed = {
                    at: is_text(array).cast(pa.uint8())
                    for at, (column, array) in enumerate(zip(layout.columns, layout.arrays, strict=True))
                    if array.type == pa.binary() and storage(column.type, column.flags) == "text"
                }
                names = [column.name for column in layout.columns]
                parts.append(Objects(names, layout.arrays, layout.num_rows, mixed).struct())
        self._bases = pa.array(bases, pa.int64())
        self._values: pa.StructArray | None = pa.concat_arrays(parts) if parts else None

    def take(self, layout: pa.Array, row: pa.Array) -> pa.Array:
        """One object for each pair; null where the row is -1."""
        if self._values is None:
            return pa.nulls(len(row), ARROW_TYPE)
        there = pc.greater_equal(row, pa.scalar(0, row.type))
        at = pc.add(self._bases.take(pc.if_else(there, layout, pa.scalar(None, layout.type))), row)
        return self._values.take(at)


@lru_cache(maxsize=1024)
def describe(columns: tuple[Column, ...]) -> tuple[bytes, bytes]:
    """Columns as a VARIANT array of objects {name, type, flags, mysql_type where there is one}: value and metadata."""
    members = {
        "name": pa.array([column.name for column in columns], pa.utf8()),
        "type": pa.array([column.type for column in columns], pa.int64()),
        "flags": pa.array([column.flags for column in columns], pa.uint64()),
    }
    if any(column.mysql_type is not None for column in columns):
        members["mysql_type"] = pa.array([column.mysql_type for column in columns], pa.utf8())
    objects = Objects(list(members), list(members.values()), len(columns)).struct().field("value").to_pylist()
    total = sum(map(len, objects))
    out = bytearray([3 | (1 << 2 | 3) << 2]) + len(objects).to_bytes(
        4, "little"
    )  # an array with 4-byte counts and offsets
    at = 0
    for value in objects:
        out += at.to_bytes(4, "little")
        at += len(value)
    return bytes(out) + total.to_bytes(4, "little") + b"".join(objects), dictionary([name.encode() for name in members])


def _variants(pairs: list[tuple[bytes, bytes]]) -> pa.StructArray:
    return pa.StructArray.from_arrays(
        [pa.array([value for value, _ in pairs], pa.binary()), pa.array([names for _, names in pairs], pa.binary())],
        fields=list(ARROW_TYPE),
    )


def _place_in_message(message: pa.Array) -> pa.Array:
    """int32: how many events of the same message precede each event; `message` rises."""
    rows = len(message)
    if rows == 0:
        return pa.array([], pa.int32())
    count = pc.subtract(pc.cumulative_sum(pa.repeat(pa.scalar(1, pa.int32()), rows)), pa.scalar(1, pa.int32()))
    starts = pc.not_equal(message[1:], message[:-1])
    group = pc.cumulative_sum(pa.concat_arrays([pa.array([0], pa.int32()), starts.cast(pa.int32())]))
    first = pa.concat_arrays(
        [pa.array([0], pa.int32()), pc.add(pc.indices_nonzero(starts).cast(pa.int32()), pa.scalar(1, pa.int32()))]
    )
    return pc.subtract(count, first.take(group))
