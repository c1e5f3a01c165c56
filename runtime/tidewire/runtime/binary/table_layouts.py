"""A cache of tables and layouts by the bytes that describe columns.

Messages of one table repeat the same bytes for the names, types and flags of its columns. These bytes are compared as a
whole with earlier ones; only new ones are parsed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import FLOAT, INT, TEXT, UINT
from tidewire.runtime.batch import Column
from tidewire.runtime.binary.codec import CALLED, BinaryCodec
from tidewire.runtime.decoding.layout_cache import LayoutBuilder, Table
from tidewire.runtime.errors import DUPLICATE, UNKNOWN, UTF8, VALUE
from tidewire.runtime.wire.value_codec import holds_text, reading_trouble

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.arrow.memory import Numbers
    from tidewire.runtime.batch import TableName
    from tidewire.runtime.binary.cursor import Cursor
    from tidewire.runtime.decoding.layout_cache import LayoutCache, Layouts
    from tidewire.runtime.wire.byte_reader import ByteReader

MOST_TABLES: cython.Py_ssize_t = 1 << 15
"""The most tables of one dictionary; beyond that a new generation begins."""
MOST_MATCHES: cython.Py_ssize_t = 64
"""The most layouts of one table and dictionary that are compared by bytes before a lookup by name."""
MOST_IMAGE: cython.Py_ssize_t = 1 << 16
"""Longer descriptions (in bytes) are not cached."""


class BinaryImages(LayoutBuilder):
    """Row images with the same names, types and flags of columns."""

    def __init__(
        self,
        table: TableName,
        names: Sequence[str],
        types: Numbers,
        flags: Numbers,
        codecs: Sequence[BinaryCodec],
        checked: bool,
        digest: cython.Py_ssize_t,
    ) -> None:
        LayoutBuilder.__init__(self, table, [codec.stored(checked) for codec in codecs], digest)
        c: cython.int
        self.names = names
        for c in range(self.width):
            self.cells[c].codec = codecs[c].number if checked else codecs[c].unchecked
            self.marks[c].type = types.i64[c]
            self.marks[c].flags = flags.u64[c]

    def described_columns(self) -> list[Column]:
        """Name, type and flags of each column."""
        c: cython.int
        found = []
        for c in range(self.width):
            found.append(Column(self.names[c], self.marks[c].type, self.marks[c].flags))
        return found

    def read(self, r: Cursor, sizes: Numbers, field: cython.int) -> cython.Py_ssize_t:
        """Reads one value for each column, of these sizes (-1: null; they fit in the window), as the next row.

        Returns the number of the row.
        """
        return self.read_at(r, None, sizes, field)

    def read_at(self, r: Cursor, starts: Numbers | None, sizes: Numbers, field: cython.int) -> cython.Py_ssize_t:
        """`read` of values that begin at these offsets; None: one follows the other, from the cursor's position on."""
        row: cython.Py_ssize_t = self.rows
        at: cython.Py_ssize_t
        size: cython.Py_ssize_t
        start: cython.Py_ssize_t = r.pos
        c: cython.int
        codec: cython.int
        v: cython.ulonglong
        if row >= self.room:
            self.reserve(row + 1)
        at = row - self.room
        for c in range(self.width):
            at += self.room
            size = sizes.i64[c]
            if size < 0:
                self.put_null(c, row)
                continue
            if starts is not None:
                start = starts.i64[c]
            codec = self.cells[c].codec
            if codec >= TEXT:
                if codec == TEXT and not r.utf8(start, start + size):
                    return r.fail(UTF8, field, start, size, 0)
                self.put_known(c, row, r, start, size, field)
            elif codec == INT:
                v = r.p[start] if size == 1 and r.p[start] < 0x80 else r.cell_uvarint(start, size, field)
                self.values.i64[at] = (v >> 1) ^ -(v & 1)
                self.valid[at] = 1
            elif codec == UINT:
                self.values.u64[at] = r.cell_uvarint(start, size, field)
                self.valid[at] = 1
            elif codec == FLOAT:
                if size != 8:
                    return r.fail(VALUE, field, start, size, 8)
                self.values.f64[at] = r.float64_at(start)
                self.valid[at] = 1
            elif codec < 0:
                self.call(r, start, size, c, row, field)
            else:
                return r.fail(UNKNOWN, field, start, size, 0)
            start += size
        if starts is None:
            r.pos = start
        self.rows = row + 1
        return row

    def call(
        self,
        r: Cursor,
        start: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
        c: cython.int,
        row: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        """Reads a value with the codec of a column."""
        codec: BinaryCodec = CALLED[-1 - self.cells[c].codec]
        try:
            codec.read(r, start, size, self, c, row, field)
        except (OverflowError, ValueError) as error:
            return r.fail(reading_trouble(error), field, start, size, 0)
        if self.cells[c].storage == TEXT and not holds_text(self, c, row):
            return r.fail(UTF8, field, start, size, 0)
        return 0

    def describes(self, table: TableName, names: Sequence[str], types: Numbers, flags: Numbers) -> cython.bint:
        """Whether the layout has the table's columns with these names, types and flags."""
        c: cython.int
        if self.names != names or self.table != table:
            return False
        for c in range(self.width):
            if types.i64[c] != self.marks[c].type or flags.u64[c] != self.marks[c].flags:
                return False
        return True


class LayoutMatch:
    """The bytes that describe columns, and their layout."""

    def __init__(self, image: bytes, images: BinaryImages) -> None:
        self.image = image
        self.size = len(image)
        self.images = images


class TableLayouts(Table):
    """A table whose rows are described with one dictionary, and the layouts seen with it.

    Attributes:
        schema_id, table_id: the terms of its names, -1 if they are not terms.
        generation: the generation of the cache in which it was last looked up.
    """

    def __init__(self, schema_id: cython.longlong, table_id: cython.longlong, table: TableName) -> None:
        Table.__init__(self, table)
        self.schema_id = schema_id
        self.table_id = table_id
        self.generation = -1
        # fields of the last match: with thousands of tables, each further object is a cache miss
        self.image = b""
        self.size = 0
        self.images: BinaryImages | None = None
        self.matches: list[LayoutMatch] | None = None

    def match(self, r: ByteReader, width: cython.Py_ssize_t) -> BinaryImages | None:
        """The layout of `width` columns whose description comes next and is then skipped; None if it is new."""
        known: LayoutMatch
        if self.images is not None and self.images.width == width and r.matches(self.image, self.size):
            r.pos += self.size
            return self.images
        if self.matches is None:
            return None
        for known in self.matches:
            if known.images.width == width and r.matches(known.image, known.size):
                r.pos += known.size
                self.repeat(known)
                return known.images
        return None

    def repeat(self, match: LayoutMatch) -> cython.int:
        """Makes this match the last one."""
        self.image = match.image
        self.size = match.size
        self.images = match.images
        return 0

    def learn(self, image: bytes, images: BinaryImages) -> cython.int:
        """Caches these bytes as a description of the layout."""
        if len(image) > MOST_IMAGE:
            return 0
        match = LayoutMatch(image, images)
        if self.images is not None:
            # the first one is not in the list: most tables have only one
            if self.matches is None:
                self.matches = [LayoutMatch(self.image, self.images)]
            elif len(self.matches) >= MOST_MATCHES:
                self.matches = []
            self.matches.append(match)
        self.repeat(match)
        return 0

    def find(self, cache: LayoutCache, names: Sequence[str], types: Numbers, flags: Numbers) -> BinaryImages | None:
        """The layout of the columns with these names, types and flags; None when it is new."""
        cache.digest = hash((self.table, names, types.image(), flags.image()))
        found: BinaryImages | None = self.seen(cache.young, cache.digest, names, types, flags)
        if found is None:
            found = self.seen(cache.old, cache.digest, names, types, flags)
            if found is not None:
                cache.remember(found)
        return found

    def seen(
        self, layouts: Layouts, digest: cython.Py_ssize_t, names: Sequence[str], types: Numbers, flags: Numbers
    ) -> BinaryImages | None:
        """`find` in one generation."""
        images: BinaryImages
        slot: cython.Py_ssize_t = layouts.index.slot(digest)
        position: cython.Py_ssize_t = layouts.index.positions[slot]
        while position >= 0:
            images = layouts.images[position]
            if images.describes(self.table, names, types, flags):
                return images
            slot = layouts.index.after(slot)
            position = layouts.index.positions[slot]
        return None

    def layout(
        self,
        r: ByteReader,
        cache: LayoutCache,
        names: Sequence[str],
        types: Numbers,
        flags: Numbers,
        codecs: Sequence[BinaryCodec],
        checked: cython.bint,
        offset: cython.Py_ssize_t,
        field: cython.int,
    ) -> BinaryImages:
        """Adds the layout that `find` did not find; an error if two of its columns have one name."""
        if _repeated(names):
            r.fail(DUPLICATE, field, offset, 0, 0)
        images = BinaryImages(self.table, names, types, flags, codecs, checked, cache.digest)
        cache.remember(images)
        return images


class KnownTables:
    """Tables by name, in the cache's two generations; an old table that is used again becomes young."""

    def __init__(self) -> None:
        self.generation = -1
        self.described: dict[TableName, TableLayouts] = {}
        self.old: dict[TableName, TableLayouts] = {}

    def of(
        self, cache: LayoutCache, schema_id: cython.longlong, table_id: cython.longlong, table: TableName
    ) -> TableLayouts:
        """The table of that name, whose rows are described in these terms."""
        if self.generation != cache.generation or len(self.described) > MOST_TABLES:
            self.old = self.described if self.generation + 1 >= cache.generation else {}
            self.described = {}
            self.generation = cache.generation
        known: TableLayouts | None = self.described.get(table)
        if known is None:
            known = self.old.get(table)
            if known is None:
                known = TableLayouts(schema_id, table_id, table)
            self.described[table] = known
        if known.generation != cache.generation:
            known.generation = cache.generation
            # its layouts belong to a dropped generation, except the last one
            known.matches = None
        return known

    def named(self, cache: LayoutCache, table: TableName) -> TableLayouts:
        """Like `of`, for a table that is not named by terms."""
        return self.of(cache, -1, -1, table)


def _repeated(names: Sequence[str]) -> cython.bint:
    """Whether a name occurs twice; a sorted copy is smaller than a set."""
    k: cython.Py_ssize_t
    ordered: list[str] = sorted(names)
    for k in range(1, len(ordered)):
        if ordered[k] == ordered[k - 1]:
            return True
    return False
