"""Codecs of values that Kafka Connect has as arrays and structs: vectors, decimals that say their scale, and any other
ones, which become JSON. They are read only.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from tidewire.runtime.arrow.storage import TEXT
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.json.connect_values import strict64
from tidewire.runtime.json.nested_texts import scaled_text, vector_text
from tidewire.runtime.wire.value_codec import RefusedValueError

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython

if TYPE_CHECKING:
    from typing import Any

    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.json.cursor import JsonCursor


class JsonValue(JsonCodec):
    """An array or an object, as it is written."""

    def __init__(self) -> None:
        JsonCodec.__init__(self, TEXT, lenient=True, writes=False)

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
        text: bytes = r.copy(start, start + size)
        if text[:1] not in (b"[", b"{"):
            raise RefusedValueError("it is neither an array nor an object")
        return columns.put_image(c, row, text)


class VectorArray(JsonCodec):
    """A vector as an array of numbers."""

    def __init__(self, single: bool) -> None:
        """
        Args:
            single: whether the numbers have 32 bits; else they have 64.
        """
        JsonCodec.__init__(self, TEXT, lenient=True, writes=False)
        self.single = single

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
        found = parsed(r.copy(start, start + size))
        if not isinstance(found, list) or not all(isinstance(one, float) for one in found):
            raise RefusedValueError("it is no array of numbers")
        return columns.put_image(c, row, vector_text(found, self.single))


class ScaledDecimal(JsonCodec):
    """A decimal as an object of its scale and of its number without the point, which is bytes in base64."""

    def __init__(self) -> None:
        JsonCodec.__init__(self, TEXT, lenient=True, writes=False)

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
        found = parsed(r.copy(start, start + size))
        scale, value = (found.get("scale"), found.get("value")) if isinstance(found, dict) else (None, None)
        if not isinstance(scale, float) or not isinstance(value, str):
            raise RefusedValueError("it is no object with scale and value")
        return columns.put_image(c, row, scaled_text(strict64(value.encode()), int(scale)))


def parsed(text: bytes) -> Any:
    """Some JSON, of which all numbers are floats.

    Raises:
        ValueError: it is none.
    """
    return json.loads(text, parse_int=float)


JSON_VALUE: Final = JsonValue()
FLOAT_VECTOR: Final = VectorArray(True)
DOUBLE_VECTOR: Final = VectorArray(False)
SCALED_DECIMAL: Final = ScaledDecimal()
