"""Vectors, in TiDB's text form, in row checksums."""

from __future__ import annotations

import struct

from tidewire.messages.checksums.plain_crc import crc_short, single_bits
from tidewire.runtime import cython

if cython.compiled:
    from cython.cimports.tidewire.messages.checksums.crc import crc_prepare
    crc_prepare()

NO_VECTOR: cython.longlong = -1
"""In place of a state: the text is not a vector."""
EXACT: cython.ulonglong = 1 << 53
"""Integers up to this one are exact in float64, and so are the powers of ten up to the 22nd."""


def vector_state(
    state: cython.uint,
    data: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
    start: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
) -> cython.longlong:
    """The state of a CRC-32 after the bytes of a vector; `NO_VECTOR` if the text is not one.

    The bytes are the number of elements in four bytes and each element as a float32, little-endian.

    Args:
        state: the state before the vector.
        data: memory with the text.
        start: offset of the text.
        size: length of the text.
    """
    i: cython.Py_ssize_t = start + 1
    end: cython.Py_ssize_t = start + size - 1
    first: cython.Py_ssize_t
    at: cython.Py_ssize_t
    v: cython.ulonglong
    digits: cython.Py_ssize_t
    power: cython.Py_ssize_t
    exponent: cython.Py_ssize_t
    negative: cython.bint
    down: cython.bint
    value: cython.double
    count: cython.uint = 0
    if size < 2 or data[start] != 0x5B or data[end] != 0x5D:  # in brackets
        return NO_VECTOR
    if i < end:
        count = 1
        for at in range(i, end):
            if data[at] == 0x2C:
                count += 1
    state = crc_short(state, count)
    while i < end:
        first = i
        v = 0
        power = 0
        negative = data[i] == 0x2D
        if negative:
            i += 1
        at = i
        while 0x30 <= data[i] <= 0x39:
            v = v * 10 + (data[i] - 0x30)
            i += 1
        digits = i - at
        if digits == 0:
            return NO_VECTOR
        if data[i] == 0x2E:  # a point
            i += 1
            at = i
            while 0x30 <= data[i] <= 0x39:
                v = v * 10 + (data[i] - 0x30)
                i += 1
            power = at - i
            digits -= power
            if power == 0:
                return NO_VECTOR
        if data[i] | 0x20 == 0x65:  # an exponent
            i += 1
            down = data[i] == 0x2D
            if down or data[i] == 0x2B:
                i += 1
            at = i
            exponent = 0
            while 0x30 <= data[i] <= 0x39:
                if exponent < 100000:
                    exponent = exponent * 10 + (data[i] - 0x30)
                i += 1
            if i == at:
                return NO_VECTOR
            power += -exponent if down else exponent
        if digits <= 19 and v <= EXACT and -22 <= power <= 22:
            # both operands are exact, so the result is rounded only once
            value = v / power_of_ten(-power) if power < 0 else v * power_of_ten(power)
            if negative:
                value = -value
        else:
            value = float(data[first:i])
        if not fits(value):
            return NO_VECTOR
        state = crc_short(state, single_bits(value))
        if i < end:
            if data[i] != 0x2C or i + 1 == end:
                return NO_VECTOR
            i += 1
    return state


def power_of_ten(exponent: cython.Py_ssize_t) -> cython.double:
    """A power of ten that is exact in float64: 0 to 22."""
    k: cython.Py_ssize_t
    found: cython.double = 1.0
    for k in range(exponent):  # noqa: B007
        found *= 10.0
    return found


def fits(value: cython.double) -> cython.bint:
    """Whether a number rounds to a finite float32."""
    if cython.compiled:
        near: cython.float = value
        return near - near == 0
    try:
        struct.pack("<f", value)
    except OverflowError:
        return False
    return value - value == 0
