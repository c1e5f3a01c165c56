"""Carries out the steps of a plan on the tables of the target."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from pyspark.sql.types import StructType

from tidewire.reading.options import ReadOptions
from tidewire.reading.types import SchemaError
from tidewire.runtime.tables.sql_altered import actions_of
from tidewire.spark.sync.adopted import adoptable
from tidewire.spark.sync.altering import TYPES_OF_TABLES, changes_of, columns_of_struct, declared_columns
from tidewire.spark.sync.by_key import ORDER, Orders
from tidewire.spark.sync.changelog import (
    Action,
    Manifest,
    Position,
    StagedRows,
    TargetTable,
    action_of,
)
from tidewire.spark.sync.declared import key_said
from tidewire.spark.sync.done import Done
from tidewire.spark.sync.equal_rows import NTH
from tidewire.spark.sync.facts import SeenStatement
from tidewire.spark.sync.failures import sentence_of
from tidewire.spark.sync.plan import (
    Alter,
    Append,
    Apply,
    Create,
    End,
    Load,
    Rename,
    Repair,
    Step,
    names_of,
    of_history,
)
from tidewire.spark.sync.reading import changes, columns_of
from tidewire.spark.sync.rules import COLUMNS, Rules
from tidewire.spark.sync.shapes import METADATA, Shape
from tidewire.spark.sync.targets import (
    CHANGE_TYPE,
    ONE_TASK,
    AddColumn,
    Change,
    ChangeType,
    Column,
    FenceError,
    Respell,
    Table,
    Tables,
    TargetError,
    fenced,
    find,
)
from tidewire.spark.sync.targets.confs import active, separate
from tidewire.spark.sync.targets.opened import tables_of
from tidewire.spark.sync.targets.places import Places
from tidewire.spark.sync.targets.shapes import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_HISTORY = (Column(CHANGE_TYPE, "string"), *ORDER)
"""The columns of a history table after those of its rows."""


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

    def do(self, number: str, manifest: Manifest, steps: Sequence[Step]) -> Done:
        """Carries out all steps of one table, in order.

        Args:
            number: the table's id.
            manifest: the planned manifest.
            steps: of the table.

        Raises:
            FenceError: another writer was faster.
            TargetError: a table of that name exists and has another owner.
        """
        with self.active():
            return self._do(number, manifest, steps)

    def _do(self, number: str, manifest: Manifest, steps: Sequence[Step]) -> Done:
        one = _Writing(self, self._tables(), number, manifest, steps)
        history = None
        if self.beside is not None and not self.rules.history(manifest.tables[number].name):
            history = _Writing(self.beside, self.beside._tables(), number, manifest, steps)
        failure = ""
        began = time.perf_counter()
        try:
            for step in steps:
                # the history table first: a repeated plan only looks at the position of the main table
                if isinstance(step, Create | Rename):
                    one.check_place(step)
                if history is not None and (change := history.left_of(of_history(step))) is not None:
                    history.step(change)
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
        position = None if failure else steps[-1].to
        if failure and one.table is not None and one.making is None:
            position = one.table.position()
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


class _Writing:
    """One table while its steps are carried out."""

    def __init__(self, all: Steps, tables: Tables, number: str, manifest: Manifest, steps: Sequence[Step]) -> None:
        self.all = all
        self.tables = tables
        self.number = number
        self.owner = f"{all.owner}/{number}{all.suffix}"
        self.manifest = manifest
        self.known = manifest.tables[number]
        self.steps = steps
        self.table: Table | None = None
        self.making: Table | None = None
        self.rows = 0
        self.notes: list[str] = []
        self.there: tuple[Column, ...] | None = None

    def check_place(self, step: Create | Rename) -> None:
        """Refuses a name that has the same location in the target as another table.

        Raises:
            TargetError: there is such a table.
        """
        if isinstance(step, Rename):
            self._there(step)  # a refused table has a position, too
        there = self.tables.table(step.name, self.owner).found_owner
        self.all.places.check_new(
            step.name, self.number, self.manifest.names, lambda other: there() == f"{self.all.owner}/{other}"
        )

    def taken(self) -> bool:
        """Whether the name of a table to be created belongs to another owner."""
        if self.making is None:
            return False
        found = self.making.found_owner()
        return found is not None and found.rpartition("/")[0] != self.all.owner

    def not_overtaken(self, step: Step) -> None:
        """Checks after an error that the table is still where the step starts: a newer writer removes staged files.

        Raises:
            FenceError: another writer was faster.
        """
        if self.table is not None and step.at is not None:
            found = self.table.position()
            if found not in (step.at, step.to):
                raise fenced(self.table, found, step.at) from None

    def left_of(self, step: Step | None) -> Step | None:
        """The rest of a step; None if nothing is left. A history table may be ahead of its table, if that refused rows.
        """
        if step is None or isinstance(step, Create | Load):
            return step
        here = self._there(step).position()
        if here is None or step.at is None or here <= step.at:
            return step
        if here >= step.to:
            return None
        return step._replace(lo=max(step.lo, here.ts), at=here) if isinstance(step, Append) else step

    def step(self, step: Step) -> None:
        """Carries out one step, in the session in which the table is written."""
        with active(self.tables.spark):
            self._step(step)

    def _step(self, step: Step) -> None:
        if isinstance(step, Create):
            self.making = self.table = self.tables.table(step.name, self.owner)
            columns = self._columns(step)
            if self.all.order:
                self._orders(step.name).create(columns, self._keys(self._first_files()), step.to)
            self.table.create(columns, step.to)
            self.making = None
            return
        if isinstance(step, Load):
            raise TargetError(f"table {step.name}: dumps are not loaded by this version")
        table = self._there(step)
        if isinstance(step, Apply | Append):
            self._same_kind(table, step)
        if isinstance(step, Apply):
            self._widen(table, step)
            rows, keys = self._last(table, step.name, step.lo, step.hi, step.files, leave=step.leave)
            if self.all.order:
                self._apply_later(table, rows, keys, step)
            else:
                table.apply(rows, keys, step.at, step.to, _few(step.files))
        elif isinstance(step, Repair):
            rows, keys = self._last(table, step.name, min(step.keys.values()), step.hi, step.files, only=step.keys)
            table.apply(rows, keys, step.at, step.to, _few(step.files))
        elif isinstance(step, Append):
            self._widen(table, step)
            paths = adoptable(self.all.state, step.files, step.lo, step.hi, self._now(table))
            if paths is not None and table.adopt(paths, step.at, step.to):
                self.rows += sum(one.rows for one in step.files)
            else:
                rows = self._changes(table, step.name, step.lo, step.hi, step.files, merge=False)
                table.append(rows.dropDuplicates().drop(NTH), step.at, step.to)
        elif isinstance(step, Alter):
            changes, notes = changes_of(
                step.name,
                step.actions,
                self.all.options,
                step.to.ts,
                self._now(table),
                self.all.rules.history(self.known.name),
            )
            table.alter(self._needed(table, changes), step.at, step.to)
            self.there = None
            self.notes += notes
        elif isinstance(step, Rename):
            table.rename(step.name, step.at, step.to)
        else:
            assert isinstance(step, End)
            table.end(step.at, step.to)

    def _same_kind(self, table: Table, step: Apply | Append) -> None:
        """Refuses rows for a table that was created with another mode (state or history)."""
        history = {name.lower() for name in METADATA} <= {one.name.lower() for one in self._now(table)}
        if history != isinstance(step, Append):
            modes = ("history", "state") if history else ("state", "history")
            raise TargetError(
                f"table {step.name} was made with mode {modes[0]}, and {modes[1]} was chosen since: choose {modes[0]}"
                f" again, or run tidewire sync reset FILE {step.name}"
            )

    def _needed(self, table: Table, changes: Sequence[Change]) -> list[Change]:
        """The changes without those that reformat values and change none: the table would be rewritten needlessly."""
        if any(not isinstance(one, ChangeType | Respell) for one in changes):
            return list(changes)  # names may refer to other columns afterwards
        left = []
        for one in changes:
            if isinstance(one, Respell):
                old = quoted(one.name)
                differs = f"not ({one.value.format(old)} <=> {old})"
                if table.read(table.version()).where(differs).isEmpty():
                    continue
            left.append(one)
        return left

    def _there(self, step: Step) -> Table:
        if self.table is None:
            self.table = find(self.tables, self.owner, names_of(self.known)) or self.tables.table(step.name, self.owner)
        return self.table

    def _columns(self, step: Create) -> tuple[Column, ...]:
        """The columns of a new table: from its statement, otherwise from the next rows."""
        found = self._declared(step)
        if not found:
            files = self._first_files()
            found = columns_of_struct(columns_of(files)) if files else ()
        if not found:
            raise TargetError(f"table {step.name} has no columns that a statement or a row tells: add it from a dump")
        return (*found, *_HISTORY) if self.all.rules.history(self.known.name) else found

    def _first_files(self) -> Sequence[StagedRows]:
        """The files of the next rows."""
        return next((one.files for one in self.steps if isinstance(one, Apply | Append | Repair)), ())

    def _declared(self, step: Create) -> tuple[Column, ...]:
        if step.columns is None:
            return ()
        facts = dict(step.columns.facts)
        if facts.get("like"):
            number = self.manifest.names.get(facts["like"])
            other = None
            if number is not None and number in self.manifest.tables:
                known = self.manifest.tables[number]
                if any(action.kind in COLUMNS for event in known.events for action in event.actions):
                    return ()  # the table was or will be changed: only rows show the columns it had then
                other = find(self.tables, f"{self.all.owner}/{number}{self.all.suffix}", names_of(known))
            like = (None if other is None else other.columns()) or ()
            return tuple(one for one in like if one.name not in METADATA)
        columns = [dict(one) for one in facts.get("columns") or ()]
        return declared_columns(step.name, [tuple(one.items()) for one in columns], self.all.options)

    def _changes(
        self,
        table: Table,
        name: str,
        lo: int,
        hi: int,
        files: Sequence[StagedRows],
        leave: Mapping[str, tuple[int, ...]] | None = None,
        only: Mapping[str, int] | None = None,
        merge: bool = True,
        latest: Sequence[str] = (),
    ) -> DataFrame:
        """The staged changes, with the columns that the table has. If `latest` has the columns of a key, only the last
        change of each key.
        """
        there = [one for one in self._now(table) if merge or one.name.lower() not in METADATA]
        columns = cast(StructType, StructType.fromDDL(", ".join(f"{quoted(one.name)} {one.type}" for one in there)))
        over: list[str] = []
        if self.all.rules.mode(name) == "ignore":
            over = [field.name for field in columns_of(files)]
        self.rows += sum(one.rows for one in files)
        return changes(
            table.spark,
            self.all.protocol,
            self.all.options,
            self.all.state,
            name,
            columns,
            files,
            lo,
            hi,
            descriptions=self.manifest.descriptions,
            passed_over=over,
            leave=leave,
            only=only,
            merge=merge,
            nth=not merge,
            order=self.all.order,
            in_one=merge and _few(files),
            latest=latest,
        )

    def _last(
        self,
        table: Table,
        name: str,
        lo: int,
        hi: int,
        files: Sequence[StagedRows],
        leave: Mapping[str, tuple[int, ...]] | None = None,
        only: Mapping[str, int] | None = None,
    ) -> tuple[DataFrame, list[str]]:
        """The last change of each key, and the columns of the key."""
        keys = self._keys(files)
        if len(differ := {key for one in files if (key := key_said(one.shape))}) > 1:
            texts = " and others by ".join(", ".join(sorted(one)) for one in sorted(differ, key=sorted))
            raise SchemaError(
                f"{name}: of the rows from {lo} to {hi} some are told apart by {texts}: its handle key was changed more"
                f" than once, and nothing tells between which rows; build it anew with tidewire sync reset FILE {name}"
            )
        there = {one.name.lower() for one in self._now(table)}
        if lacking := [one for one in keys if one.lower() not in there]:
            raise SchemaError(
                f"{name}: rows have the key column {lacking[0]!r}, which the table has not: build the table anew"
            )
        return self._changes(table, name, lo, hi, files, leave, only, latest=keys), keys

    def _keys(self, files: Sequence[StagedRows]) -> list[str]:
        """The columns of the key, from the newest rows."""
        newest = max(files, key=lambda one: one.hi)
        return [column.name for column in Shape.parse(newest.shape).keys]

    def _orders(self, name: str) -> Orders:
        return Orders(self.tables, name, self.owner)

    def _apply_later(self, table: Table, last: DataFrame, keys: Sequence[str], step: Apply) -> None:
        """Merges the changes that are later than those applied before, then stores their order."""
        orders = self._orders(step.name)
        orders.check(step.name, keys)
        last = last.persist()
        try:
            table.apply(orders.later(last, keys).drop(*(one.name for one in ORDER)), keys, step.at, step.to)
            orders.apply(last, keys, step.at, step.to)
        finally:
            last.unpersist()

    def _now(self, table: Table) -> tuple[Column, ...]:
        """The columns of the table, cached until they change."""
        if self.there is None:
            self.there = tuple(table.columns() or ())
        return self.there

    def _widen(self, table: Table, step: Apply | Append) -> None:
        """Adds columns that rows have and the table lacks, if no statement added them."""
        if self.all.rules.mode(step.name) not in ("evolve", "lenient"):
            return
        there = {one.name.lower() for one in self._now(table)}
        new = [one for one in columns_of_struct(columns_of(step.files)) if one.name.lower() not in there]
        if new and table.position() == step.at:
            table.alter([AddColumn(*one) for one in new], step.at, step.at)
            self.there = None


def _few(files: Sequence[StagedRows]) -> bool:
    """Whether one task is best for the rows of these files."""
    return sum(one.rows for one in files) <= ONE_TASK
