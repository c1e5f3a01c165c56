"""A growing buffer for messages: writes the primitives and chunks of binary protocols.

Chunks do not contain their count. Methods have the names of those in `tidewire.runtime.binary.cursor`, which reads what
is written here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Memory

if cython.compiled:
    from cython.cimports.libc.string import memcpy
else:
    import struct

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tidewire.runtime.arrow.memory import Numbers


class Sink(Memory):
    """The bytes written so far: those before pos."""

    def __init__(self) -> None:
        Memory.__init__(self, 4096)
        self.pos = 0

    def written(self, start: cython.Py_ssize_t) -> bytes:
        """The bytes written since `start`."""
        return bytes(memoryview(self.data)[start : self.pos])

    # ---- primitives

    def byte(self, value: cython.int) -> cython.int:
        """One byte.

        Raises:
            OverflowError: the value does not fit.
        """
        if value < 0 or value > 255:
            raise OverflowError(f"{value} does not fit into one byte")
        self.reserve(self.pos + 1)
        self.u8[self.pos] = value
        self.pos += 1
        return 0

    @cython.final
    def uvarint(self, value: cython.ulonglong) -> cython.int:
        """LEB128, 1 to 10 bytes."""
        i: cython.Py_ssize_t = self.pos
        self.reserve(i + 10)
        while value >= 0x80:
            self.u8[i] = (value & 0x7F) | 0x80
            value >>= 7
            i += 1
        self.u8[i] = value
        self.pos = i + 1
        return 0

    @cython.final
    def varint(self, value: cython.longlong) -> cython.int:
        """A zigzag number."""
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        sign: cython.ulonglong = mask if value < 0 else 0
        return self.uvarint(((value << 1) & mask) ^ sign)

    def reversed_uvarint(self, value: cython.ulonglong) -> cython.int:
        """The bytes of a uvarint back to front."""
        start: cython.Py_ssize_t = self.pos
        last: cython.Py_ssize_t
        b: cython.int
        self.uvarint(value)
        last = self.pos - 1
        while start < last:
            b = self.u8[start]
            self.u8[start] = self.u8[last]
            self.u8[last] = b
            start += 1
            last -= 1
        return 0

    def u64be(self, value: cython.ulonglong) -> cython.int:
        """Eight bytes, the most significant first."""
        k: cython.int
        self.reserve(self.pos + 8)
        for k in range(8):
            self.u8[self.pos + k] = value >> (56 - 8 * k) & 0xFF
        self.pos += 8
        return 0

    def float64(self, value: cython.double) -> cython.int:
        """IEEE 754 double, little endian."""
        self.reserve(self.pos + 8)
        if cython.compiled:
            memcpy(self.u8 + self.pos, cython.address(value), 8)
        else:
            self.u8[self.pos : self.pos + 8] = struct.pack("<d", value)
        self.pos += 8
        return 0

    @cython.final
    def raw(self, image: bytes) -> cython.int:
        """Writes bytes unchanged."""
        size: cython.Py_ssize_t = len(image)
        self.reserve(self.pos + size)
        if cython.compiled:
            memcpy(self.u8 + self.pos, cython.cast(cython.p_char, image), size)
        else:
            self.u8[self.pos : self.pos + size] = image
        self.pos += size
        return 0

    def string(self, image: bytes) -> cython.int:
        """A uvarint length and the bytes."""
        self.uvarint(len(image))
        return self.raw(image)

    def part(self, other: Sink) -> cython.int:
        """Writes the contents of another sink."""
        return self.raw(other.written(0))

    # ---- chunks

    def uvarints(self, numbers: Numbers) -> cython.int:
        """Each number as a uvarint."""
        return self.uvarints_of(numbers, 0, numbers.size)

    def varints(self, numbers: Numbers) -> cython.int:
        """Each number as a zigzag varint."""
        return self.varints_of(numbers, 0, numbers.size)

    def delta_uvarints(self, numbers: Numbers) -> cython.int:
        """The first number, then differences, modulo 2^64."""
        return self.delta_uvarints_of(numbers, 0, numbers.size)

    def delta_varints(self, numbers: Numbers) -> cython.int:
        """The first number, then differences, modulo 2^64 and zigzag."""
        return self.delta_varints_of(numbers, 0, numbers.size)

    def uvarints_of(self, numbers: Numbers, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """A chunk of numbers[start:stop]."""
        k: cython.Py_ssize_t
        for k in range(start, stop):
            self.uvarint(numbers.u64[k])
        return 0

    def varints_of(self, numbers: Numbers, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """A chunk of numbers[start:stop]."""
        k: cython.Py_ssize_t
        for k in range(start, stop):
            self.varint(numbers.i64[k])
        return 0

    def delta_uvarints_of(self, numbers: Numbers, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """A chunk of numbers[start:stop]."""
        k: cython.Py_ssize_t
        last: cython.ulonglong = 0
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        for k in range(start, stop):
            self.uvarint((numbers.u64[k] - last) & mask)
            last = numbers.u64[k]
        return 0

    def delta_varints_of(self, numbers: Numbers, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """A chunk of numbers[start:stop]."""
        k: cython.Py_ssize_t
        last: cython.ulonglong = 0
        delta: cython.ulonglong
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        top: cython.ulonglong = 0x8000000000000000
        for k in range(start, stop):
            delta = (numbers.u64[k] - last) & mask
            last = numbers.u64[k]
            self.uvarint(((delta << 1) & mask) ^ (mask if delta & top else 0))
        return 0

    def strings(self, texts: Iterable[bytes]) -> cython.int:
        """The length of each text as a uvarint, then the texts."""
        for text in texts:
            self.uvarint(len(text))
        for text in texts:
            self.raw(text)
        return 0
