"""Reads values of any Avro type as Python objects, for rare types and messages; skips values of unused fields."""

from __future__ import annotations

from base64 import b64encode
from math import isinf, isnan
from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.errors import KIND, TRUNCATED, UTF8, WireError
from tidewire.runtime.json.nested_texts import vector_text
from tidewire.runtime.registered.schema import MOST_DEPTH, WITHIN
from tidewire.runtime.registered.schema_types import called

if TYPE_CHECKING:
    from tidewire.runtime.record.cursor import RecordCursor
    from tidewire.runtime.registered.schema import SchemaField, SchemaKind

FIXED = {"null": 0, "float": 4, "double": 8}
"""Sizes in bytes of types with a fixed size."""
MOST_NAME = 256
"""Maximum characters of a field's name in a generic object, which repeats names in each value."""


def plain_value(r: RecordCursor, kind: SchemaKind, field: cython.int, depth: cython.int = 0) -> object:
    """A value as JSON represents it: bytes are in base64, fields of records have their Kafka Connect names, and floats
    that JSON cannot represent are strings.

    Array items and fields whose values have no bytes are omitted: a few bytes could encode millions of them.

    Args:
        r: cursor, which moves past the value.
        kind: type of the value.
        depth: number of recursive records around the value.
    """
    if kind.null >= 0 and r.branch(2, field) == kind.null:
        return None
    name = kind.name
    if name == "boolean":
        return r.boolean(field) != 0
    if name == "int" or name == "long":
        return r.varint(field)
    if name == "float":
        return _finite(r.float32(field), True)
    if name == "double":
        return _finite(r.float64(field), False)
    if name == "string":
        return _text(r, field)
    if name == "bytes":
        return b64encode(_bytes(r, field)).decode()
    if name == "fixed":
        return b64encode(fixed_bytes(r, kind, field)).decode()
    if name == "enum":
        return symbol(r, kind, field)
    if name == "record":
        return plain_record(r, kind.solid, field, depth)
    if name == "array":
        return _items(r, kind, field, depth)
    if name == "map":
        return _members(r, kind, field, depth)
    if name == "union":
        return plain_value(r, kind.inside[r.branch(len(kind.inside), field)], field, depth)
    if name == WITHIN:
        return plain_record(r, _whole(r, kind, field, depth).solid, field, depth + 1)
    return pass_value(r, kind, field, depth) or None


def plain_record(
    r: RecordCursor, fields: tuple[SchemaField, ...], field: cython.int, depth: cython.int = 0
) -> dict[str, object]:
    """The values of consecutive fields, by name.

    Args:
        r: cursor, which moves past them.
        fields: fields of a record, without those whose values have no bytes.
        depth: number of recursive records around them.

    Raises:
        WireError: its path begins with the name of the field.
    """
    found: dict[str, object] = {}
    for one in fields:
        name = called(one)
        if len(name) > MOST_NAME:
            r.refuse(KIND, field, r.pos, 0, f"{len(name)} characters", f"a name of {MOST_NAME} at most")
        try:
            found[name] = plain_value(r, one.kind, field, depth)
        except WireError as error:
            error.put_inside(name)
            raise
    return found


def symbol(r: RecordCursor, kind: SchemaKind, field: cython.int) -> str:
    """Reads a symbol of an enum."""
    symbols: list[str] = kind.words["symbols"]
    return symbols[r.branch(len(symbols), field)]


def fixed_bytes(r: RecordCursor, kind: SchemaKind, field: cython.int) -> bytes:
    """Reads bytes of the fixed size in the schema."""
    start: cython.Py_ssize_t = r.pos
    size: cython.Py_ssize_t = kind.words["size"]
    _pass_bytes(r, size, field)
    return r.copy(start, r.pos)


def _finite(value: float, single: bool) -> float | str:
    """A float as JSON represents it; a float32 with its shortest digits."""
    if isinf(value) or isnan(value):
        return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return float(vector_text((value,), True).strip(b"[]")) if single else value


def _text(r: RecordCursor, field: int) -> str:
    image = _bytes(r, field)
    try:
        return image.decode()
    except UnicodeDecodeError:
        r.fail(UTF8, field, r.pos - len(image), len(image), 0)
    return ""


def _items(r: RecordCursor, kind: SchemaKind, field: int, depth: int) -> list[object]:
    found: list[object] = []
    count = r.block(field)
    while count:
        for _ in range(0 if kind.inside[0].hollow else count):
            try:
                found.append(plain_value(r, kind.inside[0], field, depth))
            except WireError as error:
                error.put_inside(str(len(found)))
                raise
        count = r.block(field)
    return found


def _members(r: RecordCursor, kind: SchemaKind, field: int, depth: int) -> dict[str, object]:
    found: dict[str, object] = {}
    count = r.block(field)
    while count:
        for _ in range(count):
            name = _text(r, field)
            try:
                found[name] = plain_value(r, kind.inside[0], field, depth)
            except WireError as error:
                error.put_inside(name)
                raise
        count = r.block(field)
    return found


def _whole(r: RecordCursor, kind: SchemaKind, field: int, depth: int) -> SchemaKind:
    """The record that a recursive reference stands for; checks the depth."""
    if not kind.whole or depth >= MOST_DEPTH:
        r.refuse(KIND, field, r.pos, 0, f"a record in {depth} others", f"records in {MOST_DEPTH} others at most,")
    assert kind.whole
    return kind.whole[0]


def pass_value(r: RecordCursor, kind: SchemaKind, field: cython.int, depth: cython.int = 0) -> cython.int:
    """Skips a value; if its type is nullable, the union branch has been read and is not null.

    Args:
        kind: type of the value.
        depth: number of recursive records around the value.
    """
    name = kind.name
    size: cython.Py_ssize_t
    if name == "boolean":
        r.boolean(field)
    elif name == "int" or name == "long":
        r.varint(field)
    elif name == "enum":
        r.branch(len(kind.words["symbols"]), field)
    elif name in FIXED:
        _pass_bytes(r, FIXED[name], field)
    elif name == "fixed":
        size = kind.words["size"]
        _pass_bytes(r, size, field)
    elif name == "string" or name == "bytes":
        size = r.length(field)
        r.pos += size
    elif name == "record":
        for one in kind.solid:
            _pass_any(r, one.kind, field, depth)
    elif name == "array" or name == "map":
        _pass_blocks(r, kind, field, depth)
    elif name == "union":
        size = r.branch(len(kind.inside), field)
        _pass_any(r, kind.inside[size], field, depth)
    elif name == WITHIN:
        for one in _whole(r, kind, field, depth).solid:
            _pass_any(r, one.kind, field, depth + 1)
    elif name != "null":
        return r.refuse(KIND, field, r.pos, 0, name, "a field that can be passed,")
    return 0


@cython.cfunc
def _pass_any(r: RecordCursor, kind: SchemaKind, field: cython.int, depth: cython.int) -> cython.int:
    """Skips a value that may be null."""
    if kind.null >= 0 and r.branch(2, field) == kind.null:
        return 0
    return pass_value(r, kind, field, depth)


@cython.cfunc
def _pass_blocks(r: RecordCursor, kind: SchemaKind, field: cython.int, depth: cython.int) -> cython.int:
    """Skips an array or a map."""
    _k: cython.Py_ssize_t
    count: cython.Py_ssize_t = r.block(field)
    size: cython.Py_ssize_t
    while count:
        for _k in range(0 if kind.name == "array" and kind.inside[0].hollow else count):
            if kind.name == "map":
                size = r.length(field)
                r.pos += size
            _pass_any(r, kind.inside[0], field, depth)
        count = r.block(field)
    return 0


@cython.cfunc
def _bytes(r: RecordCursor, field: cython.int) -> bytes:
    """Reads length-prefixed bytes."""
    size: cython.Py_ssize_t = r.length(field)
    start: cython.Py_ssize_t = r.pos
    r.pos = start + size
    return r.copy(start, r.pos)


@cython.cfunc
def _pass_bytes(r: RecordCursor, size: cython.Py_ssize_t, field: cython.int) -> cython.int:
    """Skips `size` bytes."""
    if size < 0 or size > r.end - r.pos:
        return r.fail(TRUNCATED, field, r.pos, size, r.end - r.pos)
    r.pos += size
    return 0
