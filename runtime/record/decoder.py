"""Base class of decoders of Avro records that describe tables in separate messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.json.cursor import Part
from tidewire.runtime.json.described_decoder import DescribedDecoder
from tidewire.runtime.record.descriptions import RecordDescriptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from tidewire.runtime.json.table import JsonTable
    from tidewire.runtime.json.tables import Tables
    from tidewire.runtime.record.cursor import RecordCursor
    from tidewire.runtime.record.described_parts import DescribedRecord
    from tidewire.runtime.tables.description import DescribedTable
    from tidewire.runtime.tables.store import DescribedTables


class RecordDecoder(DescribedDecoder):
    """A decoder of records that reads rows by the descriptions of their tables.

    Attributes:
        tables: tables of the rows; set by the generated decoder.
        descriptions: reads descriptions.
    """

    tables: Tables

    def __init__(
        self,
        protocol: str,
        fields: tuple[str, ...],
        schema: pa.Schema,
        positions: Sequence[int],
        storages: Sequence[int],
        replace_invalid: cython.bint,
        part: DescribedRecord,
        description: type[DescribedTable],
        store: DescribedTables[Any],
    ) -> None:
        """
        Args:
            protocol, fields, schema, positions, storages, replace_invalid: as in `BatchDecoder`.
            part: the record that describes a table.
            description: class of descriptions.
            store: known descriptions; new ones are added.
        """
        super().__init__(protocol, fields, schema, positions, storages, replace_invalid, None, description, store)
        self.descriptions = RecordDescriptions(part, description)

    def find_table(
        self, r: RecordCursor, schema: Part, name: Part, schema_field: cython.int, name_field: cython.int
    ) -> JsonTable:
        """The table with the names in these parts of the message; an empty part is no name."""
        found: JsonTable | None = self.tables.written_as(r, schema, name)
        if found is None:
            names = (r.decoded(schema.start, schema.end, schema_field), r.decoded(name.start, name.end, name_field))
            found = self.tables.of(names[0] or None, names[1] or None)
            self.tables.remember(r, schema, name, found)
        return found
