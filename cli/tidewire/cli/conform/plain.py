"""Converts records with registered schemas to JSON, to compare their contents."""

from __future__ import annotations

import json
from typing import NamedTuple

from tidewire.messages.registry import SchemaRegistry, SchemaRegistryError
from tidewire.runtime.errors import WireError
from tidewire.runtime.record.cursor import RecordCursor
from tidewire.runtime.registered.generic_reader import plain_record
from tidewire.runtime.registered.schema import read_schema

HEADER = 5
"""Length of the header of a record: a zero byte and the schema id in four bytes."""


class PlainRecord(NamedTuple):
    """The content of a message."""

    schema_id: int
    text: bytes
    """The field values by name, as JSON."""


def schema_number(value: bytes) -> int | None:
    """The schema id of a record; None if the value is not such a record."""
    return int.from_bytes(value[1:HEADER], "big") if value[:1] == b"\0" and len(value) >= HEADER else None


def plain(value: bytes, schemas: SchemaRegistry) -> PlainRecord:
    """Decodes a record.

    Args:
        schemas: registry with the record's schema.

    Raises:
        ValueError: the value is not a record.
    """
    number = schema_number(value)
    if number is None:
        raise ValueError("it begins with no number of a schema")
    cursor = RecordCursor()
    cursor.receive([value])
    cursor.load(0)
    cursor.pos += HEADER
    try:
        found = plain_record(cursor, read_schema(schemas.schema(number)).solid, 0)
    except SchemaRegistryError as error:
        raise ValueError(str(error)) from error
    except WireError as error:
        raise ValueError("it is cut off, or not what its schema says") from error
    return PlainRecord(number, json.dumps(found).encode())
