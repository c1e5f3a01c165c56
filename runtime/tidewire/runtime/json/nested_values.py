"""Codecs of values that are arrays and structs in Kafka Connect: vectors, decimals with their own scale, and any
others, which become JSON text. Read only.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import TEXT
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.json.nested_texts import scaled_text, vector_text
from tidewire.runtime.wire.value_codec import RefusedValueError, strict64

if TYPE_CHECKING:
    from typing import Any

    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.json.cursor import JsonCursor


class NestedValue(JsonCodec):
    """An array or an object, converted to the column's text by a function."""

    def __init__(self, text_of: Callable[[bytes], bytes]) -> None:
        """
        Args:
            text_of: converts the value's source text; raises ValueError if it is not such a value.
        """
        JsonCodec.__init__(self, TEXT, lenient=True, writes=False)
        self.text_of = text_of

    def read(
        self,
        r: JsonCursor,
        start: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        text: bytes = self.text_of(r.copy(start, start + size))
        return columns.put_image(c, row, text)


def as_written(value: bytes) -> bytes:
    """The source text of an array or an object.

    Raises:
        ValueError: it is neither.
    """
    if value[:1] not in (b"[", b"{"):
        raise RefusedValueError("it is neither an array nor an object")
    return value


def vector(value: bytes, single: bool) -> bytes:
    """A vector, from an array of numbers.

    Args:
        value: the array.
        single: whether the numbers are float32; otherwise float64.

    Raises:
        ValueError: it is not an array of numbers.
    """
    found = parsed(value)
    if not isinstance(found, list) or not all(isinstance(one, float) for one in found):
        raise RefusedValueError("it is no array of numbers")
    return vector_text(found, single)


def scaled_decimal(value: bytes) -> bytes:
    """A decimal, from an object of its scale and its unscaled value in base64.

    Raises:
        ValueError: it is not such an object.
    """
    found = parsed(value)
    scale, number = (found.get("scale"), found.get("value")) if isinstance(found, dict) else (None, None)
    if not isinstance(scale, float) or not isinstance(number, str):
        raise RefusedValueError("it is no object with scale and value")
    return scaled_text(strict64(number.encode()), int(scale))


def parsed(text: bytes) -> Any:
    """Parsed JSON, with all numbers as floats.

    Raises:
        ValueError: it is not JSON.
    """
    return json.loads(text, parse_int=float)


JSON_VALUE: Final = NestedValue(as_written)
FLOAT_VECTOR: Final = NestedValue(partial(vector, single=True))
DOUBLE_VECTOR: Final = NestedValue(partial(vector, single=False))
SCALED_DECIMAL: Final = NestedValue(scaled_decimal)
