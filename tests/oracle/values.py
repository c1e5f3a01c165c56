"""Random values, and extreme values of each type."""

from __future__ import annotations

import random
import struct

from .cases import DECIMAL, JSON

TIMES: dict[int, list[str]] = {
    7: ["0000-00-00 00:00:00", "1970-01-01 00:00:01", "2038-01-19 03:14:07.999999", "2021-11-07 01:30:00.5"],
    10: ["0000-00-00", "2020-00-00", "2021-02-30", "1000-01-01", "9999-12-31"],
    11: ["-838:59:59", "838:59:59.000000", "00:00:00", "-00:00:00.000001", "24:00:00.1"],
    12: ["0000-00-00 00:00:00", "1000-01-01 00:00:00.0", "9999-12-31 23:59:59.999999", "2021-03-28 02:30:00"],
    14: ["0000-00-00", "2024-02-29"],
    JSON: [
        *("null", '""', '"\\u0000"', '{"a": 1e400, "ü": [true, null]}', '{"": {"": ""}}', "18446744073709551615"),
        *('{"a": "b\\"c\\\\", "<&>": "\\n"}', '"{\\"a\\": \\"\\\\\\"\\"}"', "[" * 40 + "]" * 40),
    ],
    DECIMAL: ["0", "0.00", "9" * 65, "-" + "9" * 35 + "." + "9" * 30, "0." + "0" * 29 + "1", "129012.1230000"],
}
"""Texts of the types that are text."""

NAMES = [
    *("id", "ID", "val", "t", "s", "test", "a", "b", "中文列", "a.b", "`x`", " ", "<&>", "é", "e\u0301", "select"),
    *(
        "\U0001f9ea\u200d\U0001f52c",
        "\U0001f600" * 16,
        "_tidb_op",
        'q"\\',
        "\0",
        "\u2028",
        "data",
        "mysqlType",
        "_tidb",
    ),
    *("x" * 64, "表" * 64, "x" * 127, "y" * 128),
]
"""Names that schemas, tables and columns share, so that they share terms too."""

_POWERS = (0, 1, 6, 7, 8, 13, 14, 15, 16, 20, 21, 23, 24, 27, 28, 31, 32, 35, 53, 56, 62, 63, 64)
_CHARACTERS = (
    "abc \0\t\n\r\b\f\x1f\x7f\x80\x9f'\"\\/<>&%_é中文ÿ\u00a0\u2028\u2029\ufeff\ufffd\uffff\U0001f600\U0010ffff"
)
_BLOBS: tuple[bytes, ...] = (
    b"",
    b"\0",
    b"\xff",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    bytes(range(256)),
    b"\xc0\x80",
)
_BLOBS += (b"\xe4\xb8", b"\xf0\x9f\x98", b"a\xe4\xb8b", b"\xf0\x9f\x98\xe4\xb8\xad", b"<\"'&>\\")
_DOUBLES: tuple[float, ...] = (
    0.0,
    -0.0,
    0.1,
    5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    1e16,
    1e21,
    1e-7,
    0.1 + 0.2,
)
_DOUBLES += (9007199254740993.0, 1e22, 1e23, -1e308, 123456789012345680.0, 4.35, 5e-7)
_SINGLES: tuple[float, ...] = (
    0.0,
    -0.0,
    0.1,
    1.5,
    1e-45,
    1.1754944e-38,
    3.4028235e38,
    16777216.0,
    1e10,
    -2.7182818284,
    8.5899346e9,
)
GO_NAN: float = struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000001))[0]
"""The NaN that Go's strconv reads."""


def number(r: random.Random, bits: int) -> int:
    """0 to 2^bits - 1; borders of varints and of widths more often than others."""
    if r.random() < 0.5:
        power = 1 << min(bits, r.choice(_POWERS))
        return min((1 << bits) - 1, power - r.randrange(2))
    return r.getrandbits(r.randint(1, bits))


def text(r: random.Random) -> str:
    """Text of any characters."""
    if r.random() < 0.02:
        return r.choice("x\0é中\U0001f600") * r.choice((63, 64, 127, 128, 255, 8191, 8192, 20000))
    return "".join(r.choices(_CHARACTERS, k=r.choice((0, 1, 2, 5, 12, 31, 32, 40))))


def blob(r: random.Random) -> bytes:
    """Bytes, seldom UTF-8."""
    if r.random() < 0.02:
        return r.choice((b"\0", b"\xff", b"\x80")) * r.choice((63, 64, 8191, 8192))
    return r.choice(_BLOBS) if r.random() < 0.4 else r.randbytes(r.randrange(40))


def double(r: random.Random, finite: bool) -> float:
    """A double: any bits, but of the NaNs only the one that Go reads.

    Args:
        r: where chance comes from.
        finite: neither infinities nor NaN.
    """
    if r.random() < 0.4:
        return r.choice(_DOUBLES if finite else (*_DOUBLES, float("inf"), float("-inf"), GO_NAN))
    found: float = struct.unpack("<d", r.randbytes(8))[0]
    if finite and not abs(found) < float("inf"):
        return 1.5
    return found if found == found else GO_NAN


def single(r: random.Random, finite: bool) -> float:
    """A float32, widened."""
    data = struct.pack("<f", r.choice(_SINGLES)) if r.random() < 0.4 else r.randbytes(4)
    found: float = struct.unpack("<f", data)[0]
    return found if found == found and (not finite or abs(found) < float("inf")) else 0.0


def vector(r: random.Random) -> str:
    """A vector as TiDB writes it: shortest float32 digits, no exponent; dyadic numbers, which both round alike."""
    items = [r.choice((0.0, 1.0, -3.0, 2.5, 0.125, -1024.75, 16777216.0)) for _ in range(r.choice((0, 1, 3, 20)))]
    return "[" + ",".join(f"{item:g}" if abs(item) < 1e5 else f"{item:.0f}" for item in items) + "]"


def name(r: random.Random) -> str:
    """A name of a schema, a table or a column."""
    return r.choice(NAMES) if r.random() < 0.7 else (text(r)[:64] or "n")
