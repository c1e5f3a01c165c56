"""A growing buffer for records: a method for each type of Avro's binary encoding.

Methods are named as in `tidewire.runtime.record.cursor`, which reads what is written here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import INT, TEXT
from tidewire.runtime.record.branches import DOUBLE_VALUE, FLOAT_VALUE, LONG_VALUE, STRING_VALUE, WRAPPED_VALUE
from tidewire.runtime.wire.byte_sink import NumberSink
from tidewire.runtime.wire.numerals import single_digits
from tidewire.runtime.wire.value_codec import RefusedValueError

if cython.compiled:
    from cython.cimports.libc.string import memcpy
else:
    import struct

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader


def long_bytes(value: int) -> bytes:
    """A 64-bit number as a zigzag varint."""
    sink: NumberSink = NumberSink()
    sink.varint(value)
    return sink.written(0)


def string_bytes(text: str) -> bytes:
    """A string as length-prefixed bytes."""
    image = text.encode()
    return long_bytes(len(image)) + image


class RecordSink(NumberSink):
    """Encoded bytes: those before `pos`."""

    def wrapped(self, value: cython.ulonglong) -> cython.int:
        """Writes the bits of an unsigned number as a signed number."""
        if cython.compiled:
            return self.varint(cython.cast(cython.longlong, value))
        return self.varint(value - (1 << 64) if value >> 63 else value)

    def boolean(self, value: cython.bint) -> cython.int:
        """Writes a boolean."""
        self.reserve(self.pos + 1)
        self.u8[self.pos] = 1 if value else 0
        self.pos += 1
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

    def digits(self, value: cython.ulonglong) -> cython.int:
        """Writes an unsigned number as a length-prefixed string of decimal digits."""
        text: bytes = b"%d" % value
        self.varint(len(text))
        return self.raw(text)

    def value_of(
        self, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t, codec: cython.int
    ) -> cython.int:
        """Writes a value of a column in a branch of a union, whose number has been written, or in a field.

        Args:
            codec: codec number of a branch (branches.py); any other one is a long that must not be negative.

        Raises:
            ValueError: the value does not fit.
        """
        i: cython.Py_ssize_t = source.values[c].first + row
        storage: cython.int = source.values[c].storage
        if storage >= TEXT:
            return self.text_of(source, c, row)
        if codec == LONG_VALUE or codec == WRAPPED_VALUE:
            return self.varint(source.values[c].i64[i]) if storage == INT else self.wrapped(source.values[c].u64[i])
        if codec == DOUBLE_VALUE:
            return self.float64(source.values[c].f64[i])
        if codec == FLOAT_VALUE:
            if not self.single(source.values[c].f64[i]):
                reason = f"{source.values[c].f64[i]} is no 32-bit float, as the values of its type are"
                raise RefusedValueError(reason)
            return 0
        if codec == STRING_VALUE:
            return self.digits(source.values[c].u64[i])
        if source.values[c].u64[i] >> 63:
            raise RefusedValueError(f"{source.values[c].u64[i]} is more than a long of Avro has room for")
        return self.varint(source.values[c].u64[i])

    def text_of(self, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Writes a string or bytes of a column with its length."""
        i: cython.Py_ssize_t = source.values[c].first + row
        start: cython.Py_ssize_t = source.values[c].ends[i]
        size: cython.Py_ssize_t = source.values[c].ends[i + 1] - start
        self.varint(size)
        self.reserve(self.pos + size)
        if cython.compiled:
            if size:
                memcpy(self.u8 + self.pos, source.values[c].data + start, size)
        elif size:
            self.u8[self.pos : self.pos + size] = source.values[c].data[start : start + size]
        self.pos += size
        return 0
