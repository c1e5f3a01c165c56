"""Reads schema blocks, and resolves the columns of rows from them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence, Set
from typing import Any, NamedTuple

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import ColumnTypes, Declared
from tidewire.runtime.connect.resolving import (
    ANY,
    CONNECT,
    DESCRIBED,
    ColumnResolver,
    ConnectField,
    ResolvedColumn,
    is_text,
)
from tidewire.runtime.connect.types import SchemaTypes
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.description import DescribedTable
from tidewire.runtime.wire.value_codec import ColumnFacts

MOST_FIELDS = 1 << 16
"""Maximum fields of a struct."""
_AMBIGUOUS = frozenset("',\\")
"""Characters in labels that make a block's label list ambiguous."""
_NESTED = ("struct", "array", "map")


class Block(NamedTuple):
    """The columns of a block."""

    columns: tuple[ConnectField, ...]
    """For a value, the columns of its rows; for a key, its own."""
    whole: bool
    """Whether the block alone determines how values are written, without a description; fractional digits are not in
    it.
    """


class Resolved(NamedTuple):
    """The columns of rows."""

    columns: tuple[Column, ...]
    codecs: tuple[JsonCodec, ...]
    source: str | None
    """Source of the types: a constant of `resolving`; None: the block."""
    unknown: tuple[str, ...] = ()
    """What is unknown about columns and how they are read, each with the column's name."""


class ConnectReader:
    """Resolves the columns of rows from schema blocks and table descriptions.

    Attributes:
        handle_key: flag of handle key columns.
    """

    def __init__(
        self,
        types: SchemaTypes[JsonCodec],
        images: tuple[str, ...],
        mysql: ColumnTypes,
        flags: tuple[int, int],
    ) -> None:
        """
        Args:
            images: members of a payload that are rows.
            mysql: column types of the database.
            flags: the flag of nullable columns, and the flag of handle key columns.
        """
        self._types = types
        self._images = images
        self._mysql = mysql
        self._nullable, self.handle_key = flags
        self._resolver = ColumnResolver(types, mysql, self._nullable, CONNECT)

    def read(self, text: bytes) -> Block:
        """Parses a block, which is valid JSON and UTF-8.

        Raises:
            ValueError: it is not a block; a sentence gives the reason.
        """
        fields = _fields(_parsed(text))
        inner = [one for one in fields if one.get("field") in self._images and one.get("type") == "struct"]
        if inner:
            fields = _fields(inner[-1])
        elif any(one.get("type") in _NESTED and not self._is_known(one) for one in fields):
            return Block((), True)  # of a statement or a watermark
        return self._block(fields)

    def read_key(self, text: bytes) -> Block:
        """Parses a key's block, all of whose fields are columns."""
        return self._block(_fields(_parsed(text)))

    def _block(self, fields: Sequence[dict[str, Any]]) -> Block:
        columns = tuple(self._columns(fields))
        exact = all(one.exact is not None for one in columns)
        parts = [one for one in columns if exact and not self._is_whole(one)]
        return Block(columns, exact and not parts)

    def _is_whole(self, field: ConnectField) -> bool:
        """Whether a column's values are written the same way for any number of fractional digits, and its labels are
        unambiguous in the block.
        """
        schema = self._resolver.type_of(field)
        try:
            found = self._resolver.column(field, None)
        except ValueError:
            return False  # the error is reported when rows are read by it
        if found.unknown is not None or schema is None:
            return False
        if schema.escapes and any(not _AMBIGUOUS.isdisjoint(one) for one in found.facts.labels):
            return False
        if found.facts.scale is not None:
            return True
        return found.codec.for_column(found.facts._replace(scale=1, fraction=1)) is found.codec.for_column(found.facts)

    def _is_known(self, field: dict[str, Any]) -> bool:
        """Whether a field's type is a known column type."""
        type, name = field.get("type"), field.get("name")
        names = (name,) if isinstance(name, str) else ()
        return isinstance(type, str) and self._types.type_of(type, names, {}) is not None

    def _columns(self, fields: Sequence[dict[str, Any]]) -> Iterator[ConnectField]:
        exact = None if self._types.exact is None else self._types.exact.word
        seen: set[str] = set()
        for one in fields:
            name, type, semantic = one.get("field"), one.get("type"), one.get("name")
            if not is_text(name):
                raise ValueError("a field of it has no name, which is a text")
            if name in seen:
                continue  # virtual columns are listed twice
            seen.add(name)
            parameters = one.get("parameters") or {}
            tidb_type = None if exact is None else one.get(exact)
            names = () if semantic is None else (semantic if isinstance(semantic, str) else repr(semantic),)
            if not isinstance(parameters, dict) or not isinstance(tidb_type, str | None):
                parameters, tidb_type = {}, None
            called = type if isinstance(type, str) else repr(type)
            yield ConnectField(name, called, names, parameters, one.get("optional") is not False, tidb_type)

    @staticmethod
    def key_names(block: Block) -> tuple[str, ...]:
        """The column names of a key's block."""
        return tuple([one.name for one in block.columns])

    def unknown_names(self, block: Block) -> frozenset[str]:
        """The names of the columns of unknown types, which are read by their Kafka Connect types."""
        return frozenset([one.name for one in block.columns if self._is_unknown(one)])

    def _is_unknown(self, field: ConnectField) -> bool:
        try:
            return self._resolver.column(field, None).unknown is not None
        except ValueError:
            return False  # the error is reported when rows are read by it

    def columns(
        self,
        block: Block | None,
        description: DescribedTable | None,
        key: Sequence[str],
        misfits: Set[str] = frozenset(),
    ) -> Resolved:
        """The columns of rows.

        Args:
            block: block of the message; None: it has none.
            description: description of the table; None: unknown.
            key: column names of the message's key.
            misfits: columns of unknown types with values that do not match their Kafka Connect types.

        Raises:
            ValueError: a column's type is contradictory or unknown.
        """
        described = {} if description is None else {one.name: one for one in description.row_columns()}
        names = frozenset(key)
        if block is None:
            return self._described(list(described.values()), names)
        found = [self._column(one, described.get(one.name), one.name in misfits) for one in block.columns]
        sources = [one.source for one in found if one.source is not None]
        return Resolved(
            tuple([self._flagged(one.column, names) for one in found]),
            tuple([one.codec.for_column(one.facts) for one in found]),
            CONNECT if CONNECT in sources else next(iter(sources), None),
            tuple([one.unknown for one in found if one.unknown is not None]),
        )

    def _column(self, field: ConnectField, described: Column | None, misfit: bool) -> ResolvedColumn[JsonCodec]:
        """Resolves a column. If a value does not match the block's type and nothing else gives the type, it is read as
        text.
        """
        found = self._resolver.column(field, described)
        if not misfit or found.unknown is None:
            return found
        reason = f"column {shown(field.name)} is {shown(field.type)} in the schema block, and a value of it is not"
        return self._resolver.column(ConnectField(field.name, ANY, (), {}, field.optional, None), None, reason)

    def none_needed(self, columns: Sequence[Column]) -> bool:
        """Whether a row may have none of these columns: generated columns are not sent, and are nullable."""
        return all(one.flags & self._nullable for one in columns)

    def _flagged(self, column: Column, key: Set[str]) -> Column:
        """The column, with the handle key flag if the key contains it."""
        return column._replace(flags=column.flags | self.handle_key) if column.name in key else column

    def modes(self, block: Block | None, column: str, type: int, flags: int) -> tuple[str, ...]:
        """The options that select how a column's values are read.

        Args:
            block: block of the message; None: it has none.
            column: name of the column.
            type: type code of the column.
        """
        if block is None:
            return self._types.modes(type, flags, None)
        schemas = [self._resolver.type_of(one) for one in block.columns if one.name == column]
        return self._types.modes(type, flags, schemas[0]) if schemas else ()

    def _described(self, columns: Sequence[Column], key: Set[str]) -> Resolved:
        """The columns of rows without a block, from the description alone."""
        found, codecs = [], []
        for one in columns:
            facts = _facts(self._mysql.declared(one.mysql_type or ""), bool(one.flags & self._nullable))
            written = self._types.written(one.type, one.flags, facts)
            if written is None:
                raise ValueError(
                    f"column {shown(one.name)} is {one.mysql_type}, whose values are not read where no schema block "
                    "tells how they are written"
                )
            found.append(self._flagged(Column(one.name, one.type, one.flags, one.mysql_type), key))
            codecs.append(written.codec.for_column(facts))
        return Resolved(tuple(found), tuple(codecs), DESCRIBED)


def _facts(declared: Declared, nullable: bool) -> ColumnFacts:
    """The facts in a declared type."""
    return ColumnFacts(declared.members, declared.length, declared.decimals, declared.decimals or 0, nullable)


def _parsed(text: bytes) -> Any:
    """The parsed JSON of a block; integers become 0 or 1, because they can have any number of digits."""
    try:
        return json.loads(text, parse_int=_some_number)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def _some_number(text: str) -> int:
    """0 for zero, 1 for any other number: only whether it is zero matters."""
    return int(text.strip("-0") != "")


def _fields(struct: Any) -> list[dict[str, Any]]:
    fields = struct.get("fields") if isinstance(struct, dict) else None
    if not isinstance(fields, list) or not all(isinstance(one, dict) for one in fields):
        raise ValueError("it is no struct with fields")
    if len(fields) > MOST_FIELDS:
        raise ValueError(f"it has {len(fields)} fields, at most {MOST_FIELDS} are taken")
    return fields
