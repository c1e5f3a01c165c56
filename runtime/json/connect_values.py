"""Codecs of values in messages that schema blocks describe, but for times: bits, labels, decimals, bytes, geometry."""

from __future__ import annotations

import re
from binascii import Error, a2b_base64, b2a_base64, unhexlify
from decimal import Decimal
from math import isinf
from typing import TYPE_CHECKING, Final

from tidewire.runtime.arrow.storage import BYTES, FLOAT, INT, TEXT, UINT
from tidewire.runtime.json.codec import ColumnFacts, JsonCodec

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.tidewire.runtime.json.plain_text import (
        PlainText,
        decimal_of,
        decimal_text,
        is_decimal,
        string_to_double,
    )
    from cython.cimports.tidewire.runtime.json.values import plain_digits
else:
    from tidewire.runtime.json.values import plain_digits

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.sink import JsonSink

MOST_KNOWN = 1 << 12
"""Columns whose codecs are remembered."""
MOST_DIGITS = 81
"""Of a decimal: 65 and, of one that has an exponent, zeros up to there."""
MOST_LABELS = 64
"""Of a SET: those behind have no bit."""
MOST_UNSCALED = 32
"""Bytes of the unscaled number of a decimal: 65 digits take 27."""
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WKB = re.compile(rb'"wkb"\s*:\s*"([A-Za-z0-9+/=]*)"')
_SRID = re.compile(rb'"srid"\s*:\s*([0-9]{1,9}|null)')
_known: dict[tuple[object, ...], JsonCodec] = {}


def _remembered(asked: tuple[object, ...], made: JsonCodec) -> JsonCodec:
    if len(_known) >= MOST_KNOWN:
        _known.clear()
    return _known.setdefault(asked, made)


class BoolBit(JsonCodec):
    """A BIT(1) as true or false; a reader takes 1 and 0, too."""

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
            raise ValueError(f"a BIT(1) is 0 or 1, not {value}")
        return s.raw(b"true" if value else b"false")


class BoolInt(JsonCodec):
    """A TINYINT as true or false, or a number; it is read only."""

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
        text: bytes = r.copy(start, start + size)
        if text in (b"true", b"false"):
            return columns.put_int(c, row, text == b"true")
        return columns.put_int(c, row, r.signed_digits(start, start + size, field))


class BitBytes(JsonCodec):
    """A BIT as its bytes in base64, the lowest first, as many as its bits take."""

    def __init__(self, length: int = 64) -> None:
        JsonCodec.__init__(self, UINT)
        self.length = length

    def for_column(self, facts: ColumnFacts) -> JsonCodec:
        if facts.length is None or not 1 <= facts.length <= 64:
            return self
        return _remembered((BitBytes, facts.length), BitBytes(facts.length))

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
        image = _strict64(r.copy(start, start + size))
        if len(image) > 8:
            raise ValueError(f"{len(image)} bytes are more than a BIT has")
        return columns.put_uint(c, row, int.from_bytes(image, "little"))

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        value = int(source.uint_at(c, row))
        if value >> self.length:
            raise ValueError(f"{value} has more than {self.length} bits")
        return s.raw(b'"' + b2a_base64(value.to_bytes((self.length + 7) // 8, "little"), newline=False) + b'"')


class Wrapped(JsonCodec):
    """A BIGINT UNSIGNED as a number with a sign: from 2**63 on it is negative; a reader takes both."""

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
    """A YEAR as a number; a reader takes it as a text, too, as classic TiCDC writes one for NULL: the default as it was
    declared, of which two digits are a year from 1970 to 2069.
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
    """An ENUM as its label, or a SET as its labels with commas between, by the labels of the column.

    No text at all is 0, the invalid value of an ENUM, but for an ENUM with such a label, of which it is the number.
    A connector writes labels as the list in the schema block has them, with backslashes before commas: a
    label that is not one of the column's is looked for without these; and where the block alone tells the labels, rows
    of a snapshot have one backslash where it has two.
    """

    def __init__(self, several: bool, labels: tuple[str, ...] = ()) -> None:
        """
        Args:
            several: whether it is a SET.
            labels: of the column.
        """
        JsonCodec.__init__(self, UINT)
        self.several = several
        self.labels = labels
        self.numbers: dict[bytes, int] = {}
        for position, label in enumerate(labels[:MOST_LABELS] if several else labels):
            number = 1 << position if several else position + 1
            self.numbers.setdefault(label.encode(), number)
        for text, number in list(self.numbers.items()):
            self.numbers.setdefault(text.replace(b"\\", b"\\\\").replace(b",", b"\\,"), number)
            self.numbers.setdefault(text.replace(b",", b"\\,"), number)
            self.numbers.setdefault(text.replace(b"\\", b"\\\\"), number)
            self.numbers.setdefault(text.replace(b"\\\\", b"\\"), number)

    def for_column(self, facts: ColumnFacts) -> JsonCodec:
        return _remembered((Labels, self.several, facts.labels), Labels(self.several, facts.labels))

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
        found = self.numbers.get(text)
        if found is None:
            found = self.members(text)
            if text and len(self.numbers) < MOST_KNOWN:  # no text at all is no label
                self.numbers[text] = found
        return columns.put_uint(c, row, found)

    def members(self, text: bytes) -> int:
        """What a text is that is not one label."""
        found = 0
        if text:
            for label in text.split(b",") if self.several else [text]:
                number = self.numbers.get(label)
                if number is None:
                    raise ValueError(f"{label[:40].decode(errors='replace')!r} is no label of the column")
                found |= number
        return found

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        value = int(source.uint_at(c, row))
        if self.several:
            if value >> len(self.labels):
                raise ValueError(f"{value} has bits for more than the {len(self.labels)} labels of the column")
            chosen = [label for position, label in enumerate(self.labels) if value >> position & 1]
            return s.string(",".join(chosen).encode())
        if value > len(self.labels):
            raise ValueError(f"there is no label {value}: the column has {len(self.labels)} labels")
        return s.string(self.labels[value - 1].encode() if value else b"")


class DecimalNumber(JsonCodec):
    """A decimal as a JSON number, which TiCDC writes through a double: digits can be lost.

    A reader takes all digits that there are, and adds zeros up to the column's scale.
    """

    def __init__(self, scale: int | None = None) -> None:
        JsonCodec.__init__(self, TEXT, numeric=True)
        self.scale = scale
        self.digits = -1 if scale is None else scale

    def for_column(self, facts: ColumnFacts) -> JsonCodec:
        return self if facts.scale is None else _remembered((DecimalNumber, facts.scale), DecimalNumber(facts.scale))

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
        if cython.compiled:
            out = cython.declare(PlainText)
            length: cython.Py_ssize_t = decimal_text(cython.address(out), r.p + start, size, self.digits)
            if length >= 0:
                return columns.put_memory(c, row, out.at, length)
        text: bytes = plain_digits(r.copy(start, start + size))
        if len(text) > 2 * MOST_DIGITS or b"e" in text.lower():
            raise ValueError("it has more digits than a decimal")
        whole, _, digits = text.partition(b".")
        digits = digits.rstrip(b"0") if self.scale is None or len(digits) > self.scale else digits
        if self.scale is not None:
            digits = digits.ljust(self.scale, b"0")
        return columns.put_image(c, row, whole + b"." + digits if digits else whole)

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        if cython.compiled:
            out = cython.declare(PlainText)
            value: cython.double = 0
            if decimal_of(source.place(c, row), source.size(c, row), cython.address(value)):
                return s.number64(value)
            if is_decimal(cython.address(out), source.place(c, row), source.size(c, row)):
                image: cython.p_char = cython.cast(cython.p_char, out.at)
                return s.number64(string_to_double(image, cython.NULL, cython.NULL))
        text: bytes = source.binary(c, row)
        if len(text) > 2 * MOST_DIGITS or _NUMBER.fullmatch(text) is None:
            raise ValueError(f"{text[:40].decode(errors='replace')!r} is no decimal")
        return s.number64(float(text))


class DecimalUnscaled(JsonCodec):
    """A decimal as its number without the point, big-endian in two's complement, in base64 (Kafka Connect's Decimal);
    or, as Kafka Connect's converter can write it (`decimal.format=NUMERIC`), as a JSON number. It is read only.
    """

    def __init__(self, scale: int = 0, unsigned: bool = False) -> None:
        JsonCodec.__init__(self, TEXT, lenient=True, writes=False)
        self.scale = scale

    def for_column(self, facts: ColumnFacts) -> JsonCodec:
        if facts.scale is None:
            return self
        return _remembered((DecimalUnscaled, facts.scale), DecimalUnscaled(facts.scale))

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
        if not _is_string(r, start):
            return columns.put_image(c, row, _scaled(text, self.scale))
        digits = b"%d" % _unscaled(text)
        sign: bytes = b"-" if digits[:1] == b"-" else b""
        digits = digits[len(sign) :].rjust(self.scale + 1, b"0")
        if self.scale:
            point: cython.Py_ssize_t = len(digits) - self.scale
            digits = digits[:point] + b"." + digits[point:]
        return columns.put_image(c, row, sign + digits)


class UnsignedUnscaled(JsonCodec):
    """A BIGINT UNSIGNED as Kafka Connect's Decimal of scale 0, or as a JSON number. It is read only."""

    def __init__(self) -> None:
        JsonCodec.__init__(self, UINT, lenient=True, writes=False)

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
        if not _is_string(r, start):
            return columns.put_uint(c, row, r.digits(start, start + size, field))
        value = _unscaled(r.copy(start, start + size))
        if not 0 <= value < 1 << 64:
            raise ValueError(f"{value} is no BIGINT UNSIGNED")
        return columns.put_uint(c, row, value)


class FloatNumber(JsonCodec):
    """A FLOAT or DOUBLE as Kafka Connect writes it, where what does not fit is a text, which has no value here. It is
    read only.
    """

    def __init__(self) -> None:
        JsonCodec.__init__(self, FLOAT, lenient=True, writes=False)

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
        if text in (b"Infinity", b"-Infinity", b"NaN"):
            raise ValueError("the value does not fit what Kafka Connect has for the column, and is lost")
        if _NUMBER.fullmatch(text) is None:
            raise ValueError(f"{text[:40].decode(errors='replace')!r} is no number")
        value: cython.double = float(text)
        if isinf(value):
            raise OverflowError(f"{text[:40].decode()} is beyond what a DOUBLE can be")
        return columns.put_float(c, row, value)


class Base64Url(JsonCodec):
    """Bytes in base64 with - and _, which is read only."""

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
            raise ValueError("it has + or /, where - and _ are expected: say how the connector writes bytes")
        text = text.replace(b"-", b"+").replace(b"_", b"/")
        return columns.put_image(c, row, _strict64(text + b"=" * (-len(text) % 4)))


class Hexadecimal(JsonCodec):
    """Bytes with two hexadecimal digits for each, which is read only."""

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
            raise ValueError("it has something else than pairs of hexadecimal digits") from None


class Geometry(JsonCodec):
    """A spatial value as an object of its reference system and its well-known binary form, which is read as MySQL
    stores it: four bytes of the one, little-endian, and then the other.
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
            raise ValueError("it is no object with wkb and srid")
        srid = 0 if system is None or system[1] == b"null" else int(system[1])
        return columns.put_image(c, row, srid.to_bytes(4, "little") + _strict64(found[1]))


@cython.cfunc
def _is_string(r: JsonCursor, start: cython.Py_ssize_t) -> cython.bint:
    """Whether the text there is the content of a string: a quote is before it, or it was written behind the message
    without its escapes.
    """
    return start > r.end or r.p[start - 1] == 34


def _truth(text: bytes) -> int:
    if text in (b"true", b"1"):
        return 1
    if text in (b"false", b"0"):
        return 0
    raise ValueError("it is neither true nor false")


def _strict64(text: bytes) -> bytes:
    try:
        found: bytes = a2b_base64(text, strict_mode=True) if text else b""
    except Error as error:
        raise ValueError(f"it is no base64: {error}") from None
    if b2a_base64(found, newline=False) != text:
        raise ValueError("it is no base64: bits behind its last byte are not 0")
    return found


def _unscaled(text: bytes) -> int:
    """The number that a text is in base64."""
    image = _strict64(text)
    if not 0 < len(image) <= MOST_UNSCALED:
        raise ValueError(f"{len(image)} bytes are no decimal: 1 to {MOST_UNSCALED} are")
    return int.from_bytes(image, "big", signed=True)


def _scaled(text: bytes, scale: int) -> bytes:
    """A JSON number with so many digits behind the point."""
    if len(text) > 2 * MOST_DIGITS or _NUMBER.fullmatch(text) is None:
        raise ValueError(f"{text[:40].decode(errors='replace')!r} is no decimal")
    value = Decimal(text.decode())
    if value.adjusted() > MOST_DIGITS or value.adjusted() < -MOST_DIGITS:
        raise ValueError("it has more digits than a decimal")
    return format(value, f".{scale}f").encode()


BOOL_BIT: Final = BoolBit()
BOOL_INT: Final = BoolInt()
BITS: Final = BitBytes()
WRAPPED: Final = Wrapped()
YEAR: Final = Year()
ENUM_LABEL: Final = Labels(False)
SET_LABELS: Final = Labels(True)
DECIMAL_NUMBER: Final = DecimalNumber()
DECIMAL_UNSCALED: Final = DecimalUnscaled()
UNSIGNED_UNSCALED: Final = UnsignedUnscaled()
FLOAT_NUMBER: Final = FloatNumber()
GEOMETRY: Final = Geometry()
BASE64_URL: Final = Base64Url()
HEXADECIMAL: Final = Hexadecimal()
