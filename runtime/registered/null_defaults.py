"""Defaults of columns as records have them: TiCDC writes them in place of NULL where schemas are Kafka Connect's.

The rules are those of its JSON messages: `tidewire.runtime.connect.defaults`; here the values are Avro's.
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
from tidewire.runtime.json.codec import ColumnFacts
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.record.decimals import decimal_bytes
from tidewire.runtime.record.fields import DECIMAL_FIELD
from tidewire.runtime.record.sink import long_bytes
from tidewire.runtime.registered.schema_types import AVRO_TYPES
from tidewire.runtime.wire.value_codec import ValueCodec

MOST = {"int": (1 << 31) - 1, "long": (1 << 63) - 1}
"""The greatest numbers of types of Avro."""


def filling(
    types: SchemaTypes[ValueCodec],
    mapping: ColumnMapping[ValueCodec],
    default: str | int,
    facts: ColumnFacts,
    spelling: Spelling,
) -> bytes | None:
    """What is written where a column is NULL; None: null is, as of a default that the type has no room for.

    Of a time in UTC it is the column's own text, in the zone of the event.

    Args:
        types: the schema types of the protocol.
        mapping: how the column is written.
        default: the column's, as its description has it.
        facts: what is known of the column.
        spelling: how numbers are spelled.
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
    """A value of JSON as one of Avro; None where the type has no room for it, as no column with that default has."""
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
