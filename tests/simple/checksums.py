"""TiDB's checksum of a row, computed from the values that Simple carries and the table's description.

CRC-32 (IEEE) over the columns by their TiDB ids, of each its value's bytes: nothing for NULL; integers, YEAR, BIT, ENUM
and SET as eight bytes, little end first (negative ones as two's complement); FLOAT and DOUBLE as the eight bytes of
the double, what is not finite as 0; VECTOR as its count in four bytes and its float32s; everything else as a length of
four bytes and text or bytes, TIMESTAMP in UTC.

Source: TiDB's pkg/util/rowcodec/common.go as tiflow's pkg/sink/codec/common/verify_checksum.go describes it; the
recordings confirm it (FACTS.md).
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from simple.twin import Located, Table

NUMBERS = ("tinyint", "smallint", "mediumint", "int", "bigint", "year", "bit", "enum", "set")


def row_checksum(table: Table, image: Mapping[str, Any]) -> int:
    """The checksum of a row's image.

    Args:
        table: its description, columns in the order of their ids as classic TiCDC lists them.
        image: the value of every column that has one, as the twin gives them; virtual columns have none.
    """
    columns = [column for column in table.columns if column.name in image]
    return zlib.crc32(b"".join(value_bytes(column.mysql_type, image[column.name]) for column in columns))


def value_bytes(kind: str, value: Any) -> bytes:
    """What a value of a type adds."""
    if value is None:
        return b""
    if kind in NUMBERS:
        return int(value).to_bytes(8, "little", signed=value < 0)
    if kind in ("float", "double"):
        return struct.pack("<d", value if math.isfinite(value) else 0.0)
    if kind == "vector":
        numbers = json.loads(value, parse_int=float)
        return struct.pack(f"<I{len(numbers)}f", len(numbers), *numbers)
    if kind == "timestamp":
        value = in_utc(value)
    data: bytes = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<I", len(data)) + data


class NoSuchTime(Exception):
    """Clocks were put forward over it."""


def zone_of(name: str) -> tzinfo:
    """The time zone of that name: one of the IANA's, or an offset such as +08:00."""
    if name[0] not in "+-":
        return ZoneInfo(name)
    return timezone((-1 if name[0] == "-" else 1) * timedelta(hours=int(name[1:3]), minutes=int(name[4:6])))


def in_utc(value: Located) -> str:
    """A TIMESTAMP's text in UTC, with as many digits behind the point; the zero one is nowhere.

    Of two equal local times Go takes the second one where its offset is not west of UTC (func Date of its package
    time).

    Raises:
        NoSuchTime: the zone has no such local time.
    """
    if value.startswith("0000-00-00"):
        return str(value)
    whole, point, fraction = value.partition(".")
    plain, zone = datetime.strptime(whole, "%Y-%m-%d %H:%M:%S"), zone_of(value.zone)
    first, second = (plain.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if first.astimezone(zone).replace(tzinfo=None) != plain:
        raise NoSuchTime(value)
    offset = second.astimezone(zone).utcoffset()
    assert offset is not None
    found = second if offset >= timedelta(0) else first
    return f"{found.year:04}{found:-%m-%d %H:%M:%S}{point}{fraction}"
