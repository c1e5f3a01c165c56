"""Converts MySQL's date and time texts to numbers and back: days since 1970-01-01, and fractions of seconds.

Dates are proleptic Gregorian, years 0 to 9999.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from tidewire.runtime import cython
from tidewire.runtime.time_zones import unknown_zone
from tidewire.runtime.wire.value_codec import RefusedValueError

FIRST_DAY: cython.longlong = -719528
"""0000-01-01, in days since 1970-01-01."""
LAST_DAY: cython.longlong = 2932896
"""9999-12-31, in days since 1970-01-01."""
DAY: cython.longlong = 86400
_LENGTHS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def date_text(days: cython.longlong) -> bytes:
    """The date `days` days after 1970-01-01, as YYYY-MM-DD.

    Raises:
        RefusedValueError: it is not in the years 0 to 9999.
    """
    shifted: cython.longlong
    era: cython.longlong
    of_era: cython.longlong
    year: cython.longlong
    of_year: cython.longlong
    month: cython.longlong
    if days < FIRST_DAY or days > LAST_DAY:
        raise RefusedValueError(f"{days} days from 1970-01-01 on are no date of the years 0 to 9999")
    # years start in March here, so that a leap day is the last day of its year; an era is 400 years
    shifted = days + 719468 + 146097
    era = shifted // 146097
    of_era = shifted % 146097
    year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    year += (era - 1) * 400
    month += 3
    if month > 12:
        month -= 12
        year += 1
    return b"%04d-%02d-%02d" % (year, month, day)


def days_of(year: cython.longlong, month: cython.longlong, day: cython.longlong) -> cython.longlong:
    """Days from 1970-01-01 to a date, which must exist in the calendar."""
    shifted: cython.longlong = year + 400 if month > 2 else year + 399
    era: cython.longlong = shifted // 400
    of_era: cython.longlong = shifted % 400
    of_year: cython.longlong = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    return (era - 1) * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


def is_date(year: cython.longlong, month: cython.longlong, day: cython.longlong) -> cython.bint:
    """Whether the date exists in the calendar."""
    if month < 1 or month > 12 or day < 1:
        return False
    leap: cython.bint = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return day <= _LENGTHS[month] + leap


def number_at(text: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.longlong:
    """The number that the digits text[start:end] spell; -1 if they are not 1 to 18 digits within the text."""
    i: cython.Py_ssize_t
    found: cython.longlong = 0
    if start >= end or end > len(text) or end - start > 18:
        return -1
    for i in range(start, end):
        c: cython.int = text[i]
        if c < 48 or c > 57:
            return -1
        found = 10 * found + c - 48
    return found


def clock_text(seconds: cython.longlong) -> bytes:
    """Seconds as HH:MM:SS; hours can have three digits."""
    return b"%02d:%02d:%02d" % (seconds // 3600, seconds // 60 % 60, seconds % 60)


def fraction_text(parts: cython.longlong, width: cython.int, digits: cython.int) -> bytes:
    """A fraction of a second as a decimal point and digits; empty if there are no digits to write.

    Args:
        parts: the fraction, in units of 10**-width seconds.
        width: digits that `parts` stands for.
        digits: digits to write; -1: as many as are needed, without trailing zeros.

    Raises:
        RefusedValueError: digits other than 0 would be cut off.
    """
    if digits < 0:
        if parts == 0:
            return b""
        return b"." + (b"%0*d" % (width, parts)).rstrip(b"0")
    text: bytes = b"%0*d" % (width, parts)
    if digits >= width:
        return b"." + text + b"0" * (digits - width) if digits else b""
    if text[digits:].strip(b"0"):
        raise RefusedValueError(f"its column has {digits} digits behind the point, and there are more: {text.decode()}")
    return b"." + text[:digits] if digits else b""


def offset_seconds(zone: str, seconds: int) -> int:
    """The offset of a time zone from UTC in seconds, at a local time given as seconds since 1970-01-01 00:00:00 in that
    zone. Local times that occur twice or never are resolved as Go's time.Date does.

    Raises:
        ValueError: there is no such zone.
    """
    found = _zone(zone)
    return _offset(found, seconds - _offset(found, seconds))


def _offset(zone: tzinfo, instant: int) -> int:
    when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=instant)
    offset = when.astimezone(zone).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())


@lru_cache(256)
def _zone(name: str) -> tzinfo:
    """A time zone by its name or its offset from UTC: `Asia/Shanghai`, `+08:00`."""
    text = name.encode()
    if len(text) == 6 and name[0] in "+-" and name[3] == ":":
        hours, minutes = number_at(text, 1, 3), number_at(text, 4, 6)
        if 0 <= hours < 24 and 0 <= minutes < 60:
            ahead = timedelta(hours=hours, minutes=minutes)
            return timezone(-ahead if name[0] == "-" else ahead)
    try:
        return ZoneInfo(name)
    except (LookupError, OSError, ValueError) as error:
        raise ValueError(f"the time zone {unknown_zone(name)}") from error
