"""Keeps tables up to date from a topic: `sync(…)` returns a synchronisation, which can be started and stopped.

    kafka = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "tidb-changes"}
    s = sync(spark, kafka, "canal-json", into="iceberg:lake.{schema}.{table}", state="/lake/_tidewire/shop")
    s.once()    # all messages in the topic now; or s.start(every="10 seconds")
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import tidewire
from tidewire.messages.detecting.reading import MOST_MESSAGES
from tidewire.reading.options import ReadOptions
from tidewire.reading.undetected import other_protocol, reason
from tidewire.runtime.errors import OptionError
from tidewire.spark.options import load
from tidewire.spark.sync.batches import BatchDone, Batches
from tidewire.spark.sync.changelog import Source, SourceError, StateError
from tidewire.spark.sync.choices import Chosen, Tables, chosen
from tidewire.spark.sync.failures import JAVA_ENDED
from tidewire.spark.sync.how_far import Status, ask, status
from tidewire.spark.sync.idle import Idle
from tidewire.spark.sync.kafka import UNKNOWN_TOPIC, why
from tidewire.spark.sync.maintaining.scheduled import MOST
from tidewire.spark.sync.native.unfit import refuse_unfit
from tidewire.spark.sync.offsets import CHECKPOINT, logged, query_id, seen
from tidewire.spark.sync.planned import PlannedTable, planned
from tidewire.spark.sync.sources import Messages, messages_of
from tidewire.spark.sync.staged_files import full, shown
from tidewire.spark.sync.staging import staging_options
from tidewire.spark.sync.state import checked, known, opened
from tidewire.spark.sync.targets.confs import set_for
from tidewire.spark.sync.targets.opened import targets_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from tidewire.spark.sync.dumped import DumpAt
    from tidewire.spark.sync.maintaining.upkeep import Spared

_log = logging.getLogger("tidewire.spark")
_CHECKPOINT = {
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": "false",
    "fs.AbstractFileSystem.file.impl": "org.apache.hadoop.fs.local.RawLocalFs",
}
"""Settings of a stream with a local checkpoint: no checksum files. The manifests record what was read, and each file in
the checkpoint takes Java up to seven processes on a local disk.
"""


class Sync:
    """A synchronisation, as returned by `sync`."""

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
        self._idle = Idle(self._apply_waiting)
        self._busy = threading.Lock()
        """Held while a batch runs."""

    def once(self) -> Status:
        """Reads all messages available now, and brings the tables up to them.

        Raises:
            StateError: the synchronisation has to stop; the text says why.
            TargetError: a table of the target cannot be written.
            SourceError: the messages cannot be read.
        """
        df = self._messages()
        self._batches.scheduled.most = math.inf
        if df.isStreaming:
            try:
                self._start(df, {"availableNow": True})
                self.wait()
            finally:
                self._batches.close()
        else:
            self._batches.stopping.clear()
            before = self._batches.asked()
            self._batches.run(df, "", before.batch + 1, seen(df))
        self._idle.cancel()
        if not self._batches.stopping.is_set():
            with self._busy:
                if self._batches.awaited:
                    self._batches.asked()  # what waited for a later resolved ts
                self._batches.all_applied()
        return self.status()

    def start(self, every: str = "10 seconds") -> Sync:
        """Continues in the background with new messages until `stop`.

        Args:
            every: the interval between micro-batches.

        Raises:
            OptionError: the messages are not a stream.
            SourceError: there is no such topic, or no broker.
        """
        df = self._messages()
        if not df.isStreaming:
            raise OptionError("this frame is no stream, so that nothing more comes: call once(), or give a stream")
        self._batches.scheduled.most = MOST
        self._start(df, {"processingTime": every})
        return self

    def wait(self, seconds: int | None = None) -> bool:
        """Waits until the stream has ended, or for this many seconds.

        Returns:
            Whether it has ended.

        Raises:
            StateError, TargetError, SourceError: the error that ended it.
        """
        if self.query is None:
            return True
        for _ in count() if seconds is None else range(seconds):
            try:
                # Java is asked once a second: signal handlers run in between
                if self.query.awaitTermination(1):
                    if self._failed is not None:
                        raise self._failed
                    return True
            except Exception as error:
                self._ended(error)
            if self._batches.stopping.is_set():
                break
        return False

    def _ended(self, error: Exception) -> NoReturn:
        """Raises the reason why the stream ended, or did not start."""
        if self._failed is not None:
            raise self._failed from None
        if "No space left on device" in str(error):
            raise StateError(
                f"{shown(self.state)} cannot be written (No space left on device): make room, and start again; what was"
                " done counts, and the rest is done then"
            ) from None
        reason = why(error)
        if UNKNOWN_TOPIC in str(error):
            try:
                self._messages()
            except SourceError as found:
                reason = str(found)
        raise SourceError(f"the stream has ended: {reason}") from error

    def ask(self, kind: str, table: str = "", dump: DumpAt | None = None) -> None:
        """Stores a request, which the next batch or the next start carries out; other processes can do so, too (`ask`).

        Args:
            kind: replay: read messages again that could not be read. resume: continue a table that waits for the user.
                reset: rebuild a table from the topic. add: build a table from the topic that was not kept before.
            table: `schema.table`; none for replay.
            dump: for reset and add, the dump (`dumped.found_dump`) that has the table's first rows.

        Raises:
            StateError: there is no such table, or nothing to do.
            DumpError: the dump does not have the table.
        """
        ask(self.state, kind, table, self._batches.chosen.wanted.named, dump)

    def spare(self, spared: Spared) -> None:
        """Sets how long maintenance keeps what other programs may be using; where there are none, it can be shorter."""
        self._batches.scheduled.spared = spared

    def status(self) -> Status:
        """The current progress."""
        return status(self.state)

    def end(self) -> None:
        """Ends the synchronisation after the current step; signal handlers may call it."""
        self._batches.stopping.set()

    def stop(self) -> None:
        """Ends the stream. Completed steps of a batch are kept, and the rest follows after the next start."""
        self.end()
        if self.query is not None:
            with self._busy:
                pass  # the running batch ends; one that begins while Java stops the query needs the lock to end, too
            # where Java ended before us, as of a signal to the group of processes, the query has ended with it
            with suppress(*JAVA_ENDED):
                self.query.stop()
            self.query = None
        self._idle.cancel()
        self._batches.close()

    def _start(self, df: DataFrame, trigger: Mapping[str, Any]) -> None:
        if self.query is not None and self.query.isActive:
            raise OptionError("this synchronisation runs already: stop it first")
        self._failed = None
        self._batches.stopping.clear()
        newest = self._batches.asked()
        writer = df.writeStream.foreachBatch(self._batch).option("checkpointLocation", full(self.state, CHECKPOINT))
        local = "://" not in self.state or self.state.startswith("file://")
        own = {name: one for name, one in _CHECKPOINT.items() if local and df.sparkSession.conf.get(name, None) is None}
        try:
            with self._busy, set_for(df.sparkSession, own):
                self.query = writer.queryName(f"tidewire {shown(self.state)}").trigger(**trigger).start()
                self._idle.after(newest, self._batches.chosen.rules.hold)
        except Exception as error:
            self._ended(error)

    def _apply_waiting(self) -> None:
        """Applies what waits while the resolved ts stands still; an error ends the stream."""
        query = self.query
        if query is None:
            return
        try:
            with self._busy:
                if query.isActive and not self._batches.stopping.is_set():
                    self._batches.all_applied()
        except BaseException as error:
            self._failed = error
            with suppress(*JAVA_ENDED):
                query.stop()

    def _batch(self, df: DataFrame, number: int) -> None:
        try:
            with self._busy:
                if self._failed is not None:
                    raise self._failed
                self._batches.check_stopping()
                read = logged(self.state, number) or seen(df)
                done = self._batches.run(df, query_id(self.state), number, read)
                self._idle.after(done, self._batches.chosen.rules.hold)
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
    history: str | None = None,
    tables: Tables = "*.*",
    options: Mapping[str, Any] | None = None,
    said: Callable[[BatchDone], None] | None = None,
) -> Sync:
    """Keeps tables up to date from TiCDC's messages. All tables are published at the same TSO.

    Args:
        spark: the session, with the jars of the source and of the tables.
        source: options of Spark's Kafka source; or a frame of messages in that source's format, streaming or not; or a
            function that creates one from a session.
        protocol: name of the protocol; None: that of the state, or for a new state that of the first messages.
        into: location of the tables: `iceberg:lake.{schema}.{table}`, `delta:/lake/{schema}/{table}`,
            `parquet:/lake/{schema}/{table}`.
        state: folder for the changelog and the state, writable for workers: a path or a URL of fsspec.
        history: location, like `into`, of additional tables with all changes of each table; None: none.
        tables: patterns of the tables to keep; or a mapping from patterns to options of a table: `{"shop.*": {},
            "shop.audit": {"mode": "history"}, "shop.tmp_*": "skip"}`.
        options: options for reading messages, as in `rows_from_ticdc`; and of the synchronisation:

            schemaChanges: how DDL is followed: evolve, lenient (default), park, stop, ignore.
            consistency: tables (default): tables are published at one TSO. key: each key is in the state of its last
                change, for streams without watermarks or commit timestamps; nothing is published then.
            order: with consistency=key, what orders the changes of a key: commit (commit ts, default); offset (message
                offset), for streams in which some changes have no commit ts.
            late: handling of rows below the resolved ts: count (default): they are left out as replays; verify: those
                that the changelog lacks are reported; stop: the synchronisation stops at them.
            applyAfter: how far changes may be behind the resolved ts before they are applied (and published): those of
                several batches are applied by one commit of each table. Default: each batch is applied at once.
            applyRows: with applyAfter, from how many waiting changes of a table on its own are applied at once
                (100,000).
            keepStaged: how long the changelog is kept for late=verify and late=stop (1h).
            engine: what merges changes into tables of Iceberg and Delta: auto (default): Spark's Python workers where
                they can, otherwise MERGE; native: only workers; merge: only MERGE.
            threads: number of tables that are written at once (4).
            keepPublished: how long records, and the versions that they name, are kept (7d).
            maintainEvery: how often the tables are maintained between two batches, as by `maintain`; default: never.
            compact: whether maintenance writes small files into fewer (true).
            partitions: number of partitions of topics, `topic=3`, for a source other than Kafka.
        said: called after each batch.

    Raises:
        OptionError: an option is unknown or invalid.
        StateError: the state belongs to another source, or to other tables.
        TargetError: `into` is not a location of tables.
        SourceError: there is no such topic, or no broker.
    """
    given = _given(spark, source, protocol, into, state, history, tables, options)
    if checked(*given.identity) is None:
        given.read.every()  # a missing source leaves no state behind
    of = opened(*given.identity)
    read = given.read
    batches = Batches(spark, of, given.reading, given.choice, state, said, read.whole, read.since, read.ids)
    return Sync(spark, given.read.every, batches, state)


def plan(
    spark: SparkSession,
    source: Any,
    protocol: str | None = None,
    *,
    into: str,
    state: str,
    history: str | None = None,
    tables: Tables = "*.*",
    options: Mapping[str, Any] | None = None,
) -> list[PlannedTable]:
    """A preview of what `sync` with the same arguments would create; nothing is created.

    Raises:
        OptionError, StateError, TargetError: as in `sync`; or no message can be read, no broker answers, or a needed
            name belongs to a table of another owner.
    """
    given = _given(spark, source, protocol, into, state, history, tables, options)
    there = checked(*given.identity)
    _, source, target, _, beside = given.identity
    return planned(spark, given.read.first(), source.protocol, given.choice, target, there, beside, state)


class _Given(NamedTuple):
    """The checked arguments of `sync`."""

    read: Messages
    identity: tuple[str, Source, str, str, str]
    choice: Chosen
    reading: ReadOptions


def _given(
    spark: SparkSession,
    source: Any,
    protocol: str | None,
    into: str,
    state: str,
    history: str | None,
    tables: Tables,
    options: Mapping[str, Any] | None,
) -> _Given:
    choice = chosen(tables, options)
    target, beside = targets_of(into, history, choice.by_key)
    refuse_unfit(target, state, choice)
    read = messages_of(spark, source, state)
    if protocol is None:
        before = known(state)
        protocol = _detected(read.first()) if before is None else before.source.protocol
    protocol = load(protocol).NAME
    reading = staging_options(protocol, choice.reading, str(spark.conf.get("spark.sql.session.timeZone")))
    of = state, Source(read.topics, protocol), target, _kept(choice), beside
    return _Given(read, of, choice, reading)


def _kept(choice: Chosen) -> str:
    """The consistency as the state stores it; it is chosen once."""
    return f"key, order={choice.order}" if choice.by_key else "tables"


def _detected(df: DataFrame) -> str:
    """The protocol of messages.

    Raises:
        OptionError: it cannot be determined.
    """
    found, values = _found(df)
    if not found.sure or found.protocol is None:
        unsure = f"it is not sure of which protocol the first {len(values)} messages are: name it"
        raise OptionError(reason(found, values) or f"{unsure}; tidewire detect says more")
    _log.warning("the messages are of protocol %s, by the first %d of them", found.protocol, len(values))
    return str(found.protocol)


def _found(df: DataFrame) -> tuple[Any, list[Any]]:
    """The result of detection, and the first messages that it was based on."""
    names = {name.lower() for name in df.columns}
    rows = df.select("value", *(["key"] if "key" in names else [])).limit(MOST_MESSAGES).collect()
    keys = [row[1] for row in rows] if "key" in names else None
    values = [row[0] for row in rows]
    return tidewire.detect(values, keys, options=False), values


def check_protocol(spark: SparkSession, source: Any, protocol: str) -> None:
    """Refuses a protocol that the first messages certainly do not belong to. A stream other than a topic is not
    checked.

    Args:
        spark, source: as for `sync`.
        protocol: the protocol to check.

    Raises:
        OptionError: the messages are of another protocol.
        SourceError: there is no such topic, or no broker.
    """
    read = messages_of(spark, source)
    if not isinstance(source, Mapping) and read.every().isStreaming:
        return
    found, values = _found(read.first())
    wrong = other_protocol(found, len(values), load(protocol).NAME)
    if wrong is not None:
        raise OptionError(wrong)
