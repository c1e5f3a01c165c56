"""Values of TiCDC's Debezium: what a JSON value means, by the column's MySQL type or by connect's."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, NamedTuple

from json_twin import Number, double, integer, need, plain, single, string, text, unpacked

EPOCH = datetime(1970, 1, 1)
I64 = 2**63 - 1
SIGNED = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}
BYTES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")
ZONED = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?)Z")


class Unit(Enum):
    """What connect's type and name say."""

    BOOLEAN, BITS, INT16, INT32, INT64, FLOAT, DOUBLE, STRING = range(8)
    ENUM, SET, JSON, VECTOR = range(8, 12)
    DAYS, MILLIS, MICROS, OF_DAY, ZONED, YEAR = range(12, 18)


NEAREST = {
    Unit.BOOLEAN: "bit", Unit.BITS: "bit", Unit.INT16: "smallint", Unit.INT32: "int", Unit.INT64: "bigint",
    Unit.FLOAT: "float", Unit.DOUBLE: "double", Unit.STRING: "text", Unit.ENUM: "enum", Unit.SET: "set",
    Unit.JSON: "json", Unit.VECTOR: "vector", Unit.DAYS: "date", Unit.MILLIS: "datetime", Unit.MICROS: "datetime",
    Unit.OF_DAY: "time", Unit.ZONED: "timestamp", Unit.YEAR: "year",
}  # fmt: skip
"""The MySQL type whose values connect's type and name hold as well."""

_DATA, _TIME = "io.debezium.data.", "io.debezium.time."
CONNECT = {
    ("boolean", None): Unit.BOOLEAN,
    ("bytes", _DATA + "Bits"): Unit.BITS,
    ("int16", None): Unit.INT16,
    ("int32", None): Unit.INT32,
    ("int64", None): Unit.INT64,
    ("float", None): Unit.FLOAT,
    ("double", None): Unit.DOUBLE,
    ("string", None): Unit.STRING,
    ("string", _DATA + "Enum"): Unit.ENUM,
    ("string", _DATA + "EnumSet"): Unit.SET,
    ("string", _DATA + "Json"): Unit.JSON,
    ("string", _DATA + "TiDBVectorFloat32"): Unit.VECTOR,
    ("int32", _TIME + "Date"): Unit.DAYS,
    ("int64", _TIME + "Timestamp"): Unit.MILLIS,
    ("int64", _TIME + "MicroTimestamp"): Unit.MICROS,
    ("int64", _TIME + "MicroTime"): Unit.OF_DAY,
    ("string", _TIME + "ZonedTimestamp"): Unit.ZONED,
    ("int32", _TIME + "Year"): Unit.YEAR,
}
"""Connect's type and name, as TiCDC writes them, and what they say."""


class Declared(NamedTuple):
    """What a column is. `scale` are a time's digits behind the point, None if nobody said; `unit` what connect says."""

    mysql_type: str
    unsigned: bool
    scale: int | None
    labels: tuple[str, ...]
    unit: Unit | None
    exact: bool = True


def typed(kind: Declared, value: Any) -> Any:
    """The value of a cell: numbers of ENUM, SET and BIT; texts of times as MySQL writes them, TIMESTAMP in UTC."""
    if value is None:
        return None
    name = kind.mysql_type
    if name in SIGNED:
        number = _integer(value)
        return number % 2**64 if kind.unsigned and name == "bigint" else number
    if name == "bit":
        return int(value) if value in (True, False) else int.from_bytes(unpacked(text(value)), "little")
    if name == "year":
        return _integer(value if type(value) is Number else Number(string(value)))  # a text when it stands for NULL
    if name in ("float", "double"):
        need(type(value) is Number, "no number")
        return single(value) if name == "float" else double(value)
    if name == "decimal":
        need(type(value) is Number, "no number")
        return plain(value)
    if name in ("date", "datetime", "time"):
        return _moment(kind, name, _integer(value))
    found = text(value)
    assert found is not None
    if name == "timestamp":
        parts = ZONED.fullmatch(found)
        need(parts is not None, "timestamp")
        assert parts is not None
        return f"{parts[1]} {parts[2]}"
    if name == "enum":
        return kind.labels.index(found) + 1 if found in kind.labels else _nothing(found)
    if name == "set":
        return _members(kind.labels, found)
    return unpacked(found) if name in BYTES else found


def _integer(value: Any) -> int:
    number = integer(value, -I64 - 1, I64)
    assert number is not None
    return number


def _nothing(label: str) -> int:
    need(label == "", "label")
    return 0


def _members(labels: tuple[str, ...], found: str) -> int:
    if found == "":
        return 0
    need(all(one in labels for one in found.split(",")), "label")
    return sum({1 << labels.index(one) for one in found.split(",")})


def _moment(kind: Declared, name: str, number: int) -> str:
    """The text of a date or a time; without a known scale with a fraction only where there is one."""
    if name == "date":
        return _dated(timedelta(days=number))[:10]
    micros = kind.unit == Unit.MICROS if kind.unit is not None else (kind.scale or 0) > 3
    if name == "time":
        seconds, fraction = divmod(abs(number), 1_000_000)
        minutes, second = divmod(seconds, 60)
        hour, minute = divmod(minutes, 60)
        sign = "-" if number < 0 else ""
        return sign + f"{hour:02}:{minute:02}:{second:02}" + _fraction(kind.scale, fraction)
    whole, fraction = divmod(number, 1_000_000 if micros else 1000)
    return _dated(timedelta(seconds=whole)) + _fraction(kind.scale, fraction if micros else fraction * 1000)


def _dated(since: timedelta) -> str:
    try:
        found = EPOCH + since
    except OverflowError:
        need(False, "no date")
    return found.isoformat(" ", "seconds")


def _fraction(scale: int | None, micros: int) -> str:
    digits = f"{micros:06}"
    if scale is None:
        return "." + digits.rstrip("0") if micros else ""
    need(not digits[scale:].strip("0"), "more digits than declared")
    return "." + digits[:scale] if scale else ""
