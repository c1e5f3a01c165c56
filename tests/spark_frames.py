"""What the tests with Spark make frames of messages from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame

Frame = Callable[[Sequence[bytes | None]], DataFrame]
RecordedFrame = Callable[..., DataFrame]


def kafka_table(values: Sequence[bytes | None], topics: Sequence[str]) -> pa.Table:
    """Messages as Spark's Kafka source would give them: one partition, offsets from 0."""
    rows = len(values)
    return pa.table(
        {
            "key": pa.nulls(rows, pa.binary()),
            "value": pa.array(values, pa.binary()),
            "topic": pa.array(topics, pa.utf8()),
            "partition": pa.array([0] * rows, pa.int32()),
            "offset": pa.array(range(rows), pa.int64()),
        }
    )
