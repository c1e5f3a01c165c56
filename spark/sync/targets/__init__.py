"""The tables that a synchronisation writes: one interface for Iceberg, Delta and plain Parquet.

Each commit of a table carries the position that it brings the table to, so that data and progress are one. A step is
given the position that it starts from, and is committed onto it alone: a writer whose view is old gets a `FenceError`.
A step that was done is passed over in silence, so that the same call after a crash brings the same table.
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
"""How often a step is tried again because something else than a synchronisation, as a compaction, wrote meanwhile."""

ONE_TASK = 250_000
"""Rows that are changed, and rows of a table, up to which one task does a merge by itself."""


class FenceError(TargetError):
    """Another writer was faster: the table is not where the step starts from."""


class Table(Protocol):
    """One table of the target.

    Attributes:
        spark: the session in which it is written. Its settings are changed for the time of a write, so threads that
            write at once need sessions of their own, and `apply` and `append` take frames of this one.
        name: schema and table, as `changelog.table_name` writes them.
        owner: who it belongs to: the synchronisation and the table's id there, with a slash between.
    """

    spark: SparkSession
    name: str
    owner: str

    def found_owner(self) -> str | None:
        """Who the table of that name belongs to; empty for nobody that Tidewire knows, None where there is no table."""
        ...

    def columns(self) -> tuple[Column, ...] | None:
        """Its columns; None where there is no such table."""
        ...

    def position(self) -> Position | None:
        """How far it is, by its own newest commit; None where it was not made, or not to the end."""
        ...

    def create(self, columns: Sequence[Column], to: Position) -> None:
        """Makes it."""
        ...

    def apply(self, changes: DataFrame, keys: Sequence[str], at: Position, to: Position, few: bool = False) -> None:
        """Merges changes: at most one of each key, with `_change_type`; anything but `delete` is the row as it is.

        `few` says that they are so few, and in so few partitions, that more than one task costs more than it brings.
        """
        ...

    def append(self, rows: DataFrame, at: Position, to: Position) -> None:
        """Adds rows, with all of their columns."""
        ...

    def adopt(self, paths: Sequence[str], at: Position, to: Position) -> bool:
        """Adds the rows of Parquet files of this machine, whose columns it has, without copying them; they stay when
        those files go. False where it cannot: nothing was done then.
        """
        ...

    def alter(self, changes: Sequence[Change], at: Position, to: Position) -> None:
        """Changes columns, or takes all rows away; all at once."""
        ...

    def rename(self, name: str, at: Position, to: Position) -> None:
        """Calls it otherwise; its versions stay readable."""
        ...

    def movable(self) -> bool:
        """Whether it can be called otherwise, as it has to be where another one takes its name."""
        ...

    def end(self, at: Position, to: Position) -> None:
        """Says in it that the source has it no longer."""
        ...

    def version(self) -> int:
        """The newest version."""
        ...

    def read(self, version: int) -> DataFrame:
        """The rows at a version."""
        ...

    def collect(self, first: int, last: int) -> None:
        """Removes versions before `first`, and those between `last` and the newest one.

        Where other tools do so it is not called (`Tables.collects`).
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
        """The table of a name, whether it is there or not."""
        ...


def find(tables: Tables, owner: str, names: Sequence[str]) -> Table | None:
    """The table of an owner, under the first of these names that it has, or moved out of the way of another one.

    A crash can leave it with its old name or with its new one.
    """
    number = owner.rpartition("/")[2]
    for name in (*names, *(f"{one}__{number}" for one in names)):
        table = tables.table(name, owner)
        if table.found_owner() == owner:
            return table
    return None


def begins(table: Table, found: Position | None, at: Position, to: Position) -> bool:
    """Whether a step is to be done; False where it was done before.

    Raises:
        FenceError: the table is elsewhere.
    """
    if found == at:
        return True
    if found is not None and at < to <= found:
        return False
    raise fenced(table, found, at)


def fenced(table: Table, found: Position | None, at: Position) -> FenceError:
    """The error of a writer whose view is old."""
    where = "does not exist" if found is None else f"is at {found.ts}"
    return FenceError(
        f"table {table.name} {where}, and it was at {at.ts} when this step was planned: another process writes it, or"
        " it was restored; run one synchronisation at a time"
    )


def taken(table: Table, name: str) -> TargetError:
    """The error where a name belongs to a table of somebody else."""
    return TargetError(
        f"table {name} exists already and does not belong to this synchronisation ({table.owner.rpartition('/')[0]}):"
        " drop it, rename it, or choose other names for the target"
    )


def merged_columns(table: Table, columns: Sequence[Column], changes: DataFrame) -> list[str]:
    """The columns of changes that the table has.

    Raises:
        TargetError: it lacks one that they have, which would be lost.
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
    """Of changes the rows that a table without any has then, in all of its columns."""
    has = {one.lower() for one in given}
    values = [
        f"cast({quoted(one.name) if one.name.lower() in has else 'null'} as {one.type}) as {quoted(one.name)}"
        for one in columns
    ]
    with view_of(changes) as view:
        return changes.sparkSession.sql(f"select {', '.join(values)} from {view} where {CHANGE_TYPE} <> 'delete'")


def split(name: str) -> tuple[str, str]:
    """Schema and table of a name as `changelog.table_name` writes it."""
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
