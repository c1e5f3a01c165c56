"""Carries out the steps of a plan on the tables of the target."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING

from tidewire.reading.options import ReadOptions
from tidewire.reading.types import SchemaError
from tidewire.runtime.tables.sql_altered import actions_of
from tidewire.spark.sync.altering import TYPES_OF_TABLES
from tidewire.spark.sync.by_key import Orders
from tidewire.spark.sync.changelog import (
    Action,
    Manifest,
    Position,
    TargetTable,
    action_of,
)
from tidewire.spark.sync.done import Done
from tidewire.spark.sync.facts import SeenStatement
from tidewire.spark.sync.failures import sentence_of
from tidewire.spark.sync.plan import Alter, Apply, Create, Load, Rename, Repair, Step, names_of, of_history
from tidewire.spark.sync.rounds import Part
from tidewire.spark.sync.rules import Rules
from tidewire.spark.sync.targets import FenceError, Table, Tables, TargetError, find
from tidewire.spark.sync.targets.confs import active, separate
from tidewire.spark.sync.targets.opened import tables_of
from tidewire.spark.sync.targets.places import Places
from tidewire.spark.sync.writing import Writing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def apart(seen: SeenStatement) -> tuple[Action, ...]:
    """The actions of a statement."""
    return tuple(action_of(one) for one in actions_of(seen.query, TYPES_OF_TABLES, seen.schema))


class Steps:
    """Carries out steps.

    Several threads can write tables at once, each with its own session.
    """

    def __init__(
        self,
        spark: SparkSession,
        owner: str,
        target: str,
        protocol: str,
        options: ReadOptions,
        state: str,
        rules: Rules,
        order: str = "",
        beside: str = "",
        suffix: str = "",
    ) -> None:
        """Args:
            spark: the session of the calling thread.
            owner: the id of the synchronisation.
            target: of `targets.opened.target_of`.
            protocol, options: with which rows were staged.
            state: the state's location.
            rules: the choices for tables.
            order: with consistency=key, what orders the changes of a key (`by_key.py`); otherwise empty.
            beside: where history tables are kept beside the tables; empty for none.
            suffix: of the ids of these history tables.
        """
        self.suffix = suffix
        self.places = Places(target, beside, rules.history, bool(order))
        self.beside: Steps | None = None
        if beside:
            every = replace(rules, history=lambda _: True)
            self.beside = Steps(spark, owner, beside, protocol, options, state, every, suffix="h")
        self.order = order
        self.spark = spark
        self.owner = owner
        self.target = target
        self.protocol = protocol
        self.options = options
        self.state = state
        self.rules = rules
        self._mine = threading.local()

    def table(self, number: str, table: TargetTable) -> Table | None:
        """The table of the target, under any name that it can have after a crash."""
        return find(self._tables(), f"{self.owner}/{number}{self.suffix}", names_of(table))

    def owner_of(self, name: str) -> str | None:
        """The id of the synchronisation that a table of the target belongs to; empty for a table of another program,
        None if there is no such table.
        """
        with self.active():
            found = self._tables().table(name, f"{self.owner}/").found_owner()
        return None if found is None else found.rpartition("/")[0]

    def collect(self, number: str, table: TargetTable, *named: tuple[int, int] | None) -> None:
        """Removes old versions of a table, and of its history table.

        Args:
            number, table: the table.
            named: the oldest and the newest of its versions that records name, then of those of its history table; None
                if unknown.
        """
        if self.beside is not None:
            self.beside.collect(number, table, *named[1:])
        if not self._tables().collects or (there := self.table(number, table)) is None:
            return
        if self.order:
            there.collect(*[there.version()] * 2)  # no record names these
        elif named and named[0] is not None:
            there.collect(*named[0])
        if self.order:
            orders = Orders(self._tables(), table.name, there.owner).table
            orders.collect(*[orders.version()] * 2)

    def position(self, number: str, table: TargetTable) -> Position | None:
        """The position of a table; None if it does not exist."""
        found = self.table(number, table)
        if found is None:
            return None
        here = found.position()
        if not self.order or here is None:
            return here
        behind = Orders(self._tables(), table.name, found.owner).position()
        return None if behind is None else min(here, behind)

    def do(self, number: str, manifest: Manifest, steps: Sequence[Step], part: Part) -> Done:
        """Carries out some steps of one table, in order.

        Args:
            number: the table's id.
            manifest: the planned manifest.
            steps: all steps of the table.
            part: which of them.

        Raises:
            FenceError: another writer was faster.
            TargetError: a table of that name exists and has another owner.
        """
        with self.active():
            return self._do(number, manifest, steps, steps[part.first : part.end], part.beside)

    def widened(self, step: Apply | Repair, manifest: Manifest) -> Apply | Repair:
        """Adds columns that rows have and the table lacks, where rows may do so. Returns the step with the files that
        have rows of it; if none has, the step is done.
        """
        with self.active():
            one = Writing(self, self._tables(), step.table, manifest, [step])
            files = one.widened(step)
            if not files:
                one.step(step)
        return step._replace(files=files)

    def _do(
        self, number: str, manifest: Manifest, steps: Sequence[Step], part: Sequence[Step], beside: bool
    ) -> Done:
        one = Writing(self, self._tables(), number, manifest, steps)
        history = None
        if self.beside is not None and not self.rules.history(manifest.tables[number].name):
            history = Writing(self.beside, self.beside._tables(), number, manifest, steps)
        failure = ""
        began = time.perf_counter()
        try:
            for step in part:
                # the history table first: a repeated plan only looks at the position of the main table
                if isinstance(step, Create | Load | Rename):
                    one.check_place(step)
                if history is not None and (change := history.left_of(of_history(step))) is not None:
                    history.step(change)
                if not beside:
                    one.step(step)
        except FenceError:
            raise
        except (SchemaError, TargetError) as error:
            if one.taken():
                raise
            failure = str(error)
        except Exception as error:  # an error of a worker, however Spark or its bridge to Python wrapped it
            one.not_overtaken(step)
            failure = sentence_of(error, step.name)
        position = None if failure else part[-1].at if beside else part[-1].to
        if failure and one.making is None:
            position = one.table.position() if one.table is not None else step.at
        refused = step.to.ts if failure and isinstance(step, Alter) else 0
        return Done(position, one.rows, failure, one.notes, time.perf_counter() - began, refused)

    def active(self) -> AbstractContextManager[None]:
        """Makes this thread's session the active one of its JVM while the block runs: catalogs are looked up there."""
        return active(self._tables().spark)

    def _tables(self) -> Tables:
        """The target in a session used by this thread only: settings change while rows are written."""
        found: Tables | None = getattr(self._mine, "tables", None)
        if found is None:
            found = self._mine.tables = tables_of(separate(self.spark), self.target)
        return found
