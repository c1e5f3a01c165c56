"""Numbers in the bytes of messages: the base class of the cursors of binary wires."""

from __future__ import annotations

from tidewire.runtime import cython
from tidewire.runtime.errors import OVERFLOW, TRUNCATED
from tidewire.runtime.wire.byte_reader import ByteReader

if cython.compiled:
    from cython.cimports.libc.string import memcpy
else:
    import struct


class NumberReader(ByteReader):
    """Reads a message number by number."""

    def uvarint(self, field: cython.int) -> cython.ulonglong:
        """LEB128: 7 bits a byte, low group first, 0x80 = more follow; at most 64 bits. Over-long forms are read."""
        i: cython.Py_ssize_t = self.pos
        shift: cython.int = 0
        b: cython.ulonglong
        v: cython.ulonglong = 0
        while i < self.end:
            b = self.p[i]
            i += 1
            if shift == 63 and b > 1:
                self.fail(OVERFLOW, field, self.pos, 0, 0)
            v |= (b & 0x7F) << shift
            if b < 0x80:
                self.pos = i
                return v
            shift += 7
        self.fail(TRUNCATED, field, self.pos, self.end - self.pos + 1, self.end - self.pos)
        return 0

    def varint(self, field: cython.int) -> cython.longlong:
        """A zigzag number: 0, -1, 1, -2, ... as uvarint 0, 1, 2, 3, ..."""
        v: cython.ulonglong
        if self.pos < self.end and self.p[self.pos] < 0x80:  # most numbers are small
            v = self.p[self.pos]
            self.pos += 1
        else:
            v = self.uvarint(field)
        return (v >> 1) ^ -(v & 1)

    def float32(self, field: cython.int) -> cython.double:
        """IEEE 754 float32, little-endian."""
        value: cython.float = 0.0
        if self.end - self.pos < 4:
            self.fail(TRUNCATED, field, self.pos, 4, self.end - self.pos)
        self.pos += 4
        if cython.compiled:
            memcpy(cython.address(value), self.p + self.pos - 4, 4)
        else:
            value = struct.unpack_from("<f", self.p, self.pos - 4)[0]
        return value

    def float64(self, field: cython.int) -> cython.double:
        """IEEE 754 float64, little-endian."""
        if self.end - self.pos < 8:
            self.fail(TRUNCATED, field, self.pos, 8, self.end - self.pos)
        self.pos += 8
        return self.float64_at(self.pos - 8)

    def float64_at(self, start: cython.Py_ssize_t) -> cython.double:
        """The float64 in 8 bytes that must exist."""
        value: cython.double = 0.0
        if cython.compiled:
            memcpy(cython.address(value), self.p + start, 8)
        else:
            value = struct.unpack_from("<d", self.p, start)[0]
        return value
