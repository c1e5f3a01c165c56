"""Builds schema blocks: the Kafka Connect schemas of keys and values that encoders write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import Declared
from tidewire.runtime.connect.blocks import COLUMNS, KEY_COLUMNS, SCHEMA, TABLE, BlockText, adjusted, adjusted_table
from tidewire.runtime.connect.column_writer import ColumnWriter
from tidewire.runtime.connect.defaults import PARSED
from tidewire.runtime.connect.known import KnownColumns
from tidewire.runtime.connect.types import SchemaTypes
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.json.connect_values import ENUM_LABEL
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.tables.description import DescribedTable
from tidewire.runtime.wire.value_codec import ColumnFacts

LAST, TWICE = "last", "twice"
"""Where a block lists columns of the table that rows lack: after the others; or in table order, and again at the end.
"""


class ConnectWriter(ColumnWriter[JsonCodec]):
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
            types, protocol, producer, options, spelling, declared, type_text: as in `ColumnWriter`.
            unsent: by producer, where a block lists the columns of the table that rows lack: `LAST` or `TWICE`.
            nulls: by producer, how NULL in a column with a default is written: `PARSED` of
                `tidewire.runtime.connect.defaults`, or else as the default. Other producers write null.
            flags: the flag of nullable columns, and the flag of handle key columns.
        """
        super().__init__(types, protocol, producer, options, spelling, declared, type_text, flags[0])
        self._others_last = unsent.get(producer, LAST) == LAST
        self._nulls = nulls.get(producer)
        self._handle_key = flags[1]

    # ---- columns

    def _has_one_label(self, codec: JsonCodec) -> bool:
        return codec is ENUM_LABEL

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
        return self._null_default(found, default, facts, self._nulls == PARSED)

    def _field(self, column: Column, table: KnownColumns) -> str:
        facts = self._facts(column, table)
        found = self._written(column, facts)
        said = self._json(self._stated(column, found, facts))
        default = table.defaults.get(column.name)
        written = None if found is None or default is None else self._default(found, default, facts)
        return said if written is None else f'{said[:-1]},"default":{written}}}'

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
