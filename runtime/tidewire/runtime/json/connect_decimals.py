"""Codecs of decimals and floats in messages with schema blocks."""

from __future__ import annotations

import re
from decimal import Decimal
from math import isinf
from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import FLOAT, TEXT, UINT
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.json.connect_values import remembered
from tidewire.runtime.json.values import plain_digits
from tidewire.runtime.wire.conversions import unscaled_text
from tidewire.runtime.wire.value_codec import ColumnFacts, RefusedValueError, strict64

if cython.compiled:
    from cython.cimports.tidewire.runtime.arrow.puts import put_block, put_short
    from cython.cimports.tidewire.runtime.wire.numerals import LOWER_HALVES, UPPER_HALVES, put_number64
    from cython.cimports.tidewire.runtime.wire.plain_text import (
        PlainText,
        decimal_text,
        double_of,
        is_decimal,
        number_text,
        string_to_double,
    )

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.sink import JsonSink

NO_NUMBERS: Final = (b"Infinity", b"-Infinity", b"NaN")
"""Strings that Kafka Connect's JSON has for floats that are no numbers."""
LOST: Final = "the value does not fit what Kafka Connect has for the column, and is lost"
"""The reason for which they are refused: no column of the database has such values."""
MOST_DIGITS = 81
"""Maximum digits of a decimal text: 65, plus the zeros that an exponent can stand for."""
MOST_PRECISION = 65
"""Maximum digits of a DECIMAL."""
MOST_UNSCALED = 32
"""Maximum bytes of the unscaled value of a decimal: 65 digits take 27."""
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")


class DecimalNumber(JsonCodec):
    """A decimal as a JSON number. TiCDC formats it through a float64, so digits can be lost.

    Reading keeps all digits of the number, and pads with zeros to the column's scale.
    """

    def __init__(self, scale: int | None = None) -> None:
        JsonCodec.__init__(self, TEXT, numeric=True)
        self.scale = scale
        self.digits = -1 if scale is None else scale

    def for_column(self, facts: ColumnFacts) -> JsonCodec:
        return self if facts.scale is None else remembered((DecimalNumber, facts.scale), DecimalNumber(facts.scale))

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
                return put_block(columns, c, row, out.at, length)
        text: bytes = plain_digits(r.copy(start, start + size))
        if len(text) > 2 * MOST_DIGITS or b"e" in text.lower():
            raise RefusedValueError("it has more digits than a decimal")
        whole, _, digits = text.partition(b".")
        digits = digits.rstrip(b"0") if self.scale is None or len(digits) > self.scale else digits
        if self.scale is not None:
            digits = digits.ljust(self.scale, b"0")
        return columns.put_image(c, row, whole + b"." + digits if digits else whole)

    def read_usual(
        self,
        p: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        i: cython.Py_ssize_t,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        if cython.compiled:
            text = cython.declare(PlainText)
            end: cython.Py_ssize_t = 0
            length: cython.Py_ssize_t = number_text(cython.address(text), p, i, self.digits, cython.address(end))
            if length >= 0 and put_short(columns, c, row, text.at, length):
                return end
        return -1

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        if cython.compiled and source.size(c, row) <= MOST_PRECISION:
            out = cython.declare(PlainText)
            if is_decimal(cython.address(out), source.place(c, row), source.size(c, row)):
                image: cython.p_char = cython.cast(cython.p_char, out.at)
                return s.number64(string_to_double(image, cython.NULL, cython.NULL))
        text: bytes = source.binary(c, row)
        if len(text) > 2 * MOST_DIGITS or _NUMBER.fullmatch(text) is None:
            raise RefusedValueError(f"{text[:40].decode(errors='replace')!r} is no decimal")
        value: cython.double = float(text)
        # the nearest float64 of 65 nines has 66 digits, and is exact
        if len(text.strip(b"-").replace(b".", b"")) > MOST_PRECISION and Decimal(repr(value)) != Decimal(text.decode()):
            raise RefusedValueError(f"it has more digits than a DECIMAL, which has {MOST_PRECISION} at most")
        return s.number64(value)

    def write_usual(
        self,
        s: JsonSink,
        at: cython.Py_ssize_t,
        text: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        size: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        if cython.compiled:
            value: cython.double = 0
            if double_of(text, size, UPPER_HALVES.u64, LOWER_HALVES.u64, cython.address(value)):
                return put_number64(s.u8, at, value, s.exponent)
        return -1


class DecimalUnscaled(JsonCodec):
    """A decimal in Kafka Connect's Decimal form: base64 of the unscaled value, big-endian two's complement; or a JSON
    number, as Kafka Connect's converter writes it with `decimal.format=NUMERIC`. Read only.
    """

    def __init__(self, scale: int = 0, unsigned: bool = False) -> None:
        JsonCodec.__init__(self, TEXT, lenient=True, writes=False)
        self.scale = scale

    def for_column(self, facts: ColumnFacts) -> JsonCodec:
        if facts.scale is None:
            return self
        return remembered((DecimalUnscaled, facts.scale), DecimalUnscaled(facts.scale))

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
        return columns.put_image(c, row, unscaled_text(_unscaled(text), self.scale))


class UnsignedUnscaled(JsonCodec):
    """A BIGINT UNSIGNED as Kafka Connect's Decimal of scale 0, or as a JSON number. Read only."""

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
            raise RefusedValueError(f"{value} is no BIGINT UNSIGNED")
        return columns.put_uint(c, row, value)


class FloatNumber(JsonCodec):
    """A FLOAT or DOUBLE as Kafka Connect writes it. Values that do not fit are the strings Infinity, -Infinity or NaN,
    which are refused. Read only.
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
        if text in NO_NUMBERS:
            raise RefusedValueError(LOST)
        if _NUMBER.fullmatch(text) is None:
            raise RefusedValueError(f"{text[:40].decode(errors='replace')!r} is no number")
        value: cython.double = float(text)
        if isinf(value):
            raise RefusedValueError(f"{text[:40].decode()} is beyond what a DOUBLE can be")
        return columns.put_float(c, row, value)


@cython.cfunc
def _is_string(r: JsonCursor, start: cython.Py_ssize_t) -> cython.bint:
    """Whether the text is the content of a JSON string: it follows a quote, or it was unescaped into scratch memory
    behind the message.
    """
    return start > r.end or r.p[start - 1] == 34


def _unscaled(text: bytes) -> int:
    """The signed integer that a base64 text encodes."""
    image = strict64(text)
    if not 0 < len(image) <= MOST_UNSCALED:
        raise RefusedValueError(f"{len(image)} bytes are no decimal: 1 to {MOST_UNSCALED} are")
    return int.from_bytes(image, "big", signed=True)


def _scaled(text: bytes, scale: int) -> bytes:
    """A JSON number rounded to `scale` digits after the point."""
    if len(text) > 2 * MOST_DIGITS or _NUMBER.fullmatch(text) is None:
        raise RefusedValueError(f"{text[:40].decode(errors='replace')!r} is no decimal")
    value = Decimal(text.decode())
    if value.adjusted() > MOST_DIGITS or value.adjusted() < -MOST_DIGITS:
        raise RefusedValueError("it has more digits than a decimal")
    return format(value, f".{scale}f").encode()


DECIMAL_NUMBER: Final = DecimalNumber()
DECIMAL_UNSCALED: Final = DecimalUnscaled()
UNSIGNED_UNSCALED: Final = UnsignedUnscaled()
FLOAT_NUMBER: Final = FloatNumber()
