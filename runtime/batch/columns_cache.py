"""A cache of what encoders and builders know of tuples of columns, kept from call to call.

Events of one table mostly share the tuple of their columns, so it is looked up by identity first, and by equality only
when it is a new object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tidewire.runtime.batch.table_parts import Column

MOST_KNOWN = 4096
"""Tuples of columns in a generation; when it is full, a new generation begins and the one before the last is
dropped.
"""
MOST_BYTES = 4 << 20
"""Bytes in a generation likewise, as `weight` counts them."""
HEAVIEST = 1 << 18
"""Bytes above which a tuple is not cached."""
PER_COLUMN = 256
"""Approximate bytes that a cached column takes up besides its texts."""


class CachedColumns:
    """A tuple of columns and what is known of it.

    It is kept with the tuple, so that as long as it is here, no other object can have the tuple's identity.
    """

    def __init__(self, columns: tuple[Column, ...], known: Any) -> None:
        self.columns = columns
        self.known = known


class ColumnsCache:
    """A cache by tuples of columns with two generations: what is used again moves to the young one."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Drops all entries."""
        self.last: CachedColumns | None = None
        # by the identities of tuples, and by the tuples
        self.young: dict[Any, CachedColumns] = {}
        self.old: dict[Any, CachedColumns] = {}
        self.count = 0
        self.size = 0

    def find(self, columns: tuple[Column, ...]) -> Any:
        """The entry of these columns; None when there is none, or when they have no hash (and so are no columns)."""
        # one reference, not two: threads that share this see the same moment
        found: CachedColumns | None = self.last
        if found is not None and found.columns is columns:
            return found.known
        found = self.young.get(id(columns))
        if found is None:
            found = self.equal(columns)
            if found is None:
                return None
            if found.columns is not columns:
                found = CachedColumns(columns, found.known)
        self.last = found
        return found.known

    def equal(self, columns: tuple[Column, ...]) -> CachedColumns | None:
        """The entry of columns that are equal to these."""
        found: CachedColumns | None = self.last
        if found is not None and found.columns == columns:
            return found
        try:
            found = self.young.get(columns)
            if found is None:
                found = self.old.get(columns)
        except TypeError:
            return None
        if found is not None and found is not self.young.get(id(found.columns)):
            self.keep(found)
        return found

    def remember(self, columns: tuple[Column, ...], known: Any) -> None:
        """Adds an entry for checked columns for which `find` gave None."""
        self.keep(CachedColumns(columns, known))

    def keep(self, entry: CachedColumns) -> None:
        """Adds the entry, to be found by identity and by equality."""
        size = weight(entry.columns)
        if size > HEAVIEST:
            return
        if self.count >= MOST_KNOWN or self.size + size > MOST_BYTES:
            self.old = self.young
            self.young = {}
            self.count = self.size = 0
        self.young[id(entry.columns)] = entry
        self.young[entry.columns] = entry
        self.last = entry
        self.count += 1
        self.size += size


def weight(columns: tuple[Column, ...]) -> int:
    """Approximate bytes that the entry of columns takes up."""
    size = PER_COLUMN * (len(columns) + 1)
    for column in columns:
        name, _, _, declared = column
        # of text, so many bytes for each copy: names are kept as text, as bytes, and as they are written
        size += 4 * len(name) + (0 if declared is None else 4 * len(declared))
    return size
