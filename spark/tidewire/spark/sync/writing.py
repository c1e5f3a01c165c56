"""One table of the target while the steps of a plan are carried out on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from tidewire.reading.database.dumped_text import DumpError
from tidewire.reading.options import ReadOptions
from tidewire.reading.types import SchemaError
from tidewire.spark.sync.adopted import adoptable
from tidewire.spark.sync.altering import changes_of, columns_of_struct, declared_columns
from tidewire.spark.sync.by_key import ORDER, Orders
from tidewire.spark.sync.changelog import Manifest, Position, StagedRows
from tidewire.spark.sync.declared import key_said
from tidewire.spark.sync.dump_rows import rows_of, table_of
from tidewire.spark.sync.dumped import DumpAt
from tidewire.spark.sync.equal_rows import NTH
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
)
from tidewire.spark.sync.reading import changes, columns_of
from tidewire.spark.sync.rules import COLUMNS, Rules
from tidewire.spark.sync.shapes import METADATA, Shape
from tidewire.spark.sync.staged_files import MESSAGES, holds
from tidewire.spark.sync.targets import (
    CHANGE_TYPE,
    ONE_TASK,
    AddColumn,
    Change,
    ChangeType,
    Column,
    Respell,
    Table,
    Tables,
    TargetError,
    fenced,
    find,
)
from tidewire.spark.sync.targets.confs import active
from tidewire.spark.sync.targets.places import Places
from tidewire.spark.sync.targets.shapes import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_HISTORY = (Column(CHANGE_TYPE, "string"), *ORDER)
"""The columns of a history table after those of its rows."""


EMPTY, LOADED = Position(0), Position(0, 1)
"""The positions of a table that is made of a dump: before it has the rows, and before they are known to be right."""


class OfAll(Protocol):
    """What is the same for all tables; `steps.Steps` documents it."""

    owner: str
    suffix: str
    order: str
    protocol: str
    options: ReadOptions
    state: str
    rules: Rules
    places: Places


class Writing:
    """One table while its steps are carried out."""

    def __init__(self, all: OfAll, tables: Tables, number: str, manifest: Manifest, steps: Sequence[Step]) -> None:
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

    def check_place(self, step: Create | Load | Rename) -> None:
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
            self._load(step)
            return
        table = self._there(step)
        if isinstance(step, Apply | Append):
            self._same_kind(table, step)
        if isinstance(step, Apply | Append | Repair):
            step = step._replace(files=self._widened(table, step))
            if not step.files:
                if step.to != step.at:
                    table.append(table.read(table.version()).limit(0), step.at, step.to)
                return
        if isinstance(step, Apply):
            rows, keys = self._last(table, step.name, step.lo, step.hi, step.files, leave=step.leave)
            if self.all.order:
                self._apply_later(table, rows, keys, step)
            else:
                table.apply(rows, keys, step.at, step.to, _few(step.files))
        elif isinstance(step, Repair):
            rows, keys = self._last(table, step.name, min(step.keys.values()), step.hi, step.files, only=step.keys)
            table.apply(rows, keys, step.at, step.to, _few(step.files))
        elif isinstance(step, Append):
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

    def _load(self, step: Load) -> None:
        """Creates the table, adds all rows of the dump in one commit, and marks them as the table's if they have
        different keys.
        """
        history = self.all.rules.history(self.known.name)
        try:
            dumped = table_of(DumpAt.parse(step.dump).opened(), step.source, self.all.options)
        except DumpError as error:
            raise TargetError(str(error)) from None
        self.making = self.table = self.tables.table(step.name, self.owner)
        columns = columns_of_struct(dumped.shape.struct())
        self.table.create((*columns, *_HISTORY) if history else columns, EMPTY)
        self.making = None
        self.table.append(rows_of(self.tables.spark, dumped, history), EMPTY, LOADED)
        there = self.table.read(self.table.version())
        keys = [quoted(one.name) for one in dumped.shape.keys]
        counted = there.groupBy(*keys).agg(F.count("*").alias(CHANGE_TYPE))  # no column of a key is called so
        if keys and not counted.where(f"{CHANGE_TYPE} > 1").isEmpty():
            raise TargetError(
                f"table {step.source} of the dump in {dumped.dump.place} has rows with the same key"
                f" ({', '.join(one.name for one in dumped.shape.keys)}): two dumps may be in the folder; dump into an"
                f" empty one, and run tidewire sync reset FILE {step.name} --dump DIR"
            )
        self.table.append(there.limit(0), LOADED, step.to)

    def widened(self, step: Apply | Repair) -> tuple[StagedRows, ...]:
        """Adds columns that rows have and the table lacks, if no statement added them. Returns the files with rows of
        the step.
        """
        with active(self.tables.spark):
            return self._widened(self._there(step), step)

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
        columns = _struct(there)
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

    def _widened(self, table: Table, step: Apply | Append | Repair) -> tuple[StagedRows, ...]:
        there = {one.name.lower() for one in self._now(table)}

        def new_in(files: Sequence[StagedRows]) -> list[Column]:
            return [one for one in columns_of_struct(columns_of(files)) if one.name.lower() not in there]

        mode = self.all.rules.mode(step.name)
        if mode == "ignore" or not new_in(step.files):
            return step.files
        files = tuple(one for one in step.files if not new_in([one]) or self._has_rows(table, step, one))
        new = new_in(files)
        if not new or mode not in ("evolve", "lenient") or isinstance(step, Repair):
            return files
        if table.position() == step.at:
            if self.known.load and step.lo == self.known.start:
                raise TargetError(
                    f"table {step.name}: rows that came after the dump it began with have the column"
                    f" {new[0].name!r}, and the dump has not, nor a statement that adds it: make a newer dump of the"
                    f" same table, and run tidewire sync reset FILE {step.name} --dump DIR"
                )
            table.alter([AddColumn(*one) for one in new], step.at, step.at)
            self.there = None
        return files

    def _has_rows(self, table: Table, step: Apply | Append | Repair, one: StagedRows) -> bool:
        """Whether a file with columns that the table lacks has such rows of a step: some may be before it and all
        others after it, as where a name is that of another table from a statement on.
        """
        lo = min(step.keys.values()) if isinstance(step, Repair) else step.lo
        if lo <= one.lo < step.hi or lo <= one.hi < step.hi:
            return True
        kept = holds(one.path) == MESSAGES
        there = [column for column in self._now(table) if kept and column.name.lower() not in METADATA]
        rows = changes(
            table.spark,
            self.all.protocol,
            self.all.options,
            self.all.state,
            step.name,
            _struct(there),
            [one],
            lo,
            step.hi,
            descriptions=self.manifest.descriptions,
            passed_over=() if kept else columns_of([one]).names,
            merge=False,
            order=self.all.order,
        )
        if not kept:
            return not rows.isEmpty()
        try:
            rows.count()  # messages of all shapes are in one file: those with other columns are an error
        except PySparkException:
            return True
        return False


def _struct(columns: Sequence[Column]) -> StructType:
    """The columns as a schema of Spark."""
    return cast(StructType, StructType.fromDDL(", ".join(f"{quoted(one.name)} {one.type}" for one in columns)))


def _few(files: Sequence[StagedRows]) -> bool:
    """Whether one task is best for the rows of these files."""
    return sum(one.rows for one in files) <= ONE_TASK
