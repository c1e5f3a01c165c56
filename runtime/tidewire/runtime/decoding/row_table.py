"""A table whose rows name their columns: what messages say of the columns, and the layouts of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.decoding.declared import FLAGS_MISSING, DeclaredTypes, type_codes
from tidewire.runtime.decoding.layout_cache import Table
from tidewire.runtime.decoding.row_layouts import RowLayoutBuilder
from tidewire.runtime.decoding.table_columns import TableColumns
from tidewire.runtime.errors import UNDESCRIBED, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tidewire.runtime.batch import Column, TableName
    from tidewire.runtime.decoding.declared import DeclaredType
    from tidewire.runtime.decoding.known_types import KnownTypes
    from tidewire.runtime.decoding.layout_cache import LayoutCache, Layouts
    from tidewire.runtime.tables.store import DescribedTables
    from tidewire.runtime.wire.byte_reader import ByteReader
    from tidewire.runtime.wire.value_codec import ValueCodec

NO_COLUMNS = "this row has no columns, and nothing says that its table has none"
"""The reason why a row without columns is refused; ends a sentence."""
VERSION_BYTES: cython.Py_ssize_t = 128
"""Bytes that are counted for a version of a table, and for each column of a described version."""


class SharedByTables:
    """State shared by all tables of a decoder, and scratch state of the current row.

    Attributes:
        types: cache of declared types.
        batch: number of the batch.
        key: key of the current row's layout: number, type and flags of each column.
        lacked: columns that the current row lacks.
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
            cache: cache of the tables and layouts.
            given: parses declared types, and has the types given by the user; None: columns state type codes.
            declared_field: field of the member that declares the types.
            codec_of: the codec for a type code and flags; with a third argument False, for a column without flags.
            checked: whether UTF-8 of text is checked.
            named_flags: for each name list, the flags of the columns in it; None: columns state their flags.
            members: number of members that hold rows.
            passed: number of members about columns that are skipped.
            store: table descriptions, for protocols that describe tables in separate messages.
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
        """Drops the declared types; tables refer to them by number."""
        if self.given is None:
            self.types = type_codes(self.cache)
        else:
            self.types = DeclaredTypes(self.cache, self.given.declared, self.given.undeclared)
        return 0


class RowTable(Table):
    """A table's columns, and the layouts that its rows have had.

    Attributes:
        raw: its names as last written in a message: schema, a quote, and table, with all escapes.
        digest: hash of `raw`.
        partly_named: whether its schema or its name is missing.
        position: position among the tables indexed by `raw`, in the generation `generation`.
        columns: columns by which rows are read.
        versions: for tables described separately: columns by schema version, or by another key of their description;
            those of one generation.
        described: columns by description: versions with the same description share columns and layouts.
        version: key of the current columns; None: the description without a version, or none.
        source: source of the column types; None: the messages state them.
        zoned: whether any column is a TIMESTAMP.
        told_block, told_key, told_changes, told_batch, told_first, told_last: arguments of the last `tell`.
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
        self.last: list[RowLayoutBuilder | None] = [None] * tables.members
        self.passed: list[Any] = [None] * tables.passed

    # ---- separate descriptions

    def described_by(self, known: cython.bint, version: cython.ulonglong) -> cython.int:
        """Sets the description of a schema version by which rows are read; looked up once per version.

        Args:
            known: whether the message states a version.

        Raises:
            MissingTableError: the store has no such description.
            ValueError: it has a column whose type has no codec.
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
        """Drops the cached columns of all versions."""
        self.versions.clear()
        self.described.clear()
        return 0

    def take_columns(self, asked: object, columns: TableColumns) -> cython.int:
        """Uses these columns for the rows that follow; `asked` is their key."""
        if columns is not self.columns:
            self.columns = columns
            self.last = [None] * self.tables.members  # the layouts refer to numbers of the previous columns
        self.version = asked
        self.told_batch = -1
        self.source = columns.source
        self.zoned = columns.zoned
        return 0

    def is_told(
        self, block: cython.Py_ssize_t, key: cython.Py_ssize_t, changes: cython.Py_ssize_t, time: cython.ulonglong
    ) -> cython.bint:
        """Whether the current columns are the cached resolution for a row with this block and key, committed at `time`.
        """
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
        """Caches that rows with this block and key are read by the current columns, until the end of the batch.

        Args:
            block: number of their schema block.
            key: number of their key's column list.
            changes: change count of the store of descriptions before it was searched.
            first, last: range of their commit times.
        """
        self.told_block = block
        self.told_key = key
        self.told_changes = changes
        self.told_batch = self.tables.batch
        self.told_first = first
        self.told_last = last
        return 0

    def is_read_by(self, asked: object) -> cython.bint:
        """Whether columns are cached under this key; if so, uses them."""
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
        codecs: Sequence[ValueCodec],
        source: str | None,
        kept: object,
    ) -> cython.int:
        """Creates columns and uses them.

        Args:
            asked: key of the columns.
            codecs: codec of each.
            source: source of their types; None: the messages state them.
            kept: an object that must live as long as the columns.

        Raises:
            ValueError: a column's type has no codec.
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

    def holds(self, images: RowLayoutBuilder, whole: cython.bint) -> cython.bint:
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
        # a column without description can be described by the next message, so nothing is cached beyond this one
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
    ) -> RowLayoutBuilder:
        """The layout of a row with these columns, as they are described now.

        Args:
            numbers: numbers of the columns in the order of the row.
            member: number of the row's member among those that hold rows.
            whole: whether the row is expected to have all columns that are known of the table.
            field: field of a value.
            offset: offset of the row.
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
        images: RowLayoutBuilder = self.layout_of_key(r, numbers.size, member, field, offset)
        images.descriptions_version = columns.descriptions_version if all else 0
        return images

    def layout_of_objects(
        self,
        r: ByteReader,
        numbers: Numbers,
        member: cython.Py_ssize_t,
        field: cython.int,
        offset: cython.Py_ssize_t,
    ) -> RowLayoutBuilder:
        """Like `layout`, for a row that states types and flags of its columns itself."""
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
        images: RowLayoutBuilder = self.layout_of_key(r, numbers.size, member, field, offset)
        images.descriptions_version = columns.descriptions_version
        return images

    def layout_of_key(
        self,
        r: ByteReader,
        width: cython.Py_ssize_t,
        member: cython.Py_ssize_t,
        field: cython.int,
        offset: cython.Py_ssize_t,
    ) -> RowLayoutBuilder:
        """The layout of `width` columns for the current key."""
        cache: LayoutCache = self.tables.cache
        images: RowLayoutBuilder
        # versions of a table can have the same key and differ in names only
        digest: cython.Py_ssize_t = hash((self.table, id(self.columns), self.tables.key.image()))
        known: RowLayoutBuilder | None = self.seen(cache.young, digest)
        if known is None:
            known = self.seen(cache.old, digest)
            if known is None:
                known = self.new_layout(r, digest, width, field, offset)
            cache.remember(known)
        images = known
        self.last[member] = images
        return images

    def seen(self, layouts: Layouts, digest: cython.Py_ssize_t) -> RowLayoutBuilder | None:
        """The layout for the current key among `layouts`; None if it is not there."""
        images: RowLayoutBuilder
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
    ) -> RowLayoutBuilder:
        """Creates a layout of `width` columns for the current key, whose hash is `digest`."""
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
        return RowLayoutBuilder(
            self.table, self.columns, tables.types.numbers, key, all_flags, codecs, tables.checked, digest
        )
