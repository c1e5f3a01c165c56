"""Records whose schemas a registry has as JSON, for comparing what they hold."""

from __future__ import annotations

import json
from typing import NamedTuple

from tidewire.runtime.errors import WireError
from tidewire.runtime.record.cursor import RecordCursor
from tidewire.runtime.registered.generic_reader import plain_record
from tidewire.runtime.registered.schema import read_schema
from tidewire.runtime.registry import SchemaRegistry, SchemaRegistryError

HEADER = 5
"""Bytes before a record: a 0, and the number of its schema in four bytes."""


class PlainRecord(NamedTuple):
    """What a message holds."""

    schema_id: int
    text: bytes
    """The values of its fields by their names, as JSON."""


def schema_number(value: bytes) -> int | None:
    """The number of the schema that a record is of; None of what is no such record."""
    return int.from_bytes(value[1:HEADER], "big") if value[:1] == b"\0" and len(value) >= HEADER else None


def plain(value: bytes, schemas: SchemaRegistry) -> PlainRecord:
    """A record taken apart.

    Args:
        value: the message.
        schemas: has the schema of its number.

    Raises:
        ValueError: it is no such record.
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
