"""Base class of decoders of messages that describe tables in separate messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.decoding.message_decoder import MessageDecoder
from tidewire.runtime.errors import (
    CONTRADICTION,
    UNDESCRIBED,
    VALUE,
    ContradictionError,
    MissingTableError,
    StatedError,
    UndescribedRow,
    WireError,
)
from tidewire.runtime.tables.described_parts import NoDescription
from tidewire.runtime.tso import TSO_SHIFT

MOST_VERSION = (1 << 64) - 1
_SHIFT, _LAST, _LAST_MS = TSO_SHIFT, MOST_VERSION, MOST_VERSION >> TSO_SHIFT
"""Imported constants as C numbers in compiled code."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from tidewire.runtime.decoding.row_table import RowTable
    from tidewire.runtime.errors import DecodeError
    from tidewire.runtime.tables.description import DescribedTable
    from tidewire.runtime.tables.store import DescribedTables
    from tidewire.runtime.wire.byte_reader import ByteReader
    from tidewire.runtime.wire.part import Part


def tso_of(milliseconds: int) -> int:
    """The first TSO of a millisecond (0 or more); the greatest TSO if it does not fit."""
    return min(milliseconds << TSO_SHIFT, MOST_VERSION)


class DescribedDecoder(MessageDecoder):
    """A decoder that reads rows by the descriptions of their tables.

    Attributes:
        store: known descriptions. Those found in messages are added, and remain if a later message fails.
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
        reader: Any,
        store: DescribedTables[Any] | None,
    ) -> None:
        """
        Args:
            protocol, fields, schema, positions, storages, replace_invalid: as in `BatchDecoder`.
            reader: reads descriptions; None: messages have none.
            store: known descriptions; new ones are added. None: rows are not read by descriptions, and none are kept.
        """
        super().__init__(protocol, fields, schema, positions, storages, replace_invalid)
        self.store: Any = store
        self.store_changes = 0
        self.asked_batch = -1
        self.reader = reader

    def readable(self, error: WireError, message: int) -> DecodeError:
        """The error as shown to users; a column that the table's description lacks is reported as missing there."""
        if error.code == UNDESCRIBED and not isinstance(error, StatedError | UndescribedRow):
            column = self.indexes(error)["column"]
            detail = f"the description of the table has no column `{column}`: give the one of this row"
            error = StatedError(error.code, error.field, error.offset, detail)
        return super().readable(error, message)

    def described(self, r: ByteReader, part: Part, field: cython.int, path_field: cython.int) -> DescribedTable | None:
        """The description in a part of the message, not yet stored; None if there is none.

        Args:
            part: position of the object that describes the table.
            path_field: field of what is inside it.
        """
        if part.start < 0:
            return None
        try:
            found: DescribedTable | None = self.reader.read(r.copy(part.start, part.end))
        except NoDescription as error:
            raise StatedError(error.code, path_field if self.reader.path else field, part.start, error.detail) from None
        return found

    def learned(self, found: DescribedTable | None, field: cython.int, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Stores a description of the message and returns its position in the batch; -1 if there is none.

        Args:
            found: the description; None: the message has none.
            field: field of the description.
            start: offset of the description in the message.
        """
        position: cython.Py_ssize_t
        if found is None:
            return -1
        self.asked_batch = -1
        if self.store is not None:
            try:
                self.store.add(found)
            except ContradictionError as error:
                raise StatedError(CONTRADICTION, field, start, str(error)) from None
        position = len(self.cache.descriptions)
        self.cache.descriptions.append(found)
        return position

    def position_described(self, description: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Position in the batch of the described table's name; of the empty name if there is no description.

        Args:
            description: position of the description; -1: none.
            other: position of the description to use instead if there is none.
        """
        which: cython.Py_ssize_t = other if description < 0 else description
        if which < 0:
            return self.cache.position((None, None))
        found = self.cache.descriptions[which]
        return self.cache.position(self.cache.table(found.schema, found.table))

    def put_described(self, c: cython.int, row: cython.Py_ssize_t, description: cython.Py_ssize_t) -> cython.int:
        """Puts the position of a description into a column of events; null if it is -1."""
        if description < 0:
            return self.events.put_null(c, row)
        return self.events.put_int(c, row, description)

    def read_by(
        self,
        r: ByteReader,
        table: RowTable,
        known: cython.bint,
        version: cython.ulonglong,
        field: cython.int,
    ) -> cython.int:
        """Sets the description by which rows of a table are read.

        Args:
            table: table of the rows.
            known: whether the message states a schema version.
            version: the schema version.
            field: field of the version.
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

    def changes_of_store(self, table: RowTable) -> cython.Py_ssize_t:
        """The store's change count, read once per batch: descriptions that others add apply from the next batch on.

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
        table: RowTable,
        known: cython.bint,
        version: cython.ulonglong,
        timed: cython.bint,
        milliseconds: cython.longlong,
        field: cython.int,
    ) -> cython.int:
        """`read_by` of a row whose commit time may be given in milliseconds only.

        Args:
            timed: whether the message states the time.
            milliseconds: time in milliseconds since 1970.
        """
        if not known and timed and milliseconds >= 0:
            known = True
            version = milliseconds
            version = version << _SHIFT if milliseconds <= _LAST_MS else _LAST
        return self.read_by(r, table, known, version, field)
