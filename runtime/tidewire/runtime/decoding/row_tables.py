"""The tables that a decoder has seen whose rows name their columns, found by their names as messages write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.decoding.index import Index
from tidewire.runtime.decoding.row_table import RowTable, SharedByTables
from tidewire.runtime.wire import characters as chars

if cython.compiled:
    from cython.cimports.libc.string import memcmp
    from cython.cimports.tidewire.runtime.decoding.names import SEED
    from cython.cimports.tidewire.runtime.wire.swar import hash_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tidewire.runtime.batch import TableName
    from tidewire.runtime.decoding.known_types import KnownTypes
    from tidewire.runtime.decoding.layout_cache import LayoutCache
    from tidewire.runtime.decoding.rows_without_table import RowsWithoutTable
    from tidewire.runtime.tables.store import DescribedTables
    from tidewire.runtime.wire.byte_reader import ByteReader
    from tidewire.runtime.wire.part import Part
    from tidewire.runtime.wire.value_codec import ValueCodec

MOST_NAME: cython.Py_ssize_t = 1 << 16
"""Maximum bytes of a table's names that are cached."""
TABLE_BYTES: cython.Py_ssize_t = 2048
"""Bytes that are counted for a table, apart from its columns."""
MOST_NAMES: cython.Py_ssize_t = 1 << 20
"""Bytes of column names above which a table is not carried over to the next generation."""
MOST_OF_TYPES: cython.Py_ssize_t = 1 << 23
"""Bytes of declared types above which they and all tables are dropped at the end of a generation."""


class Tables(SharedByTables):
    """The tables that a decoder has seen, found by the bytes of their names.

    They belong to the cache's two generations; an old table that is found becomes young again.

    Attributes:
        written: hash of the last names that were looked up, as written in the message.
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
        unnamed: RowsWithoutTable | None = None,
    ) -> None:
        """
        Args:
            cache, given, declared_field, codec_of, checked, named_flags, members, passed, store: as in
                `SharedByTables`.
            unnamed: finds the table of rows that do not name it; None: not used.
        """
        super().__init__(cache, given, declared_field, codec_of, checked, named_flags, members, passed, store)
        self.partly_named: RowTable | None = None
        self.named_whole: RowTable | None = None
        self.known: dict[TableName, RowTable] = {}
        self.unnamed = unnamed
        self.written = 0
        self.said = False
        self.age()

    def forget(self) -> cython.int:
        """Drops all tables."""
        self.forget_types()
        self.known = {}
        return self.age()

    def age(self) -> cython.int:
        """Begins a new generation."""
        self.generation = self.cache.generation
        self.partly_named = None
        self.old = self.known
        self.known = {}
        self.spelled: list[RowTable] = []
        self.index = Index()
        self.cache.bytes += self.types.bytes
        return 0

    def begin(self) -> cython.int:
        """Begins a batch, after the cache did; the tables follow the cache's generation."""
        self.batch += 1
        if self.generation != self.cache.generation:
            if self.types.bytes > MOST_OF_TYPES:  # cached tables refer to these types by number, so all are dropped
                self.cache.forget()
                self.forget()
            else:
                self.age()
        return 0

    def named(self, table: RowTable) -> RowTable:
        """The table for a row whose message lacks at least one of the names."""
        if table is not self.partly_named or self.named_whole is None:
            assert self.unnamed is not None, "only those ask who have it"
            self.partly_named = table
            self.named_whole = self.of(*self.unnamed.table(*table.table))
        return self.named_whole

    def stay_unnamed(self, table: RowTable) -> cython.int:
        """Warns once that rows were decoded whose names stay incomplete."""
        if not self.said:
            assert self.unnamed is not None, "only those ask who have it"
            self.said = True
            self.unnamed.warn(*table.table)
        return 0

    def written_as(self, r: ByteReader, schema: Part, name: Part) -> RowTable | None:
        """The table found before for names with the same bytes; None: not cached, or interpreted."""
        if cython.compiled:
            slot: cython.Py_ssize_t
            known: RowTable
            raw: bytes
            size: cython.Py_ssize_t
            at: cython.p_char
            first: cython.Py_ssize_t = schema.end - schema.start
            second: cython.Py_ssize_t = name.end - name.start
            schema_at: cython.Py_ssize_t = schema.start if first else 0
            name_at: cython.Py_ssize_t = name.start if second else 0
            self.written = cython.cast(
                cython.Py_ssize_t, hash_of(hash_of(SEED, r.p + schema_at, first), r.p + name_at, second)
            )
            slot = self.index.slot(self.written)
            while self.index.positions[slot] >= 0:
                known = self.spelled[self.index.positions[slot]]
                raw = known.raw
                size = len(raw)
                at = raw
                if (
                    known.digest == self.written  # names can contain quotes: the bytes do not tell where one ends
                    and size == first + second + 1
                    and memcmp(at, r.p + schema_at, first) == 0
                    and at[first] == chars.QUOTE
                    and memcmp(at + first + 1, r.p + name_at, second) == 0
                ):
                    return known
                slot = self.index.after(slot)
        return None

    def remember(self, r: ByteReader, schema: Part, name: Part, found: RowTable) -> cython.int:
        """Caches the table for names with these bytes, which `written_as` did not find."""
        first: cython.Py_ssize_t = schema.end - schema.start
        second: cython.Py_ssize_t = name.end - name.start
        if cython.compiled and first + second <= MOST_NAME:
            raw = r.copy(schema.start if first else 0, schema.end if first else 0) + b'"'
            raw += r.copy(name.start if second else 0, name.end if second else 0)
            self.spell(raw, self.written, found)
        return 0

    def spell(self, raw: bytes, digest: cython.Py_ssize_t, table: RowTable) -> cython.int:
        """Indexes a table by these bytes, in place of its previous ones."""
        position: cython.Py_ssize_t
        known: RowTable
        if self.index.full():
            # drops the entries of previous bytes
            self.index.room(2 * self.index.size if 3 * len(self.spelled) > self.index.size else self.index.size)
            for position in range(len(self.spelled)):
                known = self.spelled[position]
                self.index.add(known.digest, position)
        if table.generation != self.generation:
            table.position = len(self.spelled)
            table.generation = self.generation
            self.spelled.append(table)
        table.raw = raw
        table.digest = digest
        self.index.add(digest, table.position)
        return 0

    def of(self, schema: str | None, name: str | None) -> RowTable:
        """The table with these names."""
        table = self.cache.table(schema, name)
        known: RowTable | None = self.known.get(table)
        if known is None:
            known = self.old.get(table)
            if known is None or known.columns.used > MOST_NAMES:
                known = RowTable(self, table)
            else:
                if len(known.versions) > 1:
                    known.forget_versions()
                self.cache.bytes += 4 * known.columns.used
                self.cache.num_columns += known.columns.count
            self.known[table] = known
            self.cache.bytes += TABLE_BYTES
        return known
