"""A growing buffer for records: a method for each type of Avro's binary encoding.

Methods are named as in `tidewire.runtime.record.cursor`, which reads what is written here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Memory
from tidewire.runtime.wire.numerals import single_digits

if cython.compiled:
    from cython.cimports.libc.string import memcpy
else:
    import struct

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader


def long_bytes(value: int) -> bytes:
    """A 64-bit number as a zigzag varint."""
    number = (value << 1) ^ (value >> 63)
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def string_bytes(text: str) -> bytes:
    """A string as length-prefixed bytes."""
    image = text.encode()
    return long_bytes(len(image)) + image


class RecordSink(Memory):
    """Encoded bytes: those before `pos`."""

    def __init__(self) -> None:
        Memory.__init__(self, 4096)
        self.pos = 0

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

    def u64be(self, value: cython.ulonglong) -> cython.int:
        """Writes eight bytes, big-endian."""
        k: cython.int
        self.reserve(self.pos + 8)
        for k in range(8):
            self.u8[self.pos + k] = (value >> (56 - 8 * k)) & 0xFF
        self.pos += 8
        return 0

    def integer(self, value: cython.longlong) -> cython.int:
        """Writes a signed 64-bit number as a varint."""
        i: cython.Py_ssize_t = self.pos
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        v: cython.ulonglong = ((value << 1) & mask) ^ (mask if value < 0 else 0)
        self.reserve(i + 10)
        while v >= 0x80:
            self.u8[i] = (v & 0x7F) | 0x80
            v >>= 7
            i += 1
        self.u8[i] = v
        self.pos = i + 1
        return 0

    def wrapped(self, value: cython.ulonglong) -> cython.int:
        """Writes the bits of an unsigned number as a signed number."""
        if cython.compiled:
            return self.integer(cython.cast(cython.longlong, value))
        return self.integer(value - (1 << 64) if value >> 63 else value)

    def boolean(self, value: cython.bint) -> cython.int:
        """Writes a boolean."""
        self.reserve(self.pos + 1)
        self.u8[self.pos] = 1 if value else 0
        self.pos += 1
        return 0

    def float32(self, value: cython.double) -> cython.int:
        """Writes the float32 nearest to the value, little-endian."""
        narrow: cython.float
        self.reserve(self.pos + 4)
        if cython.compiled:
            narrow = cython.cast(cython.float, value)
            memcpy(self.u8 + self.pos, cython.address(narrow), 4)
        else:
            self.u8[self.pos : self.pos + 4] = struct.pack("<f", value)
        self.pos += 4
        return 0

    def single(self, value: cython.double) -> cython.bint:
        """Writes a number that is a float32, or has the shortest digits of one; this includes infinities and NaN. For
        other numbers returns False and writes nothing.
        """
        narrow: cython.float
        if cython.compiled:
            narrow = cython.cast(cython.float, value)
            if narrow == value:
                self.float32(value)
                return True
        if value - value == 0 and not single_digits(value):
            return False
        self.float32(value)
        return True

    def widen(self) -> cython.int:
        """Replaces the float32 written last by a float64 of the same value."""
        narrow: cython.float = 0.0
        self.pos -= 4
        if cython.compiled:
            memcpy(cython.address(narrow), self.u8 + self.pos, 4)
            return self.float64(narrow)
        return self.float64(struct.unpack_from("<f", self.u8, self.pos)[0])

    def float64(self, value: cython.double) -> cython.int:
        """Writes a float64, little-endian."""
        self.reserve(self.pos + 8)
        if cython.compiled:
            memcpy(self.u8 + self.pos, cython.address(value), 8)
        else:
            self.u8[self.pos : self.pos + 8] = struct.pack("<d", value)
        self.pos += 8
        return 0

    def digits(self, value: cython.ulonglong) -> cython.int:
        """Writes an unsigned number as a length-prefixed string of decimal digits."""
        text: bytes = b"%d" % value
        self.integer(len(text))
        return self.raw(text)

    def text_of(self, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Writes a string or bytes of a column with its length."""
        i: cython.Py_ssize_t = source.values[c].first + row
        start: cython.Py_ssize_t = source.values[c].ends[i]
        size: cython.Py_ssize_t = source.values[c].ends[i + 1] - start
        self.integer(size)
        self.reserve(self.pos + size)
        if cython.compiled:
            if size:
                memcpy(self.u8 + self.pos, source.values[c].data + start, size)
        elif size:
            self.u8[self.pos : self.pos + size] = source.values[c].data[start : start + size]
        self.pos += size
        return 0
