"""Descriptions of tables: immutable, equal when they say the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from tidewire.runtime.batch.table_parts import Column
from tidewire.runtime.errors import DescriptionError
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.columns import (
    COLUMN_FIELDS,
    INDEX_FIELDS,
    ColumnDescription,
    IndexDescription,
    check_number,
    check_text,
    wrong,
)
from tidewire.runtime.tables.facts import TypesOfTables
from tidewire.runtime.tables.sql_text import CLUSTERED, create_table

TABLE_FIELDS = ("schema", "table", "columns", "indexes", "id", "version", "charset", "comment")
"""The attributes of a table's description, in order."""


class DescribedTable:
    """A table as it was at some version.

    It cannot be changed; equal ones say the same. `tidewire.tables.TableDescription` is the class to use: it knows
    TiDB's types.

    Attributes:
        TYPES: the column types and flags of the database.
        schema: the database; None when it is not said.
        table: the table.
        columns: its columns, as the source orders them.
        indexes: its indexes, as the source orders them; the primary key is one.
        id: TiDB's id of the table.
        version: TiDB's version of the table, 0 to 2^64 - 1; what rows refer to. None when it is not said.
        charset: the table's default character set.
        comment: the table's comment.
    """

    TYPES: ClassVar[TypesOfTables]
    __slots__ = ("_hash", *TABLE_FIELDS)

    schema: str | None
    table: str
    columns: tuple[ColumnDescription, ...]
    indexes: tuple[IndexDescription, ...]
    id: int | None
    version: int | None
    charset: str | None
    comment: str | None
    _hash: int | None

    def __init__(
        self,
        schema: str | None,
        table: str,
        columns: tuple[ColumnDescription, ...] | list[ColumnDescription] = (),
        indexes: tuple[IndexDescription, ...] | list[IndexDescription] = (),
        id: int | None = None,
        version: int | None = None,
        charset: str | None = None,
        comment: str | None = None,
    ) -> None:
        """
        Raises:
            DescriptionError: this cannot describe a table: a name is missing, two columns have one name (upper and
                lower case are the same), an index has a column that the table has not, a number is out of range.
        """
        for what, parts in (("columns", columns), ("indexes", indexes)):
            if not isinstance(parts, tuple | list):
                name = table if isinstance(table, str) else shown(table)
                wrong(name, what, f"a list is expected, not {shown(parts)}")
        given = (schema, table, tuple(columns), tuple(indexes), id, version, charset, comment)
        for name, value in zip(TABLE_FIELDS, given, strict=True):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_hash", None)
        self._check()

    def _check(self) -> None:
        name = self.table if isinstance(self.table, str) else shown(self.table)
        check_text(name, "schema", self.schema, True)
        check_text(name, "table", self.table, False)
        for text in ("charset", "comment"):
            check_text(name, text, getattr(self, text), True)
        for number in ("id", "version"):
            check_number(name, number, getattr(self, number))
        known: set[str] = set()
        for at, column in enumerate(self.columns):
            if not isinstance(column, ColumnDescription):
                wrong(name, f"columns/{at}", f"a ColumnDescription is expected, not {shown(column)}")
            column.check(name, f"columns/{at}")
            if column.name.lower() in known:
                wrong(name, f"columns/{at}/name", f"there are two columns {shown(column.name)}")
            known.add(column.name.lower())
        primary = 0
        for at, index in enumerate(self.indexes):
            if not isinstance(index, IndexDescription):
                wrong(name, f"indexes/{at}", f"an IndexDescription is expected, not {shown(index)}")
            index.check(name, f"indexes/{at}", known)
            primary += index.primary
            if primary > 1:
                wrong(name, f"indexes/{at}/primary", "a table has one primary key, and another one stands before")

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The names of the columns of the primary key; empty without one."""
        return next((self._named(one) for one in self.own_indexes if one.primary), ())

    @property
    def own_indexes(self) -> tuple[IndexDescription, ...]:
        """The indexes that the table itself has.

        TiCDC describes `implicit_key` once more as a primary key named `primary`, behind all indexes, where TiDB has no
        primary key in its list of indexes (pingcap/tiflow pkg/sink/codec/simple/message.go). Of a
        table with an integer primary key that is what tells it. Of one that has no primary key, it repeats a unique
        index, and is no index of the table. A unique index of one integer, repeated so, cannot be told from a primary
        key beside a unique index, and counts as one.
        """
        last = self.indexes[-1] if self.indexes else None
        if last is None or not last.primary or last.name != CLUSTERED:
            return self.indexes
        names = [name.lower() for name in last.columns]
        repeated = any(one.unique and [name.lower() for name in one.columns] == names for one in self.indexes[:-1])
        if not repeated or (len(names) == 1 and self._is_integer(names[0])):
            return self.indexes
        return self.indexes[:-1]

    def _is_integer(self, name: str) -> bool:
        return self.TYPES.is_integer(next(one for one in self.columns if one.name.lower() == name))

    @property
    def handle_key(self) -> tuple[str, ...]:
        """The names of the columns that identify a row: the primary key, else the unique index with the fewest columns,
        none of them nullable or a generated column that is not stored; of several the first. Empty when there is none.

        As TiCDC chooses it: pingcap/tiflow cdc/model/schema_storage.go. It takes the index with the lowest id of
        several; descriptions have no ids of indexes, and indexes stand in the order of their ids.
        """
        primary = self.primary_key
        if primary:
            return primary
        columns = {one.name.lower(): one for one in self.columns}
        best: tuple[str, ...] = ()
        for index in self.own_indexes:
            parts = [columns[name.lower()] for name in index.columns]
            identifies = index.unique and all(
                part.nullable is False and (part.generated is None or part.stored) for part in parts
            )
            if identifies and (not best or len(parts) < len(best)):
                best = self._named(index)
        return best

    @property
    def implicit_key(self) -> tuple[str, ...]:
        """The names of the columns that TiCDC describes as the primary key: those of the primary key, else of the first
        unique index without a nullable column. Empty when there is none.

        They need not be those that identify a row, `handle_key`: GetPrimaryKey of pingcap/tidb pkg/meta/model/table.go.
        """
        columns = {one.name.lower(): one for one in self.columns}
        found = (
            self._named(index)
            for index in self.own_indexes
            if index.unique and all(columns[name.lower()].nullable is False for name in index.columns)
        )
        return self.primary_key or next(found, ())

    @property
    def hidden_columns(self) -> frozenset[str]:
        """The names of the columns that no statement declares: those of expressions that indexes are on."""
        hidden = {name.lower() for index in self.indexes for name in index.hidden_columns}
        return frozenset([one.name for one in self.columns if one.name.lower() in hidden]) if hidden else frozenset()

    def _named(self, index: IndexDescription) -> tuple[str, ...]:
        """The columns of an index, named as the table names them."""
        names = {one.name.lower(): one.name for one in self.columns}
        return tuple(names[name.lower()] for name in index.columns)

    def row_columns(self) -> list[Column]:
        """The columns that rows of the table have, with type, flags and declared type in full, as
        `tidewire.runtime.batch.Column`. A generated column that is not stored is in no row.
        """
        types = self.TYPES
        flags = types.index_flags(self.own_indexes, self.handle_key, [one.name for one in self.columns])
        return [
            Column(
                one.name,
                types.code(one)[0],
                flags[one.name.lower()] | types.column_flags(one),
                types.type_text(one),
            )
            for one in self.columns
            if one.generated is None or one.stored
        ]

    def to_sql(self) -> str:
        """A CREATE TABLE statement that makes such a table in TiDB, without a semicolon.

        Raises:
            DescriptionError: a column has a type that no statement declares.
        """
        parts = (self.schema, self.table) if self.schema else (self.table,)
        return create_table(self.TYPES, parts, self.columns, self.own_indexes, self.charset, self.comment)

    def to_json(self) -> dict[str, Any]:
        """The description as objects, lists, texts and numbers of JSON; what is not said, or is false or empty by
        default, is left out.
        """
        found: dict[str, Any] = {}
        for name in TABLE_FIELDS:
            value = getattr(self, name)
            if name in _PARTS:
                value = [_plain(one, _PARTS[name][1]) for one in value]
            if value not in (None, []):
                found[name] = value
        return found

    @classmethod
    def from_json(cls, value: object) -> Self:
        """The description that `to_json` gave.

        Raises:
            DescriptionError: the value is none.
        """
        if not isinstance(value, Mapping):
            wrong("", "", f"an object is expected, not {shown(value)}")
        table = str(value.get("table", ""))
        given = dict(_known(table, "", value, TABLE_FIELDS))
        for name, (part, names) in _PARTS.items():
            items = given.get(name, ())
            if isinstance(items, str | Mapping) or not isinstance(items, list | tuple):
                wrong(table, name, f"a list is expected, not {shown(items)}")
            given[name] = tuple([_part(table, f"{name}/{at}", part, names, one) for at, one in enumerate(items)])
        if "table" not in given:
            wrong(table, "table", "it is missing")
        return cls(**{"schema": None, **given})

    def replaced(self, **changes: Any) -> Self:
        """The same description with other values of some attributes.

        Raises:
            DescriptionError: that cannot be one.
        """
        return type(self)(**{**{name: getattr(self, name) for name in TABLE_FIELDS}, **changes})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a description does not change: make another one with replaced({name}=...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a description does not change")

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in TABLE_FIELDS])

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, DescribedTable):
            return NotImplemented
        return hash(self) == hash(other) and self._values() == other._values()

    def __hash__(self) -> int:
        found = self._hash
        if found is None:
            found = hash(self._values())
            object.__setattr__(self, "_hash", found)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._values()

    def __repr__(self) -> str:
        said = [f"{name}={value!r}" for name in TABLE_FIELDS if (value := getattr(self, name)) not in (None, ())]
        return f"TableDescription({', '.join(said)})"


_PARTS: dict[str, tuple[type[ColumnDescription] | type[IndexDescription], tuple[str, ...]]] = {
    "columns": (ColumnDescription, COLUMN_FIELDS),
    "indexes": (IndexDescription, INDEX_FIELDS),
}
_TRISTATE = ("nullable", "auto_increment", "on_update")
"""What may be false, which is not the same as not said."""


def _plain(part: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """A column's or index's description as JSON."""
    found = {}
    for name in names:
        value = getattr(part, name)
        if value is None or value == () or (value is False and name not in _TRISTATE):
            continue
        found[name] = list(value) if isinstance(value, tuple) else value
    return found


def _known(table: str, path: str, value: Mapping[Any, Any], names: tuple[str, ...]) -> Mapping[str, Any]:
    for key in value:
        if key not in names:
            wrong(table, f"{path}{key}", f"nothing is called so here; what can be said: {', '.join(names)}")
    return value


def _part(table: str, path: str, part: Any, names: tuple[str, ...], value: object) -> Any:
    if not isinstance(value, Mapping):
        wrong(table, path, f"an object is expected, not {shown(value)}")
    given = dict(_known(table, f"{path}/", value, names))
    for name in ("labels", "columns"):
        if isinstance(given.get(name), list):
            given[name] = tuple(given[name])
    try:
        return part(**given)
    except TypeError:
        missing = next(name for name in names if name not in given)
        raise DescriptionError(table, f"{path}/{missing}", "it is missing") from None
