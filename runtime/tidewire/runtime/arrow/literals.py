"""Makes Arrow arrays, scalars and columns from Python values without `pa.array` and `pa.scalar`: these import pandas
where it is installed, which takes longer than everything else at the start of a decoder's process.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import pyarrow as pa

from tidewire.runtime.arrow.packing import bits, packed

_CODES = {
    pa.int8(): "b",
    pa.uint8(): "B",
    pa.int16(): "h",
    pa.uint16(): "H",
    pa.int32(): "i",
    pa.uint32(): "I",
    pa.int64(): "q",
    pa.uint64(): "Q",
    pa.float64(): "d",
}
"""The type code of the module array for the values of a type."""
_WIDE = {pa.utf8(): False, pa.binary(): False, pa.large_utf8(): True, pa.large_binary(): True}
"""Whether the offsets of a variable-width type have 64 bits."""


def column_of(values: Iterable[Any], kind: pa.DataType) -> pa.Array:
    """An array of an Arrow type from integers, 64-bit floats, booleans, texts (`str`) or bytes; None is null.

    Values of other types are passed to `pa.array`.

    Raises:
        TypeError: a value is of another type.
        OverflowError: a number does not fit the type, or the values exceed its offsets.
        UnicodeEncodeError: a text has a lone surrogate.
    """
    given = values if isinstance(values, list) else list(values)
    rows = len(given)
    nulls = given.count(None)
    if kind == pa.null() and nulls == rows:
        return pa.nulls(rows)
    valid = pa.py_buffer(bits(given)) if nulls else None
    if code := _CODES.get(kind):
        numbers = array(code, [0 if value is None else value for value in given] if nulls else given)
        return pa.Array.from_buffers(kind, rows, [valid, pa.py_buffer(numbers)], nulls)
    wide = _WIDE.get(kind)
    if wide is not None:
        try:
            offsets, data = packed(given, wide)
        except TypeError:  # not all are bytes
            offsets, data = packed(_images(given), wide)
        return pa.Array.from_buffers(kind, rows, [valid, pa.py_buffer(offsets), pa.py_buffer(data)], nulls)
    if kind == pa.bool_() and {bool, type(None)}.issuperset(map(type, given)):
        return pa.Array.from_buffers(kind, rows, [valid, pa.py_buffer(bits([value or None for value in given]))], nulls)
    return pa.array(given, kind) if given else pa.nulls(0, kind)


@lru_cache(maxsize=256)  # the type's name is part of the key, because True and 1 are equal
def _constant(value: Any, plain: str, kind: pa.DataType) -> pa.Scalar:
    return column_of([value], kind)[0]


def constant(value: bool | int | str | bytes | None, kind: pa.DataType) -> pa.Scalar:
    """A scalar of an Arrow type; values and errors as for `column_of`."""
    return _constant(value, type(value).__name__, kind)


def filled(values: pa.Array, value: bool | int | bytes) -> pa.Array:
    """The array with nulls replaced by a value."""
    return values.fill_null(constant(value, values.type)) if values.null_count else values


def with_column(batch: pa.RecordBatch, name: str, values: pa.Array) -> pa.RecordBatch:
    """The batch with the values of one of its columns replaced."""
    return batch.set_column(batch.schema.get_field_index(name), batch.schema.field(name), values)


def _images(values: list[Any]) -> list[bytes]:
    return list(map(str.encode, values)) if {*map(type, values)} == {str} else [_image(value) for value in values]


def _image(value: Any) -> bytes:
    if value is None:
        return b""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    raise TypeError(f"text or bytes are expected, not {type(value).__name__}")
