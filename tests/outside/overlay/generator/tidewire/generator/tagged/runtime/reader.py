"""Reads tagged fields: a uvarint with a field's number and wire type, then its value. Numbers can come in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.binary.cursor import Cursor
from tidewire.runtime.errors import DUPLICATE, KIND, MISSING, SYNTAX, TRUNCATED

if TYPE_CHECKING:
    from collections.abc import Sequence

UVARINT, FIXED64, BYTES = 0, 1, 2
NAMES = {UVARINT: "uvarint", FIXED64: "fixed64", BYTES: "bytes"}
MOST_TYPE = 255


class Fields:
    """The fields of a message, and what was read of them: a number and where it is, or where bytes begin and how many
    there are.

    Args:
        own: the message, as a field in errors.
        first: the first of its fields there.
        numbers, wires, repeated: of each field.
        skips: whether others are skipped.
    """

    def __init__(
        self,
        own: int,
        first: int,
        numbers: Sequence[int],
        wires: Sequence[int],
        repeated: Sequence[bool],
        skips: bool,
    ) -> None:
        self.own = own
        self.first = first
        self.wires = wires
        self.repeated = repeated
        self.skips = skips
        self.numbers = Numbers()
        for number in numbers:
            self.numbers.append(number)
        self.found, self.values, self.sizes, self.windows = Numbers(), Numbers(), Numbers(), Numbers()

    def find(self, number: cython.ulonglong) -> cython.Py_ssize_t:
        """The field with the number; -1 if there is none."""
        k: cython.Py_ssize_t
        for k in range(self.numbers.size):
            if self.numbers.u64[k] == number:
                return k
        return -1

    def clear(self) -> cython.int:
        """Forgets what was read."""
        k: cython.Py_ssize_t
        for one in (self.found, self.values, self.sizes):
            one.take(self.numbers.size)
        for k in range(self.numbers.size):
            self.found.i64[k] = 0
        self.windows.take(0)
        return 0


class TaggedReader(Cursor):
    """Reads messages, and the columns of a row image, which are messages themselves.

    Attributes:
        names, types, flags, starts, lengths: of the columns that were gathered last.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.types, self.flags, self.starts, self.lengths = Numbers(), Numbers(), Numbers(), Numbers()

    def read(self, fields: Fields) -> cython.int:
        """Reads all fields."""
        k: cython.Py_ssize_t
        wire: cython.int
        tag: cython.ulonglong
        start: cython.Py_ssize_t
        field: cython.int
        fields.clear()
        while self.pos < self.end:
            start = self.pos
            tag = self.uvarint(fields.own)
            wire = tag & 7
            k = fields.find(tag >> 3)
            if k < 0:
                if not fields.skips:
                    self.undefined(tag >> 3, start, fields.own)
                self.skip(wire, fields.own)
                continue
            field = fields.first + k
            if wire != fields.wires[k]:
                self.refuse(KIND, field, start, 0, NAMES.get(wire, f"wire type {wire}"), NAMES[fields.wires[k]])
            if fields.found.i64[k] and not fields.repeated[k]:
                self.fail(DUPLICATE, field, start, 0, 0)
            fields.found.i64[k] = 1
            if wire != BYTES:
                fields.sizes.i64[k] = self.pos
                fields.values.u64[k] = self.uvarint(field) if wire == UVARINT else self.fixed64(field)
            else:
                fields.sizes.i64[k] = self.count(field)
                fields.values.i64[k] = self.pos
                self.pos += fields.sizes.i64[k]
                if fields.repeated[k]:
                    fields.windows.append(k)
                    fields.windows.append(fields.values.i64[k])
                    fields.windows.append(self.pos)
        return 0

    def skip(self, wire: cython.int, field: cython.int) -> cython.int:
        """Skips a value."""
        if wire == UVARINT:
            self.uvarint(field)
        elif wire == FIXED64:
            self.fixed64(field)
        elif wire == BYTES:
            self.string(field)
        else:
            self.undefined(wire, self.pos, field)
        return 0

    def fixed64(self, field: cython.int) -> cython.ulonglong:
        """Eight bytes, the least significant first."""
        k: cython.Py_ssize_t
        value: cython.ulonglong = 0
        if self.end - self.pos < 8:
            self.fail(TRUNCATED, field, self.pos, 8, self.end - self.pos)
        for k in range(8):
            value = value << 8 | self.p[self.pos + 7 - k]
        self.pos += 8
        return value

    def require(self, fields: Fields, k: cython.Py_ssize_t) -> cython.int:
        """An error unless the field was read."""
        if not fields.found.i64[k]:
            self.fail(MISSING, fields.first + k, self.end, 0, 0)
        return 0

    def forbid(self, fields: Fields, k: cython.Py_ssize_t) -> cython.int:
        """An error if the field was read: events of this kind do not have it."""
        if fields.found.i64[k]:
            self.fail(SYNTAX, fields.first + k, fields.values.i64[k], 0, 0)
        return 0

    def limit(self, fields: Fields, k: cython.Py_ssize_t, most: cython.ulonglong) -> cython.longlong:
        """A field that was read, a number that is at most so big."""
        return self.limited(fields.values.u64[k], most, fields.sizes.i64[k], fields.first + k)

    def text(self, fields: Fields, k: cython.Py_ssize_t) -> str:
        """A field as text; empty if it was not read."""
        if not fields.found.i64[k]:
            return ""
        return self.decoded(fields.values.i64[k], fields.values.i64[k] + fields.sizes.i64[k], fields.first + k)

    def gather(
        self, fields: Fields, k: cython.Py_ssize_t, column: Fields, facts: Sequence[int]
    ) -> cython.Py_ssize_t:
        """Reads the columns of a row image, the occurrences of field k: how many there are.

        Args:
            facts: the fields of a column with its name, type, flags and value; without a value it is null.
        """
        at: cython.Py_ssize_t
        end: cython.Py_ssize_t = self.end
        value: cython.Py_ssize_t = facts[3]
        self.names.clear()
        for numbers in (self.types, self.flags, self.starts, self.lengths):
            numbers.take(0)
        for at in range(0, fields.windows.size, 3):
            if fields.windows.i64[at] != k:
                continue
            self.select(fields.windows.i64[at + 1], fields.windows.i64[at + 2])
            self.read(column)
            self.require(column, facts[0])
            self.require(column, facts[1])
            self.names.append(self.text(column, facts[0]))
            self.types.append(self.limit(column, facts[1], MOST_TYPE))
            self.flags.append(0)
            if column.found.i64[facts[2]]:
                self.flags.u64[self.flags.size - 1] = column.values.u64[facts[2]]
            self.starts.append(column.values.i64[value] if column.found.i64[value] else 0)
            self.lengths.append(column.sizes.i64[value] if column.found.i64[value] else -1)
        self.select(end, end)
        return self.types.size
