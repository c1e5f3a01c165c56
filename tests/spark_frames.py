"""Frames of messages for the Spark tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from tidewire.events import Event, Events
from tidewire.reading.message_batch import MessageBatch
from tidewire.spark.decoding import DecodeTask

Frame = Callable[[Sequence[bytes | None]], DataFrame]
RecordedFrame = Callable[..., DataFrame]


def kafka_table(
    values: Sequence[bytes | None], topics: Sequence[str], keys: Sequence[bytes | None] | None = None
) -> pa.Table:
    """Messages as Spark's Kafka source would give them: one partition, offsets from 0."""
    rows = len(values)
    return pa.table(
        {
            "key": pa.nulls(rows, pa.binary()) if keys is None else pa.array(keys, pa.binary()),
            "value": pa.array(values, pa.binary()),
            "topic": pa.array(topics, pa.utf8()),
            "partition": pa.array([0] * rows, pa.int32()),
            "offset": pa.array(range(rows), pa.int64()),
        }
    )


def task_rows(task: DecodeTask, events: Sequence[Event]) -> list[dict[str, Any]]:
    """The rows that a task makes of events, each of a message of its own, without Spark."""
    decoded = Events.of(events).columns
    message = decoded.events.schema.get_field_index("message")
    decoded.events = decoded.events.set_column(message, "message", pa.array(range(len(events)), pa.int64()))
    messages = MessageBatch(pa.record_batch({"value": pa.array([b"m%d" % at for at in range(len(events))])}))
    out = task.process(messages, decoded)
    return [] if out is None else out.to_pylist()


def in_partitions(spark: SparkSession, table: pa.Table, partitions: int) -> DataFrame:
    """Rows, in so many Spark partitions, one after the other. None of Python's processes has to read them first."""
    ends = [table.num_rows * at // partitions for at in range(partitions + 1)]
    parts = (table.slice(start, end - start) for start, end in pairwise(ends))
    return reduce(DataFrame.union, (spark.createDataFrame(part).coalesce(1) for part in parts))


def frame(
    spark: SparkSession, values: Sequence[bytes | None], partitions: int = 1, keys: Sequence[bytes | None] | None = None
) -> DataFrame:
    """Messages, in so many Spark partitions, one after the other."""
    return in_partitions(spark, kafka_table(values, ["t"] * len(values), keys), partitions)


def images(rows: DataFrame) -> Counter[str]:
    return Counter(str((row.table, row.row.toPython())) for row in rows.where("row IS NOT NULL").collect())


def number_of_images(rows: DataFrame) -> int:
    return rows.where("_change_type IS NOT NULL").count()
