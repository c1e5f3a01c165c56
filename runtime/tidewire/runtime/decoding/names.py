"""Finds names by their bytes: members of an object, columns of a table, or the texts of a switch.

Names mostly come in the same order: the name that followed last time is tried first, in the spelling in which it was
first seen (with quotes, escapes and colon); other names are found by a hash of their unescaped bytes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Memory, Numbers

if cython.compiled:
    from cython.cimports.cpython.mem import PyMem_Free, PyMem_Realloc
    from cython.cimports.libc.string import memcpy, memset
    from cython.cimports.tidewire.runtime.decoding.names import Name
    from cython.cimports.tidewire.runtime.wire.swar import equal, hash_of, load8, mask_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.wire.byte_reader import ByteReader


SEED: cython.ulonglong = int.from_bytes(os.urandom(8), "little")
"""Random seed of the hashes of names."""


class _Name:
    """Interpreted replacement for the C struct of names.pxd."""

    type_text: bytes | None = None

    def __init__(self) -> None:
        self.next = self.next_described = 0
        self.seen = self.described = self.flags = 0
        self.type = self.undeclared = -1
        self.type_size = 0


class Names:
    """Names by number, in the order in which they were added."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.texts: list[str] = []
        self.count = self.room = self.used = 0
        self.last = -1
        self.object_number = 0
        self.lacking = b""  # missing columns of the last layout: other layouts of the table mostly lack the same ones
        self.pool = Memory(1)
        self.slots = Numbers()
        if not cython.compiled:
            self.all: list[Any] = []
            self.numbers: dict[bytes, int] = {}
            self.spelled: dict[bytes, int] = {}
        for name in names:
            self.add(name.encode(), b'"' + name.encode() + b'":')

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.all)

    def again(self, k: cython.Py_ssize_t) -> cython.int:
        """Lets member k occur again in the current object."""
        self.all[k].seen = 0
        return 0

    # ---- adding

    def add(self, name: bytes, spelling: bytes) -> cython.Py_ssize_t:
        """Adds a new name and returns its number.

        Args:
            name: unescaped name in UTF-8.
            spelling: name as in the message: quotes, perhaps escapes, and a colon.

        Raises:
            UnicodeDecodeError: it is not UTF-8.
        """
        text = name.decode()
        k: cython.Py_ssize_t = self.count
        if not cython.compiled:
            self.all.append(_Name())
            self.numbers[name] = k
            self.spelled[spelling] = k
            self.used += len(name) + len(spelling)
        else:
            if k == self.room:
                self.enlarge()
            memset(cython.address(self.all[k]), 0, cython.sizeof(Name))
            self.all[k].start = self.keep(name)
            self.all[k].length = len(name)
            self.all[k].spelling = self.keep(spelling)
            self.all[k].size = len(spelling)
            self.all[k].word = load8(self.pool.u8 + self.all[k].spelling)
            self.all[k].mask = mask_of(self.all[k].size)
            self.all[k].hash = hash_of(SEED, self.pool.u8 + self.all[k].start, self.all[k].length)
            self.all[k].type = self.all[k].undeclared = -1
        self.all[k].next = k + 1
        self.all[k].next_described = k + 1
        self.texts.append(text)
        self.count = k + 1
        self.insert(k)
        return k

    def keep(self, image: bytes) -> cython.Py_ssize_t:
        """Copies bytes into the pool, followed by 16 NULs; returns their offset there."""
        at: cython.Py_ssize_t = self.used
        size: cython.Py_ssize_t = len(image)
        self.pool.reserve(at + size + 16)
        if cython.compiled:
            memcpy(self.pool.u8 + at, cython.cast(cython.p_char, image), size)
            memset(self.pool.u8 + at + size, 0, 16)
        self.used = at + size + 16
        return at

    def enlarge(self) -> cython.int:
        """Doubles the room for names."""
        k: cython.Py_ssize_t
        if cython.compiled:
            # start small: thousands of tables have only one to three columns
            room: cython.Py_ssize_t = 2 * self.room + 4
            larger: cython.pointer(Name) = cython.cast(
                cython.pointer(Name), PyMem_Realloc(self.all, room * cython.sizeof(Name))
            )
            if not larger:
                raise MemoryError
            self.all = larger
            self.room = room
            size: cython.Py_ssize_t = 8
            while size < 2 * room:
                size *= 2
            self.slots.take(size)
            for k in range(size):
                self.slots.i64[k] = -1
            for k in range(self.count):
                self.insert(k)
        return 0

    def insert(self, k: cython.Py_ssize_t) -> cython.int:
        """Inserts a name into the hash table."""
        at: cython.ulonglong
        if cython.compiled:
            at = self.all[k].hash & (self.slots.size - 1)
            while self.slots.i64[at] >= 0:
                at = (at + 1) & (self.slots.size - 1)
            self.slots.i64[at] = k
        return 0

    # ---- finding

    def find(self, r: ByteReader, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The number of the name whose unescaped bytes are message[start:end]; -1 if there is none."""
        if cython.compiled:
            size: cython.Py_ssize_t = end - start
            k: cython.Py_ssize_t
            h: cython.ulonglong
            at: cython.ulonglong
            if self.count == 0:
                return -1
            h = hash_of(SEED, r.p + start, size)
            at = h & (self.slots.size - 1)
            while True:
                k = self.slots.i64[at]
                if k < 0:
                    return -1
                if (
                    self.all[k].hash == h
                    and self.all[k].length == size
                    and equal(self.pool.u8 + self.all[k].start, r.p + start, size)
                ):
                    return k
                at = (at + 1) & (self.slots.size - 1)
        return self.numbers.get(bytes(r.p[start:end]), -1)

    def begin(self) -> cython.Py_ssize_t:
        """Begins an object: no member has been seen yet."""
        self.object_number += 1
        self.last = -1
        return 0
