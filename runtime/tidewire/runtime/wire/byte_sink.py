"""Growing buffers for messages: the base classes of the sinks of all wires, and of those of binary wires."""

from __future__ import annotations

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Memory

if cython.compiled:
    from cython.cimports.libc.string import memcpy
else:
    import struct


class ByteSink(Memory):
    """The bytes written so far: those before `pos`."""

    def __init__(self) -> None:
        Memory.__init__(self, 4096)
        self.pos = 0

    def written(self, start: cython.Py_ssize_t) -> bytes:
        """The bytes written since offset `start`."""
        return bytes(memoryview(self.data)[start : self.pos])

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
        """Writes a number of 8 bytes, big-endian."""
        self.reserve(self.pos + 8)
        self.put_u64be(self.pos, value)
        self.pos += 8
        return 0

    def put_u64be(self, at: cython.Py_ssize_t, value: cython.ulonglong) -> cython.int:
        """Overwrites 8 bytes at `at` with a number, big-endian."""
        k: cython.int
        for k in range(8):
            self.u8[at + k] = (value >> (56 - 8 * k)) & 0xFF
        return 0


class NumberSink(ByteSink):
    """A sink of a binary wire. Methods have the names of those of `NumberReader`, which reads what is written here."""

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

    def varint(self, value: cython.longlong) -> cython.int:
        """A zigzag number."""
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        number: cython.ulonglong = ((value << 1) & mask) ^ (mask if value < 0 else 0)
        i: cython.Py_ssize_t = self.pos
        self.reserve(i + 10)
        while number >= 0x80:  # not by a call of uvarint: most fields of records are such numbers
            self.u8[i] = (number & 0x7F) | 0x80
            number >>= 7
            i += 1
        self.u8[i] = number
        self.pos = i + 1
        return 0

    def float32(self, value: cython.double) -> cython.int:
        """The nearest IEEE 754 float32, little-endian."""
        narrow: cython.float
        self.reserve(self.pos + 4)
        if cython.compiled:
            narrow = cython.cast(cython.float, value)
            memcpy(self.u8 + self.pos, cython.address(narrow), 4)
        else:
            self.u8[self.pos : self.pos + 4] = struct.pack("<f", value)
        self.pos += 4
        return 0

    def float64(self, value: cython.double) -> cython.int:
        """IEEE 754 float64, little-endian."""
        self.reserve(self.pos + 8)
        if cython.compiled:
            memcpy(self.u8 + self.pos, cython.address(value), 8)
        else:
            self.u8[self.pos : self.pos + 8] = struct.pack("<d", value)
        self.pos += 8
        return 0
