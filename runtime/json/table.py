"""A table as JSON messages describe it: the columns that its rows are read by, and the layouts that they have had."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.decoding.layout_cache import Table
from tidewire.runtime.errors import UNDESCRIBED, UNKNOWN
from tidewire.runtime.json.declared import FLAGS_MISSING, DeclaredTypes, type_codes
from tidewire.runtime.json.images import JsonLayoutBuilder
from tidewire.runtime.json.skip_cache import Passed
from tidewire.runtime.json.table_columns import TableColumns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tidewire.runtime.batch import Column, TableName
    from tidewire.runtime.decoding.layout_cache import LayoutCache, Layouts
    from tidewire.runtime.json.codec import JsonCodec
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.declared import DeclaredType
    from tidewire.runtime.json.known_types import KnownTypes
    from tidewire.runtime.tables.store import DescribedTables
    from tidewire.runtime.wire.byte_reader import ByteReader
    from tidewire.runtime.wire.value_codec import ValueCodec

VERSION_BYTES: cython.Py_ssize_t = 128
"""Bytes that a version of a table counts for, and each column of one that a message describes."""


class SharedByTables:
    """What all tables of a decoder share: how their columns are read, and what is used up while a row is.

    Attributes:
        types: the declared types that they have had.
        batch: the number of the batch.
        key: the columns of the row that is read, with the type and flags of each.
        lacked: the columns that it lacks.
    """

    def __init__(
        self,
        cache: LayoutCache,
        given: KnownTypes | None,
        declared_field: int,
        codec_of: Callable[..., ValueCodec | None] | None,
        checked: bool,
        named_flags: tuple[int, ...] | None,
        members: int,
        passed: int,
        store: DescribedTables[Any] | None = None,
    ) -> None:
        """
        Args:
            cache: where the tables and layouts of a batch are.
            given: takes a declared type apart, and knows what columns have of which none is declared; None: columns
                tell the codes of their types.
            declared_field: the field of the member that declares the types.
            codec_of: the codec of a type code and flags; with a third argument, False, that of a column that tells no
                flags.
            checked: whether text has to be UTF-8.
            named_flags: for each array of names, the flags of the columns that it names; None: columns tell theirs.
            members: how many members hold rows.
            passed: how many members say something of columns that is passed.
            store: the descriptions of tables, where those come apart from rows.
        """
        self.store = store
        self.cache = cache
        self.given = given
        self.declared_field = declared_field
        self.codec_of = codec_of
        self.checked = checked
        self.named_flags = named_flags
        self.members = members
        self.passed = passed
        self.batch = 0
        self.key = Numbers()
        self.lacked = Numbers()
        self.forget_types()

    def forget_types(self) -> cython.int:
        """Drops the declared types, of which tables have the numbers."""
        if self.given is None:
            self.types = type_codes(self.cache)
        else:
            self.types = DeclaredTypes(self.cache, self.given.declared, self.given.undeclared)
        return 0


class JsonTable(Table):
    """A table's columns, and the layouts that its rows have had.

    Attributes:
        raw: its names as a message wrote them last: schema, a quote, and name; with all escapes.
        digest: a hash of them.
        partly_named: whether its schema or its name is missing.
        position: where it is among the tables that are found by them; of the generation that it says.
        columns: those that rows are read by.
        versions: where tables are described apart from their rows: the columns of each version that was asked for, or
            of whatever else columns are known by; those of one generation.
        described: the same by what the descriptions say of rows: versions that say the same share columns and layouts.
        version: of which the columns are; None: of the description that says no version, or of none.
        source: by what the types of the columns are known; None: messages say it.
        zoned: whether any of the columns is a TIMESTAMP.
        told_block, told_key, told_changes, told_batch, told_first, told_last: what `tell` was given.
    """

    def __init__(self, tables: SharedByTables, table: TableName) -> None:
        Table.__init__(self, table)
        self.tables = tables
        given: Mapping[str, str] = {} if tables.given is None else tables.given.of(table)
        self.columns = TableColumns(tables.cache, tables.types, len(tables.named_flags or ()), given)
        self.partly_named = table[0] is None or table[1] is None
        self.raw = b""
        self.digest = 0
        self.position = self.generation = -1
        self.versions: dict[object, TableColumns] = {}
        self.described: dict[tuple[Column, ...], TableColumns] = {}
        self.version: object = None
        self.source: str | None = None
        self.zoned = False
        self.told_block = self.told_key = self.told_changes = self.told_batch = -1
        self.told_first = self.told_last = 0
        self.last: list[JsonLayoutBuilder | None] = [None] * tables.members
        self.passed: list[Passed | None] = [None] * tables.passed

    def skip(self, r: JsonCursor, which: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """Skips a value that is mostly the same for all rows of the table.

        Args:
            which: the number of the member among those that are passed so.
        """
        passed: Passed | None = self.passed[which]
        if passed is None:
            passed = Passed()
            self.passed[which] = passed
        return passed.skip(r, field)

    # ---- descriptions apart from rows

    def described_by(self, known: cython.bint, version: cython.ulonglong) -> cython.int:
        """Has rows be read by the description of a version, which is asked for once.

        Args:
            known: whether the message says a version.
            version: which one.

        Raises:
            MissingTableError: the store has no such description.
            ValueError: it has a column of a type by which no value can be read.
        """
        asked: int | None = version if known else None
        if asked == self.version and self.versions:
            return 0
        columns: TableColumns | None = self.versions.get(asked)
        if columns is None:
            schema, name = self.table
            store = self.tables.store
            assert store is not None, "tables that are described apart from their rows have a store"
            assert name is not None, "a row that is read by its table's description names the table"
            said = tuple(store.find(schema, name, asked).row_columns())
            columns = self.described.get(said)
            if columns is None:
                columns = TableColumns(self.tables.cache, self.tables.types, 0, {})
                columns.describe_all(said, None)
                self.described[said] = columns
            self.versions[asked] = columns
            self.tables.cache.bytes += VERSION_BYTES
        return self.take_columns(asked, columns)

    def forget_versions(self) -> cython.int:
        """Drops the columns of all versions, which are asked for again."""
        self.versions.clear()
        self.described.clear()
        return 0

    def take_columns(self, asked: object, columns: TableColumns) -> cython.int:
        """From now on rows are read by these columns, which are known by that."""
        if columns is not self.columns:
            self.columns = columns
            self.last = [None] * self.tables.members  # their columns have the numbers of others
        self.version = asked
        self.told_batch = -1
        self.source = columns.source
        self.zoned = columns.zoned
        return 0

    def is_told(
        self, block: cython.Py_ssize_t, key: cython.Py_ssize_t, changes: cython.Py_ssize_t, time: cython.ulonglong
    ) -> cython.bint:
        """Whether `tell` has said by what a row is read that has this block and key, and was committed at this time."""
        return (
            block == self.told_block
            and key == self.told_key
            and changes == self.told_changes
            and self.told_batch == self.tables.batch
            and time >= self.told_first
            and time <= self.told_last
        )

    def tell(
        self,
        block: cython.Py_ssize_t,
        key: cython.Py_ssize_t,
        changes: cython.Py_ssize_t,
        first: cython.ulonglong,
        last: cython.ulonglong,
    ) -> cython.int:
        """Up to the end of the batch, such rows are read by the columns as they are now.

        Args:
            block: the number of their block.
            key: the number of the columns of their key.
            changes: of the store of descriptions, before these were asked for.
            first, last: the times at which they were committed.
        """
        self.told_block = block
        self.told_key = key
        self.told_changes = changes
        self.told_batch = self.tables.batch
        self.told_first = first
        self.told_last = last
        return 0

    def is_read_by(self, asked: object) -> cython.bint:
        """Whether columns are known by that; if so, rows are read by them from now on."""
        if asked == self.version:
            return True
        columns: TableColumns | None = self.versions.get(asked)
        if columns is None:
            return False
        self.take_columns(asked, columns)
        return True

    def read_by(
        self,
        asked: object,
        found: Sequence[Column],
        codecs: Sequence[JsonCodec],
        source: str | None,
        kept: object,
    ) -> cython.int:
        """Has rows be read by these columns.

        Args:
            asked: what they are known by.
            found: the columns.
            codecs: how the values of each are written.
            source: by what their types are known; None: the messages say it.
            kept: lives as long as the columns do.

        Raises:
            ValueError: a column's type is none by which values can be read.
        """
        columns: TableColumns = TableColumns(self.tables.cache, self.tables.types, 0, {})
        columns.describe_all(found, codecs)
        columns.source = source
        columns.kept = kept
        columns.takes_first = True
        self.versions[asked] = columns
        self.tables.cache.bytes += VERSION_BYTES * (1 + len(found))
        return self.take_columns(asked, columns)

    # ---- layouts

    def holds(self, images: JsonLayoutBuilder, whole: cython.bint) -> cython.bint:
        """Whether the columns of the layout still have the same descriptions; `whole` as in `layout`."""
        columns: TableColumns = self.columns
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        all: cython.bint = True
        for j in range(images.width):
            k = images.columns_read[j].number
            if columns.all[k].described != columns.message:
                all = False
            if (
                columns.type_of(k) != images.columns_read[j].type
                or columns.all[k].flags != images.columns_read[j].marks
            ):
                return False
        if whole:
            columns.lacked(self.tables.lacked)
            if not images.lacks_these(self.tables.lacked):
                return False
        elif images.lacking:
            return False
        # of a column that is not described nothing can be cached until the next message
        images.descriptions_version = columns.descriptions_version if all else 0
        return True

    def layout(
        self,
        r: ByteReader,
        numbers: Numbers,
        member: cython.Py_ssize_t,
        whole: cython.bint,
        field: cython.int,
        offset: cython.Py_ssize_t,
    ) -> JsonLayoutBuilder:
        """The layout of a row with the columns of these numbers, as they are described now.

        Args:
            numbers: the columns in the order of the row.
            member: the number of the row's member among those that hold rows.
            whole: whether the row should have all columns that the table is known to have.
            field: the field of a value.
            offset: where the row starts.
        """
        columns: TableColumns = self.columns
        key: Numbers = self.tables.key
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        type: cython.int
        all: cython.bint = True
        key.take(3 * numbers.size)
        for j in range(numbers.size):
            k = numbers.i64[j]
            type = columns.type_of(k)
            if type < 0:
                columns.at_column = k
                r.fail(UNDESCRIBED, field, offset, self.tables.declared_field, 0)
            if columns.all[k].described != columns.message:
                all = False
            key.i64[3 * j] = k
            key.i64[3 * j + 1] = type
            key.u64[3 * j + 2] = columns.all[k].flags
        if whole:
            columns.lacked(self.tables.lacked)
            for j in range(self.tables.lacked.size):
                key.append(self.tables.lacked.i64[j])
                key.append(-1)
                key.append(0)
        images: JsonLayoutBuilder = self.layout_of_key(r, numbers.size, member, field, offset)
        images.descriptions_version = columns.descriptions_version if all else 0
        return images

    def layout_of_objects(
        self,
        r: ByteReader,
        numbers: Numbers,
        member: cython.Py_ssize_t,
        field: cython.int,
        offset: cython.Py_ssize_t,
    ) -> JsonLayoutBuilder:
        """`layout` for a row that has the types and flags of its columns itself."""
        columns: TableColumns = self.columns
        key: Numbers = self.tables.key
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        key.take(3 * numbers.size)
        for j in range(numbers.size):
            k = numbers.i64[j]
            key.i64[3 * j] = k
            key.i64[3 * j + 1] = columns.all[k].type
            key.u64[3 * j + 2] = columns.all[k].flags
        images: JsonLayoutBuilder = self.layout_of_key(r, numbers.size, member, field, offset)
        images.descriptions_version = columns.descriptions_version
        return images

    def layout_of_key(
        self,
        r: ByteReader,
        width: cython.Py_ssize_t,
        member: cython.Py_ssize_t,
        field: cython.int,
        offset: cython.Py_ssize_t,
    ) -> JsonLayoutBuilder:
        """The layout of so many columns that the key stands for."""
        cache: LayoutCache = self.tables.cache
        images: JsonLayoutBuilder
        # versions of a table can differ in nothing but names, which the key does not have
        digest: cython.Py_ssize_t = hash((self.table, id(self.columns), self.tables.key.image()))
        known: JsonLayoutBuilder | None = self.seen(cache.young, digest)
        if known is None:
            known = self.seen(cache.old, digest)
            if known is None:
                known = self.new_layout(r, digest, width, field, offset)
            cache.remember(known)
        images = known
        self.last[member] = images
        return images

    def seen(self, layouts: Layouts, digest: cython.Py_ssize_t) -> JsonLayoutBuilder | None:
        """The layout that the key describes, if it is among these."""
        images: JsonLayoutBuilder
        slot: cython.Py_ssize_t = layouts.index.slot(digest)
        position: cython.Py_ssize_t = layouts.index.positions[slot]
        while position >= 0:
            images = layouts.images[position]
            if images.like(self.columns, self.tables.key):
                return images
            slot = layouts.index.after(slot)
            position = layouts.index.positions[slot]
        return None

    def new_layout(
        self,
        r: ByteReader,
        digest: cython.Py_ssize_t,
        width: cython.Py_ssize_t,
        field: cython.int,
        offset: cython.Py_ssize_t,
    ) -> JsonLayoutBuilder:
        """Adds a layout of so many columns, whose key has this hash."""
        tables: SharedByTables = self.tables
        key: Numbers = tables.key
        declared: DeclaredType
        codec: ValueCodec | None
        all_flags: list[int] = []
        codecs: list[ValueCodec] = []
        j: cython.Py_ssize_t
        for j in range(width):
            declared = tables.types.numbers[key.i64[3 * j + 1]]
            flags = declared.flags
            marks = key.u64[3 * j + 2]
            if tables.named_flags is None:
                flags = marks
            else:
                for bit, flag in enumerate(tables.named_flags):
                    if marks >> bit & 1:
                        flags |= flag
            if declared.codec is not None:
                codec = declared.codec
            elif tables.codec_of is None:
                codec = None
            elif declared.number >= FLAGS_MISSING and tables.given is None:
                codec = tables.codec_of(declared.type, flags, False)
            else:
                codec = tables.codec_of(declared.type, flags)
            if codec is None:
                self.columns.at_column = key.i64[3 * j]
                r.fail(UNKNOWN, field, offset, 0, 0)
            all_flags.append(flags)
            codecs.append(codec)  # type: ignore[arg-type]
        return JsonLayoutBuilder(
            self.table, self.columns, tables.types.numbers, key, all_flags, codecs, tables.checked, digest
        )
