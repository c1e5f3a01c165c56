"""A cache of dictionaries of terms, which messages repeat byte by byte, and of the tables that their terms name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.binary.table_layouts import KnownTables
from tidewire.runtime.errors import TERM

if TYPE_CHECKING:
    from tidewire.runtime.arrow.memory import Numbers
    from tidewire.runtime.binary.table_layouts import TableLayouts
    from tidewire.runtime.decoding.layout_cache import LayoutCache
    from tidewire.runtime.wire.byte_reader import ByteReader

MOST_DICTIONARIES: cython.Py_ssize_t = 1 << 14
"""The most dictionaries of one section; beyond that a new generation begins."""
MOST_OF_FEW: cython.Py_ssize_t = 32
"""A dictionary with at most this many terms belongs to a few tables rather than a whole database."""
MOST_IMAGE: cython.Py_ssize_t = 1 << 16
"""Longer dictionaries (in bytes) are not cached."""
MOST_BYTES: cython.Py_ssize_t = 1 << 25
"""The most bytes of all dictionaries; beyond that a new generation begins."""
TERM_BYTES: cython.Py_ssize_t = 64
"""Bytes counted for a term besides its own."""
DICTIONARY_BYTES: cython.Py_ssize_t = 1024
"""Bytes counted for a dictionary besides its terms."""


class Dictionary(KnownTables):
    """The terms of a message, by number, and the tables that they name."""

    def __init__(self, image: bytes, texts: list[str]) -> None:
        KnownTables.__init__(self)
        self.image = image
        self.size = len(image)
        self.texts = texts
        self.count = len(texts)
        self.has_empty = "" in texts
        # tables are numbered one after the other, as they come: a slot for each of them, mostly
        self.slots = 16 if self.count <= MOST_OF_FEW else 64
        self.recent: list[TableLayouts | None] | None = None
        # most dictionaries with few terms name one table, which is found without `recent`: with thousands of tables,
        # each object accessed is a cache miss
        self.latest: TableLayouts | None = None
        self.schema_id = self.table_id = self.positions_version = -1
        self.at = 0

    def check(
        self, r: ByteReader, ids: Numbers, absent: cython.longlong, offset: cython.Py_ssize_t, field: cython.int
    ) -> cython.int:
        """Checks that each number is that of a term, or the one for null (a negative number; 0: null is not allowed).
        """
        k: cython.Py_ssize_t
        for k in range(ids.size):
            if ids.i64[k] >= self.count or (ids.i64[k] < 0 and ids.i64[k] != absent):
                return r.fail(TERM, field, offset, ids.i64[k], self.count)
        return 0

    def text(self, number: cython.longlong) -> str | None:
        """The term with this number; None for a negative one."""
        return None if number < 0 else self.texts[number]

    def unnamed(self, number: cython.longlong) -> cython.bint:
        """Whether a number means no name: it is negative, or its term is empty."""
        return number < 0 or (self.has_empty and not self.texts[number])

    def name(self, number: cython.longlong) -> str | None:
        """The term with this number as a name; None if it is empty or the number is negative."""
        return (self.texts[number] or None) if number >= 0 else None

    def known(self, schema_id: cython.longlong, table_id: cython.longlong) -> TableLayouts | None:
        """The table that these terms name, if it has rows and was used recently; otherwise None."""
        found: TableLayouts | None = self.latest
        if found is not None and found.schema_id == schema_id and found.table_id == table_id:
            return found
        if self.recent is None:
            return None
        found = self.recent[(schema_id * 5 + table_id) & (self.slots - 1)]
        if found is None or found.schema_id != schema_id or found.table_id != table_id:
            return None
        self.latest = found
        return found

    def position(self, cache: LayoutCache, schema_id: cython.longlong, table_id: cython.longlong) -> cython.Py_ssize_t:
        """The position among the batch's tables of the one that these terms name; their numbers are known to be right
        (-1: no name).
        """
        known: TableLayouts | None = self.known(schema_id, table_id)
        if known is not None:
            return cache.position_of(known)
        if (
            self.schema_id != schema_id
            or self.table_id != table_id
            or self.positions_version != cache.positions_version
        ):
            self.at = cache.position(cache.table(self.name(schema_id), self.name(table_id)))
            self.schema_id = schema_id
            self.table_id = table_id
            self.positions_version = cache.positions_version
        return self.at

    def described_table(
        self, cache: LayoutCache, schema_id: cython.longlong, table_id: cython.longlong
    ) -> TableLayouts:
        """The table with rows that these terms name."""
        known: TableLayouts | None = self.known(schema_id, table_id)
        if known is None or known.generation != cache.generation:
            known = self.of(cache, schema_id, table_id, cache.table(self.name(schema_id), self.name(table_id)))
            if self.recent is None and self.latest is not None:
                self.recent = [None] * self.slots
            if self.recent is not None:
                self.recent[(schema_id * 5 + table_id) & (self.slots - 1)] = known
            self.latest = known
        return known


class Dictionaries:
    """The dictionaries seen in one section of the messages.

    There are two generations; an old dictionary that is used again becomes young. A new generation begins when there
    are many dictionaries, and whenever the layout cache begins one.
    """

    def __init__(self, cache: LayoutCache) -> None:
        self.cache = cache
        self.generation = cache.generation
        self.last: Dictionary | None = None
        self.known: dict[int, Dictionary] = {}
        self.old: dict[int, Dictionary] = {}
        self.bytes = 0

    def find(self, r: ByteReader) -> Dictionary | None:
        """The dictionary whose bytes equal the remaining bytes of the window, which are then skipped; None if it is
        new.
        """
        size: cython.Py_ssize_t = r.end - r.pos
        known: Dictionary | None
        digest: cython.ulonglong
        if self.generation != self.cache.generation:
            if self.generation + 1 != self.cache.generation:
                self.known = {}
            self.last = None
            self.generation = self.cache.generation
            self.age()
        known = self.last
        if known is None or known.size != size or not r.matches(known.image, known.size):
            digest = r.digest(r.pos, r.end)
            known = self.known.get(digest)
            if known is None or known.size != size or not r.matches(known.image, known.size):
                known = self.old.get(digest)
                if known is None or known.size != size or not r.matches(known.image, known.size):
                    return None
                self.remember(digest, known)
            self.last = known
            if known.latest is not None and known.latest.images is not None:
                known.latest.images.fetch()
        r.pos = r.end
        return known

    def learn(self, r: ByteReader, start: cython.Py_ssize_t, ends: Numbers, field: cython.int) -> Dictionary:
        """Parses the dictionary in message[start:pos]: `ends` has the start of the first term, then the end of each."""
        k: cython.Py_ssize_t
        texts: list[str] = []
        for k in range(ends.size - 1):
            texts.append(r.decoded(ends.i64[k], ends.i64[k + 1], field))
        found = Dictionary(r.copy(start, r.pos), texts)
        if found.size <= MOST_IMAGE:
            self.remember(r.digest(start, r.pos), found)
        self.last = found
        return found

    def remember(self, digest: cython.ulonglong, dictionary: Dictionary) -> cython.int:
        """Adds a dictionary to the young generation."""
        if len(self.known) > MOST_DICTIONARIES or self.bytes > MOST_BYTES:
            self.age()
        self.known[digest] = dictionary
        self.bytes += DICTIONARY_BYTES + TERM_BYTES * dictionary.count + dictionary.size
        return 0

    def age(self) -> cython.int:
        """Begins a new generation."""
        self.old = self.known
        self.known = {}
        self.bytes = 0
        return 0
