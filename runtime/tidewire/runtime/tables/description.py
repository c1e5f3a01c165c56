"""Table descriptions: immutable, and equal if all attributes are equal."""

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
"""Attributes of a table's description, in order."""


class DescribedTable:
    """A table at some version.

    It is immutable; descriptions are equal if all attributes are. Use the class `tidewire.tables.TableDescription`,
    which knows TiDB's types.

    Attributes:
        TYPES: column types and flags of the database.
        schema: the database; None if not stated.
        table: name of the table.
        columns: its columns, in the order of the source.
        indexes: its indexes, in the order of the source; the primary key is one of them.
        id: TiDB's id of the table.
        version: TiDB's version of the table, 0 to 2^64 - 1; rows refer to it. None if not stated.
        charset: default character set of the table.
        comment: comment of the table.
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
            DescriptionError: the attributes do not describe a table: a name is missing, two columns have the same name
                (case-insensitive), an index has a column that the table lacks, a number is out of range.
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
        """Column names of the primary key; empty without one."""
        return next((self._named(one) for one in self.own_indexes if one.primary), ())

    @property
    def own_indexes(self) -> tuple[IndexDescription, ...]:
        """The indexes that the table really has.

        If TiDB's list of indexes has no primary key, TiCDC adds `implicit_key` as a primary key named `primary`, after
        all indexes (pingcap/tiflow pkg/sink/codec/simple/message.go). For a table with an integer primary key, this
        entry is the only mention of it. For a table without a primary key it repeats a unique index, and is not an
        index of the table. A repeated unique index on a single integer cannot be distinguished from a primary key
        beside a unique index, and counts as a primary key.
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
        """Names of the columns that identify a row: the primary key, else the unique index with the fewest columns, all
        of them NOT NULL and not virtual; the first one of several. Empty if there is none.

        TiCDC chooses it this way: pingcap/tiflow cdc/model/schema_storage.go. Of several it takes the index with the
        lowest id; descriptions have no ids of indexes, but list indexes in the order of their ids.
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
        """Column names of the index that TiCDC describes as the primary key: the primary key, else the first unique
        index without a nullable column. Empty if there is none.

        It can differ from the `handle_key`, which identifies rows: GetPrimaryKey of pingcap/tidb
        pkg/meta/model/table.go.
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
        """Names of the columns that no statement declares: those that TiDB makes for expressions in indexes."""
        hidden = {name.lower() for index in self.indexes for name in index.hidden_columns}
        return frozenset([one.name for one in self.columns if one.name.lower() in hidden]) if hidden else frozenset()

    def _named(self, index: IndexDescription) -> tuple[str, ...]:
        """Column names of an index, in the spelling of the table."""
        names = {one.name.lower(): one.name for one in self.columns}
        return tuple(names[name.lower()] for name in index.columns)

    def row_columns(self) -> list[Column]:
        """The columns that rows of the table have, with type, flags and full declared type, as
        `tidewire.runtime.batch.Column`. Rows have no virtual generated columns.
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
        """A CREATE TABLE statement that creates this table in TiDB, without a semicolon.

        Raises:
            DescriptionError: a column has a type that cannot be declared in a statement.
        """
        parts = (self.schema, self.table) if self.schema else (self.table,)
        return create_table(self.TYPES, parts, self.columns, self.own_indexes, self.charset, self.comment)

    def to_json(self) -> dict[str, Any]:
        """The description as JSON objects, lists, texts and numbers; attributes that are not stated, or have the
        default false or empty, are omitted.
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
        """The description that `to_json` has converted.

        Raises:
            DescriptionError: the value is not a description.
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
        """A copy with other values of some attributes.

        Raises:
            DescriptionError: the result is not a valid description.
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
"""Attributes for which false and None (not stated) are different."""


def _plain(part: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """The description of a column or index as JSON."""
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
