"""Converts the texts and numbers in changes to typed Arrow columns: dates, times, decimals, bit strings.

Whole columns at a time, and exactly: a value that the type cannot hold becomes null, and its row gets one of the states
below. The caller decides what follows (null, an error, a row with a reason).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import pyarrow as pa

from tidewire.reading.kernels.picked import Picked
from tidewire.runtime import cython
from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.arrow.column_reader import ColumnReader
from tidewire.runtime.arrow.decimal_texts import spelled
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.arrow.memory import Memory
from tidewire.runtime.arrow.storage import RAW_TEXT, UINT
from tidewire.runtime.wire import characters as chars

if cython.compiled:
    from cython.cimports.tidewire.runtime.arrow.column_reader import ColumnView


class State(IntEnum):
    """The state of a cell after conversion."""

    NULL = 0
    """Null before, null now."""
    VALUE = 1
    """Converted."""
    NO_DAY = 2
    """A date that does not exist: a zero date (``0000-00-00``), a zero month or day, a year below 1, February 30."""
    NO_TEXT = 3
    """Not in the format of the type."""
    NO_ROOM = 4
    """A number that needs more digits than the type has."""
    NO_SINGLE = 5
    """A double in a column of 32-bit floats that is not exactly a 32-bit float."""


# C numbers when compiled
_NULL = 0
_VALUE = 1
_NO_DAY = 2
_NO_TEXT = 3
_NO_ROOM = 4
_BAD_DAY = -(1 << 61)
_BAD_TEXT = -(1 << 62)
_DAY = 86_400_000_000


class Converted(NamedTuple):
    """A converted column.

    array: as many rows as the source; null where the source is null or the value was not converted.
    states: None when every value was converted, else one uint8 a row, a `State`.
    """

    array: pa.Array
    states: pa.Array | None


class Texts:
    """A utf8 or binary column whose text is read as another type."""

    def __init__(self, array: pa.Array) -> None:
        if array.type != pa.utf8() and array.type != pa.binary():
            raise TypeError(f"a column of text has the Arrow type string or binary, not {array.type}")
        self.picked: Picked | None = None
        self.read(ColumnReader([array], [RAW_TEXT]), 0, len(array))

    @staticmethod
    def of(picked: Picked, c: cython.int) -> Texts:
        """A column of text of some rows of a layout."""
        texts: Texts = Texts.__new__(Texts)
        texts.picked = picked
        texts.read(picked.source, c, picked.count)
        return texts

    def read(self, source: ColumnReader, c: cython.int, rows: cython.Py_ssize_t) -> cython.int:
        """Points at that many rows of a column."""
        self.source = source
        self.first = source.values[c].first
        self.rows = rows
        self.nullable = source.values[c].nullable
        if rows == 0:
            return 0
        self.u8 = source.values[c].data
        self.bitmap = source.values[c].bitmap
        if cython.compiled:
            self.ends = source.values[c].ends + self.first
        else:
            self.ends = source.values[c].ends[self.first :]
        return 0

    def place(self, row: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where the value of a row is in the column."""
        return row if self.picked is None else self.picked.at[row]

    def null(self, place: cython.Py_ssize_t) -> cython.bint:
        """Whether the value there is null."""
        at: cython.Py_ssize_t = self.first + place
        return self.nullable and not self.bitmap[at >> 3] >> (at & 7) & 1

    def begin(self, width: cython.Py_ssize_t) -> cython.int:
        """Allocates a zeroed result of `width` bytes, and a state, for each row."""
        self.out = Memory(width * self.rows)
        self.out.fill(0, width * self.rows, 0)
        self.state = Memory(self.rows)
        return 0

    def put(self, row: cython.Py_ssize_t, value: cython.longlong) -> cython.int:
        """Stores a 64-bit result, or the state of a value without a result."""
        if value == _BAD_DAY:
            self.state.u8[row] = _NO_DAY
        elif value == _BAD_TEXT:
            self.state.u8[row] = _NO_TEXT
        else:
            self.out.i64[row] = value
            self.state.u8[row] = _VALUE
        return 0

    def dates(self) -> Converted:
        """``YYYY-MM-DD`` -> date32."""
        row: cython.Py_ssize_t
        at: cython.Py_ssize_t
        i: cython.Py_ssize_t
        v: cython.longlong
        self.begin(4)
        for row in range(self.rows):
            at = self.place(row)
            if self.null(at):
                self.state.u8[row] = _NULL
                continue
            i = self.ends[at]
            v = self.day(i) if self.ends[at + 1] - i == 10 else _BAD_TEXT
            if v == _BAD_DAY:
                self.state.u8[row] = _NO_DAY
            elif v == _BAD_TEXT:
                self.state.u8[row] = _NO_TEXT
            else:
                self.out.i32[row] = v
                self.state.u8[row] = _VALUE
        return _finish(self.out, self.state, self.rows, pa.date32())

    def datetimes(self) -> Converted:
        """``YYYY-MM-DD hh:mm:ss``, at most 6 fractional digits -> timestamp of microseconds without a time zone."""
        row: cython.Py_ssize_t
        at: cython.Py_ssize_t
        i: cython.Py_ssize_t
        stop: cython.Py_ssize_t
        v: cython.longlong
        w: cython.longlong
        self.begin(8)
        for row in range(self.rows):
            at = self.place(row)
            if self.null(at):
                self.state.u8[row] = _NULL
                continue
            i = self.ends[at]
            stop = self.ends[at + 1]
            v = _BAD_TEXT
            if stop - i >= 19 and self.u8[i + 10] == chars.SPACE:
                v = self.day(i)
                w = self.clock(i + 11, stop, 2, 23)
                if w == _BAD_TEXT:
                    v = w
                elif v != _BAD_DAY and v != _BAD_TEXT:
                    v = v * _DAY + w
            self.put(row, v)
        return _finish(self.out, self.state, self.rows, pa.timestamp("us"))

    def times(self) -> Converted:
        """``[-]hh:mm:ss`` or ``[-]hhh:mm:ss`` up to 838 hours, at most 6 fractional digits -> duration of
        microseconds.
        """
        row: cython.Py_ssize_t
        at: cython.Py_ssize_t
        i: cython.Py_ssize_t
        stop: cython.Py_ssize_t
        v: cython.longlong
        negative: cython.bint
        self.begin(8)
        for row in range(self.rows):
            at = self.place(row)
            if self.null(at):
                self.state.u8[row] = _NULL
                continue
            i = self.ends[at]
            stop = self.ends[at + 1]
            negative = stop > i and self.u8[i] == chars.MINUS
            if negative:
                i += 1
            v = _BAD_TEXT
            if stop - i >= 8:
                v = self.clock(i, stop, 3 if self.u8[i + 2] != chars.COLON else 2, 838)
            if negative and v != _BAD_TEXT:
                v = -v
            self.put(row, v)
        return _finish(self.out, self.state, self.rows, pa.duration("us"))

    def decimals(self, precision: cython.int, scale: cython.int) -> Converted:
        """``[-]digits[.digits]``, or a number that is spelled otherwise, as with an exponent -> decimal128(precision,
        scale), precision 1 to 38, scale 0 to precision: exactly, or `State.NO_ROOM`.
        """
        row: cython.Py_ssize_t
        at: cython.Py_ssize_t
        kind = pa.decimal128(precision, scale)
        if scale < 0 or scale > precision:
            raise ValueError(f"a decimal of {precision} digits has from 0 to {precision} fractional ones, not {scale}")
        self.begin(16)
        for row in range(self.rows):
            at = self.place(row)
            if self.null(at):
                self.state.u8[row] = _NULL
            else:
                self.state.u8[row] = self.decimal(self.ends[at], self.ends[at + 1], row, precision, scale)
                if self.state.u8[row] == _NO_TEXT:
                    text = bytes(self.u8[self.ends[at] : self.ends[at + 1]])
                    self.state.u8[row] = self.other_decimal(text, row, precision, scale)
        return _finish(self.out, self.state, self.rows, kind)

    # ---- one value

    def digits(self, i: cython.Py_ssize_t, n: cython.int) -> cython.longlong:
        """The number in n ASCII digits from i on; -1 if one is not a digit."""
        v: cython.longlong = 0
        k: cython.Py_ssize_t
        for k in range(i, i + n):
            if self.u8[k] < chars.ZERO or self.u8[k] > chars.NINE:
                return -1
            v = 10 * v + (self.u8[k] - chars.ZERO)
        return v

    def day(self, i: cython.Py_ssize_t) -> cython.longlong:
        """Days since 1970 of the 10 bytes ``YYYY-MM-DD`` (proleptic Gregorian, as MySQL and Spark count)."""
        year: cython.longlong = self.digits(i, 4)
        month: cython.longlong = self.digits(i + 5, 2)
        day: cython.longlong = self.digits(i + 8, 2)
        last: cython.longlong = 31
        if year < 0 or month < 0 or day < 0 or self.u8[i + 4] != chars.MINUS or self.u8[i + 7] != chars.MINUS:
            return _BAD_TEXT
        if month == 4 or month == 6 or month == 9 or month == 11:
            last = 30
        elif month == 2:
            last = 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
        if year < 1 or month < 1 or month > 12 or day < 1 or day > last:
            return _BAD_DAY
        # years that start in March have their leap day at the end; 719468 days lie between 0000-03-01 and 1970-01-01
        if month <= 2:
            year -= 1
            month += 12
        return 365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + day - 1 - 719468

    def clock(
        self, i: cython.Py_ssize_t, stop: cython.Py_ssize_t, hours: cython.int, most: cython.int
    ) -> cython.longlong:
        """Microseconds of ``hh:mm:ss[.f]`` from i to stop; `hours` is the number of digits of the hours, `most` the
        last valid hour.
        """
        hour: cython.longlong
        minute: cython.longlong
        second: cython.longlong
        fraction: cython.longlong = 0
        digits: cython.int
        after: cython.Py_ssize_t = i + hours + 6
        if after > stop:
            return _BAD_TEXT
        hour = self.digits(i, hours)
        minute = self.digits(i + hours + 1, 2)
        second = self.digits(i + hours + 4, 2)
        if self.u8[i + hours] != chars.COLON or self.u8[i + hours + 3] != chars.COLON:
            return _BAD_TEXT
        if hour < 0 or hour > most or minute < 0 or minute > 59 or second < 0 or second > 59:
            return _BAD_TEXT
        if after < stop:
            if self.u8[after] != chars.POINT or stop - after < 2 or stop - after > 7:
                return _BAD_TEXT
            digits = stop - after - 1
            fraction = self.digits(after + 1, digits)
            if fraction < 0:
                return _BAD_TEXT
            while digits < 6:
                fraction *= 10
                digits += 1
        return ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction

    def other_decimal(
        self, text: bytes, row: cython.Py_ssize_t, precision: cython.int, scale: cython.int
    ) -> cython.int:
        """`decimal` of a text that is spelled otherwise."""
        k: cython.Py_ssize_t
        try:
            found = spelled(text)
        except ValueError:
            return _NO_ROOM
        if found is None:
            return _NO_TEXT
        whole, _, behind = found.partition(b".")
        if len(behind.rstrip(b"0")) > scale or len(whole.lstrip(b"-").lstrip(b"0")) > precision - scale:
            return _NO_ROOM
        number: bytes = int(whole + behind[:scale].ljust(scale, b"0")).to_bytes(16, "little", signed=True)
        for k in range(16):
            self.out.u8[16 * row + k] = number[k]
        return _VALUE

    def decimal(
        self,
        i: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        precision: cython.int,
        scale: cython.int,
    ) -> cython.int:
        """Stores the 128-bit number of the text at i and gives its state."""
        k: cython.Py_ssize_t
        point: cython.Py_ssize_t = stop
        digits: cython.int
        d: cython.ulonglong
        ones: cython.ulonglong = 0xFFFFFFFF
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        low: cython.ulonglong = 0  # the last 19 digits
        high: cython.ulonglong = 0  # those before
        a: cython.ulonglong
        b: cython.ulonglong
        c: cython.ulonglong
        negative: cython.bint = i < stop and self.u8[i] == chars.MINUS
        if negative:
            i += 1
        for k in range(i, stop):
            if self.u8[k] == chars.POINT and point == stop:
                point = k
            elif self.u8[k] < chars.ZERO or self.u8[k] > chars.NINE:
                return _NO_TEXT
        if i >= stop or point == i or point == stop - 1:
            return _NO_TEXT
        while i < point and self.u8[i] == chars.ZERO:
            i += 1
        if point - i > precision - scale:
            return _NO_ROOM
        for k in range(point + 1 + scale, stop):
            if self.u8[k] != chars.ZERO:
                return _NO_ROOM
        digits = point - i + scale
        for k in range(i, point):
            d = self.u8[k] - chars.ZERO
            if digits > 19:
                high = high * 10 + d
            else:
                low = low * 10 + d
            digits -= 1
        for k in range(point + 1, point + 1 + scale):
            d = self.u8[k] - chars.ZERO if k < stop else 0
            if digits > 19:
                high = high * 10 + d
            else:
                low = low * 10 + d
            digits -= 1
        if high:
            # high * 10^19 + low, in halves of 32 bits: 10^19 = 0x8AC72304_89E80000
            a = (high & ones) * 0x89E80000
            b = (high & ones) * 0x8AC72304
            c = (high >> 32) * 0x89E80000
            d = (a >> 32) + (b & ones) + (c & ones)
            high = (high >> 32) * 0x8AC72304 + (b >> 32) + (c >> 32) + (d >> 32)
            a = (a & ones) | ((d & ones) << 32)
            low = (low + a) & mask
            if low < a:
                high += 1
        if negative:
            low = -low & mask
            high = ((high ^ mask) + (1 if low == 0 else 0)) & mask
        self.out.u64[2 * row] = low
        self.out.u64[2 * row + 1] = high
        return _VALUE


class Bits:
    """A uint64 column whose numbers are bit strings."""

    def __init__(self, array: pa.Array) -> None:
        if array.type != pa.uint64():
            raise TypeError(f"a column of bit strings has the Arrow type uint64, not {array.type}")
        self.source = ColumnReader([array], [UINT])
        self.array = array

    def bytes(self) -> pa.Array:
        """Big-endian binary, as MySQL shows a bit string: as few bytes as hold the number, one at least.

        A change does not say how wide its BIT column was declared: b'1' in BIT(64) is one byte here.
        """
        row: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        shift: cython.int
        v: cython.ulonglong
        rows: cython.Py_ssize_t = self.source.rows
        values: cython.pointer(ColumnView) = self.source.values  # type: ignore[valid-type]
        ends: Memory = Memory(4 * (rows + 1))
        data: Memory = Memory(1024)
        ends.i32[0] = 0
        for row in range(rows):
            v = values[0].u64[values[0].first + row]
            shift = 0
            while shift < 56 and v >> (shift + 8):
                shift += 8
            data.reserve(at + 8)
            while shift >= 0:
                data.u8[at] = (v >> shift) & 0xFF
                at += 1
                shift -= 8
            if at > 0x7FFFFFF0:
                raise ValueError("a column of bit strings holds 2 GiB: convert fewer rows at once")
            ends.i32[row + 1] = at
        out = pa.Array.from_buffers(pa.binary(), rows, [None, pa.py_buffer(ends.data), pa.py_buffer(data.data)])
        return out if self.array.null_count == 0 else pc.if_else(self.array.is_valid(), out, constant(None, out.type))


def _finish(out: Memory, state: Memory, rows: int, kind: pa.DataType) -> Converted:
    """The column of the results; cells in any state but VALUE are null."""
    if rows == 0:
        return Converted(column_of([], kind), None)
    states = pa.Array.from_buffers(pa.uint8(), rows, [None, pa.py_buffer(state.data)])
    marks = bytes(memoryview(state.data)[:rows])
    values = marks.count(_VALUE)
    valid = None if values == rows else pc.equal(states, constant(_VALUE, pa.uint8())).buffers()[1]
    array = pa.Array.from_buffers(kind, rows, [valid, pa.py_buffer(out.data)], rows - values)
    return Converted(array, None if values + marks.count(_NULL) == rows else states)
