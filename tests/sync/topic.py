"""A topic of one partition in frames, and what a synchronisation makes of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from sync.frames import frame_of
from sync.staged_histories import PROTOCOLS, messages
from tidewire.events import Event
from tidewire.spark.sync.publish import snapshot
from tidewire.spark.sync.run import Sync, sync

OF_KAFKA = "key binary, value binary, topic string, partition int, offset bigint"

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "exhaustive"


def formats(*short: str) -> pytest.MarkDecorator:
    """A test of these formats; in the long mode of all: what is tested is the same to them, by other ways of theirs."""
    return pytest.mark.parametrize("format", ("parquet", "iceberg", "delta") if LONG else short)


class Topic:
    """A topic of one partition, and what is made of it."""

    def __init__(self, spark: SparkSession, tmp: Path) -> None:
        self.spark = spark
        self.tmp = tmp
        self.state = str(tmp / "state")
        self.offset = 0

    def frame(self, events: Sequence[Event], name: str = "canal-json", **more: Any) -> DataFrame:
        rows = []
        for key, value in zip(*messages(events, name, **more), strict=True):
            rows.append((key, value, "t", 0, self.offset))
            self.offset += 1
        return frame_of(self.spark, rows, OF_KAFKA)

    def sync(self, source: Any, name: str = "canal-json", **more: Any) -> Sync:
        more = {"into": f"parquet:{self.tmp}/lake/{{schema}}/{{table}}", "state": self.state, **more}
        return sync(self.spark, source, PROTOCOLS[name][0], **more)

    def rows(self, table: str, as_of: Any = None) -> list[tuple[Any, ...]]:
        return sorted(tuple(one) for one in snapshot(self.spark, self.state, as_of)[table].collect())
