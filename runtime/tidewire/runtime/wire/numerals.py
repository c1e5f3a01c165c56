"""Numbers as decimal text: integers, and floats with the fewest digits that read back as the same float.

The text of a float is that of Go's FormatFloat(v, 'f', -1, 32 or 64): plain digits, never an exponent, "-0" for minus
zero. JSON numbers, as Go's encoders write them, have an exponent below 1e-6 and from 1e21 on. The locale is never used.
"""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from typing import Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Memory, Numbers
from tidewire.runtime.wire import characters as chars

if cython.compiled:
    from cython.cimports.libc.math import fabs, isfinite, signbit
    from cython.cimports.libc.string import memcpy, memset
    from cython.cimports.tidewire.runtime.wire.numerals import digits_of, high
    from cython.cimports.tidewire.runtime.wire.swar import write_unsigned

MOST_FLOAT = 344
"""Maximum bytes of a float's text: a sign, "0.", 323 zeros and 17 digits; an integer needs 20."""

MOST_TRIED: cython.int = 8
"""Digits after the point up to which a float is tried as a short decimal: floats with more are mostly long."""
_POWERS = Numbers()
"""10^0 to 10^19."""
_TENS = Numbers()
"""10^0 to 10^22 as float64, in which they are exact."""
UPPER_HALVES, LOWER_HALVES = Numbers(), Numbers()
"""10^k for k = -292 to 324, as 128-bit numbers with the highest bit set, rounded up."""


def _fill() -> None:
    """Computes the tables with exact integers."""
    at: cython.int
    powers: list[int] = [10**n for n in range(20)]
    tens: list[float] = [float(10**n) for n in range(23)]
    rounded: list[int] = [_rounded_power(n) for n in range(-292, 325)]
    _POWERS.take(len(powers))
    _TENS.take(len(tens))
    UPPER_HALVES.take(len(rounded))
    LOWER_HALVES.take(len(rounded))
    for at in range(len(powers)):
        _POWERS.u64[at] = powers[at]
    for at in range(len(tens)):
        _TENS.f64[at] = tens[at]
    for at in range(len(rounded)):
        UPPER_HALVES.u64[at] = rounded[at] >> 64
        LOWER_HALVES.u64[at] = rounded[at] & (2**64 - 1)


def _rounded_power(exponent: object) -> Any:
    """10^exponent as a 128-bit number with the highest bit set, rounded up."""
    k: Any = exponent
    power = 10 ** abs(k)
    bits = power.bit_length()
    if k < 0:
        return -(-(1 << (bits + 127)) // power)
    return power << (128 - bits) if bits <= 128 else -(-power >> (bits - 128))


_fill()


def put_unsigned(out: cython.p_uchar, at: cython.Py_ssize_t, value: cython.ulonglong) -> cython.Py_ssize_t:
    """Writes the digits of an unsigned number at `at`, at most 20 bytes; returns the offset of their end."""
    if cython.compiled:
        return write_unsigned(out, at, value)
    text = b"%d" % value
    out[at : at + len(text)] = text
    return at + len(text)


def put_integer(out: cython.p_uchar, at: cython.Py_ssize_t, value: cython.longlong) -> cython.Py_ssize_t:
    """Writes a signed number at `at`, at most 20 bytes; returns the offset of its end."""
    size: cython.ulonglong
    if cython.compiled:
        size = value
        if value < 0:
            out[at] = chars.MINUS
            at += 1
            size = 0 - size
        return write_unsigned(out, at, size)
    text = b"%d" % value
    out[at : at + len(text)] = text
    return at + len(text)


def put_float64(out: cython.p_uchar, at: cython.Py_ssize_t, value: cython.double) -> cython.Py_ssize_t:
    """Writes a float64 at `at`, at most MOST_FLOAT bytes; returns the offset of its end.

    Raises:
        ValueError: it is infinite or not a number.
    """
    if cython.compiled:
        return _put_float(out, at, value, False)
    return _put_numeral(out, at, repr(_finite(value)))


def put_float32(out: cython.p_uchar, at: cython.Py_ssize_t, value: cython.double) -> cython.Py_ssize_t:
    """Writes the float32 nearest to a float64 at `at`, at most MOST_FLOAT bytes; returns the offset of its end.

    Raises:
        ValueError: it is infinite or not a number.
    """
    narrow: cython.float
    if cython.compiled:
        narrow = cython.cast(cython.float, value)
        if isfinite(value) and not isfinite(narrow):
            raise ValueError(f"{value} is beyond a 32-bit float")
        return _put_float(out, at, narrow, True)
    return _put_numeral(out, at, _single(value))


def put_number64(
    out: cython.p_uchar, at: cython.Py_ssize_t, value: cython.double, exponent: cython.int
) -> cython.Py_ssize_t:
    """Writes a float64 as a JSON number, at most MOST_FLOAT bytes; returns the offset of its end.

    Args:
        exponent: minimum digits of an exponent, 1 or 2.

    Raises:
        ValueError: it is infinite or not a number.
    """
    size: cython.double = abs(value)
    end: cython.Py_ssize_t = put_float64(out, at, value)
    if size != 0 and (size < 1e-6 or size >= 1e21):
        return _shorten(out, at, end, exponent)
    return end


def put_number32(
    out: cython.p_uchar, at: cython.Py_ssize_t, value: cython.double, exponent: cython.int
) -> cython.Py_ssize_t:
    """`put_number64` for the float32 nearest to a float64; the limits for exponents are those of float32.

    Raises:
        ValueError: it is infinite or not a number.
    """
    size: cython.double
    end: cython.Py_ssize_t = put_float32(out, at, value)
    if cython.compiled:
        size = fabs(cython.cast(cython.float, value))
    else:
        size = abs(struct.unpack("<f", struct.pack("<f", value))[0])
    # the limits rounded to float32
    if size != 0 and (size < 9.999999974752427e-07 or size >= 1.0000000200408773e21):
        return _shorten(out, at, end, exponent)
    return end


def _shorten(
    out: cython.p_uchar, at: cython.Py_ssize_t, end: cython.Py_ssize_t, least: cython.int
) -> cython.Py_ssize_t:
    """Rewrites out[at:end], plain digits, as one digit, a point, the other digits and an exponent of at least `least`
    digits.
    """
    first: cython.Py_ssize_t
    k: cython.Py_ssize_t
    count: cython.Py_ssize_t
    exponent: cython.Py_ssize_t
    small: cython.bint
    if out[at] == chars.MINUS:
        at += 1
    small = out[at] == chars.ZERO
    if small:  # 0.000…
        first = at + 2
        while out[first] == chars.ZERO:
            first += 1
        exponent = first - at - 1
        count = end - first
        out[at] = out[first]
        for k in range(1, count):
            out[at + 1 + k] = out[first + k]
    else:
        exponent = end - at - 1
        while out[end - 1] == chars.ZERO:
            end -= 1
        count = end - at
        for k in range(count - 1, 0, -1):
            out[at + 1 + k] = out[at + k]
    if count > 1:
        out[at + 1] = chars.POINT
        at += 1
    at += count
    out[at] = chars.LOWER_E
    out[at + 1] = chars.MINUS if small else chars.PLUS
    at += 2
    if exponent < 10 and least > 1:
        out[at] = chars.ZERO
        at += 1
    return put_unsigned(out, at, exponent)


if cython.compiled:

    def _put_float(
        out: cython.p_uchar, at: cython.Py_ssize_t, value: cython.double, single: cython.bint
    ) -> cython.Py_ssize_t:
        """Writes a float's sign and digits.

        Most floats that people store are an integer n of few digits divided by a power of ten, and are found as that:
        n / 10^k is rounded once, so it is the float that the decimal reads as, as long as both are exact (n below 2^53,
        10^k up to 10^22). With n below 10^15 (for float32: 10^6) no two decimals with k digits after the point
        read as the same float, so the first k that fits has the fewest digits. Other floats take the slow path.
        """
        k: cython.int
        size: cython.double = fabs(value)
        scaled: cython.double
        most: cython.double = 1e6 if single else 1e15
        off: cython.double
        # the distance to an integer that rounding errors alone can cause
        slack: cython.double = 6e-8 if single else 4e-16
        whole: cython.longlong
        n: cython.ulonglong
        bits: cython.ulonglong = 0
        short_bits: cython.uint = 0
        narrow: cython.float
        exponent: cython.int
        fits: cython.bint
        # the implicit bit, and the stored bits of the mantissa
        hidden: cython.ulonglong = 1
        stored: cython.ulonglong
        if not isfinite(value):
            raise ValueError(f"{value} has no digits")
        if signbit(value):
            out[at] = chars.MINUS
            at += 1
        for k in range(MOST_TRIED):
            scaled = size * _TENS.f64[k]
            if scaled >= most:
                break
            whole = cython.cast(cython.longlong, scaled + 0.5)
            off = scaled - whole
            if fabs(off) > slack * scaled:
                continue
            if single:
                fits = cython.cast(cython.float, whole / _TENS.f64[k]) == cython.cast(cython.float, size)
            else:
                fits = whole / _TENS.f64[k] == size
            if fits:
                return _put_digits(out, at, whole, -k)
        if single:
            narrow = cython.cast(cython.float, size)
            memcpy(cython.address(short_bits), cython.address(narrow), 4)
            n = short_bits & 0x7FFFFF
            exponent = short_bits >> 23
            if exponent == 0:
                return _put_shortest(out, at, n, -149, False, True)
            return _put_shortest(out, at, n | 0x800000, exponent - 150, n == 0 and exponent > 1, True)
        memcpy(cython.address(bits), cython.address(size), 8)
        hidden <<= 52
        stored = hidden - 1
        n = bits & stored
        exponent = bits >> 52
        if exponent == 0:
            return _put_shortest(out, at, n, -1074, False, False)
        return _put_shortest(out, at, n | hidden, exponent - 1075, n == 0 and exponent > 1, False)

    def _put_shortest(
        out: cython.p_uchar,
        at: cython.Py_ssize_t,
        c: cython.ulonglong,
        q: cython.int,
        closer: cython.bint,
        single: cython.bint,
    ) -> cython.Py_ssize_t:
        """Writes the number c * 2^q with the fewest digits that are parsed as the same float. Of several such texts it
        writes the nearest; if two are equally near, the one with an even last digit.

        Raffaello Giulietti, "The Schubfach way to render doubles" (2021). `closer`: the next lower float is half as far
        away as the next higher one. `single`: the number is a 32-bit float.
        """
        k: cython.int = (q * 1262611 - (524031 if closer else 0)) >> 22
        h: cython.int = q + ((-k * 1741647) >> 19) + 1
        odd: cython.int = c & 1
        upper: cython.ulonglong = UPPER_HALVES.u64[292 - k]
        lower: cython.ulonglong = LOWER_HALVES.u64[292 - k]
        low: cython.ulonglong
        middle: cython.ulonglong
        top: cython.ulonglong
        s: cython.ulonglong
        ten: cython.ulonglong
        below: cython.bint
        above: cython.bint
        if single:
            # 64 bits are enough
            if lower:
                upper += 1
            low = _rounded_to_odd_single(upper, (4 * c - 2 + closer) << h)
            middle = _rounded_to_odd_single(upper, (4 * c) << h)
            top = _rounded_to_odd_single(upper, (4 * c + 2) << h)
        else:
            low = _rounded_to_odd(upper, lower, (4 * c - 2 + closer) << h)
            middle = _rounded_to_odd(upper, lower, (4 * c) << h)
            top = _rounded_to_odd(upper, lower, (4 * c + 2) << h)
        low += odd
        top -= odd
        s = middle >> 2
        if s >= 10:
            ten = s // 10
            below = low <= 40 * ten
            above = 40 * ten + 40 <= top
            if below != above:
                return _put_digits(out, at, ten + above, k + 1)
        below = low <= 4 * s
        above = 4 * s + 4 <= top
        if below != above:
            return _put_digits(out, at, s + above, k)
        ten = 4 * s + 2
        if middle > ten or (middle == ten and s & 1):
            s += 1
        return _put_digits(out, at, s, k)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _rounded_to_odd(upper: cython.ulonglong, lower: cython.ulonglong, c: cython.ulonglong) -> cython.ulonglong:
        """The upper 64 bits of a 192-bit product; the lowest bit is also set if the lower 128 bits are not negligible.
        """
        carried: cython.ulonglong = high(lower, c)
        middle: cython.ulonglong = upper * c + carried
        top: cython.ulonglong = high(upper, c) + (middle < carried)
        return top | (middle > 1)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _rounded_to_odd_single(upper: cython.ulonglong, c: cython.ulonglong) -> cython.ulonglong:
        """Like `_rounded_to_odd`, for a 96-bit product."""
        return high(upper, c) | (((upper * c) >> 32) > 1)

    def _put_digits(
        out: cython.p_uchar, at: cython.Py_ssize_t, digits: cython.ulonglong, exponent: cython.int
    ) -> cython.Py_ssize_t:
        """Writes digits * 10^exponent in plain digits."""
        whole: cython.ulonglong
        zeros: cython.int
        end: cython.Py_ssize_t
        if exponent >= 0:
            at = write_unsigned(out, at, digits)
            memset(out + at, chars.ZERO, exponent)
            return at + exponent
        while digits % 10 == 0 and exponent < 0:
            digits //= 10
            exponent += 1
        if exponent == 0:
            return write_unsigned(out, at, digits)
        zeros = -exponent - digits_of(digits, _POWERS.u64)
        if zeros < 0:
            # A one before the fraction keeps its leading zeros; the point overwrites that one.
            whole = digits // _POWERS.u64[-exponent]
            digits -= whole * _POWERS.u64[-exponent]
            at = write_unsigned(out, at, whole)
            end = write_unsigned(out, at, digits + _POWERS.u64[-exponent])
        else:
            out[at] = chars.ZERO
            at += 1
            memset(out + at + 1, chars.ZERO, zeros)
            end = write_unsigned(out, at + 1 + zeros, digits)
        out[at] = chars.POINT
        return end

else:

    def _finite(value: float) -> float:
        if not math.isfinite(value):
            raise ValueError(f"{value} has no digits")
        return value

    def _packed(value: float) -> bytes | None:
        """The bytes of the nearest float32; None if it is out of range."""
        try:
            return struct.pack("<f", value)
        except OverflowError:
            return None

    def _read(numeral: str) -> bytes | None:
        """The bytes of the float32 nearest to a numeral; rounding to a float64 first could give its neighbour."""
        value = float(numeral)
        bits = _packed(value)
        if bits is None:
            return None
        other = 2 * value - struct.unpack("<f", bits)[0]
        others = _packed(other)
        if others is not None and struct.unpack("<f", others)[0] == other != value:
            # the float64 is halfway between two float32 values, and the numeral on one side of it
            distance = Decimal(numeral) - Decimal(value)
            if distance and (distance > 0) == (other > value):
                return others
        return bits

    def _single(value: float) -> str:
        """The shortest numeral of the float32 nearest to a float64; 9 digits are always enough."""
        bits = _packed(_finite(value))
        if bits is None:
            raise ValueError(f"{value} is beyond a 32-bit float")
        (value,) = struct.unpack("<f", bits)
        for digits in range(9):
            numeral = f"{value:.{digits}e}"
            if _read(numeral) == bits:
                return numeral
            # Below a power of two floats are closer together than above it: a numeral above may read back, though
            # farther away.
            head, _, exponent = numeral.lstrip("-").partition("e")
            above = f"{int(head.replace('.', '')) + 1}e{int(exponent) - digits}"
            above = f"-{above}" if value < 0 else above
            if _read(above) == bits:
                return above
        raise AssertionError(value)

    def _put_numeral(out: memoryview, at: int, numeral: str) -> int:
        """Writes a numeral such as -1.25e-07 without its exponent."""
        digits, _, exponent = numeral.lstrip("-").partition("e")
        whole, _, fraction = digits.partition(".")
        point = len(whole) + int(exponent or 0)
        all_digits = whole + fraction
        kept = all_digits.lstrip("0")
        point -= len(all_digits) - len(kept)
        kept = kept.rstrip("0")
        if not kept:
            text = "0"
        elif point <= 0:
            text = "0." + "0" * -point + kept
        else:
            text = kept[:point].ljust(point, "0") + ("." + kept[point:] if point < len(kept) else "")
        image = (("-" if numeral.startswith("-") else "") + text).encode()
        out[at : at + len(image)] = image
        return at + len(image)


def single_digits(value: float) -> bool:
    """Whether a finite number is a float32, or has the shortest digits of one, such as 0.1."""
    text: Memory = Memory(MOST_FLOAT)
    size: cython.Py_ssize_t
    try:
        size = put_float32(text.u8, 0, value)
    except ValueError:
        return False
    near: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return near == value or float(bytes(memoryview(text.data)[:size])) == value
