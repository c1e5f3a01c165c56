"""The effects of DDL statements on tables, as dataclasses: one for each kind of change.

They are for consumers that keep a copy of the tables: changes of rows or columns are separate from other changes.
Tables are named by schema and name, in the spelling of the statement; TiDB compares names case-insensitively.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from tidewire.runtime.tables.sql_defaults import Default


class Name(NamedTuple):
    """Name of a table; the schema is empty if unknown."""

    schema: str
    table: str


@dataclass(frozen=True, slots=True)
class DeclaredColumn:
    """A column as a statement declares it.

    Attributes:
        name: name of the column.
        type: its type as declared, names in lower case: ``decimal(10,2) unsigned``, ``enum('a','b')``.
        nullable: whether it may be null; primary key columns of a `CreateTable` may not.
        default: its default; None if it has none, or NULL.
        position: its declared position; None: a new column is last, a changed one stays where it was.
        after: the preceding column, if `position` is "after".
        charset: the declared character set, in CREATE TABLE also that of the table; None: not declared, the table's own
            applies.
        collation: the declared collation.
        generated: the expression of a generated column, without the parentheses around it.
        stored: whether the generated column is stored in the table. Rows never contain virtual columns.
        auto_increment: whether it has AUTO_INCREMENT.
        on_update: whether it has ON UPDATE CURRENT_TIMESTAMP.
        conditional: whether the statement has IF [NOT] EXISTS.
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
    """A new column. Existing rows get its default; no message states that."""


@dataclass(frozen=True, slots=True)
class ModifyColumn(DeclaredColumn):
    """A column gets a new declaration, by MODIFY, or by CHANGE after a `RenameColumn`. No message has the converted
    values.
    """


@dataclass(frozen=True, slots=True)
class DropColumn:
    """A column is dropped.

    Attributes:
        name: name of the column.
        conditional: whether the statement has IF EXISTS.
        table: the table.
    """

    name: str
    conditional: bool = False
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """A column is renamed, by RENAME COLUMN or CHANGE.

    Attributes:
        old: its previous name.
        new: its new name.
        conditional: whether the statement has IF EXISTS.
        table: the table.
    """

    old: str
    new: str
    conditional: bool = False
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class SetDefault:
    """A column gets another default, for future rows only.

    Attributes:
        name: name of the column.
        default: its default; None for NULL.
        table: the table.
    """

    name: str
    default: Default | None
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class DropDefault:
    """A column loses its default.

    Attributes:
        name: name of the column.
        table: the table.
    """

    name: str
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class ChangedKey:
    """A primary key is added or dropped: from here on other columns identify rows.

    Attributes:
        change: whether it was added or dropped.
        columns: columns of the key; for a dropped one, as far as they are known.
        table: the table.
    """

    change: Literal["added", "dropped"]
    columns: tuple[str, ...] = ()
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class TruncatePartition:
    """All rows of some partitions are deleted, without row messages.

    Attributes:
        partitions: their names; empty: all partitions.
        table: the table.
    """

    partitions: tuple[str, ...]
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class DropPartition:
    """Some partitions are dropped with all of their rows, without row messages.

    Attributes:
        partitions: their names; empty if the statement does not name them.
        below: instead of names: partitions below this expression are dropped.
        conditional: whether the statement has IF EXISTS.
        table: the table.
    """

    partitions: tuple[str, ...]
    below: str | None = None
    conditional: bool = False
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class ExchangePartition:
    """A partition and a table exchange their rows, without row messages.

    Attributes:
        partition: name of the partition.
        table: the table that is exchanged with the partition.
        partitioned: the table that has the partition.
    """

    partition: str
    table: Name
    partitioned: Name | None = None


@dataclass(frozen=True, slots=True)
class Truncate:
    """All rows of a table are deleted, without row messages.

    Attributes:
        table: the table.
    """

    table: Name


@dataclass(frozen=True, slots=True)
class DropTable:
    """A table is dropped.

    Attributes:
        table: the table.
        conditional: whether the statement has IF EXISTS.
    """

    table: Name
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class CreateTable:
    """A new table.

    Attributes:
        table: the table.
        columns: its columns; empty if only `like` or a query determines them.
        key: columns of its primary key; empty if the statement declares none.
        like: the table whose columns it copies.
        query: whether AS SELECT adds rows and columns: no message has those rows.
        partitioned: whether it has partitions.
        conditional: whether the statement has IF NOT EXISTS.
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
    """A table is renamed, or moved to another schema.

    Attributes:
        old: its previous name.
        new: its new name.
    """

    old: Name
    new: Name


@dataclass(frozen=True, slots=True)
class RecoverTable:
    """A dropped or truncated table is restored, with rows that no message has: RECOVER or FLASHBACK TABLE.

    Attributes:
        table: its previous name.
        new: its new name.
    """

    table: Name
    new: Name


@dataclass(frozen=True, slots=True)
class CreateDatabase:
    """A new schema.

    Attributes:
        name: name of the schema.
        conditional: whether the statement has IF NOT EXISTS.
    """

    name: str
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class DropDatabase:
    """A schema is dropped with all of its tables.

    Attributes:
        name: name of the schema.
        conditional: whether the statement has IF EXISTS.
    """

    name: str
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class NoEffect:
    """Rows and columns are unchanged.

    Attributes:
        reason: what the statement changes instead.
        unique: whether it may add or drop an index that identifies rows of a table without a primary key.
        table: the table; None if the statement concerns none.
    """

    reason: str
    unique: bool = False
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A part that is not understood, up to the end of its statement, because its own end is unknown.

    Attributes:
        text: its source text.
        reason: why it is not understood.
        table: the table; None if unknown.
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
"""Any of these classes."""
