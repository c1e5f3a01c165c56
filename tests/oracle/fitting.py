"""Random values and defaults that a database column can hold, for protocols that parse values."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta

import pyarrow as pa

from . import values
from .cases import BIT, DATES, DECIMAL, ENUM, FLOAT, INTEGERS, JSON, SET, STRINGS, UNSIGNED, VECTOR, YEAR, Column, Value
from .declared import Declared

TIMESTAMP, DATE, TIME, DATETIME = 7, 10, 11, 12
NOW = "CURRENT_TIMESTAMP"
NO_DATES = ("0000-00-00", "2020-00-00", "2020-12-00", "2021-02-30", "0000-01-01", "0069-12-31", "0070-01-01")
"""Dates that no calendar has, and years that are taken for others."""
NO_TIMES = ("0000-00-00 00:00:00", "2020-00-00 00:00:00", "2021-02-30 12:00:00", "0000-12-00 00:00:01")
NO_DEFAULTS = ("2020-00-00", "2020-12-00", "2021-02-30", "0000-12-00")
"""Dates that rows can have, in some SQL modes, and defaults cannot."""
_YEARS = ("1901", "1970", "2000", "2155")


def fits(column: Column) -> bool:
    """Whether `fitting` has values for a column."""
    return column.type in (BIT, ENUM, SET, DECIMAL, *DATES)


def fitting(r: random.Random, column: Column) -> Value:
    """A value of a column that was declared as it is.

    Args:
        r: where chance comes from.
        column: of a type for which `fits` is true.
    """
    declared = column.declared
    assert declared is not None
    if column.type == BIT:
        return values.number(r, declared.flen or 1)
    if column.type == ENUM:
        return r.randrange(len(declared.elems) + 1)  # 0 is that of an invalid value
    if column.type == SET:
        return values.number(r, len(declared.elems))
    if column.type == DECIMAL:
        return _decimal(r, declared, bool(column.flags & UNSIGNED))
    return _time(r, column.type, declared.decimal or 0)


def default(r: random.Random, column: Column, zeros: bool = False) -> str | bytes | None:
    """The default of a column, as TiDB keeps it: a text, or the bytes of a BIT; None for none.

    Args:
        r: where chance comes from.
        column: that was declared as it is.
        zeros: whether the bytes of a BIT may begin with some that are zero, as a literal may.
    """
    declared, kind = column.declared, column.type
    assert declared is not None
    if r.random() < 0.7 or kind in (JSON, VECTOR):
        return None
    if kind == BIT:
        number = values.number(r, declared.flen or 1)
        return number.to_bytes(max(1, (number.bit_length() + 7) // 8) + (r.choice((0, 0, 1, 7)) if zeros else 0), "big")
    if kind == ENUM:
        return r.choice(declared.elems)
    if kind == SET:
        return ",".join(one for one in declared.elems if r.random() < 0.5)
    if kind == YEAR:
        return r.choice(_YEARS)
    if kind in INTEGERS:
        bits = INTEGERS[kind]
        number = values.number(r, bits if column.flags & UNSIGNED else bits - 1)
        return str(number if column.flags & UNSIGNED or r.random() < 0.5 else -number - 1)
    if kind in STRINGS:
        return values.text(r)[:20]
    if kind == DECIMAL:
        return _decimal(r, declared, bool(column.flags & UNSIGNED))
    if kind in (TIMESTAMP, DATETIME) and r.random() < 0.3:
        return NOW
    if kind in DATES:
        found = _time(r, kind, declared.decimal or 0)
        return NO_DATES[0] + found[10:] if found[:10] in NO_DEFAULTS else found
    return _shortest(values.single(r, True)) if kind == FLOAT else repr(values.double(r, True))


def _shortest(number: float) -> str:
    """The fewest digits that are this float32."""
    return str(pa.scalar(number, pa.float32()).cast(pa.string()).as_py())


def _decimal(r: random.Random, declared: Declared, unsigned: bool) -> str:
    precision, scale = declared.flen or 10, declared.decimal or 0
    digits = r.choice((1, precision, r.randint(1, precision)))
    unscaled = r.choice((0, 1, 5, 10**digits - 1, r.randrange(10**digits)))
    text = str(unscaled).rjust(scale + 1, "0")
    whole, fraction = (text[:-scale], "." + text[-scale:]) if scale else (text, "")
    sign = "-" if unscaled and not unsigned and r.random() < 0.4 else ""
    return sign + whole + fraction


def _time(r: random.Random, kind: int, digits: int) -> str:
    """A time with as many digits behind the point as its column has."""
    micros = r.choice((0, 1, 999_999, r.randrange(1_000_000)))
    fraction = f".{micros:06d}"[: digits + 1] if digits else ""
    if kind == TIME:
        hours = r.choice((0, 1, 23, 24, 99, 100, 838, r.randrange(839)))
        sign = "-" if r.random() < 0.4 else ""
        if hours == 838:
            fraction = "." + "0" * digits if digits else ""
        return f"{sign}{hours:02d}:{r.randrange(60):02d}:{r.randrange(60):02d}{fraction}"
    if kind == DATE:
        return r.choice(NO_DATES) if r.random() < 0.2 else str(date.fromordinal(r.randint(1, date.max.toordinal())))
    if r.random() < 0.15:
        fraction = "." + "0" * digits if digits else ""
        return r.choice(NO_TIMES if kind == DATETIME else NO_TIMES[:1]) + fraction
    if kind == DATETIME:
        whole = datetime(1, 1, 1) + timedelta(seconds=r.randrange(315537897600))
        return f"{whole.isoformat(' ')}{fraction}"
    # from 1970-01-02 to 2038-01-18, not in spring, when a zone has hours that no clock shows
    whole = datetime(1970, 1, 2) + timedelta(seconds=r.choice((0, r.randrange(2147299200))))
    month = whole.month if whole.month not in (2, 3, 4, 5, 9, 10) else 11
    return f"{whole.replace(month=month, day=min(whole.day, 28)).isoformat(' ')}{fraction}"
