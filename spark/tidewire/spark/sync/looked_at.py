"""What the first messages of a topic show, for a plan: the columns of tables, and how far watermarks go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from tidewire.events import KINDS
from tidewire.reading.message_batch import MessageBatch
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.batch import EventColumns
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.infer import FOUND, ColumnsTask, schemas_of, undecoded
from tidewire.spark.known_tables import known_tables
from tidewire.spark.options import read_options
from tidewire.spark.source import check_frame, kafka_columns
from tidewire.spark.sync.changelog import Watermarks, table_name
from tidewire.spark.sync.resolved import least
from tidewire.spark.sync.staging import latest
from tidewire.spark.workers import collected, run_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST = 100_000
"""The most messages of a topic that a plan reads, the oldest ones."""
_SEEN = StructType(
    [
        *FOUND,
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("ts", LongType()),
    ]
)
"""The schema of a batch's output: the columns of `FOUND`; for each partition the greatest watermark (0 for none); for
each table the smallest commit ts of its changes.
"""
_WATERMARK, _LAST_ROW = KINDS["watermark"], KINDS["delete"]


@dataclass(frozen=True)
class LookedAt:
    """What the first messages of a topic show.

    Attributes:
        schemas: schema of each table with rows, by schema and table name.
        first: the smallest commit ts of each table's changes, by lower-case name.
        watermarks: the greatest of each partition; 0 for none.
        messages: number of messages.
        undecoded: number of messages that cannot be decoded and the first reason, as a sentence; empty if there are
            none.
    """

    schemas: Mapping[tuple[str, str], StructType]
    first: Mapping[str, int]
    watermarks: Watermarks
    messages: int
    undecoded: str

    def not_resolved(self, name: str) -> int:
        """The smallest commit ts of a table's changes if all of them are at or above the smallest watermark; 0 if one
        is below, or if more messages follow that were not read.
        """
        first = self.first.get(name.lower(), 0)
        return first if self.messages < MOST and first >= least(self.watermarks) else 0


def look_at(df: DataFrame, protocol: str, options: Mapping[str, Any] | None) -> LookedAt:
    """Reads messages with one job, preceded by another if other messages describe the tables.

    Args:
        df: the messages; not streaming.
        options: of `rows_from_ticdc`.
    """
    check_frame(df)
    chosen = read_options(protocol, options, "UTC")
    task = LookTask(protocol, chosen, arrow_schema(_SEEN), None, tables=known_tables(df, protocol, chosen))
    seen = collected(run_on(kafka_columns(df, protocol, "packed"), task, _SEEN))
    first: dict[str, int] = {}
    watermarks: Watermarks = {}
    messages = 0
    for row in seen:
        messages += row.messages or 0
        if row.partition is not None:
            of = watermarks.setdefault(row.topic, {})
            of[row.partition] = max(row.ts, of.get(row.partition, 0))
        elif row.ts is not None:
            name = table_name(row.schema, row.table).lower()
            first[name] = min(row.ts, first.get(name, row.ts))
    return LookedAt(schemas_of(seen, chosen), first, watermarks, messages, undecoded(seen))


@dataclass(frozen=True)
class LookTask(ColumnsTask):
    """`mapInArrow`: messages -> rows of `_SEEN`."""

    def rows_of(self, messages: MessageBatch, decoded: EventColumns) -> list[dict[str, Any]]:
        return [*super().rows_of(messages, decoded), *_partitions(messages, decoded), *_first(decoded)]


def _partitions(messages: MessageBatch, decoded: EventColumns) -> list[dict[str, Any]]:
    """The partitions of a batch, and the greatest watermark of each."""
    every = column_of(list(range(messages.rows)), pa.int32())
    topics, partitions = (messages.column(name, every).to_pylist() for name in ("topic", "partition"))
    places = [(topic or "", partition or 0) for topic, partition in zip(topics, partitions, strict=True)]
    found = dict.fromkeys(places, 0)
    kind = decoded.events.column("kind")
    marks = decoded.events.filter(pc.equal(kind, constant(_WATERMARK, kind.type))).select(["message", "commit_ts"])
    most = latest()
    for at, ts in zip(*(column.to_pylist() for column in marks.columns), strict=True):
        if ts is not None and found[places[at]] < ts <= most:
            found[places[at]] = ts
    return [{"topic": topic, "partition": one, "ts": ts} for (topic, one), ts in found.items()]


def _first(decoded: EventColumns) -> list[dict[str, Any]]:
    """The smallest commit ts of each table's changes in a batch."""
    kind = decoded.events.column("kind")
    rows = decoded.events.filter(pc.less_equal(kind, constant(_LAST_ROW, kind.type))).select(["table", "commit_ts"])
    least_of = pa.Table.from_batches([rows]).group_by("table").aggregate([("commit_ts", "min")]).to_pydict()
    return [
        {"schema": decoded.tables[table][0] or "", "table": decoded.tables[table][1] or "", "ts": ts}
        for table, ts in zip(least_of["table"], least_of["commit_ts_min"], strict=True)
        if table is not None and ts is not None
    ]
