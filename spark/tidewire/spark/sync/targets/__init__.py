"""The tables that a synchronisation writes: one interface for Iceberg, Delta and plain Parquet.

Each commit of a table records the position that it brings the table to, so that data and progress change together. A
step states the position that it starts from, and is committed only there: a writer with an outdated view gets a
`FenceError`. A step that was already done is skipped silently, so that repeating a call after a crash is safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

from tidewire.spark.sync.changelog import Position
from tidewire.spark.sync.targets.confs import view_of
from tidewire.spark.sync.targets.shapes import (
    AddColumn,
    Change,
    ChangeType,
    Column,
    CopyColumn,
    DropColumn,
    RenameColumn,
    Respell,
    TargetError,
    Truncate,
    found,
    quoted,
)

__all__ = [
    "AddColumn",
    "Change",
    "ChangeType",
    "Column",
    "CopyColumn",
    "DropColumn",
    "FenceError",
    "RenameColumn",
    "Respell",
    "Table",
    "Tables",
    "TargetError",
    "Truncate",
]

CHANGE_TYPE = "_change_type"
META = (CHANGE_TYPE, "_commit_version", "_commit_timestamp", "_commit_rank")
"""Columns of changes that a table of rows does not have."""
TRIES = 5
"""How often a step is tried again because another writer, such as a compaction, interfered."""

ONE_TASK = 250_000
"""Up to this many changed rows, and rows in a table, a single task does the merge."""


class FenceError(TargetError):
    """Another writer was faster: the table is not where the step starts."""


class Owned(Protocol):
    """A table as errors name it.

    Attributes:
        name: schema and table, as `changelog.table_name` writes them.
        owner: the synchronisation's id and the table's id, separated by a slash.
    """

    name: str
    owner: str


class Table(Owned, Protocol):
    """One table of the target.

    Attributes:
        spark: the session in which it is written. Its settings change during a write, so threads that write at once
            need separate sessions, and `apply` and `append` take frames of this one.
    """

    spark: SparkSession

    def found_owner(self) -> str | None:
        """The owner of the table of that name; empty for a table that Tidewire did not create, None if there is no
        table.
        """
        ...

    def columns(self) -> tuple[Column, ...] | None:
        """Its columns; None if there is no such table."""
        ...

    def position(self) -> Position | None:
        """The position in its newest commit; None if it was not created, or not completely."""
        ...

    def create(self, columns: Sequence[Column], to: Position) -> None:
        """Creates the table."""
        ...

    def apply(self, changes: DataFrame, keys: Sequence[str], at: Position, to: Position, few: bool = False) -> None:
        """Merges changes: at most one for each key, with `_change_type`; any but `delete` is the complete current row.

        `few` says that they are so few, and in so few partitions, that several tasks would cost more than they save.
        """
        ...

    def append(self, rows: DataFrame, at: Position, to: Position) -> None:
        """Appends rows, with all of their columns."""
        ...

    def adopt(self, paths: Sequence[str], at: Position, to: Position) -> bool:
        """Adds the rows of local Parquet files with the same columns without copying them; they remain when those files
        are removed. False if that is not possible; then nothing was done.
        """
        ...

    def alter(self, changes: Sequence[Change], at: Position, to: Position) -> None:
        """Changes columns, or removes all rows, in one commit."""
        ...

    def rename(self, name: str, at: Position, to: Position) -> None:
        """Renames the table; its versions stay readable."""
        ...

    def movable(self) -> bool:
        """Whether it can be renamed, as is needed if another table takes its name."""
        ...

    def end(self, at: Position, to: Position) -> None:
        """Marks the table as dropped in the source."""
        ...

    def version(self) -> int:
        """The newest version."""
        ...

    def read(self, version: int) -> DataFrame:
        """The rows at a version."""
        ...

    def collect(self, first: int, last: int) -> None:
        """Removes versions before `first`, and those between `last` and the newest one. Not called if another tool
        removes versions (`Tables.collects`).
        """
        ...


class Tables(Protocol):
    """All tables of one target.

    Attributes:
        spark: the session in which they are written.
        collects: whether versions are removed by `Table.collect`, as no other tool does so.
    """

    spark: SparkSession
    collects: bool

    def table(self, name: str, owner: str) -> Table:
        """The table of a name, existing or not."""
        ...


def find(tables: Tables, owner: str, names: Sequence[str]) -> Table | None:
    """The table of an owner, under the first of these names that it has, or under its name after being moved out of
    another table's way. A history is created beside its table with the table's own id, and moved with the letter h.

    A crash can leave it with its old name or with its new one.
    """
    number = owner.rpartition("/")[2]
    moved = ["", f"__{number}", f"__{number}__{number}", *([f"__{number[:-1]}"] if number.endswith("h") else [])]
    for name in (f"{one}{behind}" for behind in moved for one in names):
        table = tables.table(name, owner)
        if table.found_owner() == owner:
            return table
    return None


def begins(table: Owned, found: Position | None, at: Position, to: Position) -> bool:
    """Whether a step must be carried out; False if it was already.

    Raises:
        FenceError: the table is at another position.
    """
    if found == at:
        return True
    if found is not None and at < to <= found:
        return False
    raise fenced(table, found, at)


def fenced(table: Owned, found: Position | None, at: Position) -> FenceError:
    """The error of a writer with an outdated view."""
    where = "does not exist" if found is None else f"is at {found.ts}"
    return FenceError(
        f"table {table.name} {where}, and it was at {at.ts} when this step was planned: another process writes it, or"
        " it was restored; run one synchronisation at a time"
    )


def taken(table: Owned, name: str) -> TargetError:
    """The error if a name belongs to a table of another owner."""
    return TargetError(
        f"table {name} exists already and does not belong to this synchronisation ({table.owner.rpartition('/')[0]}):"
        " drop it, rename it, or choose other names for the target"
    )


def expired(table: Owned, version: str) -> TargetError:
    """The error if a version that a record names is gone."""
    return TargetError(
        f"table {table.name}: its {version}, which a record names, was expired: keep versions for as long as records"
        " (maintain.keep_published); a newer as_of may be there"
    )


def merged_columns(table: Owned, columns: Sequence[Column], changes: DataFrame) -> list[str]:
    """The columns of changes that the table has.

    Raises:
        TargetError: it lacks one of them, whose values would be lost.
    """
    given = []
    for name in changes.columns:
        if found(columns, name) is not None:
            given.append(name)
        elif name not in META:
            raise TargetError(
                f"rows of table {table.name} have the column {name}, and the table has not: it was changed by"
                " somebody else; add the column, or build the table anew with tidewire sync reset FILE TABLE"
            )
    return given


def new_rows(changes: DataFrame, columns: Sequence[Column], given: Sequence[str]) -> DataFrame:
    """The rows that an empty table has after these changes, in all of its columns."""
    has = {one.lower() for one in given}
    values = [
        f"cast({quoted(one.name) if one.name.lower() in has else 'null'} as {one.type}) as {quoted(one.name)}"
        for one in columns
    ]
    with view_of(changes) as view:
        return changes.sparkSession.sql(f"select {', '.join(values)} from {view} where {CHANGE_TYPE} <> 'delete'")


def split(name: str) -> tuple[str, str]:
    """Schema and table of a name written by `changelog.table_name`."""
    parts = [""]
    inside = False
    for i, one in enumerate(name):
        if one == "`":
            if inside and name[i + 1 : i + 2] == "`":
                parts[-1] += "`"
            inside = not inside
        elif one == "." and not inside:
            parts.append("")
        else:
            parts[-1] += one
    schema, table = parts
    return schema, table
