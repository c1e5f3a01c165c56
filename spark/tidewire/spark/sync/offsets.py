"""Up to where a micro-batch read, and which partitions exist: from the query's offset log, or from its frame."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.retained import Since
from tidewire.spark.sync.staged_files import shown
from tidewire.spark.sync.storage import storage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Offsets = dict[str, dict[int, int]]
"""By topic and partition: the offset after the last message read."""
CHECKPOINT = "checkpoint"
"""The folder of the streaming query, in the state's folder."""


def query_id(state: str) -> str:
    """The id of the streaming query whose checkpoint is in a state; empty if there is none."""
    files = storage(state)
    if "metadata" not in files.names(CHECKPOINT):
        return ""
    try:
        return str(json.loads(files.read(f"{CHECKPOINT}/metadata"))["id"])
    except (ValueError, KeyError, TypeError):
        raise StateError(f"{files.shown(f'{CHECKPOINT}/metadata')} is damaged: restore it from a copy") from None


def logged(state: str, batch: int) -> Offsets | None:
    """The offset log's entry of a batch: all partitions of all topics; None if its source is not Kafka."""
    lines = storage(state).read(f"{CHECKPOINT}/offsets/{batch}").splitlines()
    found: Offsets = {}
    for line in lines[2:]:  # the lines before contain a version, and the query's settings
        try:
            of = json.loads(line)
        except ValueError:
            return None
        if not isinstance(of, dict) or not all(isinstance(each, dict) for each in of.values()):
            return None
        for topic, each in of.items():
            if not all(partition.isdigit() for partition in each):
                return None
            found.setdefault(topic, {}).update({int(partition): int(offset) for partition, offset in each.items()})
    return found or None


def seen(df: DataFrame) -> Offsets:
    """The offsets in a frame: only its own partitions are known."""
    names = {name.lower() for name in df.columns}
    if not {"topic", "partition"} <= names:
        return {"": {0: 0}} if "topic" not in names and "partition" not in names else _counted(df, names)
    return _counted(df, names)


def _counted(df: DataFrame, names: set[str]) -> Offsets:
    topic = F.col("topic") if "topic" in names else F.lit("")
    partition = F.col("partition") if "partition" in names else F.lit(0)
    offset = F.max("offset") + 1 if "offset" in names else F.lit(0)
    found: Offsets = {}
    rows = df.groupBy(topic.alias("topic"), partition.cast("int").alias("partition")).agg(offset.alias("offset"))
    for row in rows.collect():
        found.setdefault(row.topic or "", {})[row.partition or 0] = row.offset or 0
    return found


def check_topics(state: str, before: Mapping[str, Mapping[int, int]], read: Mapping[str, Mapping[int, int]]) -> None:
    """Refuses messages of other topics than those of a state.

    Raises:
        StateError: they have no topic in common.
    """
    if before and read and before.keys().isdisjoint(read):
        raise StateError(
            f"the state {shown(state)} is of messages of {_topics(before)}, and these are of {_topics(read)}: name"
            " another folder as state for another source"
        )


def not_again(_: Mapping[str, Mapping[int, int]]) -> DataFrame:
    """Stands in for reading the topic again, for a source that delivers messages only once.

    Raises:
        StateError: always.
    """
    raise StateError("this source gives each message once: tables are made anew from the topics of a Kafka broker")


def none_since(offsets: Mapping[str, Mapping[int, int]], _: int) -> Since:
    """As `not_again`.

    Raises:
        StateError: always.
    """
    return Since(not_again(offsets), {})


def _topics(offsets: Mapping[str, Mapping[int, int]]) -> str:
    return ", ".join(topic or "a frame without topics" for topic in offsets)


def partitions(offsets: Mapping[str, Mapping[int, int]], told: Mapping[str, int]) -> dict[str, set[int]]:
    """All partitions: those that were read, and those that the user declared."""
    found = {topic: set(each) for topic, each in offsets.items()}
    for topic, count in told.items():
        found.setdefault(topic, set()).update(range(count))
    return found
