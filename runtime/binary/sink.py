"""A growing buffer to which messages are written: the primitives and chunks that binary protocols are made of.

Chunks carry no count of their own. The names are those of `tidewire.runtime.binary.cursor`, which reads what is
written here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime.arrow.memory import Memory

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.libc.string import memcpy
    from cython.cimports.tidewire.runtime.arrow.column_reader import Values
    from cython.cimports.tidewire.runtime.arrow.storage_numbers import FLOAT, INT, NOTHING, TEXT
else:
    import struct

    from tidewire.runtime.arrow.storage import FLOAT, INT, NOTHING, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.memory import Numbers


class Sink(Memory):
    """Bytes that have been written: those before pos."""

    def __init__(self) -> None:
        Memory.__init__(self, 4096)
        self.pos = 0

    def written(self, start: cython.Py_ssize_t) -> bytes:
        """What has been written from start on."""
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

    def string(self, image: bytes) -> cython.int:
        """A uvarint length and the bytes."""
        self.uvarint(len(image))
        return self.raw(image)

    def part(self, other: Sink) -> cython.int:
        """All that has been written to another sink."""
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

    # ---- Arrow

    # ---- a row of values

    def row(self, source: ColumnReader, row: cython.Py_ssize_t) -> cython.int:
        """A row of columns as a nullable bytes chunk: all sizes (zigzag, -1 for null), then the values."""
        values: cython.pointer(Values) = source.values  # type: ignore[valid-type]
        c: cython.int
        storage: cython.int
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        size: cython.Py_ssize_t
        u: cython.ulonglong
        v: cython.longlong
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        total: cython.Py_ssize_t = 20 * source.width
        for c in range(source.width):
            if values[c].storage >= TEXT:
                i = values[c].first + row
                total += values[c].ends[i + 1] - values[c].ends[i]
        self.reserve(self.pos + total)
        out: cython.p_uchar = self.u8
        at = self.pos
        for c in range(source.width):
            i = values[c].first + row
            storage = values[c].storage
            if values[c].nullable and (storage == NOTHING or not (values[c].bitmap[i >> 3] >> (i & 7)) & 1):
                out[at] = 1
                at += 1
                continue
            if storage >= TEXT:
                size = 2 * (values[c].ends[i + 1] - values[c].ends[i])
                while size >= 0x80:
                    out[at] = (size & 0x7F) | 0x80
                    size >>= 7
                    at += 1
            elif storage == FLOAT:
                size = 16
            else:
                if storage == INT:
                    v = values[c].i64[i]
                    u = ((v << 1) & mask) ^ (mask if v < 0 else 0)
                else:
                    u = values[c].u64[i]
                size = 2
                while u >= 0x80:
                    u >>= 7
                    size += 2
            out[at] = size
            at += 1
        for c in range(source.width):
            i = values[c].first + row
            storage = values[c].storage
            if values[c].nullable and (storage == NOTHING or not (values[c].bitmap[i >> 3] >> (i & 7)) & 1):
                continue
            if storage >= TEXT:
                size = values[c].ends[i + 1] - values[c].ends[i]
                if cython.compiled:
                    memcpy(out + at, values[c].data + values[c].ends[i], size)
                else:
                    out[at : at + size] = values[c].data[values[c].ends[i] : values[c].ends[i + 1]]
                at += size
            elif storage == FLOAT:
                if cython.compiled:
                    memcpy(out + at, values[c].f64 + i, 8)
                else:
                    out[at : at + 8] = struct.pack("<d", values[c].f64[i])
                at += 8
            else:
                if storage == INT:
                    v = values[c].i64[i]
                    u = ((v << 1) & mask) ^ (mask if v < 0 else 0)
                else:
                    u = values[c].u64[i]
                while u >= 0x80:
                    out[at] = (u & 0x7F) | 0x80
                    u >>= 7
                    at += 1
                out[at] = u
                at += 1
        self.pos = at
        return 0
