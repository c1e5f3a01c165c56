"""What decoders of Kafka Connect's envelopes have: rows are read by the columns that schema blocks tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.connect.unknown import UnknownColumns
from tidewire.runtime.errors import (
    CONTRADICTION,
    KIND,
    MISSING,
    SYNTAX,
    TRAILING,
    UNDESCRIBED,
    VALUE,
    ContradictionError,
    MissingTableError,
    StatedError,
    UndescribedRow,
    WireError,
)
from tidewire.runtime.json.described_decoder import DescribedDecoder, tso_of
from tidewire.runtime.json.described_parts import NoDescription
from tidewire.runtime.json.envelopes import Envelopes
from tidewire.runtime.json.table_changes import ChangeReader
from tidewire.runtime.tables.store import MOST_TIME
from tidewire.runtime.wire.strange_keys import MOST_OF_KEY, StrangeKeys

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.libc.string import memcmp
    from cython.cimports.tidewire.runtime.json import character_numbers as chars
    from cython.cimports.tidewire.runtime.json.envelopes import KnownBlock
    from cython.cimports.tidewire.runtime.json.swar import plain, plain_whole
else:
    from tidewire.runtime.json import characters as chars

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

MOST_KEYS = 1 << 16
"""Different lists of the columns of keys that are remembered."""
MOST_KEY: cython.Py_ssize_t = 1024
"""Bytes of a key above which it is not remembered what stands around its values."""
MOST_KEY_VALUES: cython.Py_ssize_t = 2 * 16
"""Twice the values above which it is not."""
UTC = "UTC"
ENVELOPE = ["payload", "schema"]
"""The members of an envelope."""


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
        key_envelopes: takes keys out of theirs.
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
        self.key_field = key_field
        self.envelopes = Envelopes(connect.read, payload_field, block_field)
        self.key_envelopes = Envelopes(connect.read_key, key_field, key_field)
        self.unknown = UnknownColumns(protocol)
        self.key_number = -1
        self.key_numbers: dict[bytes, int] = {}
        self.key_columns: dict[int, tuple[str, ...]] = {}
        self.keys_seen = 0
        self.keys_checked = True
        self.last_names = b""
        self.last_number = -1
        self.key_pieces: list[bytes] = []
        self.key_values = Numbers()
        self.renamed = -1
        self.strange_keys = StrangeKeys(protocol)
        self.strange_key: bytes | None = None

    def decode(self, values: Values, keys: Values | None = None) -> EventColumns:
        """A batch of messages; those that cannot be read leave nothing but their error, those without a value nothing
        but their number.
        """
        return self.decode_pieces(((values, keys),))

    def finish(self, errors: list[DecodeError], tombstones: list[int]) -> EventColumns:
        found = super().finish(errors, tombstones)
        self.unknown.say()
        return found

    def looks_again(self) -> cython.bint:
        """Whether a message that could not be read has to be read once more, with its envelopes taken apart: what is
        wrong with it does not depend on the messages before.
        """
        again: cython.bint = self.envelopes.guessed or self.key_envelopes.guessed
        self.envelopes.guessed = self.key_envelopes.guessed = False
        self.envelopes.careful = self.key_envelopes.careful = again
        return again

    def readable(self, error: WireError, message: int) -> DecodeError:
        """As all decoders do it; of a value that its column cannot have, with the options that say how it is read, and
        of a column that the block lacks, with the block.
        """
        if error.code == UNDESCRIBED and self.envelopes.known is not None:
            error.needed = self.envelopes.block_field
        where: dict[str, Any] = self.indexes(error)
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

    # ---- keys

    def read_key(self, key: JsonCursor, there: cython.bint, checked: cython.bint) -> cython.int:
        """Finds out which columns the key has.

        Args:
            key: the cursor over the key.
            there: whether the message has one.
            checked: whether its values have to be UTF-8.
        """
        known: KnownBlock | None
        self.keys_checked = checked
        self.key_number = -1
        self.strange_key = None
        if not there:
            return 0
        if cython.compiled and self.is_like_the_last(key):
            self.key_number = self.last_number
            return 0
        if not self.begins_object(key):
            return self.strange(key)
        self.key_values.size = 0
        self.key_envelopes.open(key)
        known = self.key_envelopes.known
        if known is not None:
            if known.key < 0:
                known.key = self.number_of(self.connect.key_names(known.block))
            self.key_number = known.key
            key.pos = self.behind(key, key.pos)
        else:
            self.key_number = self.named_in(key)
        self.key_envelopes.close(key)
        if key.separator(b"", self.key_field):
            return key.fail(TRAILING, self.key_field, key.pos, key.end - key.pos, 0)
        if known is None and self.key_values.size:
            self.keep_key(key)
        return 0

    def begins_object(self, key: JsonCursor) -> cython.bint:
        """Whether the key begins as an object does: with a brace, and a name or the end behind it."""
        i: cython.Py_ssize_t = key.space(key.pos)
        if key.p[i] != chars.OPEN_OBJECT:
            return False
        i = key.space(i + 1)
        return i >= key.end or key.p[i] == chars.QUOTE or key.p[i] == chars.CLOSE_OBJECT

    def strange(self, key: JsonCursor) -> cython.int:
        """The key is no object, and says nothing of columns: another converter has written it."""
        self.key_envelopes.guessed = False
        self.strange_key = key.copy(0, min(key.end, MOST_OF_KEY + 1))
        return 0

    def keep_key(self, key: JsonCursor) -> cython.int:
        """Keeps what stands around the values of the key, for those that differ in nothing else."""
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        values: Numbers = self.key_values
        self.key_pieces = []
        if key.end <= MOST_KEY and values.size <= MOST_KEY_VALUES:
            for k in range(0, values.size, 2):
                self.key_pieces.append(key.copy(at, values.i64[k]))
                at = values.i64[k + 1]
            self.key_pieces.append(key.copy(at, key.end))
        return 0

    def is_like_the_last(self, key: JsonCursor) -> cython.bint:
        """Whether the key is the one whose pieces are kept but for its values, whole numbers and plain texts; then
        nothing of it is left to read.
        """
        if cython.compiled:
            p = key.p
            i: cython.Py_ssize_t = 0
            j: cython.Py_ssize_t
            k: cython.Py_ssize_t
            size: cython.Py_ssize_t
            count: cython.Py_ssize_t = len(self.key_pieces)
            value: cython.longlong = 0
            high: cython.ulonglong = 0
            piece: bytes
            if count == 0 or self.last_number < 0 or self.key_envelopes.careful or self.key_envelopes.cut:
                return False
            for k in range(count):
                piece = cython.cast(bytes, self.key_pieces[k])
                text: cython.p_char = piece
                size = len(piece)
                if size > key.end - i or memcmp(p + i, text, size) != 0:
                    return False
                i += size
                if k == count - 1:
                    break
                if p[i] == chars.QUOTE:
                    j = plain(p, i + 1, cython.address(high))
                    if high or p[j] != chars.QUOTE:
                        return False
                    i = j + 1
                else:
                    i = plain_whole(p, i, cython.address(value))
                    if i < 0:
                        return False
            if i == key.end:
                self.key_envelopes.guessed = False
                return True
        return False

    def behind(self, key: JsonCursor, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The end of a value of the key, which nobody reads: the row has it, too."""
        return key.pass_over(i, self.key_field) if self.keys_checked else key.skip(i, self.key_field)

    def named_in(self, key: JsonCursor) -> cython.Py_ssize_t:
        """The number of the list of the names that the object at the cursor has."""
        i: cython.Py_ssize_t = key.pos
        j: cython.Py_ssize_t
        images: list[bytes] = []
        if key.p[i] != chars.OPEN_OBJECT:
            key.pos = self.behind(key, key.pos)
            return -1
        if self.named_alike(key):
            return self.last_number
        self.key_pieces = []
        values: Numbers = self.key_values
        names: list[tuple[int, int]] = []
        i = key.space(i + 1)
        more: cython.bint = key.p[i] != chars.CLOSE_OBJECT
        while more:
            j = key.key(i, self.key_field)
            images.append(key.copy(i, j))
            names.append((i, j))
            i = key.space(j)
            values.append(i)
            i = self.behind(key, i)
            values.append(i)
            i = key.space(i)
            more = key.p[i] == chars.COMMA
            if more:
                i = key.space(i + 1)
            elif key.p[i] != chars.CLOSE_OBJECT:
                return key.broken(SYNTAX, self.key_field, i)
        key.pos = i + 1
        image = b"".join(images)
        found = self.key_numbers.get(image)
        if found is None:
            said = []
            for start, end in names:
                text = key.copy(start, end).rstrip(b": \t\r\n")
                said.append(key.content(start + 1, start + len(text) - 1, self.key_field))
            if sorted(said) == ENVELOPE:  # a value that is no object in it
                self.strange(key)
                self.key_values.size = 0
                self.last_number = -1
                return -1
            found = self.number_of(said)
            self.key_numbers[image] = found
        self.last_names = image
        self.last_number = found
        return found

    def named_alike(self, key: JsonCursor) -> cython.bint:
        """Whether the object at the cursor has the names of the last one, spelled alike; then it is passed."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t = len(self.last_names)
        if cython.compiled and self.last_number >= 0:
            names: cython.p_char = self.last_names
            i = key.space(key.pos + 1)
            more: cython.bint = key.p[i] != chars.CLOSE_OBJECT
            while more:
                j = key.key(i, self.key_field)
                if at + j - i > size or memcmp(key.p + i, names + at, j - i) != 0:
                    return False
                at += j - i
                i = key.space(self.behind(key, key.space(j)))
                more = key.p[i] == chars.COMMA
                if more:
                    i = key.space(i + 1)
                elif key.p[i] != chars.CLOSE_OBJECT:
                    return False
            if at == size:
                key.pos = i + 1
                return True
        return False

    def number_of(self, names: Sequence[str]) -> cython.Py_ssize_t:
        """The number of a list of names; a number is never used again for others."""
        if len(self.key_columns) >= MOST_KEYS:
            self.key_columns.clear()
            self.key_numbers.clear()
            self.key_envelopes.forget_keys()
            self.last_number = -1
        self.keys_seen += 1
        self.key_columns[self.keys_seen] = tuple(names)
        return self.keys_seen

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
        if self.strange_key is not None:
            self.strange_keys.met(self.strange_key, "an object with columns")
        block: KnownBlock | None = self.envelopes.known
        number: cython.Py_ssize_t = -1 if block is None else block.number
        changes: cython.Py_ssize_t = self.changes_of_store(table)
        first: cython.ulonglong = 0
        last: cython.ulonglong = MOST_TIME
        asked: object
        description: DescribedTable | None = None
        if known and table.is_told(number, self.key_number, changes, version):
            return 0
        if block is not None and block.whole:
            asked = (number, self.key_number)
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
            asked = (number, self.key_number, id(description))
        if not table.is_read_by(asked):
            names = self.key_columns.get(self.key_number, ())
            try:
                found = self.connect.columns(None if block is None else block.block, description, names)
                table.read_by(asked, found.columns, found.codecs, found.source, description)
                table.columns.bare = self.connect.none_needed(found.columns)
                for reason in found.unknown:
                    self.unknown.add(table.table, reason)
            except ValueError as error:
                said = field if block is None else self.envelopes.block_field
                raise StatedError(VALUE, said, r.pos, str(error)) from None
        if known:
            table.tell(number, self.key_number, changes, first, last)
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
