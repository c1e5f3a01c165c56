"""A bounds-checked cursor over one message in Avro's binary encoding, with a method for each Avro type.

The encoding is that of Avro's specification 1.11: numbers are zigzag varints of 32 or 64 bits, strings and bytes are
length-prefixed, a union starts with its branch number. Every reading method takes the number of the field that it
reads; a `WireError` carries it together with the offset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.errors import ENUM, OUTSIDE, TRUNCATED, UTF8, VALUE
from tidewire.runtime.wire.number_reader import NumberReader
from tidewire.runtime.wire.part import Part

if TYPE_CHECKING:
    from tidewire.runtime.arrow.columns import Columns

INT32: cython.longlong = 2147483648
"""An `int` is from -INT32 to INT32 - 1."""


class RecordCursor(NumberReader):
    """Reads a message value by value."""

    # ---- numbers

    def between(self, low: cython.longlong, high: cython.longlong, field: cython.int) -> cython.longlong:
        """Reads a number from `low` to `high`, both inclusive."""
        start: cython.Py_ssize_t = self.pos
        value: cython.longlong = self.varint(field)
        if value < low or value > high:
            self.refuse(OUTSIDE, field, start, self.pos - start, f"{value}", f"{low} to {high}")
        return value

    def int32(self, field: cython.int) -> cython.longlong:
        """Reads a signed 32-bit number, Avro's `int`."""
        return self.between(-INT32, INT32 - 1, field)

    def natural(self, field: cython.int) -> cython.ulonglong:
        """Reads a `long` that must not be negative, such as a TSO."""
        start: cython.Py_ssize_t = self.pos
        value: cython.longlong = self.varint(field)
        if value < 0:
            self.refuse(OUTSIDE, field, start, self.pos - start, f"{value}", "0 to 9223372036854775807")
        return value

    def boolean(self, field: cython.int) -> cython.bint:
        """Reads a boolean: one byte, 0 or 1."""
        value: cython.int = self.u8(field)
        if value > 1:
            self.fail(ENUM, field, self.pos - 1, value, 1)
        return value == 1

    # ---- bytes before records

    def u32be(self, field: cython.int) -> cython.ulonglong:
        """Reads four bytes, big-endian."""
        return self.big_endian(4, field)

    def numbered(self) -> cython.longlong:
        """The number in the four bytes after a byte 0, without moving the cursor; -1 if there is none."""
        i: cython.Py_ssize_t = self.pos
        if self.end - i < 5 or self.p[i] != 0:
            return -1
        value: cython.longlong = self.p[i + 1]
        value = (value << 8) | self.p[i + 2]
        value = (value << 8) | self.p[i + 3]
        return (value << 8) | self.p[i + 4]

    def begins(self, mark: cython.int) -> cython.bint:
        """Whether the next byte is `mark`."""
        return self.pos < self.end and self.p[self.pos] == mark

    # ---- unions, enums, blocks

    def branch(self, count: cython.int, field: cython.int) -> cython.int:
        """Reads the number of a branch of a union, or of a symbol of an enum, out of `count`."""
        start: cython.Py_ssize_t = self.pos
        value: cython.longlong = self.varint(field)
        if value < 0 or value >= count:
            self.refuse(ENUM, field, start, self.pos - start, f"{value}", f"the numbers 0 to {count - 1}")
        return value

    def given(self, field: cython.int) -> cython.bint:
        """Reads the branch of a union of null and a type; returns whether it is the type."""
        return self.branch(2, field) == 1

    def same_branch(self, wanted: cython.int, field: cython.int) -> cython.int:
        """Reads a branch number that must be `wanted`."""
        start: cython.Py_ssize_t = self.pos
        value: cython.longlong = self.varint(field)
        if value != wanted:
            return self.refuse(ENUM, field, start, self.pos - start, f"{value}", f"{wanted}")
        return 0

    def block(self, field: cython.int) -> cython.Py_ssize_t:
        """The number of items in the next block of an array or a map; 0 after the last block.

        An item has at least one byte, so a block cannot have more items than the message has bytes left.
        """
        start: cython.Py_ssize_t = self.pos
        count: cython.longlong = self.varint(field)
        size: cython.longlong
        if count < 0:
            if count < -(self.end - self.pos):
                return self.fail(TRUNCATED, field, start, self.end - self.pos + 1, self.end - self.pos)
            count = 0 - count
            size = self.varint(field)  # size of the block in bytes, for readers that skip it
            if size < 0 or size > self.end - self.pos:
                return self.fail(TRUNCATED, field, start, size, self.end - self.pos)
        if count > self.end - self.pos:
            return self.fail(TRUNCATED, field, start, count, self.end - self.pos)
        return count

    # ---- text and bytes

    def length(self, field: cython.int) -> cython.Py_ssize_t:
        """Reads the length of a string or of bytes, and checks that the message has that many bytes left."""
        start: cython.Py_ssize_t = self.pos
        value: cython.longlong = self.varint(field)
        if value < 0 or value > self.end - self.pos:
            return self.fail(TRUNCATED, field, start, value, self.end - self.pos)
        return value

    def string(self, part: Part, field: cython.int) -> cython.int:
        """Reads length-prefixed bytes; their UTF-8 is not checked."""
        size: cython.Py_ssize_t = self.length(field)
        part.start = self.pos
        self.pos += size
        part.end = self.pos
        return 0

    def text(self, part: Part, field: cython.int) -> cython.int:
        """Reads a length-prefixed string, which must be UTF-8."""
        self.string(part, field)
        return self.check_text(part, field)

    def check_text(self, part: Part, field: cython.int) -> cython.int:
        """Checks that a part is UTF-8."""
        if not self.utf8(part.start, part.end):
            return self.fail(UTF8, field, part.start, part.end - part.start, 0)
        return 0

    def put_text(
        self, columns: Columns, c: cython.int, row: cython.Py_ssize_t, part: Part, field: cython.int
    ) -> cython.int:
        """Puts a text into a column."""
        return columns.put_known(c, row, self, part.start, part.end - part.start, field)

    def digits(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int) -> cython.ulonglong:
        """message[start:end] as an unsigned 64-bit integer: one or more digits."""
        i: cython.Py_ssize_t
        d: cython.ulonglong
        v: cython.ulonglong = 0
        most: cython.ulonglong = 1844674407370955161
        if start == end:
            self.fail(VALUE, field, start, 0, 0)
        for i in range(start, end):
            if self.p[i] < 48 or self.p[i] > 57:
                self.fail(VALUE, field, start, end - start, 0)
        for i in range(start, end):
            d = self.p[i] - 48
            if v > most or (v == most and d > 5):
                self.fail(OUTSIDE, field, start, end - start, 0)
            v = v * 10 + d
        return v
