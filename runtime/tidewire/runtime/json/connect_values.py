"""Codecs of values in messages with schema blocks, except times, decimals and floats: bits, years, labels, bytes,
geometry, arrays and objects.
"""

from __future__ import annotations

import json
import re
from binascii import b2a_base64
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import BYTES, INT, TEXT, UINT
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.json.nested_texts import scaled_text, vector_text
from tidewire.runtime.labels import LabelNumbers
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.conversions import base64_url, hexadecimal, spatial
from tidewire.runtime.wire.value_codec import ColumnFacts, RefusedValueError, strict64

if TYPE_CHECKING:
    from typing import Any

    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.sink import JsonSink

MOST_KNOWN = 1 << 12
"""Maximum number of cached codecs."""
_WKB = re.compile(rb'"wkb"\s*:\s*"([A-Za-z0-9+/=]*)"')
_SRID = re.compile(rb'"srid"\s*:\s*([0-9]{1,9}|null)')
_known: dict[tuple[object, ...], JsonCodec] = {}


def remembered(asked: tuple[object, ...], made: JsonCodec) -> JsonCodec:
    """The codec cached for this key, else `made`: columns alike share one codec."""
    if len(_known) >= MOST_KNOWN:
        _known.clear()
    return _known.setdefault(asked, made)


class BoolBit(JsonCodec):
    """A BIT(1) as true or false; reading also accepts 1 and 0."""

    def __init__(self) -> None:
        JsonCodec.__init__(self, UINT, lenient=True)

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
        return columns.put_uint(c, row, _truth(r.copy(start, start + size)))

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        value: cython.ulonglong = source.uint_at(c, row)
        if value > 1:
            raise RefusedValueError(f"a BIT(1) is 0 or 1, not {value}")
        return s.raw(b"true" if value else b"false")


class BoolInt(JsonCodec):
    """A TINYINT as true or false, or as a number; read only."""

    def __init__(self) -> None:
        JsonCodec.__init__(self, INT, lenient=True, writes=False)

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
        if size and (r.p[start] == chars.LOWER_T or r.p[start] == chars.LOWER_F):
            text: bytes = r.copy(start, start + size)
            if text in (b"true", b"false"):
                return columns.put_int(c, row, text == b"true")
        return columns.put_int(c, row, r.signed_digits(start, start + size, field))


class BitBytes(JsonCodec):
    """A BIT as base64 of its bytes, little-endian, as many as its bits need."""

    def __init__(self, length: int = 64) -> None:
        JsonCodec.__init__(self, UINT)
        self.length = length

    def for_column(self, facts: ColumnFacts) -> JsonCodec:
        if facts.length is None or not 1 <= facts.length <= 64:
            return self
        return remembered((BitBytes, facts.length), BitBytes(facts.length))

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
        image = strict64(r.copy(start, start + size))
        if len(image) > 8:
            raise RefusedValueError(f"{len(image)} bytes are more than a BIT has")
        return columns.put_uint(c, row, int.from_bytes(image, "little"))

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        value = int(source.uint_at(c, row))
        if value >> self.length:
            raise RefusedValueError(f"{value} has more than {self.length} bits")
        return s.raw(b'"' + b2a_base64(value.to_bytes((self.length + 7) // 8, "little"), newline=False) + b'"')


class Wrapped(JsonCodec):
    """A BIGINT UNSIGNED as a signed number: negative from 2**63 on; reading accepts both forms."""

    def __init__(self) -> None:
        JsonCodec.__init__(self, UINT, numeric=True)

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
        value: cython.longlong
        if size and r.p[start] == 45:
            value = r.signed_digits(start, start + size, field)
            return columns.put_uint(c, row, value & 0xFFFFFFFFFFFFFFFF)
        return columns.put_uint(c, row, r.digits(start, start + size, field))

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        value: cython.ulonglong = source.uint_at(c, row)
        return s.integer(value if value < 1 << 63 else int(value) - (1 << 64))


class Year(JsonCodec):
    """A YEAR as a number. Reading also accepts text: classic TiCDC writes NULL as the declared default, whose two-digit
    years mean 1970 to 2069.
    """

    def __init__(self) -> None:
        JsonCodec.__init__(self, INT, lenient=True)

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
        year: cython.longlong = r.signed_digits(start, start + size, field)
        if year > 0 and year < 100:
            year += 2000 if year < 70 else 1900
        return columns.put_int(c, row, year)

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        return s.integer(source.int_at(c, row))


class Labels(JsonCodec):
    """An ENUM as its label, or a SET as its labels separated by commas.

    A connector writes labels as they are in the schema block's list, with backslashes before commas; where only the
    block lists the labels, rows of a snapshot have one backslash where it has two.
    """

    def __init__(self, several: bool, labels: tuple[str, ...] = ()) -> None:
        """
        Args:
            several: whether it is a SET.
            labels: labels of the column.
        """
        JsonCodec.__init__(self, UINT)
        self.several = several
        self.known = LabelNumbers(several, labels)

    def for_column(self, facts: ColumnFacts) -> JsonCodec:
        return remembered((Labels, self.several, facts.labels), Labels(self.several, facts.labels))

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
        return columns.put_uint(c, row, self.known.number_of(r.copy(start, start + size)))

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        return s.string(self.known.text_of(source.uint_at(c, row)))


class Converted(JsonCodec):
    """A value that a function converts to the column's bytes; read only."""

    def __init__(self, convert: Callable[[bytes], bytes], storage: int, lenient: cython.bint = True) -> None:
        """
        Args:
            convert: converts the value's source text; raises ValueError if it is not such a value.
            storage: how columns store the values.
            lenient: whether any JSON value is accepted; otherwise strings.
        """
        JsonCodec.__init__(self, storage, lenient=lenient, writes=False)
        self.convert = convert

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
        text: bytes = self.convert(r.copy(start, start + size))
        return columns.put_image(c, row, text)


def geometry(text: bytes) -> bytes:
    """A spatial value, from an object of its SRID and its well-known binary (WKB).

    Raises:
        ValueError: it is not such an object.
    """
    found = _WKB.search(text)
    system = _SRID.search(text)
    if found is None or text[:1] != b"{":
        raise RefusedValueError("it is no object with wkb and srid")
    return spatial(strict64(found[1]), 0 if system is None or system[1] == b"null" else int(system[1]))


def _truth(text: bytes) -> int:
    if text in (b"true", b"1"):
        return 1
    if text in (b"false", b"0"):
        return 0
    raise RefusedValueError("it is neither true nor false")


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


BOOL_BIT: Final = BoolBit()
BOOL_INT: Final = BoolInt()
BITS: Final = BitBytes()
WRAPPED: Final = Wrapped()
YEAR: Final = Year()
ENUM_LABEL: Final = Labels(False)
SET_LABELS: Final = Labels(True)
GEOMETRY: Final = Converted(geometry, BYTES)
BASE64_URL: Final = Converted(base64_url, BYTES, False)
HEXADECIMAL: Final = Converted(hexadecimal, BYTES, False)
JSON_VALUE: Final = Converted(as_written, TEXT)
FLOAT_VECTOR: Final = Converted(partial(vector, single=True), TEXT)
DOUBLE_VECTOR: Final = Converted(partial(vector, single=False), TEXT)
SCALED_DECIMAL: Final = Converted(scaled_decimal, TEXT)
