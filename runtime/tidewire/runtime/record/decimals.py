"""Decimals as bytes: the unscaled value in two's complement, big-endian; columns hold their text.

Avro's specification 1.11, "Decimal".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.errors import VALUE
from tidewire.runtime.wire.conversions import unscaled_text
from tidewire.runtime.wire.value_codec import RefusedValueError

if cython.compiled:
    from cython.cimports.libc.string import memcpy, memmove
    from cython.cimports.tidewire.runtime.record.decimal_text import (
        SHORT_ROOM,
        SHORT_SCALE,
        SHORT_SIZE,
        short_decimal_text,
    )
    from cython.cimports.tidewire.runtime.record.decimals import BILLION, LIMBS
    from cython.cimports.tidewire.runtime.wire.numerals import put_unsigned

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.record.cursor import RecordCursor
    from tidewire.runtime.record.sink import RecordSink

MOST_UNSCALED = 32
"""Maximum bytes of a decimal: 65 digits, the most that a column can have, take at most 28."""
MOST_TEXT = 256
"""Maximum characters of a decimal's text, of which all but about 80 are zeros."""
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")


# ---- bytes to text


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
    """Puts a decimal into a column as text.

    Args:
        columns: columns that receive the text.
        r: cursor with the decimal's bytes.
        start: offset of the first byte.
        size: number of bytes.
        scale: digits after the decimal point, 0 to 65.
    """
    if cython.compiled:
        end: cython.Py_ssize_t = 2 * columns.room * c + row
        pos: cython.Py_ssize_t = columns.values.i32[end]
        room: cython.Py_ssize_t = columns.cells[c].data_room - pos
        if 0 < size <= SHORT_SIZE and scale <= SHORT_SCALE and start + 8 <= r.readable and room >= SHORT_ROOM:
            pos += short_decimal_text(columns.cells[c].data + pos, r.p + start, size, scale)
            columns.values.i32[end + 1] = pos
            columns.valid[columns.room * c + row] = 1
            return 0
    if size == 0 or size > MOST_UNSCALED:
        return r.refuse(VALUE, field, start, size, f"{size} bytes", f"a decimal has 1 to {MOST_UNSCALED}")
    if cython.compiled:
        return _put_bytes(columns, c, row, r, start, size, scale)
    number = int.from_bytes(r.copy(start, start + size), "big", signed=True)
    return columns.put_image(c, row, unscaled_text(number, scale))


# ---- text to bytes


def write_decimal(
    s: RecordSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t, scale: cython.int
) -> cython.int:
    """Writes a decimal, given as text, as length-prefixed bytes, the minimum number of them.

    Digits beyond the scale are cut off as TiCDC's library does, for negative numbers toward minus infinity
    (linkedin/goavro logical_type.go).

    Args:
        scale: digits after the decimal point.

    Raises:
        ValueError: the text is not a decimal, or its unscaled value takes more than 32 bytes.
    """
    if cython.compiled:
        return _write_text(s, source, c, row, scale)
    return s.raw(decimal_bytes(source.binary(c, row), scale))


def decimal_bytes(text: bytes, scale: int) -> bytes:
    """The encoded bytes of a decimal, given as text; for interpreted code.

    Raises:
        ValueError: as `write_decimal`.
    """
    if len(text) > MOST_TEXT or _NUMBER.fullmatch(text) is None:
        raise RefusedValueError(f"{text[:40].decode(errors='replace')!r} is no decimal")
    whole, _, digits = text.partition(b".")
    number = int(whole + digits)
    number = number * 10 ** (scale - len(digits)) if len(digits) <= scale else number // 10 ** (len(digits) - scale)
    size = 1 + (number if number >= 0 else ~number).bit_length() // 8
    if size > MOST_UNSCALED:
        _refuse_number(text)
    image: bytes = number.to_bytes(size, "big", signed=True)
    return bytes([2 * size]) + image


def _refuse_text(source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
    """Raises the error of a text that is not a decimal."""
    raise RefusedValueError(f"{source.binary(c, row)[:40].decode(errors='replace')!r} is no decimal")


def _refuse_number(text: bytes) -> cython.int:
    """Raises the error of a decimal that does not fit 32 bytes."""
    shown = f"'{text[:40].decode()}...'"
    raise RefusedValueError(f"{shown} takes more than {MOST_UNSCALED} bytes, and a decimal has 65 digits")


# ---- 256-bit integers
#
# An unsigned number is up to eight limbs of 32 bits, the lowest first; the highest limb is not 0. A count of nine
# means that it does not fit. Compiled code only.

if cython.compiled:

    @cython.cfunc
    @cython.exceptval(check=False)
    def multiply_add(limbs: cython.p_uint, count: cython.int, factor: cython.uint, more: cython.uint) -> cython.int:
        """Computes number * factor + more; returns the new number of limbs."""
        k: cython.int
        carry: cython.ulonglong = more
        if count > LIMBS:
            return count
        for k in range(count):
            carry += cython.cast(cython.ulonglong, limbs[k]) * factor
            limbs[k] = cython.cast(cython.uint, carry)
            carry >>= 32
        if carry:
            limbs[count] = carry
            count += 1
        return count

    @cython.cfunc
    def _put_bytes(
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
        r: RecordCursor,
        start: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
        scale: cython.int,
    ) -> cython.int:
        """`put_decimal` of 1 to 32 bytes."""
        limbs = cython.declare(cython.uint[9])
        count: cython.int = (size + 3) // 4
        k: cython.int
        byte: cython.uint
        negative: cython.bint = r.p[start] > 127
        flipped: cython.uint = 0xFF if negative else 0
        for k in range(count):
            limbs[k] = 0
        for k in range(size):
            byte = r.p[start + size - 1 - k]
            limbs[k >> 2] |= (byte ^ flipped) << (8 * (k & 3))
        if negative:
            multiply_add(limbs, count, 1, 1)
        return _put_limbs(columns, c, row, limbs, count, negative, scale)

    @cython.cfunc
    def _put_limbs(
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
        limbs: cython.p_uint,
        count: cython.int,
        negative: cython.bint,
        scale: cython.int,
    ) -> cython.int:
        """Puts a number into a column as text with `scale` digits after the decimal point."""
        text = cython.declare(cython.uchar[96])  # 78 digits, or 66 digits, a sign and a point
        front = cython.declare(cython.uchar[24])
        at: cython.int = 96
        k: cython.int
        _k: cython.int
        rest: cython.ulonglong = 0
        nine: cython.uint
        while count > 0 and limbs[count - 1] == 0:
            count -= 1
        while count > 2:
            rest = 0
            for k in range(count - 1, -1, -1):
                rest = (rest << 32) | limbs[k]
                limbs[k] = cython.cast(cython.uint, rest // BILLION)
                rest %= BILLION
            while limbs[count - 1] == 0:
                count -= 1
            nine = cython.cast(cython.uint, rest)
            for _k in range(9):
                at -= 1
                text[at] = 48 + nine % 10
                nine //= 10
        rest = 0
        for k in range(count - 1, -1, -1):
            rest = (rest << 32) | limbs[k]
        k = put_unsigned(front, 0, rest)
        at -= k
        memcpy(text + at, front, k)
        while 96 - at <= scale:  # at least one digit before the point
            at -= 1
            text[at] = 48
        if scale:
            at -= 1
            memmove(text + at, text + at + 1, 95 - scale - at)
            text[95 - scale] = 46
        if negative:
            at -= 1
            text[at] = 45
        return columns.put_memory(c, row, text + at, 96 - at)

    @cython.cfunc
    def _write_text(
        s: RecordSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t, scale: cython.int
    ) -> cython.int:
        """`write_decimal` in compiled code."""
        limbs = cython.declare(cython.uint[9])
        text: cython.pointer(cython.const[cython.uchar]) = source.place(c, row)
        size: cython.Py_ssize_t = source.size(c, row)
        negative: cython.bint = size > 0 and text[0] == 45
        k: cython.Py_ssize_t
        _k: cython.int
        count: cython.int = 0
        digits: cython.int = 0
        behind: cython.int = -1  # digits after the point that are kept; -1 before the point
        below: cython.bint = False  # whether a digit that is cut off is not 0
        chunk: cython.uint = 0  # the last digits, at most nine, not yet in the limbs
        power: cython.uint = 1  # ten to the power of their number
        if size > MOST_TEXT:
            return _refuse_text(source, c, row)
        for k in range(1 if negative else 0, size):
            if text[k] == 46 and behind < 0 and digits and k + 1 < size:
                behind = 0
                continue
            if text[k] < 48 or text[k] > 57:
                return _refuse_text(source, c, row)
            digits += 1
            if behind == scale:
                below = below or text[k] != 48
                continue
            if behind >= 0:
                behind += 1
            chunk = chunk * 10 + text[k] - 48
            power *= 10
            if power == BILLION:
                count = multiply_add(limbs, count, power, chunk)
                chunk = 0
                power = 1
        if digits == 0:
            return _refuse_text(source, c, row)
        count = multiply_add(limbs, count, power, chunk)
        for _k in range(max(behind, 0), scale):
            count = multiply_add(limbs, count, 10, 0)
        if negative and below:
            count = multiply_add(limbs, count, 1, 1)
        if not _write_limbs(s, limbs, count, negative):
            return _refuse_number(source.binary(c, row))
        return 0

    @cython.cfunc
    def _write_limbs(s: RecordSink, limbs: cython.p_uint, count: cython.int, negative: cython.bint) -> cython.bint:
        """Writes the length and bytes of a number; returns False and writes nothing if they are too many."""
        k: cython.int
        size: cython.int
        filled: cython.uint
        if count > LIMBS:
            return False
        for k in range(count, LIMBS):
            limbs[k] = 0
        negative = negative and count > 0
        if negative:
            for k in range(LIMBS):
                limbs[k] = ~limbs[k]
            multiply_add(limbs, LIMBS, 1, 1)
        filled = 0xFF if negative else 0
        if limbs[LIMBS - 1] >> 31 != (filled & 1):
            return False
        size = 4 * min(count + 1, LIMBS)
        while size > 1 and _byte(limbs, size - 1) == filled and _byte(limbs, size - 2) >> 7 == (filled & 1):
            size -= 1
        s.reserve(s.pos + size + 1)
        s.u8[s.pos] = 2 * size
        for k in range(size):
            s.u8[s.pos + size - k] = _byte(limbs, k)
        s.pos += size + 1
        return True

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _byte(limbs: cython.p_uint, k: cython.int) -> cython.uint:
        """Byte k of a number, counted from the lowest."""
        return (limbs[k >> 2] >> (8 * (k & 3))) & 0xFF
