"""Tables that are kept current from a topic: `sync(…)` gives a synchronisation, which is started and stopped.

kafka = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "tidb-changes"}
s = sync(spark, kafka, "canal-json", into="iceberg:lake.{schema}.{table}", state="/lake/_tidewire/shop")
s.once()    # all that is in the topic now; or s.start(every="10 seconds")
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidewire.runtime.errors import OptionError
from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.options import load
from tidewire.spark.source import check_frame
from tidewire.spark.sync.batches import BatchDone, Batches
from tidewire.spark.sync.changelog import Parked, Source, SourceError
from tidewire.spark.sync.choices import Tables, chosen
from tidewire.spark.sync.kafka import check_topics, options_of, why
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.offsets import CHECKPOINT, logged, query_id, seen
from tidewire.spark.sync.publish import Published
from tidewire.spark.sync.staged_files import full
from tidewire.spark.sync.staging import staging_options
from tidewire.spark.sync.state import identity, opened
from tidewire.spark.sync.targets.opened import target_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery


@dataclass(frozen=True)
class Status:
    """How far a synchronisation is.

    Attributes:
        batches: manifests that were made.
        resolved: the resolved ts: every change below has been staged.
        published: the greatest one at which all tables are published; 0 before there is one.
        lag: seconds between the published one and now; None before there is one.
        waiting: topic and partition whose watermark is the smallest; None before there are partitions.
        silent: partitions that have sent no watermark yet.
        tables: those that are published, by name: up to which commit ts each is complete.
        parked: why tables wait, and what to do.
        dead: messages that could not be read.
        late: rows below the resolved ts that came again, by table.
        notes: of the newest batch.
        stopped: why the synchronisation has stopped; empty where it has not.
    """

    batches: int
    resolved: int
    published: int
    lag: float | None
    waiting: tuple[str, int] | None
    silent: tuple[tuple[str, int], ...]
    tables: Mapping[str, int]
    parked: Mapping[str, Parked]
    dead: int
    late: Mapping[str, int]
    notes: tuple[str, ...]
    stopped: str


def status(state: str) -> Status:
    """How far the synchronisation of a state is.

    Raises:
        StateError: there is none in this folder.
    """
    found = Manifests(state, identity(state).source).newest()
    records = Published(state)
    every = records.resolved()
    published = every[-1] if every else 0
    tables = records.read(published).tables if published else {}
    return Status(
        found.number,
        found.resolved,
        published,
        max(0.0, time.time() - (published >> TSO_SHIFT) / 1000) if published else None,
        found.waiting(),
        tuple((topic, one) for topic, each in found.watermarks.items() for one, ts in each.items() if not ts),
        {name: one.position.ts for name, one in tables.items()},
        {one.name: one.parked for one in found.tables.values() if one.parked is not None},
        sum(found.dead.values()),
        found.late,
        found.notes,
        found.stopped,
    )


class Sync:
    """A synchronisation, as `sync` gives it."""

    def __init__(
        self,
        spark: SparkSession,
        messages: Callable[[], DataFrame],
        batches: Batches,
        state: str,
    ) -> None:
        self.spark = spark
        self.state = state
        self.query: StreamingQuery | None = None
        self._messages = messages
        self._batches = batches
        self._failed: BaseException | None = None

    def once(self) -> Status:
        """Reads all that is there now, and brings the tables to it.

        Raises:
            StateError: the synchronisation has to stop; the text says why.
            TargetError: a table of the target cannot be written.
            SourceError: the messages cannot be read.
        """
        df = self._messages()
        if df.isStreaming:
            self._start(df, {"availableNow": True})
            self.wait()
        else:
            before = self._batches.resume()
            self._batches.run(df, "", before.batch + 1, seen(df))
        return self.status()

    def start(self, every: str = "10 seconds") -> Sync:
        """Goes on with what comes, in the background, until `stop`.

        Args:
            every: how often a micro-batch is made.

        Raises:
            OptionError: the messages are no stream.
            SourceError: there is no such topic, or no broker.
        """
        df = self._messages()
        if not df.isStreaming:
            raise OptionError("this frame is no stream, so that nothing more comes: call once(), or give a stream")
        self._start(df, {"processingTime": every})
        return self

    def wait(self, seconds: int | None = None) -> bool:
        """Waits until the stream has ended, or so many seconds.

        Returns:
            Whether it has ended.

        Raises:
            StateError, TargetError, SourceError: it ended because of it.
        """
        if self.query is None:
            return True
        try:
            ended = self.query.awaitTermination() if seconds is None else self.query.awaitTermination(seconds)
        except Exception as error:
            if self._failed is not None:
                raise self._failed from None
            raise SourceError(f"the stream has ended: {why(error)}") from error
        return True if ended is None else bool(ended)

    def status(self) -> Status:
        """How far it is."""
        return status(self.state)

    def stop(self) -> None:
        """Ends the stream. What is done of a batch counts, and the rest is done after the next start."""
        self._batches.stopping.set()
        if self.query is not None:
            self.query.stop()
            self.query = None

    def _start(self, df: DataFrame, trigger: Mapping[str, Any]) -> None:
        if self.query is not None and self.query.isActive:
            raise OptionError("this synchronisation runs already: stop it first")
        self._failed = None
        self._batches.stopping.clear()
        self._batches.resume()
        writer = df.writeStream.foreachBatch(self._batch).option("checkpointLocation", full(self.state, CHECKPOINT))
        self.query = writer.trigger(**trigger).start()

    def _batch(self, df: DataFrame, number: int) -> None:
        try:
            read = logged(self.state, number) or seen(df)
            self._batches.run(df, query_id(self.state), number, read)
        except BaseException as error:
            self._failed = error
            raise


def sync(
    spark: SparkSession,
    source: Any,
    protocol: str | None = None,
    *,
    into: str,
    state: str,
    tables: Tables = "*.*",
    options: Mapping[str, Any] | None = None,
    said: Callable[[BatchDone], None] | None = None,
) -> Sync:
    """Keeps tables current from messages of TiCDC, all of them as the source was at one TSO.

    Args:
        spark: the session, with the jars of the source and of the tables.
        source: options of Spark's Kafka source; or a frame of messages as that source gives them, streaming or not; or
            a function that makes one of a session.
        protocol: name of the protocol; of the state, where None.
        into: where the tables are: `iceberg:lake.{schema}.{table}`, `delta:/lake/{schema}/{table}`,
            `parquet:/lake/{schema}/{table}`.
        state: a folder for the changelog and the state, which workers can write: a path or an address of fsspec.
        tables: patterns of the tables to keep; or a mapping of patterns to what is chosen for them:
            `{"shop.*": {}, "shop.audit": {"mode": "history"}, "shop.tmp_*": "skip"}`.
        options: of reading messages, as `rows_from_ticdc` takes them; and of the synchronisation:

            schemaChanges: how DDL is followed: evolve, lenient (default), park, stop, ignore.
            consistency: tables (default): what is published is the source at one TSO.
            threads: tables that are written at once (4).
            keepPublished: how long records are kept, and the versions that they name (7d).
            partitions: how many partitions topics have, `topic=3`, where the source is no Kafka that tells it.
        said: called after each batch.

    Raises:
        OptionError: an option is unknown, or has a value that it cannot have.
        StateError: the state is of another source, or of other tables.
        TargetError: `into` is no address of tables.
    """
    target = target_of(into)
    choice = chosen(tables, options)
    messages, topics = _messages(spark, source)
    if protocol is None:
        protocol = identity(state).source.protocol
    protocol = load(protocol).NAME
    reading = staging_options(protocol, choice.reading, str(spark.conf.get("spark.sql.session.timeZone")))
    of = opened(state, Source(topics, protocol), target)
    return Sync(spark, messages, Batches(spark, of, reading, choice, state, said), state)


def _messages(spark: SparkSession, source: Any) -> tuple[Callable[[], DataFrame], str]:
    """What gives the messages, and which topics they are of."""
    if isinstance(source, Mapping):
        options, topics = options_of(source)

        def of_kafka() -> DataFrame:
            check_topics(spark, options)
            return spark.readStream.format("kafka").options(**options).load()

        return of_kafka, topics
    if callable(source):
        return lambda: _checked(source(spark)), "frame"
    return lambda: _checked(source), "frame"


def _checked(df: Any) -> DataFrame:
    check_frame(df)
    found: DataFrame = df
    return found
