"""Values that JSON holds as text: floating-point numbers, and labels of ENUM and SET."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.errors import OUTSIDE, VALUE
from tidewire.runtime.wire import characters as chars

if cython.compiled:
    from cython.cimports.libc.math import isinf
    from cython.cimports.tidewire.runtime.wire.floats import nearest, single, string_to_double
    from cython.cimports.tidewire.runtime.wire.numerals import LOWER_HALVES, UPPER_HALVES
    from cython.cimports.tidewire.runtime.wire.swar import decimal
else:
    import re
    import struct
    from math import isinf
    _FLOAT = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tidewire.runtime.json.text import JsonText


@cython.cfunc
@cython.exceptval(check=False)
def all_digits(r: JsonText, i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether message[i:end] is one or more digits."""
    if i == end:
        return False
    while i < end:
        if r.p[i] < chars.ZERO or r.p[i] > chars.NINE:
            return False
        i += 1
    return True


def plain_digits(number: bytes) -> bytes:
    """A JSON number as MySQL writes decimals: all digits, no exponent. Exponents of more than two digits are kept: no
    DECIMAL is that long, and a short message must not become a huge value.
    """
    power = number.lower().partition(b"e")[2].lstrip(b"+-").lstrip(b"0")
    if len(power) > 2 or (b"e" not in number and b"E" not in number):
        return number
    return format(Decimal(number.decode()), "f").encode()


def label(
    r: JsonText,
    labels: Mapping[str, int] | None,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    many: cython.bint,
    field: cython.int,
) -> cython.ulonglong:
    """The 1-based index of an ENUM label, or the bits of SET labels; an empty text that is not a label is 0."""
    found: cython.ulonglong = 0
    one: cython.ulonglong = 1
    position: cython.int
    text: str = r.decoded(start, end, field)
    for label in text.split(",") if many else [text]:
        known = None if labels is None else labels.get(label)
        if known is None:
            if text:
                r.fail(VALUE, field, start, end - start, 0)
            return 0
        position = known
        found |= one << position if many else position + 1
    return found


def float64(r: JsonText, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int) -> cython.double:
    """message[start:end] as the nearest float64, independent of the locale."""
    value: cython.double
    if not cython.compiled:
        text = bytes(r.p[start:end])
        if _FLOAT.fullmatch(text) is None:
            r.fail(VALUE, field, start, end - start, 0)
        value = float(text)
    else:
        p = r.p
        i: cython.Py_ssize_t
        first: cython.Py_ssize_t
        stop: cython.p_char = cython.NULL
        value = 0
        if usual_float(r, start, False, cython.address(value)) == end:
            return value
        i = start + (p[start] == chars.MINUS)
        first = i
        while i < end and p[i] >= chars.ZERO and p[i] <= chars.NINE:
            i += 1
        if i == first:
            r.fail(VALUE, field, start, end - start, 0)
        if i < end and p[i] == chars.POINT:
            i += 1
            first = i
            while i < end and p[i] >= chars.ZERO and p[i] <= chars.NINE:
                i += 1
            if i == first:
                r.fail(VALUE, field, start, end - start, 0)
        if i < end and p[i] | chars.LOWER_CASE == chars.LOWER_E:
            i += 1
            if i < end and (p[i] == chars.PLUS or p[i] == chars.MINUS):
                i += 1
            first = i
            while i < end and p[i] >= chars.ZERO and p[i] <= chars.NINE:
                i += 1
            if i == first:
                r.fail(VALUE, field, start, end - start, 0)
        if i != end:
            r.fail(VALUE, field, start, end - start, 0)
        # without an end pointer it requires the text to end there, but unescaped text may be followed by anything
        value = string_to_double(cython.cast(cython.p_char, p + start), cython.address(stop), cython.NULL)
        if stop != cython.cast(cython.p_char, p + end):
            value = float(p[start:end])
    if isinf(value):
        r.fail(OUTSIDE, field, start, end - start, 0)
    return value


def float32(r: JsonText, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int) -> cython.double:
    """message[start:end] as the nearest float32. Rounding twice is wrong only if the nearest float64 is exactly halfway
    between two float32 values and the text is not.
    """
    value: cython.double = float64(r, start, end, field)
    near: cython.double = _nearest(value)
    other: cython.double
    if isinf(near):
        r.fail(OUTSIDE, field, start, end - start, 0)
    if near != value:
        # the other neighbour, if the float64 is halfway: at the same distance on the other side
        other = value + (value - near)
        if _nearest(other) == other and other != near:
            text = r.copy(start, end).decode()
            if Decimal(text) > Decimal(value) if other > near else Decimal(text) < Decimal(value):
                return other
    return near


if cython.compiled:

    def usual_float(
        r: JsonText, start: cython.Py_ssize_t, narrow: cython.bint, found: cython.p_double
    ) -> cython.Py_ssize_t:
        """Fast path: stores the float (float32 if `narrow`) of the JSON number at `start` in `found` and returns the
        offset of its end; -1: there is no number, or it needs the slow path.
        """
        digits: cython.ulonglong = 0
        power: cython.int = 0
        count: cython.int = 0
        end: cython.Py_ssize_t = decimal(
            r.p, start, cython.address(digits), cython.address(power), cython.address(count)
        )
        if end < 0 or count > 19 or not nearest(digits, power, UPPER_HALVES.u64, LOWER_HALVES.u64, found):
            return -1
        if narrow and not single(found):
            return -1
        if r.p[start] == chars.MINUS:
            found[0] = -found[0]
        return end

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _nearest(value: cython.double) -> cython.double:
        """The nearest float32; infinity beyond the largest one."""
        near: cython.float = cython.cast(cython.float, value)
        return near

else:

    def _nearest(value: float) -> float:
        """The nearest float32; infinity beyond the largest one."""
        try:
            near: float = struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
        return near
