"""What decoders of Kafka Connect's envelopes have: rows are read by the columns that schema blocks tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.connect.unknown import UnknownColumns
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
from tidewire.runtime.json.connect_keys import ConnectKeys
from tidewire.runtime.json.described_decoder import DescribedDecoder, tso_of
from tidewire.runtime.json.described_parts import NoDescription
from tidewire.runtime.json.envelopes import Envelopes
from tidewire.runtime.json.table_changes import ChangeReader
from tidewire.runtime.tables.store import MOST_TIME

if cython.compiled:
    from cython.cimports.tidewire.runtime.json.envelopes import KnownBlock

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from tidewire.runtime.batch import EventColumns
    from tidewire.runtime.connect.reading import ConnectReader
    from tidewire.runtime.errors import DecodeError
    from tidewire.runtime.json.cursor import JsonCursor, Part
    from tidewire.runtime.json.described_parts import DescribedPart
    from tidewire.runtime.json.envelopes import KnownBlock
    from tidewire.runtime.json.table import JsonTable
    from tidewire.runtime.tables.description import DescribedTable
    from tidewire.runtime.tables.store import DescribedTables
    from tidewire.runtime.wire.byte_reader import ByteReader
    from tidewire.runtime.wire.messages import Values

UTC = "UTC"
NO_BLOCK = -2
"""The number of no block, and of no row without one: what the columns of the next row are is asked again."""


def under(described: DescribedTable, name: tuple[str, str]) -> DescribedTable:
    """A table under the name that it had before: to rename it changes nothing else of it.

    Args:
        described: the table as it is.
        name: its database and what it was called.
    """
    return type(described)(
        name[0], name[1], described.columns, described.indexes, charset=described.charset, comment=described.comment
    )


class ConnectDecoder(DescribedDecoder):
    """A decoder of messages in envelopes.

    Attributes:
        envelopes: takes values out of theirs.
        unknown: columns of types that are not known.
        misfits: those of them, in the message that is read again, whose values are none of the block's type either;
            they are read as texts.
        has_misfits: whether the next row has such columns.
        misfit_message: the number of that message; -1 for none.
        keys: tells which columns keys have.
        connect: says what the columns of a block are.
        renamed: the position, among those of the batch, of the description of the table under the name that it had
            before the statement that was read last; -1 where that did not rename it.
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
        connect: ConnectReader,
        envelope_fields: tuple[int, int, int],
    ) -> None:
        """
        Args:
            protocol, fields, schema, positions, storages, replace_invalid, part, description, store: as those of
                `DescribedDecoder`.
            connect: says what the columns of a block are.
            envelope_fields: the fields of the key, the payload and the block.
        """
        super().__init__(protocol, fields, schema, positions, storages, replace_invalid, part, description, store)
        key_field, payload_field, block_field = envelope_fields
        self.connect = connect
        self.reader = ChangeReader(description)
        self.envelopes = Envelopes(connect.read, payload_field, block_field)
        self.keys = ConnectKeys(protocol, connect, key_field)
        self.unknown = UnknownColumns(protocol)
        self.misfits: frozenset[str] = frozenset()
        self.has_misfits = False
        self.misfit_message = -1
        self.renamed = -1

    def decode(self, values: Values, keys: Values | None = None) -> EventColumns:
        """A batch of messages; those that cannot be read leave nothing but their error, those without a value nothing
        but their number.
        """
        return self.decode_pieces(((values, keys),))

    def end_batch(self) -> cython.int:
        """Warns of columns of types that are not known, and forgets which message has to be read once more."""
        self.misfit_message = -1
        if self.unknown.waiting:
            self.unknown.say()
        return 0

    def looks_again(self, error: WireError, message: cython.Py_ssize_t) -> cython.bint:
        """Whether a message that could not be read has to be read once more. Its envelopes are taken apart then: what
        is wrong with it does not depend on the messages before. And a column of a type that is not known, with a value
        that is none of its type in the block, is a text, as it is written: it does not cost the row.

        Args:
            error: why it could not be read.
            message: its number in the batch.
        """
        again: cython.bint = self.envelopes.guessed or self.keys.envelopes.guessed
        self.envelopes.guessed = self.keys.envelopes.guessed = False
        if not again:
            again = self.has_misfits = self.is_misfit(error, message)
        self.envelopes.careful = self.keys.envelopes.careful = again
        return again

    def is_misfit(self, error: WireError, message: cython.Py_ssize_t) -> cython.bint:
        """Whether an error is about the value of a column of an unknown type; the column is one of `misfits` then. From
        the second on, all columns of unknown types are.
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
        """The schema block of the message, as it is written; empty where it has none."""
        known: KnownBlock | None = self.envelopes.known
        return b"" if known is None else known.text()

    def readable(self, error: WireError, message: int) -> DecodeError:
        """As all decoders do it; of a value that its column cannot have, with the options that say how it is read, and
        of a column that the block lacks, with the block.
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
            if names and not isinstance(error, StatedError):
                advice = f"option {' or '.join(names)} says how the values of this column are written"
                stated = StatedError(error.code, error.field, error.offset, f"{error.detail()}; {advice}")
                stated.needed, stated.available = error.needed, error.available
                error = stated
        return super().readable(error, message)

    def ended(self, r: JsonCursor, field: cython.int) -> cython.int:
        """The same behind a payload, where its envelope ends."""
        end: cython.Py_ssize_t = r.pos
        self.envelopes.close(r)
        DescribedDecoder.ended(self, r, field)
        r.pos = end
        return 0

    # ---- columns

    def read_by(
        self,
        r: ByteReader,
        table: JsonTable,
        known: cython.bint,
        version: cython.ulonglong,
        field: cython.int,
    ) -> cython.int:
        """Has the rows of a table be read by the block of the message; where that does not say TiDB's types, or there
        is none, also by the table's description.

        Args:
            table: which one.
            known: whether the message says when it was committed.
            version: when: a TSO.
            field: that says it.
        """
        block: KnownBlock | None = self.envelopes.known
        number: cython.Py_ssize_t = -1 if block is None else block.number
        changes: cython.Py_ssize_t = self.changes_of_store(table)
        if self.has_misfits or not (known and table.is_told(number, self.keys.number, changes, version)):
            self.read_anew_by(r, table, known, version, field, block, number, changes)
        if self.keys.strange is not None and not self.tells_key(table):
            self.keys.warn()
        return 0

    def tells_key(self, table: JsonTable) -> cython.bint:
        """Whether a description tells which columns of a table are the handle key."""
        k: cython.Py_ssize_t
        flag: cython.ulonglong = self.connect.handle_key
        for k in range(table.columns.count):
            if table.columns.all[k].flags & flag:
                return True
        return False

    def read_anew_by(
        self,
        r: ByteReader,
        table: JsonTable,
        known: cython.bint,
        version: cython.ulonglong,
        field: cython.int,
        block: KnownBlock | None,
        number: cython.Py_ssize_t,
        changes: cython.Py_ssize_t,
    ) -> cython.int:
        """The same where the table is not known to be read so already.

        Args:
            block: of the message; None: it has none.
            number: of the block.
            changes: of the store of descriptions.
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
        """A row has no schema block, and does not name the table whose description says what its columns are.

        Args:
            r: the cursor.
            field: that names tables.
            option: the one that names the table of such rows.
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
        table: JsonTable,
        known: cython.bint,
        version: cython.ulonglong,
        timed: cython.bint,
        milliseconds: cython.longlong,
    ) -> cython.Py_ssize_t:
        """The position, among those of the batch, of the description of the table that a statement changed; -1 where
        the message lists none. The descriptions hold from the time of the statement on; two of one moment get numbers
        that follow one another.

        Args:
            part: where the list is.
            field: its field.
            path_field: the field of what is in it.
            table: which one the message is about.
            known, version, timed, milliseconds: when it was committed, as far as the message says it.
        """
        position: cython.Py_ssize_t = -1
        self.renamed = -1
        if part.start < 0:
            return -1
        text = r.copy(part.start, part.end)
        own = None if table.table[0] is None or table.table[1] is None else table.table
        when: int | None = version if known else tso_of(milliseconds) if timed and milliseconds >= 0 else None
        literals = self.envelopes.bare or self.envelopes.block_first
        reader: Any = self.reader
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

    def put_known_by(self, c: cython.int, row: cython.Py_ssize_t, table: JsonTable) -> cython.int:
        """Puts by what the types of the columns are known into a column of events; null where the message says it."""
        if table.source is None:
            return self.events.put_null(c, row)
        return self.events.put_text(c, row, table.source)

    def put_utc(self, c: cython.int, row: cython.Py_ssize_t, table: JsonTable) -> cython.int:
        """Puts the location of TIMESTAMP values, UTC, into a column of events; null where the table has none."""
        if not table.zoned:
            return self.events.put_null(c, row)
        return self.events.put_text(c, row, UTC)
