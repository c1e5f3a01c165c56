"""Numbers and text as JSON sinks format them, compared with plain Python."""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tidewire.runtime.json.sink import JsonSink

pytestmark = pytest.mark.codec


def spelled(method: str, value: object, html: bool = True) -> bytes:
    """What a sink writes of a value."""
    sink = JsonSink(html)
    getattr(sink, method)(value)
    return sink.written(0)


def plain(digits: int | str, exponent: int = 0) -> str:
    """A decimal without its exponent, and without zeros at the end of its fraction."""
    text = format(Decimal(digits).scaleb(exponent), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def single(bits: int) -> float:
    """The 32-bit float of these bits."""
    value: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return value


def shortest_single(bits: int) -> str:
    """The shortest digits of a positive 32-bit float, as they are defined: a decimal in its rounding interval."""
    value, below = Fraction(single(bits)), Fraction(single(bits - 1))
    above = Fraction(single(bits + 1)) if bits + 1 < 0x7F800000 else 2 * value - below
    low, high, even = (value + below) / 2, (value + above) / 2, bits % 2 == 0
    point = math.floor(math.log10(value)) + 2
    while Fraction(10) ** (point - 1) > value:
        point -= 1
    for digits in range(1, 10):
        unit = Fraction(10) ** (point - digits)
        first = math.floor(value / unit)
        fitting = [n for n in (first, first + 1) if low < n * unit < high or (even and n * unit in (low, high))]
        if fitting and fitting != [0]:
            return plain(min(fitting, key=lambda n: (abs(n * unit - value), n % 2)), point - digits)
    raise AssertionError(bits)


@given(st.integers(-(2**63), 2**63 - 1))
@example(-(2**63))
def test_signed_numbers(value: int) -> None:
    assert spelled("integer", value) == str(value).encode()


@given(
    st.integers(0, 2**64 - 1) | st.integers(0, 20).map(lambda n: 10**n - 1) | st.integers(0, 19).map(lambda n: 10**n)
)
def test_unsigned_numbers(value: int) -> None:
    value = min(value, 2**64 - 1)
    assert spelled("unsigned", value) == str(value).encode()


@given(
    st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(allow_nan=False, allow_infinity=False, places=4).map(float).filter(math.isfinite)
    | st.integers(-1074, 1023).map(lambda n: math.ldexp(1, n))
    | st.integers(2**52, 2**64).map(float)
)
@example(1e21)
@example(1e-7)
@example(5e-324)
@example(1.7976931348623157e308)
@example(2.0**-44)
@example(-0.0)
def test_doubles_have_the_digits_of_repr(value: float) -> None:
    assert spelled("float64", value).decode() == plain(repr(value))


@given(st.integers(1, 0x7F7FFFFF))
@example(1)
@example(0x7F7FFFFF)
@example(0x00800000)
def test_singles_have_the_shortest_digits(bits: int) -> None:
    assert spelled("float32", single(bits)).decode() == shortest_single(bits)
    assert spelled("float32", -single(bits)).decode() == "-" + shortest_single(bits)


@pytest.mark.parametrize("exponent", range(255))
def test_singles_around_powers_of_two(exponent: int) -> None:
    """Their neighbours are not equally far away."""
    for bits in (exponent << 23, (exponent << 23) | 1, ((exponent + 1) << 23) - 1):
        if 0 < bits < 0x7F800000:
            assert spelled("float32", single(bits)).decode() == shortest_single(bits)


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (-0.0, "-0"), (3.14, "3.14"), (-2.7182818284, "-2.7182817"), (1e21, "1" + 21 * "0")]
)
def test_some_singles(value: float, text: str) -> None:
    assert spelled("float32", value).decode() == text


@pytest.mark.parametrize("method", ["float32", "float64"])
@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_what_has_no_digits(method: str, value: float) -> None:
    with pytest.raises(ValueError, match="has no digits"):
        spelled(method, value)


def test_a_double_beyond_a_single() -> None:
    with pytest.raises(ValueError, match="beyond a 32-bit float"):
        spelled("float32", 3.5e38)


# ---- text

SHORT = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 92: "\\\\"}


def escaped(data: bytes, html: bool) -> bytes:
    """The table of how Go escapes, one character after the other."""
    found, at = [], 0
    while at < len(data):
        for size in (1, 2, 3, 4):
            try:
                character = data[at : at + size].decode()
                break
            except UnicodeDecodeError:
                continue
        else:
            at += 1  # no text: it is left out, and counted
            continue
        at += len(character.encode())
        code = ord(character)
        if code in SHORT:
            found.append(SHORT[code])
        elif code < 0x20 or code in (0x2028, 0x2029) or (html and character in "&<>"):
            found.append(f"\\u{code:04x}")
        else:
            found.append(character)
    return ('"' + "".join(found) + '"').encode()


TEXTS = (
    st.binary(max_size=40)
    | st.text(max_size=40).map(str.encode)
    | st.text(alphabet='ab&<>"\\\n\t\b\u2028\u2029é漢😀', max_size=60).map(str.encode)
    | st.lists(
        st.sampled_from([b"\xed\xa0\x80", b"\xe2\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"abcdefgh", b"\xff"])
    ).map(b"".join)
)


@given(TEXTS, st.booleans())
def test_text(data: bytes, html: bool) -> None:
    assert spelled("string", data, html) == escaped(data, html)


@given(st.binary(max_size=60), st.booleans())
def test_bytes_as_code_points(data: bytes, html: bool) -> None:
    assert spelled("mapped", data, html) == escaped(data.decode("latin-1").encode(), html)


def test_all_bytes_at_every_place() -> None:
    for byte in range(256):
        for before in range(9):
            data = b"x" * before + bytes([byte]) + b"y" * 9
            assert spelled("string", data) == escaped(data, True)
            assert spelled("mapped", data) == escaped(data.decode("latin-1").encode(), True)


@pytest.mark.parametrize(("data", "count"), [(b"abc", 0), ("é".encode(), 0), (b"\xff", 1), (b"a\xed\xa0\x80b", 3)])
def test_bytes_that_are_no_text_are_counted(data: bytes, count: int) -> None:
    sink = JsonSink(True)
    sink.string(data)
    assert sink.invalid == count


def test_much_that_grows() -> None:
    assert spelled("string", b"\x01" * 100_000) == b'"' + b"\\u0001" * 100_000 + b'"'
    assert spelled("mapped", b"\xff\x01" * 50_000) == b'"' + "ÿ\\u0001".encode() * 50_000 + b'"'
    assert spelled("string", "漢\xff".encode() * 30_000) == b'"' + "漢ÿ".encode() * 30_000 + b'"'


@given(st.binary(max_size=50))
def test_base64(data: bytes) -> None:
    import base64

    assert spelled("base64", data) == b'"' + base64.b64encode(data) + b'"'
