"""A hash index over the items of a list.

A dict takes about a hundred bytes per entry with its key, more than the bytes with which a hostile message can name a
table; this index takes 6 to 12, because it stores positions only. The owner of the list hashes and compares the items.
"""

from __future__ import annotations

from tidewire.runtime import cython

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.libc.string import memset

FEWEST: cython.Py_ssize_t = 16
"""Slots of an empty index; a power of two."""
MOST_KEPT: cython.Py_ssize_t = 1024
"""Number of slots above which a cleared index shrinks, if less than an eighth of them was in use."""


class Index:
    """Positions in a list, each in the first free slot from the one that its hash selects.

    To look up an item, follow the slots from `slot(digest)` with `after` until one holds the item's position, or -1:
    there is no such item. Hashes must be those of Python's str and bytes, so that attackers cannot choose collisions.
    """

    def __init__(self) -> None:
        self.room(FEWEST)

    def room(self, size: cython.Py_ssize_t) -> cython.int:
        """Allocates `size` free slots."""
        self.size = size
        self.slots = bytearray(4 * size)
        if cython.compiled:
            self.positions = cython.cast(cython.p_int, PyByteArray_AS_STRING(self.slots))
        else:
            self.positions = memoryview(self.slots).cast("i")
        self.empty()
        return 0

    def empty(self) -> cython.int:
        """Frees all slots."""
        self.count = 0
        if cython.compiled:
            memset(self.positions, 0xFF, 4 * self.size)
        else:
            self.slots[:] = b"\xff" * (4 * self.size)
        return 0

    def clear(self) -> cython.int:
        """Removes all entries; a large index shrinks unless it was well filled."""
        if self.size > MOST_KEPT and 8 * self.count < self.size:
            self.room(FEWEST)
        elif self.count:
            self.empty()
        return 0

    def full(self) -> cython.bint:
        """Whether it is too full for another entry: the owner then doubles the room and adds all entries again."""
        return 3 * (self.count + 1) > 2 * self.size

    def slot(self, digest: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The first slot to look at for this hash."""
        return digest & (self.size - 1)

    def after(self, slot: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The next slot to look at."""
        return (slot + 1) & (self.size - 1)

    def add(self, digest: cython.Py_ssize_t, position: cython.Py_ssize_t) -> cython.int:
        """Adds the position of an item with this hash that is not in the index."""
        slot: cython.Py_ssize_t = self.slot(digest)
        while self.positions[slot] >= 0:
            slot = self.after(slot)
        self.positions[slot] = position
        self.count += 1
        return 0

    def remove(self, digest: cython.Py_ssize_t, position: cython.Py_ssize_t) -> cython.int:
        """Undoes the last `add`; earlier ones can be undone next, in reverse order."""
        slot: cython.Py_ssize_t = self.slot(digest)
        while self.positions[slot] != position:
            slot = self.after(slot)
        self.positions[slot] = -1
        self.count -= 1
        return 0
