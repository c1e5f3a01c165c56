"""Derives schema blocks: what encoders say of keys and values in Kafka Connect's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import Declared
from tidewire.runtime.connect.blocks import COLUMNS, KEY_COLUMNS, SCHEMA, TABLE, BlockText, adjusted, adjusted_table
from tidewire.runtime.connect.defaults import WRITERS
from tidewire.runtime.connect.types import LAST, ConnectTypes, Form
from tidewire.runtime.json.codec import ColumnFacts, JsonCodec
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.json.spelled import text_json
from tidewire.runtime.tables.description import DescribedTable


class ColumnsWritten(NamedTuple):
    """How the columns of a row are written."""

    codecs: list[JsonCodec | None]
    nulls: list[bytes | None]
    """What is written of a column in place of NULL; None: null."""


class ConnectWriter:
    """Derives the blocks of one producer with its options."""

    def __init__(
        self,
        types: ConnectTypes,
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
            types: the forms of the protocol.
            protocol: for errors.
            producer: who writes.
            options: of the protocol, by name.
            spelling: how texts are spelled.
            declared: takes a declared type apart.
            type_text: TiDB's name of a type, by its code and flags.
            flags: those of a column that can be NULL, and of one of the handle key.
        """
        self._types = types
        self._protocol = protocol
        self._others_last = types.unsent.get(producer, LAST) == LAST
        self._exact = types.exact if types.exact_when is None or options[types.exact_when] else None
        self._spelling = spelling
        self._declared = declared
        self._type_text = type_text
        self._nullable, self._handle_key = flags

    # ---- columns

    def _facts(self, column: Column, described: DescribedTable | None) -> ColumnFacts:
        text = column.mysql_type
        known = None
        if described is not None:
            known = next((one for one in described.row_columns() if one.name == column.name), None)
        if known is not None:
            text = known.mysql_type
        nullable = bool((column.flags if known is None else known.flags) & self._nullable)
        if text is None:
            return ColumnFacts(nullable=nullable)
        said = self._declared(text)
        if known is not None and column.mysql_type is not None:
            # a description may leave out what the column itself is declared with
            own = self._declared(column.mysql_type)
            length = own.length if said.length is None else said.length
            decimals = own.decimals if said.decimals is None else said.decimals
            return ColumnFacts(said.members or own.members, length, decimals, decimals, nullable)
        return ColumnFacts(said.members, said.length, said.decimals, said.decimals, nullable)

    def values(self, columns: Sequence[Column], described: DescribedTable | None) -> ColumnsWritten:
        """How the values of these columns are written."""
        codecs: list[JsonCodec | None] = []
        for column in columns:
            found = self._types.written(column.type, column.flags, self._facts(column, described))
            codecs.append(None if found is None else found[1])
        return ColumnsWritten(codecs, [None] * len(codecs))

    def _field(self, column: Column, described: DescribedTable | None) -> str:
        facts = self._facts(column, described)
        found = self._types.written(column.type, column.flags, facts)
        said = []
        if self._exact is not None:
            name = self._type_text(column.type, column.flags, False)
            if name.startswith(("decimal", "year", "bit")):
                name = name.partition(" ")[0]
            said.append(f"{self._text(self._exact)}:{self._text(name)}")
        if found is not None:
            form = found[0]
            said.append(f'"type":"{form.type}","optional":{"true" if facts.nullable else "false"}')
            if form.name is not None:
                said.append(f'"name":"{form.name}"')
                if form.versioned:
                    said.append('"version":1')
                parameters = self._parameters(form, facts)
                if parameters:
                    said.append(f'"parameters":{{{parameters}}}')
            said.append(f'"field":{self._text(column.name)}')
            default = None if described is None else self._default(form, column, facts, described)
            if default is not None:
                said.append(f'"default":{default}')
        return f"{{{','.join(said)}}}"

    def _parameters(self, form: Form, facts: ColumnFacts) -> str:
        if form.labels is not None:
            labels = [one.replace(",", "\\,") if form.escapes else one for one in facts.labels]
            return f'"{form.labels}":{self._text(",".join(labels))}'
        if form.length is not None:
            return f'"{form.length}":"{facts.length}"'
        return ""

    def _default(self, form: Form, column: Column, facts: ColumnFacts, described: DescribedTable) -> str | None:
        """The default of a column as JSON; None where blocks have none."""
        known = next((one for one in described.columns if one.name == column.name), None)
        if known is None or known.default is None:
            return None
        if form.default is None:
            return self._text(str(known.default))
        return WRITERS[form.default](known.default, facts, self._spelling)

    def _text(self, text: str) -> str:
        return text_json(self._protocol, text, self._spelling).decode()

    def _declared_columns(self, columns: Sequence[Column], described: DescribedTable | None) -> list[Column]:
        """The columns that a row's block declares: those that rows do not have last, or in their place and last."""
        if described is None:
            return list(columns)
        known = described.row_columns()
        own = {one.name: one for one in columns}
        if not set(own) <= {one.name for one in known}:
            return list(columns)
        others = [one for one in known if one.name not in own]
        if self._others_last:
            return [*columns, *others]
        return [*(own.get(one.name, one) for one in known), *others]

    # ---- blocks

    def row_block(
        self, block: BlockText, names: tuple[str, str], columns: Sequence[Column], described: DescribedTable | None
    ) -> bytes:
        """The block of the value, or the key, of a row.

        Args:
            block: its text.
            names: of its schema and table.
            columns: of the row.
            described: what is known of its table.
        """
        declared = self._declared_columns(columns, described) if block.has(COLUMNS) else ()
        return block.filled(
            {
                SCHEMA: adjusted(names[0]),
                TABLE: adjusted_table(names[1]),
                COLUMNS: ",".join(self._field(one, described) for one in declared),
                KEY_COLUMNS: ",".join(self._field(one, described) for one in columns if one.flags & self._handle_key),
            }
        )
