"""One micro-batch after the other: staged, made a manifest of, applied to all tables, published.

After a crash at any point the newest manifest is planned again: tables that are where a step leads are passed over, and
what is not published yet is. A batch that has no manifest is staged again, under other names.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from tidewire.spark.options import ReadOptions
from tidewire.spark.sync import plan as planning
from tidewire.spark.sync.changed_rows import NO_TS
from tidewire.spark.sync.changelog import Manifest, Outcome, Position, SourceError, Staged, StateError
from tidewire.spark.sync.choices import Chosen
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.offsets import Offsets, partitions
from tidewire.spark.sync.plan import TablesPlan
from tidewire.spark.sync.publish import Published, PublishedTable, Record
from tidewire.spark.sync.resolved import advance
from tidewire.spark.sync.staged_files import FOLDER
from tidewire.spark.sync.staging import stage
from tidewire.spark.sync.state import Identity
from tidewire.spark.sync.steps import Done, Steps, apart
from tidewire.spark.sync.storage import storage
from tidewire.spark.sync.targets import TargetError
from tidewire.spark.sync.watermarks import lacks_watermarks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_log = logging.getLogger("tidewire.spark")
DoneT = TypeVar("DoneT")
WAIT_SECONDS = 600
"""How long a registry that does not answer is waited for."""
MOST_PAUSE = 30.0
"""Seconds between two times that it is asked."""


@dataclass(frozen=True)
class BatchDone:
    """What a micro-batch came to.

    Attributes:
        manifest: the newest.
        published: whether all tables are at its resolved ts, which is published.
        rows: staged rows that were read, by the name of the table.
        seconds: what staging, applying and publishing took.
    """

    manifest: Manifest
    published: bool
    rows: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)


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
    ) -> None:
        """
        Args:
            spark: the session.
            identity: of the state.
            options: with which messages are read.
            chosen: what a person chose.
            state: the folder.
            said: called after each batch.
        """
        self.identity = identity
        self.options = options
        self.chosen = chosen
        self.state = state
        self.said = said
        self.manifests = Manifests(state, identity.source)
        self.published = Published(state)
        self.stopping = threading.Event()
        self.steps = Steps(spark, identity.id, identity.into, identity.source.protocol, options, state, chosen.rules)
        self.outcomes: Mapping[str, Outcome] | None = None
        self.where: dict[str, Position | None] = {}

    def resume(self) -> Manifest:
        """Does what the newest manifest says, if this process has not done so: a crash may have left it undone."""
        newest = self.manifests.newest()
        if self.outcomes is None:
            self.where = {}
            self.outcomes = {}
            if newest.number:
                try:
                    return self.apply(newest, {})
                except BaseException:
                    self.outcomes = None
                    raise
        return newest

    def run(self, df: DataFrame, query: str, batch: int, read: Offsets) -> Manifest:
        """One micro-batch.

        Args:
            df: its messages.
            query: the streaming query; empty for a frame that is no stream.
            batch: Spark's number of it.
            read: up to where it reads, by all partitions.
        """
        before = self.resume()
        if query and before.made_for(query, batch):
            return before
        started = time.perf_counter()
        try:
            manifest = self._staged(df, query, batch, read, before)
            return self.apply(manifest, {"stage": time.perf_counter() - started})
        except BaseException:
            self.outcomes = None  # what is true is in the tables
            raise

    def _staged(self, df: DataFrame, query: str, batch: int, read: Offsets, before: Manifest) -> Manifest:
        """Stages a batch, and creates its manifest."""
        chosen = self.chosen
        staged = self._when_all_are_read(
            lambda: stage(
                df,
                self.identity.source.protocol,
                self.options,
                self.state,
                f"{before.number + 1:012d}-{secrets.token_hex(8)}",
                batch=batch,
                query=query,
                wanted=chosen.wanted,
                resolved=before.resolved,
                descriptions=before.descriptions,
                apart=apart,
                few=chosen.few,
            )
        )
        if (lacks := lacks_watermarks(self.identity.source.protocol, before, staged, NO_TS)) is not None:
            raise StateError(lacks)
        merged, without = self.manifests.merged(before, chosen.rules)
        staged = replace(
            staged,
            listed=self.manifests.listed(staged.rows, before),
            merged=merged,
            without=without,
            offsets=read,
            outcomes=self.outcomes or {},
        )
        return self._created(advance(before, staged, partitions(read, chosen.partitions), chosen.rules))

    def _when_all_are_read(self, what: Callable[[], DoneT]) -> DoneT:
        """Reads messages, and does it again while a registry does not answer, for `WAIT_SECONDS` at most.

        Raises:
            SourceError: it did not answer in all that time, or the synchronisation was stopped.
        """
        end = time.monotonic() + WAIT_SECONDS
        pause = 1.0
        while True:
            try:
                return what()
            except SourceError as error:
                left = end - time.monotonic()
                if left <= 0 or self.stopping.is_set():
                    raise
                _log.warning("%s, for %d seconds more at most", error, left)
                if self.stopping.wait(min(pause, left)):
                    raise
                pause = min(2 * pause, MOST_PAUSE)

    def _created(self, manifest: Manifest) -> Manifest:
        """The manifest of this number: this one, or that of another writer, who was first."""
        return manifest if self.manifests.create(manifest) else self.manifests.read(manifest.number)

    def apply(self, manifest: Manifest, seconds: dict[str, float]) -> Manifest:
        """Brings all tables to the resolved ts of a manifest and publishes it.

        Tables that refuse what is to be applied wait from then on, which a manifest of its own says.

        Raises:
            StateError: the synchronisation has to stop; the text says why.
        """
        started = time.perf_counter()
        rows: dict[str, int] = {}
        for note in manifest.notes:
            _log.warning("%s", note)
        while True:
            plan, done = self._when_all_are_read(partial(self._planned, manifest))
            for number, one in done.items():
                name = manifest.tables[number].name
                rows[name] = rows.get(name, 0) + one.rows
                self.where[number] = one.position
            failures = {number: one.failure for number, one in done.items() if one.failure}
            for number, reason in plan.lost.items():
                if all(one.by != "failure" for one in manifest.tables[number].parks):
                    failures[number] = reason
            where = {number: at for number, at in self.where.items() if at is not None}
            whole = [number for number in plan.steps if number not in failures]
            self.outcomes = plan.outcomes(where, whole)
            if not failures:
                break
            for number, reason in failures.items():
                _log.warning("table %s waits from here on: %s", manifest.tables[number].name, reason)
            manifest = self._waiting(manifest, failures)
        seconds["apply"] = time.perf_counter() - started
        started = time.perf_counter()
        published = self._publish(manifest, plan)
        self._collect(manifest, [number for number in plan.steps if number in whole])
        seconds["publish"] = time.perf_counter() - started
        if self.said is not None:
            self.said(BatchDone(manifest, published, rows, seconds))
        if manifest.stopped:
            raise StateError(manifest.stopped)
        return manifest

    def _waiting(self, manifest: Manifest, failures: Mapping[str, str]) -> Manifest:
        """The next manifest, in which tables wait because of what they refused; it has no messages."""
        staged = Staged(
            manifest.batch,
            query=manifest.query,
            outcomes=self.outcomes or {},
            failures=failures,
        )
        told = partitions(manifest.watermarks, self.chosen.partitions)
        return self._created(advance(manifest, staged, told, self.chosen.rules))

    def _plan(self, manifest: Manifest) -> TablesPlan:
        """What is to be done, by where the tables are."""
        for number, table in manifest.tables.items():
            if number not in self.where:
                found = self.steps.table(number, table)
                self.where[number] = None if found is None else found.position()
        for number in self.where.keys() - manifest.tables.keys():
            del self.where[number]
        where = {number: at for number, at in self.where.items() if at is not None}
        plan = planning.plan(manifest, self.manifests.rows(manifest), where, self.chosen.rules)
        if plan.ahead:
            names = ", ".join(sorted(manifest.tables[number].name for number in plan.ahead))
            raise StateError(
                f"{names}: ahead of the newest manifest ({manifest.number}) of this state: another process keeps these"
                " tables with a newer one, or the state was restored; run one synchronisation at a time, with its own"
                " state"
            )
        return plan

    def _planned(self, manifest: Manifest) -> tuple[TablesPlan, dict[str, Done]]:
        """A plan, and what came of it."""
        plan = self._plan(manifest)
        return plan, self._done(manifest, plan)

    def _done(self, manifest: Manifest, plan: TablesPlan) -> dict[str, Done]:
        """Does all steps; those of different tables at once."""
        if len(plan.steps) == 1 or self.chosen.threads == 1:
            return {number: self._table(number, manifest, plan) for number in plan.steps}
        with ThreadPoolExecutor(min(self.chosen.threads, max(1, len(plan.steps)))) as pool:
            running = {number: pool.submit(self._table, number, manifest, plan) for number in plan.steps}
            return {number: one.result() for number, one in running.items()}

    def _table(self, number: str, manifest: Manifest, plan: TablesPlan) -> Done:
        try:
            return self.steps.do(number, manifest, plan.steps[number])
        except (TargetError, SourceError):
            self.where.pop(number, None)
            raise

    def _publish(self, manifest: Manifest, plan: TablesPlan) -> bool:
        """Writes the record of a resolved ts, when all tables are there."""
        resolved = manifest.resolved
        every = self.published.resolved()
        if not resolved or (every and every[-1] >= resolved):
            return False
        before = self.published.read(every[-1]) if every else None
        known = {table.number: table for table in before.tables.values()} if before is not None else {}
        tables: dict[str, PublishedTable] = {}
        for name, number in manifest.names.items():
            at = self.where.get(number)
            if at is None:
                continue  # no row and no statement of it came yet
            parked = plan.parked.get(number)
            old = known.get(number)
            if old is not None and number not in plan.steps and old.position == at and old.place == name:
                tables[name] = old._replace(parked=parked.reason if parked is not None else "")
                continue
            there = self.steps.table(number, manifest.tables[number])
            if there is None:
                raise StateError(f"table {name} is gone: another program dropped it while it was written; start again")
            tables[name] = PublishedTable(
                number, there.name, there.version(), at, parked.reason if parked is not None else ""
            )
        return self.published.create(Record(resolved, manifest.number, tables))

    def _collect(self, manifest: Manifest, written: list[str]) -> None:
        """Removes what nobody needs any more."""
        needed = self.manifests.collect(manifest, self.chosen.rules)
        files = storage(self.state)
        for folder in files.names(FOLDER):
            number = folder.split("-", 1)[0]
            if not number.isdigit() or int(number) > manifest.number:
                continue
            paths = [f"{FOLDER}/{folder}/{name}" for name in files.names(f"{FOLDER}/{folder}")]
            if needed.isdisjoint(paths):
                files.remove_folder(f"{FOLDER}/{folder}")
                continue
            for path in paths:
                if path not in needed:
                    files.remove(path)
        self.published.forget(self.chosen.keep_published)
        if written:
            versions = self.published.versions()
            for number in written:
                there = self.steps.table(number, manifest.tables[number])
                if there is not None:
                    there.collect(versions.get(number, set()))
