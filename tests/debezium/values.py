"""The meaning of JSON values in TiCDC's Debezium, by MySQL type and Kafka Connect type of the column."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, NamedTuple

from json_twin import MalformedError, Number, Written, decimal, double, integer, need, plain, single, text, unpacked

EPOCH = datetime(1970, 1, 1)
U64, I64 = 2**64 - 1, 2**63 - 1
INTEGERS = ("tinyint", "smallint", "mediumint", "int", "bigint")
BYTES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")
TEXTS = ("char", "varchar", "var_string", "tinytext", "text", "mediumtext", "longtext")
ZONED = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})T((?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(\.[0-9]+)?"
    r"(Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
ERA = timedelta(days=146097)
"""400 years of the calendar."""
MOST_DIGITS = 162
"""Characters of a decimal above which it is none."""
MOST_LABELS = 64
"""Labels of a SET that have a bit."""


class Unit(Enum):
    """What connect's type and name say."""

    BOOLEAN, BITS, INT16, INT32, INT64, FLOAT, DOUBLE, STRING = range(8)
    ENUM, SET, JSON, VECTOR = range(8, 12)
    DAYS, MILLIS, MICROS, OF_DAY, ZONED, YEAR = range(12, 18)


NEAREST = {
    Unit.BOOLEAN: "bit(1)", Unit.BITS: "bit", Unit.INT16: "smallint", Unit.INT32: "int", Unit.INT64: "bigint",
    Unit.FLOAT: "float", Unit.DOUBLE: "double", Unit.STRING: "longtext", Unit.ENUM: "enum", Unit.SET: "set",
    Unit.JSON: "json", Unit.VECTOR: "vector", Unit.DAYS: "date", Unit.MILLIS: "datetime", Unit.MICROS: "datetime(6)",
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
WRITTEN_AS = {
    Unit.BOOLEAN: ("bit", "tinyint"), Unit.BITS: ("bit",), Unit.INT16: ("tinyint", "smallint"),
    Unit.INT32: ("smallint unsigned", "mediumint", "int"), Unit.INT64: ("int unsigned", "bigint"),
    Unit.FLOAT: ("float", "double"), Unit.DOUBLE: ("float", "double", "decimal"),
    Unit.STRING: (*TEXTS, *BYTES, "decimal"), Unit.ENUM: ("enum",), Unit.SET: ("set",), Unit.JSON: ("json",),
    Unit.VECTOR: ("vector",), Unit.DAYS: ("date",), Unit.MILLIS: ("datetime",), Unit.MICROS: ("datetime",),
    Unit.OF_DAY: ("time",), Unit.ZONED: ("timestamp",), Unit.YEAR: ("year",),
}  # fmt: skip
"""The types whose values are written so; of integers those with a sign, tinyint, mediumint and bigint without, too."""


class Declared(NamedTuple):
    """What a column is. `scale` are a time's digits behind the point and `digits` a decimal's, None if nobody said;
    `bits` how many a BIT has; `unit` what connect says.
    """

    mysql_type: str
    unsigned: bool
    scale: int | None
    labels: tuple[str, ...]
    unit: Unit | None
    exact: bool = True
    digits: int | None = None
    bits: int | None = None


def is_written(kind: Declared) -> bool:
    """Whether values of a column are written as connect says."""
    if kind.unit is None:
        return True
    name = kind.mysql_type
    if kind.unsigned and name in INTEGERS:
        both = (Unit.INT16, "tinyint"), (Unit.INT32, "mediumint"), (Unit.INT64, "bigint")
        return (kind.unit, name) in both or f"{name} unsigned" in WRITTEN_AS[kind.unit]
    return name in WRITTEN_AS[kind.unit]


def typed(kind: Declared, value: Any) -> Any:
    """The value of a cell: numbers of ENUM, SET and BIT; texts of times as MySQL writes them, TIMESTAMP in UTC."""
    if value is None:
        return None
    name = kind.mysql_type
    if name in INTEGERS:
        return _whole(kind, name, value)
    if name == "bit":
        if kind.unit == Unit.BOOLEAN or (kind.unit is None and (kind.bits or 1) == 1):
            return _truth(value)
        image = unpacked(_text(value))
        need(len(image) <= 8, "bits")
        return int.from_bytes(image, "little")
    if name == "year":
        # a text when it stands for NULL: the default as it was declared
        year = _integer(value if type(value) is Number else Number(_text(value)))
        return year + (2000 if year < 70 else 1900) if 0 < year < 100 else year
    if name in ("float", "double"):
        if name == "double" and kind.unit == Unit.FLOAT and type(value) is str:
            need(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", value) is not None, "no number")
            return double(value)
        need(type(value) is Number, "no number")
        return single(value) if name == "float" else double(value)
    if name == "decimal" and kind.unit != Unit.STRING:
        need(type(value) is Number, "no number")
        return decimal(_decimal(plain(value), kind.digits))
    if name in ("date", "datetime", "time"):
        return moment(kind, name, _integer(value))
    if name in TEXTS or name in ("decimal", "json", "vector"):
        found = plain(value) if type(value) is Number else text(value) if type(value) is str else Written(value)
        return decimal(found) if name == "decimal" else found
    found = _text(value)
    if name == "timestamp":
        return zoned(found, kind.scale)
    if name == "enum":
        return _label(kind.labels, found, lambda place: place + 1, quoted=True) if found or "" in kind.labels else 0
    if name == "set":
        return _members(kind.labels, found)
    need(name in BYTES, "type")
    return unpacked(found)


def _text(value: Any) -> str:
    found = text(value)
    need(found is not None, "no text")
    assert found is not None
    return found


def _whole(kind: Declared, name: str, value: Any) -> int:
    # without a block a TINYINT(1) may also be as a converter of Debezium's own connector writes it
    one_digit = kind.unit is None and kind.bits == 1 and not kind.unsigned and type(value) is bool
    if name == "tinyint" and (kind.unit == Unit.BOOLEAN or one_digit):
        if value is True or value is False or value in ("true", "false"):
            return int(value in (True, "true"))
        value = value if type(value) is Number else Number(_text(value))
    elif kind.unsigned and (name != "bigint" or not str(value).startswith("-")):
        number = integer(value, 0, U64)
        assert number is not None
        return number
    number = _integer(value)
    return number % 2**64 if kind.unsigned else number


def _integer(value: Any) -> int:
    number = integer(value, -I64 - 1, I64)
    assert number is not None
    return number


def _truth(value: Any) -> int:
    if value is True or value is False:
        return int(value)
    need(value in ("true", "false", "1", "0"), "true or false")
    return int(value in ("true", "1"))


def _decimal(number: str, digits: int | None) -> str:
    """A number with as many digits behind the point as the column has; without zeros where that is not known."""
    need(len(number) <= MOST_DIGITS and "e" not in number.lower(), "digits")
    whole, _, behind = number.partition(".")
    if digits is None or len(behind) > digits:
        behind = behind.rstrip("0")
    behind = behind.ljust(digits or 0, "0")
    return f"{whole}.{behind}" if behind else whole


def _label(labels: tuple[str, ...], found: str, number: Any, quoted: bool = False) -> int:
    """The number of a label, which may have backslashes before commas and backslashes, or lack one of two; a `quoted`
    one may have lost in the block what stands before its quotes.
    """
    if found in labels:
        return int(number(labels.index(found)))
    for label in labels:
        commas = label.replace(",", "\\,")
        spelled = label.replace("\\", "\\\\").replace(",", "\\,"), commas, label.replace("\\", "\\\\")
        if found in (*spelled, label.replace("\\\\", "\\")):
            return int(number(labels.index(label)))
    if quoted:
        return _label(labels, found.replace("\\'", "'").replace("''", "'"), number)
    need(False, "label")
    return 0


def _members(labels: tuple[str, ...], found: str) -> int:
    def bit(place: int) -> int:
        return 1 << place

    labels = labels[:MOST_LABELS]
    if found == "":
        return 0  # also where a label is empty
    try:
        return _label(labels, found, bit)  # also one with a comma in it
    except MalformedError:
        pass
    members = 0
    for one in found.split(","):
        members |= _label(labels, one, bit)
    return members


def moment(kind: Declared, name: str, number: int) -> str:
    """The text of a date or a time; without a known scale with a fraction only where there is one."""
    if name == "date":
        return dated(timedelta(days=number) if abs(number) < 10**7 else None)[:10]
    micros = kind.unit == Unit.MICROS if kind.unit is not None else (kind.scale or 0) > 3
    if name == "time":
        seconds, fraction = divmod(abs(number), 1_000_000)
        minutes, second = divmod(seconds, 60)
        hour, minute = divmod(minutes, 60)
        need(hour < 1000, "hours")
        sign = "-" if number < 0 else ""
        return sign + f"{hour:02}:{minute:02}:{second:02}" + fraction_of(kind.scale, f"{fraction:06}")
    whole, fraction = divmod(number, 1_000_000 if micros else 1000)
    behind = f"{fraction:06}" if micros else f"{fraction:03}"
    return dated(timedelta(seconds=whole) if abs(whole) < 10**12 else None) + fraction_of(kind.scale, behind)


def zoned(found: str, scale: int | None) -> str:
    """The text of a TIMESTAMP in UTC."""
    parts = ZONED.fullmatch(found)
    need(parts is not None, "timestamp")
    assert parts is not None
    date, clock, fraction, offset = parts.groups()
    year = int(date[:4])
    try:
        told = datetime.fromisoformat(f"{year + 400:04}{date[4:]} {clock}" if year < 1000 else f"{date} {clock}")
    except ValueError:
        need(False, "timestamp")
    since = told - EPOCH - (ERA if year < 1000 else timedelta())
    if offset != "Z":
        ahead = timedelta(hours=int(offset[1:3]), minutes=int(offset[4:]))
        since -= -ahead if offset[0] == "-" else ahead
    digits = (fraction or "")[1:]
    if scale is None and len(digits) <= 9:
        return dated(since) + (fraction or "")
    need(not digits[9:].strip("0"), "digits")
    return dated(since) + fraction_of(scale, digits[:9].ljust(9, "0"))


def dated(since: timedelta | None) -> str:
    """The date and the time that is so long after 1970, of the years 0 to 9999."""
    need(since is not None, "no date")
    assert since is not None
    try:
        if since < timedelta(days=-700_000):  # of years that Python has not
            later = EPOCH + since + ERA
            need(later.year >= 400, "no date")
            return f"{later.year - 400:04}" + later.isoformat(" ", "seconds")[4:]
        found = EPOCH + since
    except OverflowError:
        need(False, "no date")
    return found.isoformat(" ", "seconds")


def fraction_of(scale: int | None, digits: str) -> str:
    """What stands behind the seconds, of which these are the digits."""
    if scale is None:
        return "." + digits.rstrip("0") if digits.strip("0") else ""
    need(not digits[scale:].strip("0"), "more digits than declared")
    return "." + digits[:scale].ljust(scale, "0") if scale else ""
