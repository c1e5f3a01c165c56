"""Finds things of a list by their hashes.

A dict takes some hundred bytes an entry with its key, which is more than a hostile message needs bytes to name a table;
this takes 6 to 12, because it knows nothing but positions. What lies at a position, and what its hash is, the owner of
the list knows.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.libc.string import memset

FEWEST: cython.Py_ssize_t = 16
"""Slots of an index with nothing in it; a power of two."""
MOST_KEPT: cython.Py_ssize_t = 1024
"""Slots above which an index that is cleared starts small again, if less than an eighth of them was in use."""


class Index:
    """Positions in a list, each in the first free slot from where its hash points.

    Look things up like this: follow the slots from `slot(digest)` with `after`, until one holds -1 (there is no such
    thing) or the position of the thing looked for. Hashes must be those of Python's text and bytes, which nobody can
    choose to be alike.
    """

    def __init__(self) -> None:
        self.room(FEWEST)

    def room(self, size: cython.Py_ssize_t) -> cython.int:
        """That many slots, all free."""
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
        """Nothing is there; what had grown large becomes small again unless it was well filled."""
        if self.size > MOST_KEPT and 8 * self.count < self.size:
            self.room(FEWEST)
        elif self.count:
            self.empty()
        return 0

    def full(self) -> cython.bint:
        """Whether there is no good room for one more: the owner then takes twice the room and adds everything anew."""
        return 3 * (self.count + 1) > 2 * self.size

    def slot(self, digest: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where to look first for what has this hash."""
        return digest & (self.size - 1)

    def after(self, slot: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where to look next."""
        return (slot + 1) & (self.size - 1)

    def add(self, digest: cython.Py_ssize_t, position: cython.Py_ssize_t) -> cython.int:
        """What has this hash, and is not there yet, lies at this position."""
        slot: cython.Py_ssize_t = self.slot(digest)
        while self.positions[slot] >= 0:
            slot = self.after(slot)
        self.positions[slot] = position
        self.count += 1
        return 0

    def remove(self, digest: cython.Py_ssize_t, position: cython.Py_ssize_t) -> cython.int:
        """Undoes the last `add`; those before it can be undone next, last first."""
        slot: cython.Py_ssize_t = self.slot(digest)
        while self.positions[slot] != position:
            slot = self.after(slot)
        self.positions[slot] = -1
        self.count -= 1
        return 0
