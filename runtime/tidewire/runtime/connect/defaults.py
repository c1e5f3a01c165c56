"""Converts defaults of columns from the SQL form of descriptions to the JSON values of schema blocks."""

from __future__ import annotations

import re
import struct
from base64 import b64encode
from collections.abc import Callable, Mapping
from math import isfinite

from tidewire.runtime.json.json_literals import text_json
from tidewire.runtime.json.sink import JsonSink, Spelling
from tidewire.runtime.wire.calendar import days_of, is_date
from tidewire.runtime.wire.value_codec import ColumnFacts

NOW = "CURRENT_TIMESTAMP"
"""Prefix of defaults that are the current time."""
EPOCH = '"1970-01-01T00:00:00Z"'
"""JSON text that is written for them."""
START = "1970-01-01 00:00:00"
"""The default of TIMESTAMP columns in table changes. No TIMESTAMP is that early: tidb documentation,
dev/data-type-date-and-time.
"""
_PARTS = re.compile(
    r"(-?)(?:([0-9]{4})-([0-9]{2})-([0-9]{2}))?[ T]?(?:([0-9]{2,3}):([0-9]{2}):([0-9]{2})(\.[0-9]{1,6})?)?"
)


class _Time:
    """A parsed date, time of day, or both."""

    def __init__(self, text: str) -> None:
        found = _PARTS.fullmatch(text)
        self.known = found is not None
        sign, year, month, day, hour, minute, second, fraction = found.groups() if found is not None else (None,) * 8
        micros = int((fraction or ".0")[1:].ljust(6, "0"))
        seconds = 3600 * int(hour or 0) + 60 * int(minute or 0) + int(second or 0)
        self.micros = (seconds * 1_000_000 + micros) * (-1 if sign else 1)
        self.has_date = year is not None and is_date(int(year), int(month or 0), int(day or 0))
        self.days = 0
        if self.has_date:
            whole = int(year or 0)
            whole += 2000 if whole < 70 else 1900 if whole < 100 else 0
            self.days = days_of(whole, int(month or 0), int(day or 0))

    @property
    def instant(self) -> int:
        """Microseconds since 1970-01-01 00:00:00, with the time taken as UTC."""
        return self.days * 86_400_000_000 + self.micros


def _bits_of(said: str | int) -> int | None:
    if isinstance(said, int):
        return said
    return int(said, 2) if said and set(said) <= {"0", "1"} else None


def _bool(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str | None:
    bits = _bits_of(said)
    return None if bits is None else "true" if bits else "false"


def _bits(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str | None:
    bits = _bits_of(said)
    if bits is None:
        return None
    size = max(((facts.length or 64) + 7) // 8, (bits.bit_length() + 7) // 8)
    return f'"{b64encode(bits.to_bytes(size, "little")).decode()}"'


def _number(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str | None:
    try:
        return _written(float(said), spelling)
    except ValueError:
        return None


def _year(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str | None:
    try:
        year = float(said)
        return _written(year + (2000 if year < 70 else 1900 if year < 100 else 0), spelling)
    except ValueError:
        return None


def _written(number: float, spelling: Spelling) -> str:
    sink = JsonSink(*spelling)
    sink.number64(number)
    return sink.written(0).decode()


def _days(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str | None:
    time = _Time(str(said))
    if not time.has_date:
        return None if facts.nullable else "0"
    return str(time.days)


def _millis(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str | None:
    return _instant(said, facts, 1000)


def _micros(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str | None:
    return _instant(said, facts, 1)


def _instant(said: str | int, facts: ColumnFacts, unit: int) -> str | None:
    if _is_now(said):
        return "0"
    time = _Time(str(said))
    if not time.has_date:
        return None if facts.nullable else "0"
    return str(time.instant // unit)


def _time(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str | None:
    time = _Time(str(said))
    return str(time.micros) if time.known else None


def _zoned(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str | None:
    text = str(said)
    if _is_now(said) or text.partition(".")[0] == START or not _Time(text).has_date:
        return None if facts.nullable else EPOCH
    if facts.fraction:
        whole, _, digits = text.partition(".")
        text = f"{whole}.{digits.ljust(facts.fraction, '0')}"
    return f'"{text.replace(" ", "T")}Z"'


def _is_now(said: str | int) -> bool:
    return str(said).upper().startswith(NOW)


def whole_number(said: str | int) -> bytes | None:
    """The default of an integer column as digits; from 2⁶³ on as the negative signed value. None if it is not an
    integer.
    """
    try:
        number = int(said)
    except ValueError:
        return None
    return str(number - (1 << 64) if number >= 1 << 63 else number).encode()


def zoned_text(said: str) -> bytes:
    """The default of a TIMESTAMP in a block as the column's own text, which `ZonedTime` takes as local to its zone."""
    return said.strip('"').replace("T", " ").rstrip("Z").encode()


PARSED = "parsed"
"""Name in specs for writing NULL in a column with a default as `parsed_default` returns it."""
NUMBER, ZONED = "number", "zoned"
"""Forms of defaults that are written for NULL in another way than in a block."""
YEAR, TIME = "year", "time"
TIMES = (YEAR, TIME)
"""Forms that `parsed_default` accepts, besides integers."""
_WHOLE = re.compile(r"[-+]?[0-9]+")


def parsed_default(written: str | None, default: str | int) -> int:
    """What is written for NULL by an encoder that parses the default as a 64-bit integer and uses 0 if that fails; for
    a TIME always 0: getValueFromDefault of the encoders of pingcap/ticdc.

    Args:
        written: form of the default in a block.
        default: the default, as in the column's description.
    """
    if written == TIME or _WHOLE.fullmatch(str(default)) is None:
        return 0
    number = int(default)
    return number if -(1 << 63) <= number < 1 << 63 else 0


def parsed_float(default: str | int) -> float:
    """What that encoder writes for NULL in a float column: its default, 0 if this is no finite number."""
    try:
        number = float(default)
    except ValueError:
        return 0.0
    return number if isfinite(number) else 0.0


def _integer(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str:
    number = int(said)
    if not -(1 << 63) <= number < 1 << 64:
        raise ValueError("it is no number of 64 bits")
    return str(number - (1 << 64) if number >> 63 > 0 else number)


def _single(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str:
    return _written(struct.unpack("<f", struct.pack("<f", float(said)))[0], spelling)


def _double(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str:
    return _written(float(said), spelling)


def _text(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str:
    return text_json("", str(said), spelling).decode()


def _base64(said: str | int, facts: ColumnFacts, spelling: Spelling) -> str:
    image = said.encode() if isinstance(said, str) else said.to_bytes(max(1, (said.bit_length() + 7) // 8), "big")
    return f'"{b64encode(image).decode()}"'


LEFT_OUT = "none"
"""Name in specs for types whose defaults are not in schemas."""
TEXT = "text"
WRITERS: Mapping[str, Callable[[str | int, ColumnFacts, Spelling], str | None]] = {
    "bool": _bool,
    "bits": _bits,
    NUMBER: _number,
    YEAR: _year,
    "days": _days,
    "millis": _millis,
    "micros": _micros,
    TIME: _time,
    ZONED: _zoned,
    "integer": _integer,
    "single": _single,
    "double": _double,
    TEXT: _text,
    "base64": _base64,
}
"""By the form of defaults in a spec, functions from a default, the facts of its column, and the spelling of JSON, to
the JSON in a schema; None: the schema has no such default. `integer` and the forms after it are as TiCDC's Avro
encoder writes them: getDefaultValue, pingcap/ticdc pkg/sink/codec/avro/arvo.go.

Raises:
    ValueError: the default cannot be in a schema, such as an expression where a number is needed.
"""
