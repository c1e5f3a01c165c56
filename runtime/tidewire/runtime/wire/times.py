"""Dates and times as messages have them that Kafka Connect's schemas describe, for all wires: numbers of days or of
fractions of seconds, and ISO 8601 texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.wire.calendar import (
    DAY,
    clock_text,
    date_text,
    days_of,
    fraction_text,
    is_date,
    number_at,
    offset_seconds,
)
from tidewire.runtime.wire.value_codec import ColumnFacts, RefusedValueError

if cython.compiled:
    from cython.cimports.tidewire.runtime.arrow.puts import put_block, put_short
    from cython.cimports.tidewire.runtime.wire.numerals import put_integer
    from cython.cimports.tidewire.runtime.wire.plain_text import PlainText, day_of, day_text, moment_of, moment_text
    from cython.cimports.tidewire.runtime.wire.plain_text import clock_text as put_clock
    from cython.cimports.tidewire.runtime.wire.swar import plain_whole

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns

MOST_KNOWN = 1 << 12
"""Maximum number of cached codecs."""
FIRST_TIMESTAMP = b"1970-01-01 00:00:01"
"""The first valid TIMESTAMP, in the writer's time zone."""
NO_TIMESTAMP = b"1970-01-01T00:00:00Z"
"""The text that TiCDC writes for earlier timestamps."""
NO_TIME: cython.longlong = -9223372036854775807
"""Sentinel for a date that does not exist in the calendar; no real time has this value."""
_known: dict[tuple[object, ...], TimeConversion] = {}


def _of_column(base: TimeConversion, make: type, width: int, facts: ColumnFacts) -> TimeConversion:
    asked = (make, width, facts.fraction, facts.nullable)
    found = _known.get(asked)
    if found is None:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        found = make(width, -1 if facts.fraction is None else facts.fraction, facts.nullable)
        _known[asked] = found
    return found


class TimeConversion:
    """Base class of the conversions between the text of a column and what a message has. Numbers are converted with
    `place` (number to text) and `moment` (text to number), ISO 8601 texts with `place_text` and `spelled`.

    Attributes:
        numeric: whether messages have numbers; otherwise they have texts.
        writes: whether values are written; otherwise they are only read.
    """

    def __init__(self, width: int, digits: int = -1, nullable: bool = True) -> None:
        """
        Args:
            width: the unit is 10**-width seconds.
            digits: digits of fractional seconds in the column's texts; -1: as many as needed.
            nullable: whether the column can be NULL.
        """
        self.numeric = self.writes = True
        self.width = width
        self.per_second = 10**width
        self.digits = digits
        self.nullable = nullable

    def for_column(self, facts: ColumnFacts) -> TimeConversion:
        return _of_column(self, type(self), self.width, facts)

    def place(self, columns: Columns, c: cython.int, row: cython.Py_ssize_t, value: cython.longlong) -> cython.int:
        """Puts the text of a number into a row of column c.

        Raises:
            ValueError: the number is out of range.
        """
        raise NotImplementedError

    def moment(self, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.longlong:
        """The number of a text of column c; `NO_TIME` for dates that are written as null, or as 0 if the column is NOT
        NULL.

        Raises:
            ValueError: the text is not a time.
        """
        raise NotImplementedError

    def read_usual(
        self,
        p: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        i: cython.Py_ssize_t,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """`JsonCodec.read_usual`: puts the number in digits at p + i."""
        return -1

    def write_usual(
        self,
        out: cython.p_uchar,
        at: cython.Py_ssize_t,
        text: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        size: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """`JsonCodec.write_usual`: writes the digits of the number of a text at out + at."""
        return -1

    def place_text(self, columns: Columns, c: cython.int, row: cython.Py_ssize_t, text: bytes) -> cython.int:
        """Puts the MySQL text of an ISO 8601 text into a row of column c; raises as `place`."""
        raise NotImplementedError

    def spelled(self, text: bytes, zone: str) -> bytes:
        """A column's text, local to `zone` (empty: UTC), as ISO 8601 text in UTC; raises as `moment`."""
        raise NotImplementedError


class Days(TimeConversion):
    """A date as days since 1970-01-01.

    TiCDC writes years 0 to 99 as 1970 to 2069, and dates that no calendar has as null, or as 0 if the column is NOT
    NULL.
    """

    def place(self, columns: Columns, c: cython.int, row: cython.Py_ssize_t, value: cython.longlong) -> cython.int:
        if cython.compiled:
            text = cython.declare(PlainText)
            length: cython.Py_ssize_t = day_text(cython.address(text), value)
            if length >= 0:
                return put_block(columns, c, row, text.at, length)
        return columns.put_image(c, row, date_text(value))

    def read_usual(
        self,
        p: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        i: cython.Py_ssize_t,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        if cython.compiled:
            text = cython.declare(PlainText)
            value: cython.longlong = 0
            end: cython.Py_ssize_t = plain_whole(p, i, cython.address(value))
            length: cython.Py_ssize_t
            if end >= 0:
                length = day_text(cython.address(text), value)
                if length >= 0 and put_short(columns, c, row, text.at, length):
                    return end
        return -1

    def moment(self, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.longlong:
        if cython.compiled:
            days: cython.longlong = 0
            if day_of(source.place(c, row), source.size(c, row), cython.address(days)):
                return days
        text: bytes = source.binary(c, row)
        year: cython.longlong = _year(text)
        month: cython.longlong = number_at(text, 5, 7)
        day: cython.longlong = number_at(text, 8, 10)
        if len(text) != 10 or year < 0 or month < 0 or day < 0:
            raise RefusedValueError(f"{_shown(text)} is no date: YYYY-MM-DD is expected")
        if not is_date(year, month, day):
            return NO_TIME
        return days_of(_adjusted(year), month, day)

    def write_usual(
        self,
        out: cython.p_uchar,
        at: cython.Py_ssize_t,
        text: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        size: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        if cython.compiled:
            value: cython.longlong = 0
            if day_of(text, size, cython.address(value)):
                return put_integer(out, at, value)
        return -1


class EpochTime(TimeConversion):
    """A DATETIME, taken as UTC, as a count of units since 1970-01-01 00:00:00; years and invalid dates as in `Days`."""

    def place(self, columns: Columns, c: cython.int, row: cython.Py_ssize_t, value: cython.longlong) -> cython.int:
        if cython.compiled:
            text = cython.declare(PlainText)
            length: cython.Py_ssize_t = moment_text(cython.address(text), value, self.width, self.digits)
            if length >= 0:
                return put_block(columns, c, row, text.at, length)
        # divided before subtracting: the least int64 has no predecessor
        parts: cython.longlong = value % self.per_second
        seconds: cython.longlong = value // self.per_second
        if parts < 0:  # C division truncates toward 0
            parts += self.per_second
            seconds -= 1
        of_day: cython.longlong = seconds % DAY
        if of_day < 0:
            of_day += DAY
        date: bytes = date_text((seconds - of_day) // DAY)
        return columns.put_image(
            c, row, date + b" " + clock_text(of_day) + fraction_text(parts, self.width, self.digits)
        )

    def read_usual(
        self,
        p: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        i: cython.Py_ssize_t,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        if cython.compiled:
            text = cython.declare(PlainText)
            value: cython.longlong = 0
            end: cython.Py_ssize_t = plain_whole(p, i, cython.address(value))
            length: cython.Py_ssize_t
            if end >= 0:
                length = moment_text(cython.address(text), value, self.width, self.digits)
                if length >= 0 and put_short(columns, c, row, text.at, length):
                    return end
        return -1

    def moment(self, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.longlong:
        if cython.compiled:
            value: cython.longlong = 0
            if moment_of(source.place(c, row), source.size(c, row), self.width, cython.address(value)):
                return value
        text: bytes = source.binary(c, row)
        year: cython.longlong = _year(text)
        month: cython.longlong = number_at(text, 5, 7)
        day: cython.longlong = number_at(text, 8, 10)
        seconds: cython.longlong = _clock(text, 11)
        if year < 0 or month < 0 or day < 0 or seconds < 0:
            raise RefusedValueError(f"{_shown(text)} is no time: YYYY-MM-DD HH:MM:SS is expected")
        parts: cython.longlong = _parts(text, 19, self.width)
        if not is_date(year, month, day):
            return NO_TIME
        seconds += DAY * days_of(_adjusted(year), month, day)
        found: cython.longlong = seconds * self.per_second + parts
        return found

    def write_usual(
        self,
        out: cython.p_uchar,
        at: cython.Py_ssize_t,
        text: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        size: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        if cython.compiled:
            value: cython.longlong = 0
            if moment_of(text, size, self.width, cython.address(value)):
                return put_integer(out, at, value)
        return -1


class TimeOfDay(TimeConversion):
    """A TIME as a signed count of units."""

    def place(self, columns: Columns, c: cython.int, row: cython.Py_ssize_t, value: cython.longlong) -> cython.int:
        if cython.compiled:
            text = cython.declare(PlainText)
            length: cython.Py_ssize_t = put_clock(cython.address(text), value, self.width, self.digits)
            if length >= 0:
                return put_block(columns, c, row, text.at, length)
        sign: bytes = b"-" if value < 0 else b""
        if value < 0:
            value = -value
        if value < 0 or value // self.per_second > 3599999:
            raise RefusedValueError("it is longer than 999 hours")
        return columns.put_image(
            c,
            row,
            sign
            + clock_text(value // self.per_second)
            + fraction_text(value % self.per_second, self.width, self.digits),
        )

    def read_usual(
        self,
        p: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        i: cython.Py_ssize_t,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        if cython.compiled:
            text = cython.declare(PlainText)
            value: cython.longlong = 0
            end: cython.Py_ssize_t = plain_whole(p, i, cython.address(value))
            length: cython.Py_ssize_t
            if end >= 0:
                length = put_clock(cython.address(text), value, self.width, self.digits)
                if length >= 0 and put_short(columns, c, row, text.at, length):
                    return end
        return -1

    def moment(self, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.longlong:
        text: bytes = source.binary(c, row)
        start: cython.Py_ssize_t = 1 if text.startswith(b"-") else 0
        colon: cython.Py_ssize_t = text.find(b":")
        hours: cython.longlong = number_at(text, start, colon)
        rest: cython.longlong = _clock(b"00" + text[colon:], 0) if hours >= 0 and hours < 1000 else -1
        if rest < 0:
            raise RefusedValueError(f"{_shown(text)} is no time: HH:MM:SS is expected")
        value: cython.longlong = (3600 * hours + rest) * self.per_second + _parts(text, colon + 6, self.width)
        return -value if start else value


class ZonedTime(TimeConversion):
    """A TIMESTAMP as ISO 8601 text in UTC, `2020-01-01T00:00:00.120Z`; reading accepts any offset from UTC.

    """

    def __init__(self, width: int = 6, digits: int = -1, nullable: bool = True) -> None:
        TimeConversion.__init__(self, width, digits, nullable)
        self.numeric = False

    def place_text(self, columns: Columns, c: cython.int, row: cython.Py_ssize_t, text: bytes) -> cython.int:
        return columns.put_image(c, row, _in_utc(text, self.digits))

    def spelled(self, text: bytes, zone: str) -> bytes:
        year: cython.longlong = _year(text)
        month: cython.longlong = number_at(text, 5, 7)
        day: cython.longlong = number_at(text, 8, 10)
        seconds: cython.longlong = _clock(text, 11)
        if year < 0 or month < 0 or day < 0 or seconds < 0:
            raise RefusedValueError(f"{_shown(text)} is no time: YYYY-MM-DD HH:MM:SS is expected")
        if text < FIRST_TIMESTAMP or not is_date(year, month, day):
            return NO_TIMESTAMP
        fraction: bytes = text[19:]
        if len(fraction) == 1 or (len(fraction) > 1 and _parts(text, 19, 6) < 0):
            raise RefusedValueError(f"{_shown(text)} is no time")
        if zone and zone != "UTC":
            seconds += DAY * days_of(year, month, day)
            seconds -= offset_seconds(zone, seconds)
            of_day: cython.longlong = seconds % DAY
            if of_day < 0:
                of_day += DAY
            return date_text((seconds - of_day) // DAY) + b"T" + clock_text(of_day) + fraction + b"Z"
        return text[:10] + b"T" + text[11:] + b"Z"


class IsoText(TimeConversion):
    """A date or time as ISO 8601 text, read only: `2020-01-01Z`, `12:00:00.5Z`, `2020-01-01T12:00:00Z`."""

    def __init__(self, width: int = 9, digits: int = -1, nullable: bool = True) -> None:
        TimeConversion.__init__(self, width, digits, nullable)
        self.numeric = False
        self.writes = False

    def place_text(self, columns: Columns, c: cython.int, row: cython.Py_ssize_t, text: bytes) -> cython.int:
        if not text.endswith(b"Z"):
            raise RefusedValueError(f"{_shown(text)} does not end in Z")
        text = text[: len(text) - 1]
        if len(text) == 10 and text[2] != 58:
            year: cython.longlong = _year(text)
            if year < 0 or not is_date(year, number_at(text, 5, 7), number_at(text, 8, 10)):
                raise RefusedValueError(f"{_shown(text)} is no date")
            return columns.put_image(c, row, text)
        if text.find(b"T") < 0:
            if _clock(text, 0) < 0:
                raise RefusedValueError(f"{_shown(text)} is no time of a day")
            return columns.put_image(c, row, text[:8] + fraction_text(_parts(text, 8, 9), 9, self.digits))
        return columns.put_image(c, row, _in_utc(text + b"Z", self.digits))


@cython.cfunc
def _year(text: bytes) -> cython.longlong:
    """The year of the date YYYY-MM-DD at the start of a text; -1 if there is none. The digits of month and day are not
    checked.
    """
    if len(text) < 10 or text[4] != 45 or text[7] != 45:
        return -1
    return number_at(text, 0, 4)


@cython.cfunc
def _adjusted(year: cython.longlong) -> cython.longlong:
    """The year that TiCDC writes: 0 to 69 become 2000 to 2069, 70 to 99 become 1970 to 1999."""
    if year < 70:
        return year + 2000
    return year + 1900 if year < 100 else year


@cython.cfunc
def _clock(text: bytes, start: cython.Py_ssize_t) -> cython.longlong:
    """Seconds of the HH:MM:SS at an offset of a text; -1 if it is malformed."""
    hours: cython.longlong = number_at(text, start, start + 2)
    minutes: cython.longlong = number_at(text, start + 3, start + 5)
    seconds: cython.longlong = number_at(text, start + 6, start + 8)
    if hours < 0 or hours > 23 or minutes < 0 or minutes > 59 or seconds < 0 or seconds > 59:
        return -1
    if text[start + 2] != 58 or text[start + 5] != 58:
        return -1
    return 3600 * hours + 60 * minutes + seconds


@cython.cfunc
def _parts(text: bytes, start: cython.Py_ssize_t, width: cython.Py_ssize_t) -> cython.longlong:
    """The fraction of a second at an offset, a point and digits, in units of 10**-width seconds; 0 at the end of the
    text.
    """
    if start == len(text):
        return 0
    found: cython.longlong = -1
    if text[start] == 46:
        digits: bytes = text[start + 1 :]
        if digits and not digits[width:].strip(b"0"):
            found = number_at(digits[:width].ljust(width, b"0"), 0, width)
    if found < 0:
        raise RefusedValueError(f"{_shown(text)} has something else than up to {width} digits behind its seconds")
    return found


@cython.cfunc
def _in_utc(text: bytes, digits: cython.int) -> bytes:
    """An ISO 8601 text as MySQL text in UTC."""
    seconds: cython.longlong = _clock(text, 11) if len(text) >= 20 and text[10] == 84 else -1
    year: cython.longlong = _year(text)
    month: cython.longlong = number_at(text, 5, 7)
    day: cython.longlong = number_at(text, 8, 10)
    end: cython.Py_ssize_t = len(text) - (1 if text.endswith(b"Z") else 6)
    ahead: cython.longlong = 0
    if seconds < 0 or year < 0 or not is_date(year, month, day) or end < 19:
        raise RefusedValueError(f"{_shown(text)} is no time: YYYY-MM-DDTHH:MM:SSZ is expected")
    if not text.endswith(b"Z"):
        hours: cython.longlong = number_at(text, end + 1, end + 3)
        minutes: cython.longlong = number_at(text, end + 4, end + 6)
        if text[end] not in b"+-" or text[end + 3] != 58 or hours < 0 or hours > 23 or minutes < 0 or minutes > 59:
            raise RefusedValueError(f"{_shown(text)} does not end in Z or an offset from UTC")
        ahead = 3600 * hours + 60 * minutes
        if text[end] == 45:
            ahead = -ahead
    fraction: bytes = text[19:end]
    odd = len(fraction) > 10 or fraction[:1] != b"." or number_at(fraction, 1, len(fraction)) < 0
    if fraction and (digits >= 0 or odd):
        fraction = fraction_text(_parts(text[:end], 19, 9), 9, digits)
    elif not fraction and digits > 0:
        fraction = b"." + b"0" * digits
    if ahead == 0:
        return text[:10] + b" " + text[11:19] + fraction
    seconds += DAY * days_of(year, month, day) - ahead
    of_day: cython.longlong = seconds % DAY
    if of_day < 0:
        of_day += DAY
    return date_text((seconds - of_day) // DAY) + b" " + clock_text(of_day) + fraction


def _shown(text: bytes) -> str:
    return repr(text[:40].decode(errors="replace"))


DAYS: Final = Days(0)
EPOCH_MS: Final = EpochTime(3)
EPOCH_US: Final = EpochTime(6)
EPOCH_NS: Final = EpochTime(9)
MILLI_TIME: Final = TimeOfDay(3)
MICRO_TIME: Final = TimeOfDay(6)
NANO_TIME: Final = TimeOfDay(9)
ZONED_TIME: Final = ZonedTime()
ISO_TEXT: Final = IsoText()
