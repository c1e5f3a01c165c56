"""Base class of decoders of Kafka Connect's envelopes: schema blocks say what the columns of rows are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.connect.unknown import UnknownColumns
from tidewire.runtime.decoding.described_decoder import DescribedDecoder, tso_of
from tidewire.runtime.errors import (
    CONTRADICTION,
    KIND,
    MISSING,
    REASONS,
    UNDESCRIBED,
    VALUE,
    ContradictionError,
    MissingTableError,
    StatedError,
    UndescribedRow,
    WireError,
)
from tidewire.runtime.json.connect_decimals import LOST, NO_NUMBERS
from tidewire.runtime.json.connect_keys import ConnectKeys
from tidewire.runtime.json.envelopes import Envelopes
from tidewire.runtime.tables.described_parts import NoDescription
from tidewire.runtime.tables.store import MOST_TIME

if cython.compiled:
    from cython.cimports.tidewire.runtime.json.envelopes import KnownBlock

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from tidewire.runtime.batch import EventColumns
    from tidewire.runtime.connect.reading import ConnectReader
    from tidewire.runtime.decoding.row_table import RowTable
    from tidewire.runtime.errors import DecodeError
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.envelopes import KnownBlock
    from tidewire.runtime.tables.description import DescribedTable
    from tidewire.runtime.tables.store import DescribedTables
    from tidewire.runtime.wire.byte_reader import ByteReader
    from tidewire.runtime.wire.messages import Values
    from tidewire.runtime.wire.part import Part

UTC = "UTC"
NO_BLOCK = -2
"""Never a block number: forces the table's columns to be resolved for the next row."""


def under(described: DescribedTable, name: tuple[str, str]) -> DescribedTable:
    """The same table description under the table's previous name; renaming changes nothing else.

    Args:
        described: the current description.
        name: previous database and table name.
    """
    return type(described)(
        name[0], name[1], described.columns, described.indexes, charset=described.charset, comment=described.comment
    )


class ConnectDecoder(DescribedDecoder):
    """A decoder of messages in Kafka Connect's envelopes.

    Attributes:
        envelopes: unwraps values.
        unknown: columns of unknown types, for warnings.
        misfits: columns of unknown types that are read as text in the message being read again, because their values do
            not match the type in the schema block either.
        has_misfits: whether the next row has such columns.
        misfit_message: number of that message; -1: none.
        keys: finds the columns of keys.
        connect: resolves the columns of a schema block.
        renamed: position in the batch of the description under the table's name before the last statement; -1 if the
            statement did not rename the table.
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
        store: DescribedTables[Any],
        connect: ConnectReader,
        envelope_fields: tuple[int, int, int],
    ) -> None:
        """
        Args:
            protocol, fields, schema, positions, storages, replace_invalid, reader, store: as in `DescribedDecoder`.
            connect: resolves the columns of a schema block.
            envelope_fields: field numbers of the key, the payload and the block.
        """
        super().__init__(protocol, fields, schema, positions, storages, replace_invalid, reader, store)
        key_field, payload_field, block_field = envelope_fields
        self.connect = connect
        self.envelopes = Envelopes(connect.read, payload_field, block_field)
        self.keys = ConnectKeys(protocol, connect, key_field)
        self.unknown = UnknownColumns(protocol)
        self.misfits: frozenset[str] = frozenset()
        self.has_misfits = False
        self.misfit_message = -1
        self.renamed = -1

    def decode(self, values: Values, keys: Values | None = None) -> EventColumns:
        """Decodes a batch of messages. A message that cannot be read yields only its error; one without a value only
        its number.
        """
        return self.decode_pieces(((values, keys),))

    def end_batch(self) -> cython.int:
        """Warns of columns of unknown types, and forgets the message to be read again."""
        self.misfit_message = -1
        if self.unknown.waiting:
            self.unknown.say()
        return 0

    def looks_again(self, error: WireError, message: cython.Py_ssize_t) -> cython.bint:
        """Whether a message that failed must be read again: with its envelope parsed in full, so that its error does
        not depend on previous messages; or with a column of unknown type read as text, so that the row is not lost.

        Args:
            error: why the message failed.
            message: its number in the batch.
        """
        again: cython.bint = self.envelopes.guessed or self.keys.envelopes.guessed
        self.envelopes.guessed = self.keys.envelopes.guessed = False
        if not again:
            again = self.has_misfits = self.is_misfit(error, message)
        self.envelopes.careful = self.keys.envelopes.careful = again
        return again

    def is_misfit(self, error: WireError, message: cython.Py_ssize_t) -> cython.bint:
        """Whether an error is about the value of a column of unknown type; if so, the column is added to `misfits`.
        From the second error in a message on, all columns of unknown types are added.
        """
        known: KnownBlock | None = self.envelopes.known
        if known is None or known.block is None or "{column}" not in self.fields[error.field]:
            return False
        name = self.indexes(error)["column"]
        unknown = self.connect.unknown_names(known.block)
        before = self.misfits if message == self.misfit_message else frozenset()
        if name not in unknown or name in before:
            return False
        self.misfits = unknown if before else frozenset((name,))
        self.misfit_message = message
        return True

    def block_text(self) -> bytes:
        """The source text of the message's schema block; empty if it has none."""
        known: KnownBlock | None = self.envelopes.known
        return b"" if known is None else known.text()

    def readable(self, error: WireError, message: int) -> DecodeError:
        """The error as shown to users. A value that its column cannot have adds the options that say how to read it; a
        column that the block lacks names the block.
        """
        where: dict[str, Any] = self.indexes(error)
        if error.code == UNDESCRIBED and self.envelopes.known is not None:
            member = self.fields[self.envelopes.block_field]
            detail = REASONS[UNDESCRIBED][1].format(member=member, **where)
            error = StatedError(error.code, error.field, error.offset, detail)
        columns: Any = where.get("columns")
        if error.code in (KIND, VALUE) and "{column}" in self.fields[error.field] and columns is not None:
            told = columns.at_type()
            known: KnownBlock | None = self.envelopes.known
            block = None if known is None else known.block
            names = () if told is None else self.connect.modes(block, where["column"], *told)
            advice = ""
            if names:
                advice = f"; option {' or '.join(names)} says how the values of this column are written"
            elif error.found.strip('"').encode(errors="replace") in NO_NUMBERS and not error.expected:
                advice = f": {LOST}"
            if advice and not isinstance(error, StatedError):
                stated = StatedError(error.code, error.field, error.offset, f"{error.detail()}{advice}")
                stated.needed, stated.available = error.needed, error.available
                error = stated
        return super().readable(error, message)

    def ended(self, r: JsonCursor, field: cython.int) -> cython.int:
        """Checks that the message ends after the payload, where its envelope ends."""
        end: cython.Py_ssize_t = r.pos
        self.envelopes.close(r)
        r.ended(field)
        r.pos = end
        return 0

    # ---- columns

    def read_by(
        self,
        r: ByteReader,
        table: RowTable,
        known: cython.bint,
        version: cython.ulonglong,
        field: cython.int,
    ) -> cython.int:
        """Sets how rows of a table are read: by the message's schema block, and if that is absent or lacks TiDB's
        types, by the table's description.

        Args:
            table: table of the rows.
            known: whether the message has a commit TSO.
            version: the commit TSO.
            field: field of the commit TSO.
        """
        block: KnownBlock | None = self.envelopes.known
        number: cython.Py_ssize_t = -1 if block is None else block.number
        changes: cython.Py_ssize_t = self.changes_of_store(table)
        if self.has_misfits or not (known and table.is_told(number, self.keys.number, changes, version)):
            self.read_anew_by(r, table, known, version, field, block, number, changes)
        if self.keys.strange is not None and not self.tells_key(table):
            self.keys.warn()
        return 0

    def tells_key(self, table: RowTable) -> cython.bint:
        """Whether any column of the table has the handle key flag."""
        k: cython.Py_ssize_t
        flag: cython.ulonglong = self.connect.handle_key
        for k in range(table.columns.count):
            if table.columns.all[k].flags & flag:
                return True
        return False

    def read_anew_by(
        self,
        r: ByteReader,
        table: RowTable,
        known: cython.bint,
        version: cython.ulonglong,
        field: cython.int,
        block: KnownBlock | None,
        number: cython.Py_ssize_t,
        changes: cython.Py_ssize_t,
    ) -> cython.int:
        """`read_by` without the cached resolution.

        Args:
            block: block of the message; None: it has none.
            number: number of the block.
            changes: change count of the store of descriptions.
        """
        first: cython.ulonglong = 0
        last: cython.ulonglong = MOST_TIME
        asked: object
        description: DescribedTable | None = None
        if block is not None and block.whole:
            asked = (number, self.keys.number)
        else:
            schema, name = table.table
            try:
                if name is not None and (block is None or self.store.may_find(schema, name)):
                    description = self.store.at(schema, name, version if known else None)
            except MissingTableError as error:
                if block is None:
                    raise UndescribedRow(field, r.pos, error) from None
            if known and description is not None and name is not None:
                first, last = self.store.times(schema, name, version)
            asked = (number, self.keys.number, id(description))
        misfits: frozenset[str] = frozenset()
        if self.has_misfits:
            misfits = self.misfits
            asked = (asked, misfits)
        if not table.is_read_by(asked):
            names = self.keys.columns.get(self.keys.number, ())
            try:
                found = self.connect.columns(None if block is None else block.block, description, names, misfits)
                table.read_by(asked, found.columns, found.codecs, found.source, description)
                table.columns.bare = self.connect.none_needed(found.columns)
                for reason in found.unknown:
                    self.unknown.add(table.table, reason)
            except ValueError as error:
                said = field if block is None else self.envelopes.block_field
                raise StatedError(VALUE, said, r.pos, str(error)) from None
        if self.has_misfits:
            table.tell(NO_BLOCK, self.keys.number, changes, first, last)
            self.has_misfits = False
        elif known:
            table.tell(number, self.keys.number, changes, first, last)
        return 0

    def unnamed(self, r: ByteReader, field: cython.int, option: str) -> cython.int:
        """Raises the error of a row without a schema block and without a table name, so that no description applies.

        Args:
            r: cursor.
            field: field that names tables.
            option: option that names the table of such rows.
        """
        raise StatedError(
            MISSING,
            field,
            r.pos,
            f"it is missing, and no schema block says what the columns are. Option {option} names the table of such "
            "rows, as shop.orders; the types of its columns are those of its description: add it to the tables that "
            "the decoder is given, or in Spark give the schema of its rows",
        )

    # ---- changes of tables

    def changed(
        self,
        r: JsonCursor,
        part: Part,
        field: cython.int,
        path_field: cython.int,
        table: RowTable,
        known: cython.bint,
        version: cython.ulonglong,
        timed: cython.bint,
        milliseconds: cython.longlong,
    ) -> cython.Py_ssize_t:
        """Position in the batch of the description of the table that a statement changed; -1 if the message lists none.
        The descriptions apply from the commit time of the statement on; several with the same time get consecutive
        numbers.

        Args:
            part: where the list of table changes is in the message.
            field: field of the list.
            path_field: field of what is inside the list.
            table: table of the message.
            known, version: whether there is a commit TSO, and the TSO.
            timed, milliseconds: whether there is a commit time in milliseconds since 1970, and the time.
        """
        position: cython.Py_ssize_t = -1
        self.renamed = -1
        if part.start < 0:
            return -1
        text = r.copy(part.start, part.end)
        own = None if table.table[0] is None or table.table[1] is None else table.table
        when: int | None = version if known else tso_of(milliseconds) if timed and milliseconds >= 0 else None
        literals = self.envelopes.bare or self.envelopes.block_first
        reader = self.reader
        self.asked_batch = -1
        try:
            for change in reader.changes(text, own, when, literals):
                if change.table is None:
                    continue
                found = self.store.add_in_turn(change.table, when)
                when = found.version
                if position < 0 or change.name == own:
                    position = len(self.cache.descriptions)
                    self.cache.descriptions.append(found)
                    self.renamed = -1
                    if change.before is not None:
                        self.renamed = len(self.cache.descriptions)
                        self.cache.descriptions.append(under(found, change.before))
        except NoDescription as error:
            raise StatedError(error.code, path_field if reader.path else field, part.start, error.detail) from None
        except ContradictionError as error:
            raise StatedError(CONTRADICTION, field, part.start, str(error)) from None
        return position

    # ---- events

    def put_known_by(self, c: cython.int, row: cython.Py_ssize_t, table: RowTable) -> cython.int:
        """Puts the source of the column types into a column of events; null if the message states them itself."""
        if table.source is None:
            return self.events.put_null(c, row)
        return self.events.put_text(c, row, table.source)

    def put_utc(self, c: cython.int, row: cython.Py_ssize_t, table: RowTable) -> cython.int:
        """Puts UTC, the location of TIMESTAMP values, into a column of events; null if the table has no such values."""
        if not table.zoned:
            return self.events.put_null(c, row)
        return self.events.put_text(c, row, UTC)
