"""Decimals as bytes: the number without its point in two's complement, the highest byte first; columns hold their text.

Avro's specification 1.11, "Decimal".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tidewire.runtime.errors import VALUE
from tidewire.runtime.wire.value_codec import RefusedValueError

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.record.cursor import RecordCursor
    from tidewire.runtime.record.sink import RecordSink

MOST_UNSCALED = 32
"""Bytes of a decimal: 65 digits take 27 of them, and a sign."""
MOST_DIGITS = 18
"""Digits that a number of 64 bits has room for, whatever they are."""
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")


def put_decimal(
    columns: Columns,
    c: cython.int,
    row: cython.Py_ssize_t,
    r: RecordCursor,
    start: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    scale: cython.int,
    field: cython.int,
) -> cython.int:
    """Puts a decimal into a column as a text.

    Args:
        columns: where to.
        c: the column.
        row: which one.
        r: has its bytes.
        start: the first of them.
        size: how many there are.
        scale: the digits behind the point.
        field: for errors.
    """
    k: cython.Py_ssize_t
    value: cython.longlong
    if size == 0 or size > MOST_UNSCALED:
        return r.refuse(VALUE, field, start, size, f"{size} bytes", f"a decimal has 1 to {MOST_UNSCALED}")
    if cython.compiled and size <= 7:
        value = r.p[start]
        if value > 127:
            value -= 256
        for k in range(start + 1, start + size):
            value = (value << 8) | r.p[k]
        return put_digits(columns, c, row, value, scale)
    number = int.from_bytes(r.copy(start, start + size), "big", signed=True)
    return columns.put_image(c, row, decimal_text(number, scale))


def decimal_text(number: int, scale: int) -> bytes:
    """A number as a text with so many of its digits behind the point."""
    digits = b"%d" % abs(number)
    if scale:
        digits = digits.rjust(scale + 1, b"0")
        digits = digits[:-scale] + b"." + digits[-scale:]
    return b"-" + digits if number < 0 else digits


def put_digits(
    columns: Columns, c: cython.int, row: cython.Py_ssize_t, value: cython.longlong, scale: cython.int
) -> cython.int:
    """The same of a number of 56 bits with a sign, at most 65 of whose digits are behind the point."""
    if not cython.compiled:
        return columns.put_image(c, row, decimal_text(value, scale))
    text = cython.declare(cython.uchar[96])  # type: ignore[valid-type]
    at: cython.int = 96
    _k: cython.int
    rest: cython.ulonglong = value if value >= 0 else -value
    if scale:
        for _k in range(scale):
            at -= 1
            text[at] = 48 + rest % 10
            rest //= 10
        at -= 1
        text[at] = 46
    while True:
        at -= 1
        text[at] = 48 + rest % 10
        rest //= 10
        if rest == 0:
            break
    if value < 0:
        at -= 1
        text[at] = 45
    return columns.put_memory(c, row, cython.address(text[at]), 96 - at)


def write_decimal(
    s: RecordSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t, scale: cython.int
) -> cython.int:
    """Writes a decimal, which is a text, behind the length of its bytes: as few as it takes.

    Digits behind the scale are cut off, as TiCDC's library does it: those of a negative number downwards
    (linkedin/goavro logical_type.go).

    Args:
        s: where to.
        source: the columns.
        c: the column.
        row: which one.
        scale: the digits behind the point.

    Raises:
        ValueError: the text is no decimal.
    """
    k: cython.Py_ssize_t
    value: cython.longlong = 0
    behind: cython.int = -1
    digits: cython.int = 0
    if cython.compiled:
        text: cython.pointer(cython.const[cython.uchar]) = source.place(c, row)  # type: ignore[valid-type]
        size: cython.Py_ssize_t = source.size(c, row)
        negative: cython.bint = size > 0 and text[0] == 45
        for k in range(1 if negative else 0, size):
            if text[k] == 46 and behind < 0 and k + 1 < size and digits:
                behind = 0
            elif 48 <= text[k] <= 57:
                value = value * 10 + text[k] - 48
                digits += 1
                if behind >= 0:
                    behind += 1
                if digits + scale > MOST_DIGITS:
                    break
            else:
                break
        else:
            if behind < 0:
                behind = 0
            if digits and behind <= scale:
                while behind < scale:
                    value *= 10
                    behind += 1
                return _write_number(s, -value if negative else value)
    return s.raw(decimal_bytes(source.binary(c, row), scale))


def _write_number(s: RecordSink, value: cython.longlong) -> cython.int:
    """A number of 64 bits with a sign as few bytes, behind how many they are."""
    size: cython.int = 1
    k: cython.int
    most: cython.longlong = 128
    while size < 8 and not -most <= value < most:
        size += 1
        most <<= 8
    s.reserve(s.pos + size + 1)
    s.u8[s.pos] = 2 * size
    for k in range(size):
        s.u8[s.pos + 1 + k] = (value >> (8 * (size - 1 - k))) & 0xFF
    s.pos += size + 1
    return 0


def decimal_bytes(text: bytes, scale: int) -> bytes:
    """A decimal, which is a text, as it is written.

    Raises:
        ValueError: the text is no decimal.
    """
    if len(text) > 256 or _NUMBER.fullmatch(text) is None:
        raise RefusedValueError(f"{text[:40].decode(errors='replace')!r} is no decimal")
    whole, _, digits = text.partition(b".")
    number = int(whole + digits)
    number = number * 10 ** (scale - len(digits)) if len(digits) <= scale else number // 10 ** (len(digits) - scale)
    size = 1
    while not -(1 << (8 * size - 1)) <= number < 1 << (8 * size - 1):
        size += 1
    image: bytes = number.to_bytes(size, "big", signed=True)
    return bytes([2 * size]) + image
