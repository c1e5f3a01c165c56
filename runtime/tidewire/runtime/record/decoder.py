"""Base class of decoders of Avro records that describe tables in separate messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.decoding.described_decoder import DescribedDecoder
from tidewire.runtime.wire.part import Part

if TYPE_CHECKING:
    from tidewire.runtime.decoding.row_table import RowTable
    from tidewire.runtime.decoding.row_tables import Tables
    from tidewire.runtime.record.cursor import RecordCursor


class RecordDecoder(DescribedDecoder):
    """A decoder of records that reads rows by the descriptions of their tables.

    Attributes:
        tables: tables of the rows; set by the generated decoder.
    """

    tables: Tables

    def find_table(
        self, r: RecordCursor, schema: Part, name: Part, schema_field: cython.int, name_field: cython.int
    ) -> RowTable:
        """The table with the names in these parts of the message; an empty part is no name."""
        found: RowTable | None = self.tables.written_as(r, schema, name)
        if found is None:
            names = (r.decoded(schema.start, schema.end, schema_field), r.decoded(name.start, name.end, name_field))
            found = self.tables.of(names[0] or None, names[1] or None)
            self.tables.remember(r, schema, name, found)
        return found
