"""Values that are skipped, and are mostly the same from message to message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime.arrow.memory import Memory

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.libc.string import memcmp, memcpy
    from cython.cimports.tidewire.runtime.json import character_numbers as chars

if TYPE_CHECKING:
    from tidewire.runtime.json.cursor import JsonCursor

MOST: cython.Py_ssize_t = 4096
"""Bytes of a skipped value above which it is not remembered."""


class Passed:
    """The last text of a skipped value: when the same bytes come again, their grammar is known to be right."""

    def __init__(self) -> None:
        self.memory = Memory(64)
        self.size = 0

    def skip(self, r: JsonCursor, field: cython.int) -> cython.int:
        """Skips the value at the cursor."""
        start: cython.Py_ssize_t = r.pos
        size: cython.Py_ssize_t = self.size
        if cython.compiled:
            if size and size <= r.end - start and memcmp(r.p + start, self.memory.u8, size) == 0:
                r.pos += size
                return 0
        r.pos = r.pass_over(start, field)
        if cython.compiled:
            size = r.pos - start
            # an object or an array is over where it ends; a number may go on
            if r.p[start] > chars.UPPER_Z and r.p[r.pos - 1] > chars.UPPER_Z and size <= MOST:
                self.memory.reserve(size)
                memcpy(self.memory.u8, r.p + start, size)
                self.size = size
        return 0
