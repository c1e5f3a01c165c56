"""Defaults of columns as Avro values: TiCDC writes them instead of NULL if schemas are Kafka Connect's.

The rules are those of its JSON messages: `tidewire.runtime.connect.defaults`.
"""

from __future__ import annotations

import json
import struct
from base64 import b64decode
from typing import Any

from tidewire.runtime.arrow.storage import FLOAT, INT, UINT
from tidewire.runtime.connect.defaults import (
    NUMBER,
    TIMES,
    WRITERS,
    ZONED,
    parsed_default,
    parsed_float,
    zoned_text,
)
from tidewire.runtime.connect.types import ColumnMapping, SchemaTypes
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.record.decimals import decimal_bytes
from tidewire.runtime.record.fields import DECIMAL_FIELD
from tidewire.runtime.record.sink import long_bytes
from tidewire.runtime.registered.schema_types import AVRO_TYPES
from tidewire.runtime.wire.value_codec import ColumnFacts, ValueCodec

MOST = {"int": (1 << 31) - 1, "long": (1 << 63) - 1}
"""Maximum values of Avro's integer types."""


def filling(
    types: SchemaTypes[ValueCodec],
    mapping: ColumnMapping[ValueCodec],
    default: str | int,
    facts: ColumnFacts,
    spelling: Spelling,
) -> bytes | None:
    """The Avro value written for NULL; None: null is written, also if the default does not fit the type.

    For TIMESTAMP columns written in UTC, it is the text of the default in the event's time zone, not converted.

    Args:
        mapping: how the column is written.
        default: default of the column, as in its description.
        spelling: how numbers are written.
    """
    way, codec = types.default(mapping), mapping.codec
    type = AVRO_TYPES[types.types[mapping.schema].type]
    if way == ZONED:
        text = WRITERS[ZONED](default, facts, spelling)
        return None if text is None else zoned_text(text)
    if codec.number == DECIMAL_FIELD:
        try:
            return decimal_bytes(str(default).encode(), facts.scale or 0)
        except ValueError:
            return None
    if way is None:
        image = str(default).encode()
        return long_bytes(len(image)) + image
    if way in TIMES or (way == NUMBER and codec.stored(False) in (INT, UINT)):
        return _image(type, parsed_default(way, default))
    if codec.stored(False) == FLOAT:
        return _image(type, parsed_float(default))
    found = WRITERS[way](default, facts, spelling)
    return None if found is None else _image(type, json.loads(found))


def _image(type: str, value: Any) -> bytes | None:
    """A JSON value in Avro's encoding; None: it does not fit the type."""
    match type:
        case "boolean":
            return b"\x01" if value else b"\x00"
        case "int" | "long":
            number, most = int(value), MOST[type]
            return long_bytes(number) if -most - 1 <= number <= most else None
        case "float":
            try:
                return struct.pack("<f", value)
            except OverflowError:
                return None
        case "double":
            return struct.pack("<d", value)
        case "bytes":
            image = b64decode(value)
            return long_bytes(len(image)) + image
    image = str(value).encode()
    return long_bytes(len(image)) + image
