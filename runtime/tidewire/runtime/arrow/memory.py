"""Growable memory that is passed to Arrow without a copy, and vectors of 64-bit numbers in it.

In compiled code the views are C pointers; in interpreted code they are memoryviews over the same bytes.
"""

from __future__ import annotations

from tidewire.runtime import cython

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING, PyByteArray_Resize
    from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
    from cython.cimports.libc.string import memset


def resized(data: bytearray | None, size: cython.Py_ssize_t) -> bytearray:
    """A bytearray of this size with the old contents: in compiled code the same object, in interpreted code a copy, as
    views prevent resizing.
    """
    if cython.compiled:
        if data is None:
            data = bytearray()
        PyByteArray_Resize(data, size)
        return data
    return (data or bytearray()) + bytearray(size - len(data or b""))


class Memory:
    """Bytes viewed as u8, i32, i64, u64 and f64. Growing keeps the contents; new bytes are undefined."""

    def __init__(self, room: cython.Py_ssize_t) -> None:
        self.data = bytearray()
        self.room = 0
        self.reserve(room if room > 0 else 1)

    def reserve(self, room: cython.Py_ssize_t) -> cython.int:
        """Makes room for this many bytes; at least doubles the memory if it has to grow."""
        if room <= self.room:
            return 0
        if room < 2 * self.room:
            room = 2 * self.room
        room = (room + 63) // 64 * 64
        if cython.compiled:
            PyByteArray_Resize(self.data, room)
            self.u8 = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(self.data))
            self.i32 = cython.cast(cython.p_int, self.u8)
            self.i64 = cython.cast(cython.p_longlong, self.u8)
            self.u64 = cython.cast(cython.p_ulonglong, self.u8)
            self.f64 = cython.cast(cython.p_double, self.u8)
        else:
            grown = bytearray(room)
            grown[: self.room] = self.data
            self.data = grown
            self.u8 = memoryview(grown)
            self.i32 = self.u8.cast("i")
            self.i64 = self.u8.cast("q")
            self.u64 = self.u8.cast("Q")
            self.f64 = self.u8.cast("d")
        self.room = room
        return 0

    def fill(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, byte: cython.int) -> cython.int:
        """Sets the bytes from start to stop."""
        if cython.compiled:
            memset(self.u8 + start, byte, stop - start)
        else:
            self.u8[start:stop] = bytes([byte]) * (stop - start)
        return 0


class Numbers(Memory):
    """A reusable vector of 64-bit numbers (i64 and u64 are two views of the same bits)."""

    def __init__(self) -> None:
        Memory.__init__(self, 128)
        self.size = 0

    def take(self, size: cython.Py_ssize_t) -> cython.int:
        """Sets the number of elements; existing ones keep their values."""
        self.reserve(8 * size)
        self.size = size
        return 0

    def image(self) -> bytes:
        """The bytes of the numbers: equal for equal vectors."""
        if cython.compiled:
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.u8), 8 * self.size)
        return bytes(self.u8[: 8 * self.size])

    def append(self, value: cython.longlong) -> cython.int:
        """Appends a signed number."""
        self.reserve(8 * (self.size + 1))
        self.i64[self.size] = value
        self.size += 1
        return 0
