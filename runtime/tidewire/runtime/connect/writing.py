"""Builds schema blocks: the Kafka Connect schemas of keys and values that encoders write."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence

from tidewire.runtime.arrow.storage import BYTES, FLOAT, INT, UINT
from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import Declared
from tidewire.runtime.connect.blocks import COLUMNS, KEY_COLUMNS, SCHEMA, TABLE, BlockText, adjusted, adjusted_table
from tidewire.runtime.connect.defaults import (
    LEFT_OUT,
    NUMBER,
    PARSED,
    TEXT,
    TIMES,
    WRITERS,
    ZONED,
    parsed_default,
    parsed_float,
    whole_number,
    zoned_text,
)
from tidewire.runtime.connect.known import KnownColumns
from tidewire.runtime.connect.types import ColumnMapping, SchemaTypes
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.json.connect_values import ENUM_LABEL
from tidewire.runtime.json.json_literals import text_json
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.label_lists import read_otherwise
from tidewire.runtime.tables.description import DescribedTable
from tidewire.runtime.wire.value_codec import ColumnFacts

LAST, TWICE = "last", "twice"
"""Where a block lists columns of the table that rows lack: after the others; or in table order, and again at the end.
"""


class ConnectWriter:
    """Builds the blocks of one producer with its options."""

    def __init__(
        self,
        types: SchemaTypes[JsonCodec],
        unsent: Mapping[str, str],
        nulls: Mapping[str, str],
        protocol: str,
        producer: str,
        options: Mapping[str, object],
        spelling: Spelling,
        declared: Callable[[str], Declared],
        type_text: Callable[[int, int, bool], str],
        flags: tuple[int, int],
    ) -> None:
        """
        Args:
            unsent: by producer, where a block lists the columns of the table that rows lack: `LAST` or `TWICE`.
            nulls: by producer, how NULL in a column with a default is written: `PARSED` of
                `tidewire.runtime.connect.defaults`, or else as the default. Other producers write null.
            protocol: name of the protocol, for errors.
            producer: producer whose messages are imitated.
            options: options of the protocol by name.
            spelling: how texts are escaped.
            declared: parses a declared type.
            type_text: TiDB's name of a type, by its code and flags.
            flags: the flag of nullable columns, and the flag of handle key columns.
        """
        self._types = types
        self._protocol = protocol
        self._others_last = unsent.get(producer, LAST) == LAST
        self._nulls = nulls.get(producer)
        exact = types.exact
        self._exact = exact if exact is not None and (exact.when is None or options[exact.when]) else None
        self._producer = producer
        self._options = options
        self._spelling = spelling
        self._declared = declared
        self._type_text = type_text
        self._nullable, self._handle_key = flags

    # ---- columns

    def _facts(self, column: Column, table: KnownColumns) -> ColumnFacts:
        return table.facts(column, self._declared, self._nullable)

    def _written(self, column: Column, facts: ColumnFacts) -> ColumnMapping[JsonCodec] | None:
        return self._types.written(column.type, column.flags, facts, self._producer, self._options)

    def none_needed(self, described: DescribedTable | None) -> bool:
        """Whether, by the block, a row of a table may have no columns: none of them is NOT NULL."""
        return described is None or all(one.flags & self._nullable for one in described.row_columns())

    def codecs(self, columns: Sequence[Column], described: DescribedTable | None) -> list[JsonCodec | None]:
        """The codec of each column; None: it is not written."""
        table = KnownColumns(described)
        return [self._codec(one, self._facts(one, table)) for one in columns]

    def _codec(self, column: Column, facts: ColumnFacts) -> JsonCodec | None:
        found = self._written(column, facts)
        return None if found is None else found.codec.for_column(facts)

    def null_defaults(self, columns: Sequence[Column], described: DescribedTable | None) -> list[bytes | None]:
        """What is written for NULL in each column, as for `JsonCodec.fill`; None: null."""
        table = KnownColumns(described)
        if self._nulls is None or all(default is None for default in table.defaults.values()):
            return [None] * len(columns)
        return [self._filling(one, table) for one in columns]

    def _filling(self, column: Column, table: KnownColumns) -> bytes | None:
        facts = self._facts(column, table)
        found = self._written(column, facts)
        default = table.defaults.get(column.name)
        if found is None or default is None:
            return None
        way, codec = self._types.default(found), found.codec
        if way is None and codec.stored(False) == BYTES:
            return b'"%b"' % b64encode(str(default).encode())
        whole = way == NUMBER and codec.stored(False) in (INT, UINT)
        if self._nulls == PARSED and (whole or way in TIMES):
            return b"%d" % parsed_default(way, default)
        if whole:
            return whole_number(default)
        if self._nulls == PARSED and codec.stored(False) == FLOAT:
            default = str(parsed_float(default))
        text = self._spelled_default(way, default, facts)
        return None if text is None else zoned_text(text) if way == ZONED else text.encode()

    def _field(self, column: Column, table: KnownColumns) -> str:
        facts = self._facts(column, table)
        found = self._written(column, facts)
        said = []
        if self._exact is not None:
            flags = 0 if column.type in self._exact.plain else column.flags
            name = self._type_text(column.type, flags, False)
            said.append(f"{self._text(self._exact.word)}:{self._text(name)}")
        if found is not None:
            type = self._types.types[found.schema]
            said.append(f'"type":"{type.type}","optional":{"true" if facts.nullable else "false"}')
            if type.name is not None:
                said.append(f'"name":"{type.name}"')
                if type.versioned:
                    said.append('"version":1')
            parameters = self._types.parameters(found, facts)
            if type.escapes and type.labels is not None and found.codec is ENUM_LABEL:
                reason = read_otherwise(facts.labels, parameters[type.labels])
                if reason is not None:
                    raise EncodeError(self._protocol, None, column.name, reason)
            if parameters:
                shown = ",".join(f"{self._text(key)}:{self._text(one)}" for key, one in parameters.items())
                said.append(f'"parameters":{{{shown}}}')
            said.append(f'"field":{self._text(column.name)}')
            default = table.defaults.get(column.name)
            written = None if default is None else self._spelled_default(self._types.default(found), default, facts)
            if written is not None:
                said.append(f'"default":{written}')
        return f"{{{','.join(said)}}}"

    def _spelled_default(self, way: str | None, default: str | int, facts: ColumnFacts) -> str | None:
        """The default of a column as JSON; None: the block has none."""
        if way == LEFT_OUT:
            return None
        return WRITERS[way or TEXT](default, facts, self._spelling)

    def _text(self, text: str) -> str:
        return text_json(self._protocol, text, self._spelling).decode()

    def _declared_columns(self, columns: Sequence[Column], table: KnownColumns) -> list[Column]:
        """The columns that a row's block declares; those that rows lack are at the end, or in table order and at the
        end.
        """
        own = {one.name: one for one in columns}
        if not own.keys() <= table.columns.keys():
            return list(columns)  # the description is of another table
        others = [one for name, one in table.columns.items() if name not in own]
        if self._others_last:
            return [*columns, *others]
        return [*(own.get(name, one) for name, one in table.columns.items()), *others]

    # ---- blocks

    def row_block(
        self, block: BlockText, names: tuple[str, str], columns: Sequence[Column], described: DescribedTable | None
    ) -> bytes:
        """The block of the value, or of the key, of a row.

        Args:
            block: template of the block.
            names: names of schema and table.
            described: description of the table; None: unknown.
        """
        table = KnownColumns(described)
        declared = self._declared_columns(columns, table) if block.has(COLUMNS) else ()
        return block.filled(
            {
                SCHEMA: adjusted(names[0]),
                TABLE: adjusted_table(names[1]),
                COLUMNS: ",".join(self._field(one, table) for one in declared),
                KEY_COLUMNS: ",".join(self._field(one, table) for one in columns if one.flags & self._handle_key),
            }
        )
