"""Reads values of any type of Avro, one object after the other: fields that nobody asks for, and what is rare."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

from tidewire.runtime.errors import KIND, TRUNCATED, UTF8
from tidewire.runtime.registered.forms import called

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython

if TYPE_CHECKING:
    from tidewire.runtime.record.cursor import RecordCursor
    from tidewire.runtime.registered.schema import SchemaField, SchemaKind

FIXED = {"null": 0, "float": 4, "double": 8}
"""Bytes of the values of some types."""
MOST_NAME = 256
"""Characters of the name of a field whose value becomes an object: each value has its name beside it."""


def plain_value(r: RecordCursor, kind: SchemaKind, field: cython.int) -> object:
    """A value as JSON has it: bytes are in base64, and fields of records are called as Kafka Connect calls them.

    Items of arrays and fields whose values have no bytes are left out: a few bytes can say millions of them.

    Args:
        r: the cursor, which goes behind the value.
        kind: what the value is.
        field: for errors.
    """
    if kind.null >= 0 and r.branch(2, field) == kind.null:
        return None
    name = kind.name
    start: cython.Py_ssize_t = r.pos
    if name == "boolean":
        return r.boolean(field) != 0
    if name == "int" or name == "long":
        return r.integer(field)
    if name == "float":
        return r.float32(field)
    if name == "double":
        return r.float64(field)
    if name == "string":
        image: bytes = _bytes(r, field)
        try:
            return image.decode()
        except UnicodeDecodeError:
            r.fail(UTF8, field, r.pos - len(image), len(image), 0)
    if name == "bytes":
        return b64encode(_bytes(r, field)).decode()
    if name == "record":
        return plain_record(r, kind.solid, field)
    if name == "array":
        found: list[Any] = []
        count: cython.Py_ssize_t = r.block(field)
        while count:
            if not kind.inside[0].hollow:
                found += [plain_value(r, kind.inside[0], field) for _ in range(count)]
            count = r.block(field)
        return found
    pass_value(r, kind._replace(null=-1), field)
    return {"type": name, "bytes": r.pos - start}


def plain_record(r: RecordCursor, fields: tuple[SchemaField, ...], field: cython.int) -> dict[str, object]:
    """The values of fields, which stand behind each other, by their names.

    Args:
        r: the cursor, which goes behind them.
        fields: those of a record whose values have bytes.
        field: for errors.
    """
    found: dict[str, object] = {}
    for one in fields:
        name = called(one)
        if len(name) > MOST_NAME:
            r.refuse(KIND, field, r.pos, 0, f"{len(name)} characters", f"a name of {MOST_NAME} at most")
        found[name] = plain_value(r, one.kind, field)
    return found


def pass_value(r: RecordCursor, kind: SchemaKind, field: cython.int) -> cython.int:
    """Goes behind a value that is not null where it could be: the branch has been read.

    Args:
        r: the cursor.
        kind: what the value is.
        field: for errors.
    """
    name = kind.name
    start: cython.Py_ssize_t = r.pos
    size: cython.Py_ssize_t
    if name == "boolean":
        r.boolean(field)
    elif name == "int" or name == "long":
        r.integer(field)
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
            _pass_any(r, one.kind, field)
    elif name == "array" or name == "map":
        _pass_blocks(r, kind, field)
    elif name == "union":
        size = r.branch(len(kind.inside), field)
        _pass_any(r, kind.inside[size], field)
    else:
        return r.refuse(KIND, field, start, 0, name, "a field that can be passed,")
    return 0


@cython.cfunc
def _pass_any(r: RecordCursor, kind: SchemaKind, field: cython.int) -> cython.int:
    """Goes behind a value that may be null."""
    if kind.null >= 0 and r.branch(2, field) == kind.null:
        return 0
    return pass_value(r, kind, field)


@cython.cfunc
def _pass_blocks(r: RecordCursor, kind: SchemaKind, field: cython.int) -> cython.int:
    """Goes behind an array or a map."""
    _k: cython.Py_ssize_t
    count: cython.Py_ssize_t = r.block(field)
    size: cython.Py_ssize_t
    while count:
        for _k in range(0 if kind.name == "array" and kind.inside[0].hollow else count):
            if kind.name == "map":
                size = r.length(field)
                r.pos += size
            _pass_any(r, kind.inside[0], field)
        count = r.block(field)
    return 0


@cython.cfunc
def _bytes(r: RecordCursor, field: cython.int) -> bytes:
    """Bytes behind their length."""
    size: cython.Py_ssize_t = r.length(field)
    start: cython.Py_ssize_t = r.pos
    r.pos = start + size
    return r.copy(start, r.pos)


@cython.cfunc
def _pass_bytes(r: RecordCursor, size: cython.Py_ssize_t, field: cython.int) -> cython.int:
    """Goes behind so many bytes."""
    if size < 0 or size > r.end - r.pos:
        return r.fail(TRUNCATED, field, r.pos, size, r.end - r.pos)
    r.pos += size
    return 0
