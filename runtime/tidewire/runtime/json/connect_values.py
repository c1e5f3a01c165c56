"""Codecs of values in messages with schema blocks, except times, decimals and floats: bits, years, labels, bytes,
geometry.
"""

from __future__ import annotations

import re
from binascii import Error, b2a_base64, unhexlify
from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import BYTES, INT, UINT
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.labels import LabelNumbers
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.value_codec import ColumnFacts, RefusedValueError, strict64

if TYPE_CHECKING:
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


class Base64Url(JsonCodec):
    """Bytes in URL-safe base64 (- and _); read only."""

    def __init__(self) -> None:
        JsonCodec.__init__(self, BYTES, writes=False)

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
        if b"+" in text or b"/" in text:
            raise RefusedValueError("it has + or /, where - and _ are expected")
        text = text.replace(b"-", b"+").replace(b"_", b"/")
        return columns.put_image(c, row, strict64(text + b"=" * (3 - (len(text) + 3) % 4)))


class Hexadecimal(JsonCodec):
    """Bytes as pairs of hexadecimal digits; read only."""

    def __init__(self) -> None:
        JsonCodec.__init__(self, BYTES, writes=False)

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
        try:
            return columns.put_image(c, row, unhexlify(text))
        except Error:
            raise RefusedValueError("it has something else than pairs of hexadecimal digits") from None


class Geometry(JsonCodec):
    """A spatial value as an object of its SRID and its well-known binary (WKB). It is read into MySQL's storage format:
    the SRID in four bytes, little-endian, followed by the WKB.
    """

    def __init__(self) -> None:
        JsonCodec.__init__(self, BYTES, lenient=True, writes=False)

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
        found = _WKB.search(text)
        system = _SRID.search(text)
        if found is None or text[:1] != b"{":
            raise RefusedValueError("it is no object with wkb and srid")
        srid = 0 if system is None or system[1] == b"null" else int(system[1])
        return columns.put_image(c, row, srid.to_bytes(4, "little") + strict64(found[1]))


def _truth(text: bytes) -> int:
    if text in (b"true", b"1"):
        return 1
    if text in (b"false", b"0"):
        return 0
    raise RefusedValueError("it is neither true nor false")


BOOL_BIT: Final = BoolBit()
BOOL_INT: Final = BoolInt()
BITS: Final = BitBytes()
WRAPPED: Final = Wrapped()
YEAR: Final = Year()
ENUM_LABEL: Final = Labels(False)
SET_LABELS: Final = Labels(True)
GEOMETRY: Final = Geometry()
BASE64_URL: Final = Base64Url()
HEXADECIMAL: Final = Hexadecimal()
