"""Runs one micro-batch after the other: stage, create a manifest, apply to all tables, publish.

After a crash at any point the newest manifest is planned again: tables that already reached a step's end are skipped,
and an unpublished state is published. A batch without a manifest is staged again, under other file names.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from tidewire.reading.options import ReadOptions
from tidewire.spark.sync import plan as planning
from tidewire.spark.sync.answering import Answers
from tidewire.spark.sync.away import when_it_answers
from tidewire.spark.sync.by_key import at_once
from tidewire.spark.sync.changed_protocol import changed_protocol
from tidewire.spark.sync.changed_rows import NO_TS
from tidewire.spark.sync.changelog import (
    Manifest,
    Outcome,
    Position,
    SourceError,
    Staged,
    StateError,
)
from tidewire.spark.sync.choices import Chosen
from tidewire.spark.sync.done import Done, Engine
from tidewire.spark.sync.history_facts import Histories
from tidewire.spark.sync.late import unknown_rows
from tidewire.spark.sync.maintaining.scheduled import Scheduled
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.native.engine import NativeEngine
from tidewire.spark.sync.offsets import Offsets, check_topics, none_since, not_again, partitions
from tidewire.spark.sync.parked_keys import with_ended
from tidewire.spark.sync.plan import TablesPlan, taking_names
from tidewire.spark.sync.publishing import Publishing
from tidewire.spark.sync.requests import AWAITED, Asked, Asking
from tidewire.spark.sync.resolved import advance
from tidewire.spark.sync.retained import Reading
from tidewire.spark.sync.rounds import Part, carry_out
from tidewire.spark.sync.rules import Rules
from tidewire.spark.sync.staged_files import shown
from tidewire.spark.sync.staging import stage
from tidewire.spark.sync.state import Identity, lost_manifests
from tidewire.spark.sync.steps import Steps, apart
from tidewire.spark.sync.targets import TargetError
from tidewire.spark.sync.topic_ids import TopicIds
from tidewire.spark.sync.wanted import Wanted
from tidewire.spark.sync.watermarks import lacks_commit_ts, lacks_watermarks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_log = logging.getLogger("tidewire.spark")


@dataclass(frozen=True)
class BatchDone:
    """The result of a micro-batch.

    Attributes:
        manifest: the newest.
        published: whether all tables are at its resolved ts, and it is published.
        rows: staged rows that were read, by table name.
        seconds: the time that staging, applying and publishing took.
        notes: sentences for the user.
        took: the seconds of each table's steps, by table name; several tables are written at once.
        engines: by table name, what merged its changes.
    """

    manifest: Manifest
    published: bool
    rows: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    notes: Sequence[str] = ()
    took: Mapping[str, float] = field(default_factory=dict)
    engines: Mapping[str, Engine] = field(default_factory=dict)


class Batches:
    """The micro-batches of one synchronisation."""

    def __init__(
        self,
        spark: SparkSession,
        identity: Identity,
        options: ReadOptions,
        chosen: Chosen,
        state: str,
        said: Callable[[BatchDone], None] | None = None,
        whole: Callable[[Mapping[str, Mapping[int, int]]], DataFrame] = not_again,
        since: Reading = none_since,
        ids: TopicIds | None = None,
    ) -> None:
        """

        Args:
            identity: of the state.
            chosen: the user's choices.
            state: the folder of the state.
            said: called after each batch.
            whole, since: give messages again, as for `answering.Answers`.
            ids: the ids of the topics; None where the source is not Kafka.
        """
        self.ids = ids
        self.requests = Asked(state)
        self.identity = identity
        self.options = options
        self.chosen = chosen
        self.state = state
        self.said = said
        self.manifests = Manifests(state, identity.source)
        self.stopping = threading.Event()
        self.steps = Steps(
            spark,
            identity.id,
            identity.into,
            identity.source.protocol,
            options,
            state,
            chosen.rules,
            chosen.order,
            identity.history,
        )
        self.workers = NativeEngine(self.steps, identity, chosen)
        self._threads = ThreadPoolExecutor(chosen.threads)  # threads are kept, as each has its own session
        self.outcomes: Mapping[str, Outcome] | None = None
        self.applied = -1  # the number of the manifest that this process applied last
        self.where: dict[str, Position | None] = {}
        self.notes: list[str] = []  # notes of steps, for the next manifest
        self.answers = Answers(self.steps, identity, chosen, state, self._stage, whole, since)
        self.engines: dict[str, Engine] = {}  # by table id, what merged its changes since the last record
        self.awaited: Mapping[str, str] = {}
        """Tables that requests want to begin with a dump, with what that waits for."""
        self.publishing = Publishing(state, self.steps, self.manifests, chosen)
        self.histories = Histories(state)
        self.scheduled = Scheduled(spark, state, chosen, identity)

    def resume(self) -> Manifest:
        """Applies the newest manifest unless this process has already done so: a crash may have left it unfinished."""
        newest = self.manifests.newest()
        if newest.number != self.applied:
            self.outcomes = None  # unknown at first, and after another process continued in the meantime
        if self.outcomes is None:
            self.publishing.again()
        if not newest.number and self.publishing.records.newest() is not None:
            raise StateError(lost_manifests(self.state))
        if newest.timezone not in ("", self.options.timezone):
            raise StateError(
                f"the state {shown(self.state)} has rows that were read with timezone={newest.timezone}, and"
                f" {self.options.timezone} was asked for: TIMESTAMP would be other times; give the same, or name"
                " another folder as state"
            )
        if self.outcomes is None:
            self.where, self.outcomes, self.applied = {}, {}, newest.number
            if newest.number:
                try:
                    return self.apply(newest, {}, again=True)
                except BaseException:
                    self.outcomes = None
                    raise
        return newest

    def run(self, df: DataFrame, query: str, batch: int, read: Offsets) -> Manifest:
        """Runs one micro-batch. Returns its manifest.

        Args:
            df: its messages.
            query: the id of the streaming query; empty for a frame that is not a stream.
            batch: Spark's number of the batch.
            read: by topic and partition, the offsets after the last messages.
        """
        before = self.asked()
        if query and before.made_for(query, batch):
            return before
        check_topics(self.state, before.offsets, read)
        done = self._create_and_apply(lambda: self._staged(df, query, batch, read, before))
        self.notes += self.scheduled.after_batch(self.publishing, self.stopping.is_set)
        return done

    def asked(self) -> Manifest:
        """Carries out pending user requests, each with a manifest of its own. Returns the newest manifest."""
        newest = self.resume()
        awaited: dict[str, str] = {}
        for one in self.requests.pending(newest):
            if tso := one.waits(newest.resolved):
                awaited[one.table] = AWAITED.format(tso)
                continue
            newest = self._create_and_apply(partial(self._answered, newest, one))
            self.requests.done(one.number)
        self.awaited = awaited
        return newest

    def _create_and_apply(self, create: Callable[[], Manifest]) -> Manifest:
        """Calls `create`, which creates a manifest, and applies the manifest. Returns the newest manifest."""
        started = time.perf_counter()
        try:
            return self.apply(create(), {"stage": time.perf_counter() - started})
        except BaseException:
            self.outcomes = None  # only the tables have the truth now
            raise

    def _stage(
        self,
        df: DataFrame,
        before: Manifest,
        wanted: Wanted,
        resolved: int,
        read: Mapping[str, Mapping[int, int]] = {},
        *,
        firsts: bool = False,
    ) -> Staged:
        """Stages messages."""
        parts = [(topic, one) for topic, each in read.items() for one in each]
        new = [(topic, one) for topic, one in parts if one not in before.watermarks.get(topic, {})]
        return when_it_answers(
            lambda: stage(
                df,
                self.identity.source.protocol,
                self.options,
                self.state,
                f"{before.number + 1:012d}-{secrets.token_hex(8)}",
                wanted=wanted,
                resolved=resolved,
                descriptions=before.descriptions,
                apart=apart,
                few=self.chosen.few,
                by_offset=self.chosen.order == "offset",
                new=() if self.chosen.by_key else new,
                firsts=firsts or any(one not in before.offsets.get(topic, {}) for topic, one in parts),
            ),
            self.stopping,
        )

    def _answered(self, before: Manifest, one: Asking) -> Manifest:
        """Creates the manifest of a request; if the request cannot be carried out, the manifest says why."""
        staged, notes = self.answers.to(one, before, self.outcomes or {})
        return self._advanced(replace(staged, batch=before.batch, query=before.query), before, before.watermarks, notes)

    def _staged(self, df: DataFrame, query: str, batch: int, read: Offsets, before: Manifest) -> Manifest:
        """Stages a batch, and creates its manifest."""
        staged = self._stage(df, before, self.chosen.wanted, before.resolved, read)
        self._same_topics([topic for topic, each in read.items() if each != before.offsets.get(topic)])
        protocol = self.identity.source.protocol
        if other := changed_protocol(self.steps.spark, self.state, protocol, staged):
            raise StateError(other)
        lacks = lacks_commit_ts(protocol, staged, NO_TS, self.chosen.by_key)
        if not self.chosen.by_key:
            lacks = lacks or lacks_watermarks(protocol, before, staged)
        if lacks is not None:
            raise StateError(lacks)
        if self.chosen.rules.late != "count" and not self.chosen.by_key:
            known = self.manifests.rows(before)
            staged = replace(staged, unknown=unknown_rows(self.steps, staged.rows, known, before))
        return self._advanced(replace(staged, batch=batch, query=query, offsets=read), before, read, ())

    def _same_topics(self, read: Sequence[str]) -> None:
        """Refuses messages of topics that were deleted and created again. It is called after the messages were read: a
        topic can be replaced while it is read.
        """
        ids = self.ids
        if ids is not None and read:
            when_it_answers(lambda: ids.check(read), self.stopping)

    def all_applied(self) -> Manifest:
        """Applies the changes that wait for those of later batches, and publishes them. Returns the newest manifest."""
        newest = self.resume()
        if not newest.held:
            return newest
        return self._create_and_apply(lambda: self._without_messages(newest, replace(self.chosen.rules, hold=None)))

    def close(self) -> None:
        """Disconnects from the source; the next batch connects again."""
        if self.ids is not None:
            self.ids.close()

    def _advanced(
        self,
        staged: Staged,
        before: Manifest,
        read: Mapping[str, Mapping[int, int]],
        notes: tuple[str, ...],
    ) -> Manifest:
        """Creates the next manifest."""
        chosen = self.chosen
        told = partitions(read, chosen.partitions)
        if chosen.by_key:
            staged, more = at_once(staged, before.number + 1)
            told, notes = {}, notes + more
        notes, self.notes = (*notes, *self.notes), []
        loads = any(one.kind == "load" for one in staged.requests)
        try:
            merged, without = self.manifests.merged(before, chosen.rules, loads)
            pending = self.manifests.pending(before)
        except StateError:
            if self.manifests.newest().number > before.number:
                raise self._overtaken(before.number + 1) from None
            raise
        staged = replace(
            staged,
            listed=self.manifests.listed(staged.rows, before),
            merged=merged,
            without=without,
            pending=pending,
            awaited=self.awaited,
            outcomes=self.outcomes or {},
        )
        made = advance(before, staged, told, chosen.rules)
        return self._created(replace(made, notes=made.notes + notes) if notes else made)

    def _created(self, manifest: Manifest) -> Manifest:
        """Stores the manifest. Returns it, or the manifest of the same number that another writer stored first with the
        same contents.
        """
        manifest = replace(manifest, timezone=self.options.timezone)
        if self.manifests.create(manifest):
            return manifest
        other = self.manifests.read(manifest.number)
        same = manifest.done or (manifest.query and other.made_for(manifest.query, manifest.batch))
        if same and other.done == manifest.done:
            return other
        raise self._overtaken(manifest.number)

    def _overtaken(self, number: int) -> StateError:
        return StateError(
            f"another process wrote manifest {number} of {shown(self.state)} first: nothing of this batch counts; run"
            " one synchronisation at a time, and start again"
        )

    def apply(self, manifest: Manifest, seconds: dict[str, float], again: bool = False) -> Manifest:
        """Brings all tables to the resolved ts of a manifest and publishes it.

        Tables that refuse a change wait from then on; a further manifest records that.

        Args:
            manifest: the newest.
            seconds: the time taken so far; the rest is added.
            again: whether it was applied before; a reason to stop is then left to the next manifest.

        Raises:
            StateError: the synchronisation has to stop; the text says why.
        """
        for note in manifest.notes:
            _log.warning("%s", note)
        with self.steps.active():
            done = self._applied(manifest, seconds)
        self.applied = done.manifest.number
        if self.said is not None:
            self.said(done)
        if done.manifest.stopped and not again:
            raise StateError(done.manifest.stopped)
        return done.manifest

    def _applied(self, manifest: Manifest, seconds: dict[str, float]) -> BatchDone:
        """Applies a manifest and those that follow from it. Returns the result with the newest one."""
        started = time.perf_counter()
        rows: dict[str, int] = {}
        took: dict[str, float] = {}
        versions: dict[str, tuple[str, int]] = {}
        engines: dict[str, Engine] = {}
        while True:
            plan, done = when_it_answers(partial(self._planned, manifest), self.stopping)
            for number, one in done.items():
                name = manifest.tables[number].name
                rows[name] = rows.get(name, 0) + one.rows
                took[name] = took.get(name, 0.0) + one.seconds
                self.where[number] = one.position
                versions.pop(number, None)
                if one.found is not None:
                    versions[number] = one.found
                if one.engine is not None and not self.identity.into.startswith("parquet:"):
                    engines[number] = one.engine
                self.notes += one.notes
                for note in one.notes:
                    _log.warning("%s", note)
            failures = {number: (one.failure, one.refused) for number, one in done.items() if one.failure}
            for number, reason in plan.lost.items():
                if all(one.by != "failure" for one in manifest.tables[number].parks):
                    failures[number] = reason, 0
            where = {number: at for number, at in self.where.items() if at is not None}
            whole = [number for number in plan.steps if number not in failures]
            staged = partial(self.manifests.to_plan, manifest)
            self.outcomes = with_ended(
                self.steps, manifest, plan, plan.outcomes(where, whole), staged, self.publishing.changed is None
            )
            if not failures:
                break
            for number, (reason, _) in failures.items():
                _log.warning("table %s waits from here on: %s", manifest.tables[number].name, reason)
            manifest = self._without_messages(manifest, self.chosen.rules, failures)
        seconds["apply"] = time.perf_counter() - started
        started = time.perf_counter()
        by_name = {manifest.tables[number].name: one for number, one in engines.items()}
        self.publishing.collect_versions(manifest, whole)
        self.engines |= engines
        if published := self.publishing.publish(manifest, plan, self.where, versions, self.engines):
            self.engines = {}
        self.publishing.collect(manifest, staged=bool(plan.steps) or not manifest.held)
        seconds["publish"] = time.perf_counter() - started
        return BatchDone(manifest, published, rows, seconds, (*manifest.notes, *self.notes), took, by_name)

    def _without_messages(
        self, manifest: Manifest, rules: Rules, failures: Mapping[str, tuple[str, int]] = {}
    ) -> Manifest:
        """Creates the next manifest, which has no messages. Tables that refused a change are parked from it on."""
        staged = Staged(
            manifest.batch,
            query=manifest.query,
            outcomes=self.outcomes or {},
            failures=failures,
        )
        told = {} if self.chosen.by_key else partitions(manifest.watermarks, self.chosen.partitions)
        return self._created(advance(manifest, staged, told, rules))

    def _plan(self, manifest: Manifest) -> TablesPlan:
        """The steps for all tables from their current positions."""
        for number, table in manifest.tables.items():
            if number not in self.where:
                self.where[number] = self.steps.position(number, table)
        for number in self.where.keys() - manifest.tables.keys():
            del self.where[number]
        where = {number: at for number, at in self.where.items() if at is not None}
        plan = planning.plan(manifest, self.manifests.to_plan(manifest), where, self.chosen.rules)
        if plan.ahead:
            names = ", ".join(sorted(manifest.tables[number].name for number in plan.ahead))
            raise StateError(
                f"{names}: ahead of the newest manifest ({manifest.number}) of this state: another process keeps these"
                " tables with a newer one, or the state was restored; run one synchronisation at a time, with its own"
                " state"
            )
        if not self.chosen.by_key:
            self.histories.note(manifest, plan, self.chosen.rules, self.steps.beside is not None)
        return plan

    def _planned(self, manifest: Manifest) -> tuple[TablesPlan, dict[str, Done]]:
        """A plan, and its results."""
        plan = self._plan(manifest)
        self.publishing.written(plan.steps)
        return plan, self._done(manifest, plan)

    def _done(self, manifest: Manifest, plan: TablesPlan) -> dict[str, Done]:
        """Carries out all steps, several tables at once. Tables that rename others out of the way run alone."""
        alone = taking_names(plan.steps, manifest.tables)
        others = {number: steps for number, steps in plan.steps.items() if number not in alone}
        several, workers = partial(self._several, manifest, plan), self.workers.of(manifest)
        done = carry_out(others, several, workers)
        for number in alone:
            done |= carry_out({number: plan.steps[number]}, several, workers)
        return done

    def _several(self, manifest: Manifest, plan: TablesPlan, parts: Mapping[str, Part]) -> dict[str, Done]:
        """Carries out some steps of each table, several tables at once."""
        self.check_stopping()
        if len(parts) <= 1 or self.chosen.threads == 1:
            return {number: self._table(number, manifest, plan, part) for number, part in parts.items()}
        running = {
            number: self._threads.submit(self._table, number, manifest, plan, part) for number, part in parts.items()
        }
        wait(running.values())
        return {number: one.result() for number, one in running.items()}

    def _table(self, number: str, manifest: Manifest, plan: TablesPlan, part: Part) -> Done:
        self.check_stopping()
        try:
            return self.steps.do(number, manifest, plan.steps[number], part)
        except (TargetError, SourceError):
            self.where.pop(number, None)
            raise

    def check_stopping(self) -> None:
        if self.stopping.is_set():
            raise SourceError("it was stopped: what is done of this batch counts, and the rest is done after a start")
