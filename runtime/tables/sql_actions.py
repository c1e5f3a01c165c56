"""What DDL statements do to tables, as values: one dataclass for each kind of change.

They are for those who keep a copy of the tables: what changes rows or columns is told apart from what does not. Tables
are named by schema and name; names are spelled as the statement spells them, and TiDB finds them in any case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from tidewire.runtime.tables.sql_defaults import Default


class Name(NamedTuple):
    """The name of a table; the schema is empty where nothing tells it."""

    schema: str
    table: str


@dataclass(frozen=True, slots=True)
class DeclaredColumn:
    """A column as a statement declares it.

    Attributes:
        name: its name.
        type: its type as declared, names in lower case: ``decimal(10,2) unsigned``, ``enum('a','b')``.
        nullable: whether it may be null; a column of the primary key of a `CreateTable` may not.
        default: its default; None where there is none, and where it is NULL.
        position: where it is put; None: a new column at the end, a changed one where it was.
        after: the column before it, where `position` is "after".
        charset: the character set that is declared for it, or in CREATE TABLE for the table; None where none is, and
            the table's own counts.
        collation: the collation that is declared.
        generated: the expression of a generated column, without the parentheses around it.
        stored: whether the generated column is kept in the table. Rows never have one that is not.
        auto_increment: whether the database counts it up.
        on_update: whether it becomes the time of each change of its row.
        conditional: whether the statement says IF [NOT] EXISTS.
        table: the table.
    """

    name: str
    type: str
    nullable: bool = True
    default: Default | None = None
    position: Literal["first", "after"] | None = None
    after: str | None = None
    charset: str | None = None
    collation: str | None = None
    generated: str | None = None
    stored: bool = False
    auto_increment: bool = False
    on_update: bool = False
    conditional: bool = False
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class AddColumn(DeclaredColumn):
    """A new column. Rows that are there get its default, and no message says so."""


@dataclass(frozen=True, slots=True)
class ModifyColumn(DeclaredColumn):
    """A column is declared anew: MODIFY, and CHANGE behind a `RenameColumn`. No message has the converted values."""


@dataclass(frozen=True, slots=True)
class DropColumn:
    """A column is gone.

    Attributes:
        name: its name.
        conditional: whether the statement says IF EXISTS.
        table: the table.
    """

    name: str
    conditional: bool = False
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """A column has another name, by RENAME COLUMN or CHANGE.

    Attributes:
        old: what it was called.
        new: what it is called.
        conditional: whether the statement says IF EXISTS.
        table: the table.
    """

    old: str
    new: str
    conditional: bool = False
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class SetDefault:
    """A column has another default: of rows to come, not of those that are there.

    Attributes:
        name: the column.
        default: its default; None for NULL.
        table: the table.
    """

    name: str
    default: Default | None
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class DropDefault:
    """A column has no default any more.

    Attributes:
        name: the column.
        table: the table.
    """

    name: str
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class ChangedKey:
    """A primary key is added or dropped: rows are told apart by other columns from here on.

    Attributes:
        change: which of both.
        columns: those of the key; of a dropped one those that are known.
        table: the table.
    """

    change: Literal["added", "dropped"]
    columns: tuple[str, ...] = ()
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class TruncatePartition:
    """All rows of some partitions are gone, without a message of any of them.

    Attributes:
        partitions: their names; none: all partitions.
        table: the table.
    """

    partitions: tuple[str, ...]
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class DropPartition:
    """Some partitions are gone with all of their rows, without a message of any of them.

    Attributes:
        partitions: their names; none where the statement does not name them.
        below: instead of names: the expression below which all partitions are gone.
        conditional: whether the statement says IF EXISTS.
        table: the table.
    """

    partitions: tuple[str, ...]
    below: str | None = None
    conditional: bool = False
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class ExchangePartition:
    """The rows of a partition and those of a table change places, without a message of any of them.

    Attributes:
        partition: the name of the partition.
        table: the table that gets its rows, and whose rows it gets.
        partitioned: the table that has the partition.
    """

    partition: str
    table: Name
    partitioned: Name | None = None


@dataclass(frozen=True, slots=True)
class Truncate:
    """All rows of a table are gone, without a message of any of them.

    Attributes:
        table: the table.
    """

    table: Name


@dataclass(frozen=True, slots=True)
class DropTable:
    """A table is gone.

    Attributes:
        table: the table.
        conditional: whether the statement says IF EXISTS.
    """

    table: Name
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class CreateTable:
    """A new table.

    Attributes:
        table: the table.
        columns: its columns; none where `like` or a query alone tells them.
        key: the columns of its primary key; none where the statement declares none.
        like: the table whose columns it has.
        query: whether rows and further columns come of a query, AS SELECT: no message has those rows.
        partitioned: whether it has partitions.
        conditional: whether the statement says IF NOT EXISTS.
    """

    table: Name
    columns: tuple[DeclaredColumn, ...] = ()
    key: tuple[str, ...] = ()
    like: Name | None = None
    query: bool = False
    partitioned: bool = False
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class RenameTable:
    """A table has another name, or is in another schema.

    Attributes:
        old: what it was called.
        new: what it is called.
    """

    old: Name
    new: Name


@dataclass(frozen=True, slots=True)
class RecoverTable:
    """A table that was dropped or truncated is there again, with rows that no message has: RECOVER or FLASHBACK TABLE.

    Attributes:
        table: what it was called.
        new: what it is called.
    """

    table: Name
    new: Name


@dataclass(frozen=True, slots=True)
class CreateDatabase:
    """A new schema.

    Attributes:
        name: its name.
        conditional: whether the statement says IF NOT EXISTS.
    """

    name: str
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class DropDatabase:
    """A schema is gone with all of its tables.

    Attributes:
        name: its name.
        conditional: whether the statement says IF EXISTS.
    """

    name: str
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class NoEffect:
    """Rows and columns are as before.

    Attributes:
        reason: what the statement changes instead.
        unique: whether an index may come or go by which rows of a table without a primary key are told apart.
        table: the table; None where the statement is of none.
    """

    reason: str
    unique: bool = False
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """What is not understood, to the end of its statement: where it ends is not understood either.

    Attributes:
        text: how it is written.
        reason: why it is not.
        table: the table; None where that is not known.
    """

    text: str
    reason: str = ""
    table: Name | None = None


Action = (
    AddColumn
    | ModifyColumn
    | DropColumn
    | RenameColumn
    | SetDefault
    | DropDefault
    | ChangedKey
    | TruncatePartition
    | DropPartition
    | ExchangePartition
    | Truncate
    | DropTable
    | CreateTable
    | RenameTable
    | RecoverTable
    | CreateDatabase
    | DropDatabase
    | NoEffect
    | Unknown
)
"""Any of them."""
