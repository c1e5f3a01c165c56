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
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from simple.twin import BYTES, Column, Located, Table

NUMBERS = ("tinyint", "smallint", "mediumint", "int", "bigint", "year", "bit", "enum", "set")


def row_checksum(table: Table, image: Mapping[str, Any]) -> int:
    """The checksum of a row's image.

    Args:
        table: its description, columns in the order of their ids as classic TiCDC lists them.
        image: the value of every column that has one, as the twin gives them; virtual columns have none.
    """
    columns = [column for column in table.columns if column.name in image]
    return zlib.crc32(b"".join(value_bytes(column, image[column.name]) for column in columns))


def value_bytes(column: Column, value: Any) -> bytes:
    """What a value adds."""
    kind = column.mysql_type
    if value is None:
        return b""
    if kind in NUMBERS:
        return int(value).to_bytes(8, "little", signed=value < 0)
    if kind in ("float", "double"):
        return struct.pack("<d", value if math.isfinite(value) else 0.0)
    if kind == "vector":
        numbers = json.loads(value)
        return struct.pack(f"<I{len(numbers)}f", len(numbers), *numbers)
    if kind == "timestamp":
        value = in_utc(value)
    data: bytes = value if kind in BYTES else value.encode()
    return struct.pack("<I", len(data)) + data


def in_utc(value: Located) -> str:
    """A TIMESTAMP's text in UTC, with as many digits behind the point; the zero one is nowhere."""
    if value.startswith("0000-00-00"):
        return str(value)
    whole, point, fraction = value.partition(".")
    local = datetime.strptime(whole, "%Y-%m-%d %H:%M:%S").replace(tzinfo=ZoneInfo(value.zone))
    return local.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S") + point + fraction
