"""A cache of the prepared state that encoders and builders have for tuples of columns, across calls.

Events of one table mostly share the tuple of their columns, so it is looked up by identity first, and by equality only
if it is a new object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tidewire.runtime.batch.table_parts import Column

MOST_KNOWN = 4096
"""The most tuples in a generation; when it is full, a new generation begins and the one before the last is dropped."""
MOST_BYTES = 4 << 20
"""The most bytes in a generation, as counted by `weight`."""
HEAVIEST = 1 << 18
"""Heavier tuples are not cached."""
PER_COLUMN = 256
"""Approximate bytes of a cached column besides its texts."""


class CachedColumns:
    """Cache entry: a tuple of columns and the state prepared for it.

    The entry holds a reference to the tuple, so that no other object can have the tuple's identity while the entry
    exists.
    """

    def __init__(self, columns: tuple[Column, ...], known: Any) -> None:
        self.columns = columns
        self.known = known


class ColumnsCache:
    """A cache with tuples of columns as keys and two generations: an entry that is used again moves to the young
    one.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Drops all entries."""
        self.last: CachedColumns | None = None
        # keys are the identities of tuples, and the tuples themselves
        self.young: dict[Any, CachedColumns] = {}
        self.old: dict[Any, CachedColumns] = {}
        self.count = 0
        self.size = 0

    def find(self, columns: tuple[Column, ...]) -> Any:
        """The state of these columns; None if there is no entry, or if they have no hash (and so are not valid
        columns).
        """
        # a single reference: threads that share this see a consistent entry
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
        """The entry of columns that are equal to these; None if there is none."""
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
        """Adds an entry for checked columns for which `find` returned None."""
        self.keep(CachedColumns(columns, known))

    def keep(self, entry: CachedColumns) -> None:
        """Adds the entry under the tuple's identity and under the tuple."""
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
    """The approximate size of the entry of these columns in bytes."""
    size = PER_COLUMN * (len(columns) + 1)
    for column in columns:
        name, _, _, declared = column
        # for text, bytes for each copy: names are stored as text, as bytes, and encoded
        size += 4 * len(name) + (0 if declared is None else 4 * len(declared))
    return size
