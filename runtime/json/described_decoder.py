"""What decoders of JSON objects have whose tables are described apart from their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.decoding.message_decoder import MessageDecoder
from tidewire.runtime.errors import (
    CONTRADICTION,
    TRAILING,
    UNDESCRIBED,
    VALUE,
    ContradictionError,
    MissingTableError,
    StatedError,
    UndescribedRow,
    WireError,
)
from tidewire.runtime.json.described_parts import DescribedPart, DescriptionReader, NoDescription
from tidewire.runtime.tso import TSO_SHIFT

MOST_VERSION = (1 << 64) - 1
_SHIFT, _LAST, _LAST_MS = TSO_SHIFT, MOST_VERSION, MOST_VERSION >> TSO_SHIFT
"""The same, numbers of C where this is compiled."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from tidewire.runtime.errors import DecodeError
    from tidewire.runtime.json.cursor import JsonCursor, Part
    from tidewire.runtime.json.table import JsonTable
    from tidewire.runtime.tables.description import DescribedTable
    from tidewire.runtime.tables.store import DescribedTables
    from tidewire.runtime.wire.byte_reader import ByteReader


def tso_of(milliseconds: int) -> int:
    """The first TSO of a millisecond, which is not below 0; the last one that there is for those beyond."""
    return min(milliseconds << TSO_SHIFT, MOST_VERSION)


class DescribedDecoder(MessageDecoder):
    """A decoder that reads rows by the descriptions of their tables.

    Attributes:
        store: the descriptions that are known; those that messages have are added, and stay when a message behind them
            cannot be read.
        reader: reads descriptions.
    """

    def __init__(
        self,
        protocol: str,
        fields: tuple[str, ...],
        schema: pa.Schema,
        positions: Sequence[int],
        storages: Sequence[int],
        replace_invalid: cython.bint,
        part: DescribedPart | None,
        description: type[DescribedTable],
        store: DescribedTables[Any],
    ) -> None:
        """
        Args:
            protocol, fields, schema, positions, storages, replace_invalid: as those of `BatchDecoder`.
            part: the object that describes a table; None where messages have none.
            description: the class of descriptions.
            store: what is known already, and gets what is learned.
        """
        super().__init__(protocol, fields, schema, positions, storages, replace_invalid)
        self.store = store
        self.store_changes = 0
        self.asked_batch = -1
        self.reader = DescriptionReader(part or DescribedPart("table", ()), description)

    def readable(self, error: WireError, message: int) -> DecodeError:
        """As all decoders do it; a column that the table's description lacks is missing there, not in the message."""
        if error.code == UNDESCRIBED and not isinstance(error, StatedError | UndescribedRow):
            column = self.indexes(error)["column"]
            detail = f"the description of the table has no column `{column}`: give the one of this row"
            error = StatedError(error.code, error.field, error.offset, detail)
        return super().readable(error, message)

    def ended(self, r: JsonCursor, field: cython.int) -> cython.int:
        """Makes sure that the message ends behind the object at whose end the cursor is; the cursor stays there."""
        end: cython.Py_ssize_t = r.pos
        if r.separator(b"", field):
            return r.fail(TRAILING, field, r.pos, r.end - r.pos, 0)
        r.pos = end
        return 0

    def described(self, r: JsonCursor, part: Part, field: cython.int, path_field: cython.int) -> DescribedTable | None:
        """The description in a part of the message; None where it has none. Nothing is learned yet.

        Args:
            part: where the object is that describes the table.
            field: its field.
            path_field: the field of what is in it.
        """
        if part.start < 0:
            return None
        try:
            found: DescribedTable = self.reader.read(r.copy(part.start, part.end))
        except NoDescription as error:
            raise StatedError(error.code, path_field if self.reader.path else field, part.start, error.detail) from None
        return found

    def learned(self, found: DescribedTable | None, field: cython.int, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The position of a description of the message, which is remembered, among those of the batch; -1 for none.

        Args:
            found: the description; None where the message has none.
            field: that has it.
            start: where it begins in the message.
        """
        position: cython.Py_ssize_t
        if found is None:
            return -1
        self.asked_batch = -1
        try:
            self.store.add(found)
        except ContradictionError as error:
            raise StatedError(CONTRADICTION, field, start, str(error)) from None
        position = len(self.cache.descriptions)
        self.cache.descriptions.append(found)
        return position

    def position_described(self, description: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The position, among those of the batch, of the table that is described; of none where there is no
        description.

        Args:
            description: its position; -1 for none.
            other: that of the description that counts then.
        """
        which: cython.Py_ssize_t = other if description < 0 else description
        if which < 0:
            return self.cache.position((None, None))
        found = self.cache.descriptions[which]
        return self.cache.position(self.cache.table(found.schema, found.table))

    def put_described(self, c: cython.int, row: cython.Py_ssize_t, description: cython.Py_ssize_t) -> cython.int:
        """Puts the position of a description into a column of events; null for none."""
        if description < 0:
            return self.events.put_null(c, row)
        return self.events.put_int(c, row, description)

    def read_by(
        self,
        r: ByteReader,
        table: JsonTable,
        known: cython.bint,
        version: cython.ulonglong,
        field: cython.int,
    ) -> cython.int:
        """Has the rows of a table be read by its description of a version.

        Args:
            table: which one.
            known: whether the message says a version.
            version: which one.
            field: that says it.
        """
        try:
            table.described_by(known, version)
        except MissingTableError as error:
            raise UndescribedRow(field, r.pos, error) from None
        except ValueError as error:
            text = f"no row can be read by the description of its table: {error}"
            remedy = "describe the table rightly in another TableStore, and decode the message with that"
            raise StatedError(VALUE, field, r.pos, f"{text}; {remedy}") from None
        return 0

    def changes_of_store(self, table: JsonTable) -> cython.Py_ssize_t:
        """How often a description was added to the store; what others add counts from the next batch on.

        Args:
            table: any table of the batch.
        """
        if self.asked_batch != table.tables.batch:
            self.store_changes = self.store.changes
            self.asked_batch = table.tables.batch
        return self.store_changes

    def read_by_time(
        self,
        r: ByteReader,
        table: JsonTable,
        known: cython.bint,
        version: cython.ulonglong,
        timed: cython.bint,
        milliseconds: cython.longlong,
        field: cython.int,
    ) -> cython.int:
        """`read_by` of a row that may say when it was committed in milliseconds alone.

        Args:
            timed: whether the message says it.
            milliseconds: since 1970.
        """
        if not known and timed and milliseconds >= 0:
            known = True
            version = milliseconds
            version = version << _SHIFT if milliseconds <= _LAST_MS else _LAST
        return self.read_by(r, table, known, version, field)
