"""How the messages of a source are read: all, those up to some offsets, those since a time, and the first ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import functions as F

from tidewire.runtime.errors import OptionError
from tidewire.spark.source import check_frame
from tidewire.spark.sync.kafka import WAYS, Brokers, check_topics, options_of
from tidewire.spark.sync.looked_at import MOST
from tidewire.spark.sync.offsets import not_again
from tidewire.spark.sync.retained import Reading, Since, begins_of, since_in
from tidewire.spark.sync.state import known
from tidewire.spark.sync.topic_ids import TopicIds

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

Whole = Callable[[Mapping[str, Mapping[int, int]]], "DataFrame"]

_OF_STREAMS = {
    *("subscribe", "subscribepattern", "assign", "startingoffsets", "endingoffsets", "maxoffsetspertrigger"),
    *("minoffsetspertrigger", "maxtriggerdelay", "startingtimestamp", "startingoffsetsbytimestamp"),
}
"""Options, in lower case, that select which messages of a topic a stream reads, and when."""
_OF_FIRST = {*(name.lower() for name in WAYS), "startingoffsets"}
"""Options of Spark's Kafka source that select the topics, and the first message."""


class Messages(NamedTuple):
    """How the messages of a source are read."""

    every: Callable[[], DataFrame]
    """Returns all messages. Raises an error if a state exists, and a topic was deleted and created again since then."""
    whole: Whole
    """Returns the messages from the start up to some offsets. Raises an error for the same topics."""
    since: Reading
    """Returns the messages up to some offsets that were sent since a time. Raises an error for the same topics."""
    first: Callable[[], DataFrame]
    """Returns the messages that a plan reads."""
    topics: str
    ids: TopicIds | None
    """The topics' ids; None where the source is not Kafka."""


def messages_of(spark: SparkSession, source: Any, state: str = "") -> Messages:
    """How the messages of a source are read.

    Args:
        spark: the session.
        source: as for `run.sync`.
        state: the folder of the state, whose topics are checked; empty for none.
    """
    if isinstance(source, Mapping):
        options, topics = options_of(source)
        brokers = Brokers(spark, options)
        ids = TopicIds(state, brokers)

        def between(starts: str, offsets: Mapping[str, Mapping[int, int]]) -> DataFrame:
            kept = {name: value for name, value in options.items() if name.lower() not in _OF_STREAMS}
            assigned = {topic: sorted(each) for topic, each in offsets.items()}
            kept |= {"assign": json.dumps(assigned), "endingOffsets": _offsets(offsets)}
            return spark.read.format("kafka").options(**kept, startingOffsets=starts).load()

        def whole(offsets: Mapping[str, Mapping[int, int]]) -> DataFrame:
            ids.check(list(offsets))
            return between("earliest", offsets)

        def since(offsets: Mapping[str, Mapping[int, int]], time: int) -> Since:
            ids.check(list(offsets))
            starts, begins = begins_of(brokers, offsets, time)
            return Since(between(_offsets(starts), offsets), begins)

        def stream() -> DataFrame:
            there = check_topics(spark, options)
            if state and known(state) is not None:
                ids.check(there)
            return spark.readStream.format("kafka").options(**options).load().observe("tidewire", *_observed())

        def first() -> DataFrame:
            check_topics(spark, options)
            kept = {name: value for name, value in options.items() if name.lower() not in _OF_STREAMS - _OF_FIRST}
            return spark.read.format("kafka").options(**kept).load().limit(MOST)

        return Messages(stream, whole, since, first, topics, ids)
    messages = (lambda: _checked(source(spark))) if callable(source) else (lambda: _checked(source))

    def since_then(offsets: Mapping[str, Mapping[int, int]], time: int) -> Since:
        return since_in(_up_to(messages, offsets), time)

    return Messages(messages, partial(_up_to, messages), since_then, partial(_first, messages), "frame", None)


def _offsets(offsets: Mapping[str, Mapping[int, int]]) -> str:
    """Offsets as Spark's Kafka source takes them."""
    return json.dumps({topic: {str(one): at for one, at in each.items()} for topic, each in offsets.items()})


def _observed() -> list[Column]:
    """The metrics of each batch for a StreamingQueryListener, besides Spark's own (`observedMetrics`)."""
    return [
        F.count(F.lit(1)).alias("messages"),
        F.sum(F.length("value")).alias("bytes"),
        F.max("timestamp").alias("newest"),
    ]


def _first(messages: Callable[[], DataFrame]) -> DataFrame:
    df = messages()
    if df.isStreaming:
        raise OptionError(
            "these messages are a stream, of which none can be looked at before it starts: name the protocol, and plan"
            " with a frame that is no stream"
        )
    return df.limit(MOST)


def _up_to(messages: Callable[[], DataFrame], offsets: Mapping[str, Mapping[int, int]]) -> DataFrame:
    """The messages of a frame up to some offsets."""
    df = messages()
    names = {name.lower() for name in df.columns}
    if df.isStreaming or not {"topic", "partition", "offset"} <= names:
        return not_again(offsets)
    read = [
        (F.col("topic") == topic) & (F.col("partition") == one) & (F.col("offset") < at)
        for topic, each in offsets.items()
        for one, at in each.items()
    ]
    return df.where(reduce(lambda one, other: one | other, read, F.lit(False)))


def _checked(df: Any) -> DataFrame:
    check_frame(df)
    found: DataFrame = df
    return found
