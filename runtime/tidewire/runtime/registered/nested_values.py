"""Reads the rare column values that are arrays, records, unions and the like, as Python objects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.errors import VALUE
from tidewire.runtime.json.nested_texts import scaled_text, vector_text
from tidewire.runtime.record.fields import FIXED_FIELD, SCALED_FIELD, SYMBOL_FIELD, VECTOR_FIELD
from tidewire.runtime.registered.generic_reader import fixed_bytes, plain_value, symbol
from tidewire.runtime.registered.schema_types import called
from tidewire.runtime.wire.value_codec import RefusedValueError

if TYPE_CHECKING:
    from tidewire.runtime.record.cursor import RecordCursor
    from tidewire.runtime.registered.schema import SchemaKind

MOST_SHOWN = 16
"""Maximum bytes of a value shown in an error."""


def nested_value(r: RecordCursor, kind: SchemaKind, codec: cython.int, field: cython.int) -> bytes:
    """Reads a non-null value as the column's bytes.

    Args:
        r: cursor, which moves past the value.
        kind: type of the value, which fits the codec.
        codec: codec number of the column.
    """
    start = r.pos
    kind = kind._replace(null=-1)
    if codec == SYMBOL_FIELD:
        return symbol(r, kind, field).encode()
    if codec == FIXED_FIELD:
        return fixed_bytes(r, kind, field)
    try:
        if codec == VECTOR_FIELD:
            return vector_text(_floats(r, kind, field), kind.inside[0].name == "float")
        if codec == SCALED_FIELD:
            return _scaled(r, kind, field)
    except RefusedValueError as error:
        shown = r.copy(start, min(r.pos, start + MOST_SHOWN)).hex()
        r.refuse(VALUE, field, start, r.pos - start, f"x'{shown}'", str(error))
    return json.dumps(plain_value(r, kind, field), ensure_ascii=False, separators=(",", ":")).encode()


def _floats(r: RecordCursor, kind: SchemaKind, field: int) -> list[float]:
    """The elements of a vector."""
    found: list[float] = []
    single = kind.inside[0].name == "float"
    count = r.block(field)
    while count:
        found += [r.float32(field) if single else r.float64(field) for _ in range(count)]
        count = r.block(field)
    return found


def _scaled(r: RecordCursor, kind: SchemaKind, field: int) -> bytes:
    """A decimal with its own scale."""
    said: dict[str, Any] = {}
    for one in kind.fields:
        if one.kind.name == "int":
            said[called(one)] = r.int32(field)
        else:
            size = r.length(field)
            said[called(one)] = r.copy(r.pos, r.pos + size)
            r.pos += size
    return scaled_text(said["value"], said["scale"])
