"""The loss of values in Debezium, according to the conversions in TiCDC's encoder."""

from __future__ import annotations

import struct
from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from zoneinfo import ZoneInfo

from ..cases import BINARY, DECIMAL, DOUBLE, ENUM, FLOAT, INTEGERS, NULLABLE, SET, STRINGS, YEAR, Column, Value
from ..fitting import DATE, DATETIME, NOW, TIME, TIMESTAMP

EPOCH, FIRST = "1970-01-01 00:00:00", "1970-01-01 00:00:01"
"""What stands for a time that TIMESTAMP does not have, and the first that it has."""


def as_carried(column: Column, value: Value, zone: str) -> Value:
    """A value as it is read.

    Args:
        column: its column.
        value: what was in it.
        zone: of the producer.
    """
    declared = column.declared
    assert declared is not None
    digits = declared.decimal or 0
    if value is None:
        value = _filling(column, declared.default)
        if value is None or value == NOW:
            return _now(column, digits) if value else None
        if column.type == TIMESTAMP and str(value) < FIRST:
            return None
    if column.type in (DATE, DATETIME):
        assert isinstance(value, str)
        return _calendar(value, column, digits)
    if column.type == TIMESTAMP:
        assert isinstance(value, str)
        return _instant(value, zone, digits)
    if column.type == TIME:
        assert isinstance(value, str)
        return value if set(value) & set("123456789") else value.removeprefix("-")
    if column.type == ENUM and isinstance(value, int) and not 0 < value <= len(declared.elems):
        return declared.elems.index("") + 1 if "" in declared.elems else 0
    if column.type == SET and isinstance(value, int) and "" in declared.elems:
        return 0 if value == 1 << declared.elems.index("") else value
    if column.type == DECIMAL:
        assert isinstance(value, str)
        return _decimal(value, declared.decimal or 0)
    return value


def _filling(column: Column, default: str | bytes | None) -> Value:
    """What stands for NULL."""
    if default is None:
        return None
    if isinstance(default, bytes):
        return int.from_bytes(default, "big")
    if column.type in INTEGERS or column.type == YEAR:
        return int(default)
    elems = column.declared.elems if column.declared else ()
    if column.type == ENUM:
        return elems.index(default) + 1
    if column.type == SET:
        return sum(1 << elems.index(one) for one in default.split(",")) if default else 0
    if column.type == FLOAT:
        found: float = struct.unpack("<f", struct.pack("<f", float(default)))[0]
        return found
    if column.type == DOUBLE:
        return float(default)
    if column.type in STRINGS:
        return default.encode() if column.flags & BINARY else default
    return default


def _now(column: Column, digits: int) -> str | None:
    """What is read of NULL in a column whose default is the time of now."""
    return None if column.type == TIMESTAMP and column.flags & NULLABLE else _fraction(EPOCH, digits)


def _calendar(text: str, column: Column, digits: int) -> str | None:
    day, _, time = text.partition(" ")
    year = int(day[:4])
    late = year + (2000 if year < 70 else 1900 if year < 100 else 0)
    try:
        found = date(late, int(day[5:7]), int(day[8:10])).isoformat()
    except ValueError:
        if column.flags & NULLABLE:
            return None
        found, time = "1970-01-01", time and _fraction("00:00:00", digits)
    return f"{found} {time}" if time else found


def _instant(text: str, zone: str, digits: int) -> str:
    if text < FIRST:
        return _fraction(EPOCH, digits)
    whole, _, fraction = text.partition(".")
    local = datetime.fromisoformat(whole).replace(tzinfo=ZoneInfo(zone))
    utc = (local - (local.utcoffset() or timedelta())).replace(tzinfo=None)
    return f"{utc.isoformat(' ')}.{fraction}" if fraction else utc.isoformat(" ")


def _fraction(text: str, digits: int) -> str:
    return f"{text}.{'0' * digits}" if digits else text


def _decimal(text: str, scale: int) -> str:
    nearest = Decimal(repr(float(text)))
    with localcontext(prec=100):
        return format(nearest.quantize(Decimal(1).scaleb(-scale)), "f")
