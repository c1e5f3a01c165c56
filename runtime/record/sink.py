"""A growing buffer to which records are written: a method for each type of Avro's binary encoding.

The names are those of `tidewire.runtime.record.cursor`, which reads what is written here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Memory
from tidewire.runtime.json.sink import single_digits

if cython.compiled:
    from cython.cimports.libc.string import memcpy
else:
    import struct

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader


def long_bytes(value: int) -> bytes:
    """A number of 64 bits as it is written."""
    number = (value << 1) ^ (value >> 63)
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def string_bytes(text: str) -> bytes:
    """A text as it is written: behind its length."""
    image = text.encode()
    return long_bytes(len(image)) + image


class RecordSink(Memory):
    """Bytes that have been written: those before pos."""

    def __init__(self) -> None:
        Memory.__init__(self, 4096)
        self.pos = 0

    def raw(self, image: bytes) -> cython.int:
        """These bytes as they are."""
        size: cython.Py_ssize_t = len(image)
        self.reserve(self.pos + size)
        if cython.compiled:
            memcpy(self.u8 + self.pos, cython.cast(cython.p_char, image), size)
        else:
            self.u8[self.pos : self.pos + size] = image
        self.pos += size
        return 0

    def u64be(self, value: cython.ulonglong) -> cython.int:
        """Eight bytes, the most significant first."""
        k: cython.int
        self.reserve(self.pos + 8)
        for k in range(8):
            self.u8[self.pos + k] = (value >> (56 - 8 * k)) & 0xFF
        self.pos += 8
        return 0

    def integer(self, value: cython.longlong) -> cython.int:
        """A number of 64 bits with a sign."""
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
        """The bits of a number without a sign as a number with one."""
        if cython.compiled:
            return self.integer(cython.cast(cython.longlong, value))
        return self.integer(value - (1 << 64) if value >> 63 else value)

    def boolean(self, value: cython.bint) -> cython.int:
        """True or false."""
        self.reserve(self.pos + 1)
        self.u8[self.pos] = 1 if value else 0
        self.pos += 1
        return 0

    def float32(self, value: cython.double) -> cython.int:
        """IEEE 754 single, little endian: the nearest to the value."""
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
        """A number that is a 32-bit float, or has the digits of one; infinities and NaN are. False, and nothing is
        written, where it is none.
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
        """The single that was written last becomes the double with its value."""
        narrow: cython.float = 0.0
        self.pos -= 4
        if cython.compiled:
            memcpy(cython.address(narrow), self.u8 + self.pos, 4)
            return self.float64(narrow)
        return self.float64(struct.unpack_from("<f", self.u8, self.pos)[0])

    def float64(self, value: cython.double) -> cython.int:
        """IEEE 754 double, little endian."""
        self.reserve(self.pos + 8)
        if cython.compiled:
            memcpy(self.u8 + self.pos, cython.address(value), 8)
        else:
            self.u8[self.pos : self.pos + 8] = struct.pack("<d", value)
        self.pos += 8
        return 0

    def digits(self, value: cython.ulonglong) -> cython.int:
        """A number without a sign as decimal digits, behind how many they are."""
        text: bytes = b"%d" % value
        self.integer(len(text))
        return self.raw(text)

    def text_of(self, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """A text, or bytes, of a column behind its length."""
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
