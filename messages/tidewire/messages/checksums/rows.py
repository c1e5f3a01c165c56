"""Computes the checksums of the rows of a layout.

The checksum of a row is the CRC-32 of the bytes of its columns, one after the other. By type of column, the bytes of a
value are (appendDatumForChecksum in pingcap/tidb pkg/util/rowcodec/common.go):

    NULL: none.
    Integers and YEAR: eight bytes in two's complement, little-endian.
    ENUM, SET and BIT: likewise the number of the label, the bitmap of the labels, or the bits.
    FLOAT and DOUBLE: the float64, little-endian; 0 for infinities and NaN. A FLOAT is widened.
    Texts, bytes, DECIMAL, DATE, TIME, DATETIME, JSON: the length in four bytes, little-endian, and the text as
        producers send it: a DECIMAL with all digits of its scale, a time with all declared fractional digits, JSON as
        TiDB prints it (pingcap/tiflow pkg/sink/codec/common/verify_checksum.go).
    TIMESTAMP: likewise the text in UTC. Zero timestamps are not converted (ConvertTimeZone in pingcap/tidb
        pkg/types/time.go).
    VECTOR: the number of elements in four bytes and each element as a float32, little-endian (SerializeTo in
        pingcap/tidb pkg/types/vector.go). Both producers send that; the consumer in pingcap/ticdc uses the text instead
        and so rejects its own producer's checksums.
"""

from __future__ import annotations

import struct

from tidewire.messages.checksums.plain_crc import crc_bytes, crc_number, crc_short, double_bits
from tidewire.messages.checksums.vectors import NO_VECTOR, vector_state
from tidewire.messages.checksums.ways import DOUBLE, LOCAL, NONE, SINGLE, TEXT
from tidewire.messages.checksums.zones import NOWHERE, Zone
from tidewire.runtime import cython
from tidewire.runtime.arrow.column_reader import ColumnReader

if cython.compiled:
    from cython.cimports.tidewire.messages.checksums.crc import crc_prepare
    crc_prepare()

NO_ZONE: cython.longlong = -1
"""In place of a checksum: there is a local time whose zone is unknown."""
NO_TIME: cython.longlong = -2
"""In place of a checksum: a local time does not exist in its time zone."""
MALFORMED: cython.longlong = -3
"""In place of a checksum: a text is not a valid value of its column."""

EXPONENT: cython.ulonglong = 0x7FF0000000000000
"""The exponent bits of a float64, all set in infinities and NaN."""


class RowSums:
    """Computes the checksums of the rows of a layout.

    Attributes:
        at: after a result that is not a checksum: the position of the column that caused it.
    """

    def __init__(self, reader: ColumnReader, ways: bytes, rows: cython.Py_ssize_t) -> None:
        """Args:
            reader: reader of the columns in the checksum, in order.
            ways: a number of `ways.py` for each column.
            rows: number of rows.
        """
        self.reader = reader
        self.ways = ways
        self.width = len(ways)
        self.rows = rows
        self.at = 0
        self.buffer = bytearray(19)

    def of(self, row: cython.Py_ssize_t, zone: Zone | None) -> cython.longlong:
        """The checksum of a row, 0 to 2^32 - 1; or `NO_ZONE`, `NO_TIME` or `MALFORMED`, with the column in `at`.

        Args:
            row: index of the row.
            zone: time zone of its local times.
        """
        c: cython.int
        way: cython.int
        i: cython.Py_ssize_t
        state: cython.uint = 0xFFFFFFFF
        bits: cython.ulonglong
        done: cython.longlong
        if row < 0 or row >= self.rows:
            raise IndexError(f"row {row} of {self.rows}")
        values = self.reader.values
        ways: bytes = self.ways
        for c in range(self.width):
            way = ways[c]
            i = values[c].first + row
            if way == NONE or (values[c].nullable and self.reader.null_at(c, row)):
                continue
            if way == TEXT:
                state = self.text(state, c, i)
            elif way <= DOUBLE:
                bits = values[c].u64[i]
                if way == DOUBLE and bits & EXPONENT == EXPONENT:
                    bits = 0
                state = crc_number(state, bits)
            elif way == SINGLE:
                state = crc_number(state, single(values[c].f64[i]))
            else:
                done = self.local(state, c, i, zone) if way == LOCAL else self.vector(state, c, i)
                if done < 0:
                    self.at = c
                    return done
                state = cython.cast(cython.uint, done)
        return state ^ 0xFFFFFFFF

    def text(self, state: cython.uint, c: cython.int, i: cython.Py_ssize_t) -> cython.uint:
        """The CRC state after the text at i of a column."""
        start: cython.Py_ssize_t = self.reader.values[c].ends[i]
        size: cython.Py_ssize_t = self.reader.values[c].ends[i + 1] - start
        state = crc_short(state, cython.cast(cython.uint, size))
        if cython.compiled:
            return crc_bytes(state, self.reader.values[c].data + start, size)
        return crc_bytes(state, self.reader.values[c].data[start : start + size], size)

    def local(self, state: cython.uint, c: cython.int, i: cython.Py_ssize_t, zone: Zone | None) -> cython.longlong:
        """The CRC state after a text YYYY-MM-DD hh:mm:ss with optional fraction, converted to UTC; or an error
        constant.
        """
        k: cython.Py_ssize_t
        start: cython.Py_ssize_t = self.reader.values[c].ends[i]
        size: cython.Py_ssize_t = self.reader.values[c].ends[i + 1] - start
        seconds: cython.longlong
        data = self.reader.values[c].data
        zeros: cython.bint = True
        if zone is not None and zone.utc:
            return self.text(state, c, i)
        if size != 19 and (size < 21 or size > 26):
            return MALFORMED
        for k in range(size):
            byte: cython.int = data[start + k]
            if k == 4 or k == 7:
                if byte != 0x2D:
                    return MALFORMED
            elif k == 10:
                if byte != 0x20:
                    return MALFORMED
            elif k == 13 or k == 16:
                if byte != 0x3A:
                    return MALFORMED
            elif k == 19:
                if byte != 0x2E:
                    return MALFORMED
            elif byte < 0x30 or byte > 0x39:
                return MALFORMED
            elif byte != 0x30:
                zeros = False
        if zeros:
            return self.text(state, c, i)
        year: cython.int = 100 * self.pair(data, start) + self.pair(data, start + 2)
        month: cython.int = self.pair(data, start + 5)
        day: cython.int = self.pair(data, start + 8)
        hour: cython.int = self.pair(data, start + 11)
        minute: cython.int = self.pair(data, start + 14)
        second: cython.int = self.pair(data, start + 17)
        if year == 0 or month == 0 or month > 12 or day == 0 or day > days_of(year, month):
            return MALFORMED
        if hour > 23 or minute > 59 or second > 59:
            return MALFORMED
        if zone is None:
            return NO_ZONE
        seconds = zone.to_utc(day_number(year, month, day) * 86400 + hour * 3600 + minute * 60 + second)
        if seconds == NOWHERE:
            return NO_TIME
        self.write(seconds)
        state = crc_short(state, cython.cast(cython.uint, size))
        if cython.compiled:
            state = crc_bytes(state, cython.cast(cython.p_uchar, self.buffer), 19)
            return crc_bytes(state, data + start + 19, size - 19)
        state = crc_bytes(state, self.buffer, 19)
        return crc_bytes(state, data[start + 19 : start + size], size - 19)

    def vector(self, state: cython.uint, c: cython.int, i: cython.Py_ssize_t) -> cython.longlong:
        """The CRC state after the text of a vector; or an error constant."""
        start: cython.Py_ssize_t = self.reader.values[c].ends[i]
        done: cython.longlong = vector_state(
            state, self.reader.values[c].data, start, self.reader.values[c].ends[i + 1] - start
        )
        return MALFORMED if done == NO_VECTOR else done

    def pair(self, data: cython.pointer(cython.const[cython.uchar]), at: cython.Py_ssize_t) -> cython.int:  # type: ignore[valid-type]
        """The value of two decimal digits."""
        number: cython.int = 10 * (data[at] - 0x30) + data[at + 1] - 0x30
        return number

    def write(self, seconds: cython.longlong) -> cython.int:
        """Writes a time, in seconds since 1970, as YYYY-MM-DD hh:mm:ss; its year is 1 to 9999."""
        days: cython.longlong = (seconds + 86400 * DAYS_BEFORE) // 86400
        rest: cython.longlong = seconds + 86400 * DAYS_BEFORE - 86400 * days
        year: cython.longlong
        month: cython.int = 1
        # days are counted from the first of January of year 1
        year = days * 400 // 146097 + 1
        while day_number(year, 1, 1) + DAYS_BEFORE > days:
            year -= 1
        while day_number(year + 1, 1, 1) + DAYS_BEFORE <= days:
            year += 1
        days -= day_number(year, 1, 1) + DAYS_BEFORE
        while days >= days_of(year, month):
            days -= days_of(year, month)
            month += 1
        self.put(0, year // 100, 0)
        self.put(2, year % 100, 0x2D)
        self.put(5, month, 0x2D)
        self.put(8, days + 1, 0x20)
        self.put(11, rest // 3600, 0x3A)
        self.put(14, rest // 60 % 60, 0x3A)
        self.put(17, rest % 60, 0)
        return 0

    def put(self, at: cython.Py_ssize_t, number: cython.longlong, behind: cython.int) -> cython.int:
        """Writes two digits, and the character after them if there is one."""
        self.buffer[at] = 0x30 + number // 10
        self.buffer[at + 1] = 0x30 + number % 10
        if behind:
            self.buffer[at + 2] = behind
        return 0


DAYS_BEFORE: cython.longlong = 719162
"""Days from the first of January of year 1 to 1970-01-01."""


def day_number(year: cython.longlong, month: cython.int, day: cython.int) -> cython.longlong:
    """The days from 1970-01-01 to a day of the years 1 to 10000."""
    before: cython.longlong = year - 1
    k: cython.int
    days: cython.longlong = 365 * before + before // 4 - before // 100 + before // 400 + day - 1 - DAYS_BEFORE
    for k in range(1, month):
        days += days_of(year, k)
    return days


def days_of(year: cython.longlong, month: cython.int) -> cython.int:
    """The number of days of a month."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month == 4 or month == 6 or month == 9 or month == 11 else 31


def single(value: cython.double) -> cython.ulonglong:
    """The bits of a number after rounding to float32 and widening; 0 if it is then not finite."""
    rounded: cython.double
    if cython.compiled:
        rounded = cython.cast(cython.float, value)
    else:
        try:
            (rounded,) = struct.unpack("<f", struct.pack("<f", value))
        except OverflowError:
            return 0
    if rounded != rounded or rounded - rounded != 0:
        return 0
    return double_bits(rounded)
