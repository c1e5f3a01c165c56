"""Decodes messages to events: one row each, with row images as VARIANT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.events import KINDS
from tidewire.reading.images import versions
from tidewire.reading.message_batch import MessageBatch
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.batch import EventColumns
from tidewire.schemas import EVENTS
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.decoding import DecodeTask
from tidewire.spark.descriptions import DESCRIBED, nothing, structs
from tidewire.spark.known_tables import known_tables
from tidewire.spark.options import read_options
from tidewire.spark.outputs import event_schema
from tidewire.spark.source import check_frame, kafka_columns, kept_fields
from tidewire.spark.variants import VariantRows, describe, variants
from tidewire.spark.workers import run_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def from_ticdc(df: DataFrame, protocol: str, options: Mapping[str, Any] | None = None) -> DataFrame:
    """Decodes messages into events, one row each (`tidewire.schemas.EVENTS`).

    `new` and `old` are the row images as VARIANT objects: ``variant_get(new, '$.id', 'bigint')`` or ``new:id::bigint``.
    Values are stored exactly: numbers as numbers, BIGINT UNSIGNED above 2^63 as a decimal, DECIMAL and times as text.
    `columns` lists name, type and flags of the columns, and the declared type (mysql_type) if the protocol carries it;
    `old_columns` those of `old` if they differ. With them `to_ticdc` produces the same messages again. If a protocol
    has milliseconds in place of a commit ts, `_commit_version` is null and `_commit_timestamp` has them. If a protocol
    describes tables, statements and bootstraps have the description in `table_after` and `table_before`, as structs.

    In mode PERMISSIVE the corrupt-record column is last: it has the bytes and the reason for a message that could not
    be decoded, whose other columns are null. Batch and streaming; stateless. The events of a message are in order; the
    order of messages is kept only within a Spark partition.

    For protocols that describe tables in separate messages, a job of its own first collects the descriptions in a
    batch; a stream needs option schemaLocation, unless its messages describe their columns themselves. For protocols
    with a schema registry, each Python process of the executors requests a schema when a message needs it; if it is
    unavailable, the reason is in the corrupt-record column. There a message with a key and no value is a delete, and
    one with neither has no row. In other protocols a message without a value has none.

    Args:
        df: messages in the format of Spark's Kafka source: `value`; `key` if the protocol reads keys; optionally
            `topic`, `partition`, `offset`; and `headers` if they contain schema ids.
        protocol: name of the protocol, one of `tidewire.protocols()`.
        options: see `tidewire.spark.options.ReadOptions`, and the protocol's own.

    Raises:
        OptionError: an option is unknown or invalid, or a stream lacks schemaLocation.
        SchemaError: the frame has no binary column `value`, or lacks a column that option `keep` names.
    """
    check_frame(df)
    chosen = read_options(
        protocol, options, str(df.sparkSession.conf.get("spark.sql.session.timeZone")), of_events=True
    )
    # topic, partition and offset are already columns of events
    kept = tuple(
        pair for pair in chosen.keep if not (pair[0] == pair[1] and pair[0] in ("topic", "partition", "offset"))
    )
    chosen = replace(chosen, keep=kept)
    schema = event_schema(chosen, kept_fields(df, kept))
    tables = known_tables(df, protocol, chosen)
    task = EventsTask(protocol, chosen, arrow_schema(schema, [own for _, own in kept]), tables=tables)
    return run_on(kafka_columns(df, protocol, keep=kept), task, schema)


@dataclass(frozen=True)
class EventsTask(DecodeTask):
    """`mapInArrow`: messages -> events."""

    def process(self, messages: MessageBatch, decoded: EventColumns) -> pa.RecordBatch | None:
        events = decoded.events
        message = events.column("message")
        reasons: dict[int, str] = {}
        version, time = versions(events, reasons)
        table = events.column("table")
        new_layout, old_layout = events.column("new_layout"), events.column("old_layout")
        zero = constant(0, new_layout.type)
        has_new, has_old = pc.greater_equal(new_layout, zero), pc.greater_equal(old_layout, zero)
        layout = pc.if_else(has_new, new_layout, pc.if_else(has_old, old_layout, constant(None, old_layout.type)))
        other = pc.if_else(
            pc.and_(pc.and_(has_new, has_old), pc.not_equal(new_layout, old_layout)),
            old_layout,
            constant(None, old_layout.type),
        )
        described = variants([describe(one.columns) for one in decoded.layouts])
        images = VariantRows(decoded.layouts)
        columns = {
            "kind": _KIND_NAMES.take(events.column("kind")),
            "_commit_version": version,
            "_commit_timestamp": time,
            "schema": column_of([schema for schema, _ in decoded.tables], pa.utf8()).take(table),
            "table": column_of([name for _, name in decoded.tables], pa.utf8()).take(table),
            **{
                one.name: _cast(events.column(one.name), one.type)
                for one in self.schema
                if one.name in OWN and one.name in events.schema.names
            },
            **{name: structs(decoded, name, self.schema.field(name).type) for name in DESCRIBED},
            "new": images.take(new_layout, events.column("new_row")),
            "old": images.take(old_layout, events.column("old_row")),
            "columns": described.take(layout),
            "old_columns": described.take(other),
            "event": _place_in_message(message),
        }
        for name in ("topic", "partition", "offset"):
            columns[name] = messages.column(name, message)
        return self.finish(messages, decoded, columns, message, reasons)


OWN = frozenset(EVENTS.names) - {"kind", "table", *DESCRIBED}
"""The columns of an event frame that are taken from a decoded batch unchanged."""

_KIND_NAMES = column_of(
    [{code: name for name, code in KINDS.items()}.get(code) for code in range(max(KINDS.values()) + 1)], pa.utf8()
)


def _cast(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """An event column cast to another type; most protocols lack most columns."""
    return nothing(len(column), kind) if column.null_count == len(column) else column.cast(kind)


def _place_in_message(message: pa.Array) -> pa.Array:
    """int32: how many events of the same message precede each event; the values of `message` ascend."""
    rows = len(message)
    if rows == 0:
        return column_of([], pa.int32())
    count = pc.subtract(pc.cumulative_sum(pa.repeat(constant(1, pa.int32()), rows)), constant(1, pa.int32()))
    starts = pc.not_equal(message[1:], message[:-1])
    group = pc.cumulative_sum(pa.concat_arrays([column_of([0], pa.int32()), starts.cast(pa.int32())]))
    first = pa.concat_arrays(
        [column_of([0], pa.int32()), pc.add(pc.indices_nonzero(starts).cast(pa.int32()), constant(1, pa.int32()))]
    )
    return pc.subtract(count, first.take(group))
