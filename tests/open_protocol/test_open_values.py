"""Extreme column values of Open Protocol: TiCDC's encoding, decoding and refusals."""

from __future__ import annotations

import json

import pytest

from open_protocol.sending import ID, only, read, refused, row, sent, value_of, written
from open_protocol.wire import cell, column, insert
from tidewire.events import RowChange
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import DecodeError, EncodeError

pytestmark = pytest.mark.codec

# --- flags


@pytest.mark.parametrize("flags", [11, 65, 10, 64, 0, 255, 2**32, 2**63, 2**64 - 1])
def test_flags_are_kept_and_h_follows_from_them(flags: int) -> None:
    found = only(insert(c=column(246, "1.5", flags)))
    assert found.new.columns == (Column("c", 246, flags),) or list(found.new.columns) == [Column("c", 246, flags)]
    _, body = written(row(columns=[Column("c", 246, flags)], new={"c": "1.5"}))
    assert ("h" in json.loads(body)["u"]["c"]) == bool(flags & 2)


def test_h_says_nothing_that_flags_do_not() -> None:
    for said in (
        {"t": 3, "f": 64, "v": 1, "h": True},
        {"t": 3, "f": 64, "v": 1, "h": False},
        {"t": 3, "f": 64, "v": 1},
    ):
        assert next(iter(only(insert(c=said)).new.columns)).flags == 64


def test_columns_of_the_first_releases_have_no_flags() -> None:
    """TiCDC before 4.0.3: strings in base64, and `h` for the handle key."""
    made = insert(
        id={"t": 3, "h": True, "v": 1}, name={"t": 15, "v": "w6Q="}, b={"t": 252, "v": "YQ=="}, n={"t": 15, "v": None}
    )
    event = only(made)
    assert dict(event.new) == {"id": 1, "name": "ä", "b": "a", "n": None}
    assert [one.flags for one in event.new.columns] == [2, 0, 0, 0]


# --- strings


def test_every_byte_of_binary_strings() -> None:
    every = bytes(range(256))
    samples = [every, every[::-1], 'é\\"\a\v\u00a0\u2028😀'.encode(), b"\xc3", b"\xf0\x9f\x98", b"", b"\\x41", b"a\nb"]
    for kind in (15, 253, 254):
        for sample in samples:
            (made,) = sent(row(columns=[ID, Column("v", kind, 1)], new={"id": 1, "v": sample}))
            assert only(made).new["v"] == sample


def test_binary_strings_are_quoted_as_go_quotes_them() -> None:
    assert value_of(15, 1, b"\x89PNG\r\n\x1a\n") == r'"\\x89PNG\\r\\n\\x1a\\n"'
    assert value_of(254, 1, "é\u00a0\u2028😀\u200b".encode()) == '"é\\\\u00a0\\\\u2028😀\\\\u200b"'
    assert value_of(15, 1, b'"\\') == r'"\\\"\\\\"'
    assert only(cell(15, r"\101\377\x41\u00e9\U0001f600\a", 1)).new["c"] == b"A\xffA" + "é😀\a".encode()


@pytest.mark.parametrize(
    "quoted", ["a\\", "\\x4", "\\xg0", "\\q", "\\'", "\\400", "\\18", "\\ud800", "\\U00110000", 'a"b']
)
def test_what_go_cannot_unquote_is_refused(quoted: str) -> None:
    refused(cell(15, quoted, 1), "value", "value")


def test_strings_that_are_no_utf8() -> None:
    with pytest.raises(EncodeError, match="UTF-8"):
        written(row(new={"id": 1, "name": b"a\xff"}))
    assert value_of(252, 64, b"a\xff") == '"Yf8="'
    error = refused(cell(252, "Yf8=", 64), "utf8", "value")
    assert "c" in error.field
    assert only(cell(252, "Yf8=", 64), invalid_text="bytes").new["c"] == b"a\xff"


def test_texts_and_blobs_are_base64() -> None:
    for kind in (249, 250, 251, 252):
        assert value_of(kind, 64, "tést") == '"dMOpc3Q="'
        assert value_of(kind, 65, b"\0\xff") == '"AP8="'
        assert value_of(kind, 65, b"") == '""'
        assert value_of(kind, 65, None) == "null"
        assert only(cell(kind, "", 65)).new["c"] == b""
        assert only(cell(kind, "", 64)).new["c"] == ""
        assert only(cell(kind, None, 65)).new["c"] is None


@pytest.mark.parametrize("text", ["YQ", "YQ=", "Y", "YQ==x", "Y Q==", "YR==", "-_==", "é"])
def test_what_is_no_base64_is_refused(text: str) -> None:
    refused(cell(252, text, 65), "value", "value")


def test_html_is_escaped_by_one_of_the_producers() -> None:
    text = "<a>&\u2028\u2029\b\f\x01\x7f/"
    assert value_of(15, 64, text) == '"\\u003ca\\u003e\\u0026\\u2028\\u2029\\b\\f\\u0001\x7f/"'
    assert value_of(15, 64, text, producer="ticdc") == '"<a>&\u2028\u2029\\u0008\\u000c\\u0001\x7f/"'
    named = RowChange("insert", 1, "s<", "t&", {"<": 1}, columns=[Column("<", 3, 0)])
    assert written(named) == (
        r'{"ts":1,"scm":"s\u003c","tbl":"t\u0026","t":1}', r'{"u":{"\u003c":{"t":3,"f":0,"v":1}}}',
    )  # fmt: skip
    for producer in ("tiflow", "ticdc"):
        assert only(sent(named, producer=producer)[0]) == named


# --- numbers


def test_integers_are_exact() -> None:
    for kind, flags, value in (
        (8, 128, 2**64 - 1), (8, 0, -(2**63)), (8, 0, 2**63 - 1), (16, 128, 2**64 - 1), (248, 0, 2**63), (247, 0, 0),
        (13, 0, 2020), (13, 128, 0), (8, 128, 9007199254740993),
    ):  # fmt: skip
        assert value_of(kind, flags, value) == str(value)
        assert only(cell(kind, value, flags)).new["c"] == value


@pytest.mark.parametrize(
    ("kind", "flags", "text", "code"),
    [
        (8, 128, b"18446744073709551616", "outside"),
        (8, 128, b"-1", "outside"),
        (8, 0, b"9223372036854775808", "outside"),
        (8, 0, b"-9223372036854775809", "outside"),
        (16, 0, b"-1", "outside"),
        (8, 0, b"9" * 400, "outside"),
    ],
)
def test_integers_that_do_not_fit(kind: int, flags: int, text: bytes, code: str) -> None:
    refused(cell(kind, text, flags), code, "value")


@pytest.mark.parametrize("text", [b"1.0", b"1e2", b'"1"', b"[1]", b"{}", b"1E0", b"-0.0"])
def test_integers_have_neither_fraction_nor_exponent(text: bytes) -> None:
    for kind in (1, 2, 3, 8, 9, 13, 16, 247, 248):
        with pytest.raises(DecodeError):
            read(cell(kind, text))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"), (1e21, "1e+21"), (1e20, "100000000000000000000"), (1e-6, "0.000001"), (1e-7, "1e-7"), (-0.0, "-0"),
        (0.1, "0.1"), (1.5e300, "1.5e+300"), (5e-324, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"),
        (123456789.0, "123456789"), (9007199254740993.0, "9007199254740992"), (1e22, "1e+22"), (-1e-9, "-1e-9"),
    ],
)  # fmt: skip
def test_doubles_are_written_as_go_writes_them(value: float, text: str) -> None:
    assert value_of(5, 0, value) == text
    assert repr(only(cell(5, text.encode())).new["c"]) == repr(value)


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("3.14", "3.14"), ("1e+21", "1e+21"), ("1e-7", "1e-7"), ("0.000001", "0.000001"), ("-0", "-0"), ("0.1", "0.1"),
        ("3.4028235e+38", "3.4028235e+38"), ("1e-45", "1e-45"), ("123456789", "123456790"), ("16777217", "16777216"),
    ],
)  # fmt: skip
def test_floats_have_digits_of_their_own(text: str, again: str) -> None:
    assert value_of(4, 0, only(cell(4, text.encode())).new["c"]) == again


@pytest.mark.parametrize(("kind", "text"), [(4, b"3.4028236e38"), (4, b"1e39"), (5, b"1e309"), (5, b"-1e400")])
def test_floats_that_would_be_infinite(kind: int, text: bytes) -> None:
    refused(cell(kind, text), "outside", "value")
    with pytest.raises(EncodeError):
        value_of(kind, 0, float("inf"))
