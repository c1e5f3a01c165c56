"""Which messages a topic still has: whether all changes after a dump are among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.sync.changelog import Manifest, Staged, StateError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidewire.spark.sync.kafka import Brokers

CLOCKS_APART = 300_000
"""Milliseconds by which the clocks of TiDB, TiCDC and Kafka may differ."""


class Begin(NamedTuple):
    """The beginning of a partition.

    Attributes:
        offset: of its first message that is there.
        older: whether a message is there that was sent before the dump: changes after the dump came later.
    """

    offset: int
    older: bool


class Since(NamedTuple):
    """The messages of a topic since a time, and of each partition the beginning."""

    messages: DataFrame
    begins: Mapping[str, Mapping[int, Begin]]


Reading = Callable[[Mapping[str, Mapping[int, int]], int], Since]
"""Gives the messages up to given offsets that were sent since a time, in milliseconds since 1970."""


def time_before(tso: int) -> int:
    """The time before which no message was sent with a change after a TSO: in milliseconds since 1970."""
    return max(0, (tso >> TSO_SHIFT) - CLOCKS_APART)


def begins_of(
    brokers: Brokers, offsets: Mapping[str, Mapping[int, int]], time: int
) -> tuple[dict[str, dict[int, int]], dict[str, dict[int, Begin]]]:
    """The offsets from which partitions of Kafka are read, and their beginnings.

    Args:
        brokers: of the topics.
        offsets: up to which is read.
        time: since which messages are wanted.

    Raises:
        SourceError: no broker answers.
    """
    every = [(topic, one) for topic, each in offsets.items() for one in each]
    first, later = brokers.offsets(every), brokers.offsets(every, time)
    starts: dict[str, dict[int, int]] = {}
    begins: dict[str, dict[int, Begin]] = {}
    for topic, one in every:
        end, found = offsets[topic][one], later[topic, one]
        start = min(end, found if found >= 0 else end)
        starts.setdefault(topic, {})[one] = start
        begins.setdefault(topic, {})[one] = Begin(first[topic, one], start > first[topic, one])
    return starts, begins


def since_in(df: DataFrame, time: int) -> Since:
    """The messages of a frame since a time, where it has their times; else all of them."""
    from pyspark.sql import functions as F

    sent = next((name for name, kind in df.dtypes if name.lower() == "timestamp" and kind == "timestamp"), None)
    millis = F.lit(None).cast("bigint") if sent is None else F.unix_millis(sent)
    places = df.groupBy("topic", "partition").agg(F.min("offset").alias("first"), F.min(millis).alias("oldest"))
    begins: dict[str, dict[int, Begin]] = {}
    for row in places.collect():
        older = row.oldest is not None and 0 < row.oldest < time
        begins.setdefault(row.topic or "", {})[row.partition or 0] = Begin(row.first or 0, older)
    return Since(df if sent is None else df.where((millis >= time) | millis.isNull() | (millis <= 0)), begins)


def check_since(
    before: Manifest,
    staged: Staged,
    begins: Mapping[str, Mapping[int, Begin]],
    table: str,
    tso: int,
    start_ts: int,
) -> None:
    """Refuses to continue a dump with messages of which some may be gone.

    A change after the dump is in a message that was sent after it. So none is gone of a partition that still has its
    first message, or one that was sent before the dump. That the changefeed was there by then is known from a
    watermark at or before the TSO of the dump, or from its start-ts.

    Args:
        before: the newest manifest, with the offsets up to which was read.
        staged: what the messages gave.
        begins: of the partitions.
        table: the table's name.
        tso: of the dump.
        start_ts: of the changefeed; 0 if it is not known.

    Raises:
        StateError: a partition has no message that proves it; the text says what to do.
    """
    for topic, each in before.offsets.items():
        least = min(staged.least.get(topic, {}).values(), default=None)
        for partition, end in sorted(each.items()):
            begin = begins.get(topic, {}).get(partition)
            where = f"partition {partition} of {topic or 'the frame'}"
            if begin is None and end:
                raise StateError(f"{_cannot(table, tso)}: none of the messages of {where} is there; {_AGAIN}")
            if begin is not None and begin.offset and not begin.older:
                raise StateError(
                    f"{_cannot(table, tso)}: the first message of {where} that is there has offset {begin.offset}, and"
                    f" nothing tells that those before it were sent before the dump; {_AGAIN}"
                )
            if least is not None and least <= tso:
                continue
            if start_ts and (begin is None or not begin.offset):
                continue
            there = f"the oldest that is there is of {least}" if least is not None else "none is there"
            raise StateError(
                f"{_cannot(table, tso)}: no watermark of {topic or 'the frame'} is as old as the dump ({there}), so"
                f" that changes between them may be missing; {_AGAIN}; or, if the changefeed was created with the"
                " dump's TSO or an earlier one, and the topic has all of its messages, say that with --start-ts"
            )


_AGAIN = "make a newer dump"


def _cannot(table: str, tso: int) -> str:
    return f"table {table} cannot go on from the dump of {tso}"
