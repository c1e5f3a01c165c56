"""Fast paths for common values in compiled code, compared with Python's floats, decimals, dates and JSON."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debezium.blocks import ID as ID_FIELD
from debezium.blocks import KEY, NAME, Field, field, message
from tidewire import debezium
from tidewire.events import Column, RowChange
from tidewire.runtime.errors import EncodeError

pytestmark = pytest.mark.codec

NULLABLE = 0x40
ID = Column("id", 3, 0x02)
DECIMAL, DATE, DATETIME, VARCHAR, DOUBLE, BIGINT, UNSIGNED = 246, 10, 12, 15, 5, 8, 0x80
EPOCH = datetime(1970, 1, 1)

DIGITS = st.text("0123456789", min_size=1, max_size=30) | st.sampled_from(
    ["0" * 40, "9" * 19, "9" * 20, "9" * 65, "9007199254740993", "9007199254740992" + "0" * 8, "1" + "0" * 22]
)
NUMERALS = st.builds(
    lambda sign, whole, behind: f"{sign}{whole}{behind}",
    st.sampled_from(["", "-"]),
    DIGITS,
    st.just("") | DIGITS.map(lambda digits: f".{digits}"),
)
"""Decimals, with zeros where MySQL writes none, and with far more digits than it has."""


def written(column: Column, value: Any) -> str:
    """The JSON of a value in a row."""
    new = {"id": 1, "v": value}
    change = RowChange(kind="insert", commit_ts=1, schema="s", table="t", new=new, columns=[ID, column])
    (sent,) = debezium.encode([change], debezium.Options(debezium_disable_schema=True))
    assert sent.value is not None
    _, _, text = sent.value.decode().rpartition('"after":{"id":1,"v":')
    assert text.endswith("}}}")
    return text[:-3]


def digits_of(value: float) -> str:
    """The fewest digits that read back as a float."""
    return repr(value).lstrip("-").partition("e")[0].replace(".", "").strip("0")


@given(NUMERALS)
def test_decimals_are_written_as_the_nearest_double(text: str) -> None:
    if len(text.strip("-").replace(".", "").lstrip("0")) > 65 or len(text.partition(".")[2]) >= 65:
        return  # no DECIMAL has so many: tests/every_protocol/test_decimal_texts.py
    said = written(Column("v", DECIMAL, NULLABLE), text)
    assert float(said).hex() == (float(text) + 0.0).hex(), "no DECIMAL is below zero and nothing"
    assert said.lstrip("-").partition("e")[0].replace(".", "").strip("0") == digits_of(float(text)).strip("0")


@given(st.integers(0, 2**53), st.integers(0, 40), st.integers(0, 30))
def test_decimals_in_the_middle_of_two_doubles(half: int, power: int, zeros: int) -> None:
    """Their digits decide far behind the first 19."""
    middle = (2 * (half + 2**52) + 1) * 2**power
    for near in (middle, middle + 1, middle - 1):
        for text in (f"{near}.{'0' * zeros}1", f"{near}.{'0' * (zeros + 1)}", f"{near - 1}.{'9' * (zeros + 1)}"):
            if len(text) <= 66:
                assert float(written(Column("v", DECIMAL, NULLABLE), text)).hex() == float(text).hex(), text


@pytest.mark.parametrize("text", ["", "-", ".", "1.2.3", "1e", "e5", "0x1", "--1", "1,5", "1 1", "٣"])
def test_texts_that_are_no_decimal(text: str) -> None:
    with pytest.raises(EncodeError, match="is no DECIMAL"):
        written(Column("v", DECIMAL, NULLABLE), text)


@pytest.mark.parametrize(
    ("text", "number"), [(".5", "0.5"), ("5.", "5"), ("+1", "1"), (" 1", "1"), ("1 ", "1"), ("1e2", "100")]
)
def test_decimals_of_other_spellings(text: str, number: str) -> None:
    assert written(Column("v", DECIMAL, NULLABLE), text) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_doubles(value: float) -> None:
    said = written(Column("v", DOUBLE, NULLABLE), value)
    assert float(said).hex() == value.hex()
    assert said.lstrip("-").partition("e")[0].replace(".", "").strip("0") == digits_of(value)
    assert ("e" in said) == (value != 0 and not 1e-6 <= abs(value) < 1e21)
    assert not said.endswith(("e", "."))
    assert ".e" not in said


@given(st.integers(-(10**9), 10**9), st.integers(0, 12))
def test_short_decimals_as_doubles(whole: int, digits: int) -> None:
    value = whole / 10**digits
    said = written(Column("v", DOUBLE, NULLABLE), value)
    if value == 0 or abs(value) >= 1e-6:
        expected = f"{value:.{digits}f}"
        if digits:
            expected = expected.rstrip("0").rstrip(".")
        assert said == (expected if value else "0")


@given(
    st.integers(0, 2**64 - 1)
    | st.integers(0, 19).flatmap(lambda n: st.integers(max(0, 10**n - 2), min(10**n + 2, 2**64 - 1)))
)
def test_integers(value: int) -> None:
    signed = value - 2**64 if value >> 63 else value
    assert written(Column("v", BIGINT, NULLABLE), signed) == str(signed)
    assert written(Column("v", BIGINT, NULLABLE), max(-value, -(2**63))) == str(max(-value, -(2**63)))


@given(st.dates(date(100, 1, 1)))
def test_dates(day: date) -> None:
    assert written(Column("v", DATE, NULLABLE), day.isoformat()) == str((day - EPOCH.date()).days)


@given(st.datetimes(datetime(100, 1, 1)), st.sampled_from([0, 1, 2, 3]))
def test_times(moment: datetime, digits: int) -> None:
    moment = moment.replace(microsecond=moment.microsecond // 10 ** (6 - digits) * 10 ** (6 - digits))
    text = moment.isoformat(" ", "seconds") + (f".{moment.microsecond:06}"[: digits + 1] if digits else "")
    said = int(written(Column("v", DATETIME, NULLABLE), text))
    micros = (moment - EPOCH) // timedelta(microseconds=1)
    assert said in (micros, micros // 1000)


MOMENT = "2024-02-29 23:59:59.123"
SHAPE = "0000-00-00 00:00:00.000"


@given(st.integers(0, len(MOMENT) - 1), st.characters(min_codepoint=0x20, max_codepoint=0x7E))
def test_times_with_another_character(place: int, letter: str) -> None:
    text = MOMENT[:place] + letter + MOMENT[place + 1 :]
    column = Column("v", DATETIME, NULLABLE)
    if letter == MOMENT[place]:
        assert int(written(column, text)) == 1709251199123
    elif place in (4, 7, 13, 16, 19) or (SHAPE[place] == "0" and letter not in "0123456789"):
        with pytest.raises(EncodeError):
            written(column, text)


@pytest.mark.parametrize("cut", range(1, 19))
def test_times_that_are_cut(cut: int) -> None:
    text = MOMENT[: len(MOMENT) - cut]
    column = Column("v", DATETIME, NULLABLE)
    if cut in (1, 2, 4):
        assert int(written(column, text)) == 1709251199000 + int(text[20:].ljust(3, "0"))
    else:
        with pytest.raises(EncodeError):
            written(column, text)


TEXTS = st.text(max_size=80) | st.lists(
    st.sampled_from(['"', "\\", "\n", "\0", "\x1f", "\x7f", "é", "中", "😀", "\u2028", "<", "&", "a" * 15, "b" * 16]),
    max_size=24,
).map("".join)


@given(TEXTS)
def test_texts(text: str) -> None:
    said = written(Column("v", VARCHAR, NULLABLE), text)
    assert json.loads(said) == text
    inner = said[1:-1]
    assert all(c not in inner or c == "\\" for c in map(chr, range(32)))
    assert "".join(c for c in inner if ord(c) > 126) == "".join(c for c in text if ord(c) > 126)


PIECES = [b"a" * 9, "é中".encode(), b"\xff", b"\xe4\xb8", b"\xc3", b'"', b"\xed\xa0\x80", b"\xe2\x80\xa8"]


@given(st.lists(st.sampled_from(PIECES), max_size=20))
def test_texts_that_may_not_be_utf8(parts: list[bytes]) -> None:
    image = b"".join(parts)
    column = Column("v", VARCHAR, NULLABLE)
    try:
        text = image.decode()
    except UnicodeDecodeError:
        with pytest.raises((EncodeError, UnicodeDecodeError)):
            written(column, image)
    else:
        assert json.loads(written(column, text)) == text


# ---- what is read after a message that is like it

FIELDS: list[Field] = [
    field("double", None, "decimal(30,4)"),
    field("double", None, "decimal(30,0)"),
    field("double", None, "decimal"),
    field("int32", NAME + "time.Date"),
    field("int64", NAME + "time.Timestamp"),
    field("int64", NAME + "time.MicroTimestamp"),
    field("int64", NAME + "time.MicroTimestamp", "datetime(3)"),
    field("int64", NAME + "time.NanoTimestamp"),
    field("int64", NAME + "time.MicroTime"),
    field("int64", NAME + "time.MicroTime", "time(2)"),
]
FRACTIONS = st.just("") | st.text("0123456789", min_size=1, max_size=25).map(lambda digits: f".{digits}")
EXPONENTS = st.just("") | st.builds(
    lambda letter, sign, digits: f"{letter}{sign}{digits}",
    st.sampled_from("eE"),
    st.sampled_from(["", "+", "-"]),
    st.text("0123456789", min_size=1, max_size=4) | st.integers(0, 99).map(str),
)
WHOLES = st.integers(-(10**9), 10**9).map(str) | st.integers(-(2**64), 2**64).map(str) | DIGITS | st.just("-0")
NUMBERS = st.builds(lambda *parts: "".join(parts), WHOLES, FRACTIONS, EXPONENTS)
ODD = st.sampled_from(
    [
        "",
        "-",
        "+1",
        "01",
        "-01",
        ".5",
        "5.",
        "1.e5",
        "1e",
        "1e+",
        "1E5.5",
        "1 ",
        " 1",
        "\t1\n",
        '"1"',
        "null",
        "nul",
        "true",
        "1,",
        "1}",
        "1\\u0030",
        "--1",
        "0x1",
        "1_0",
        "[1]",
        "{}",
        "NaN",
        "Infinity",
        "1e400",
        "9" * 400,
        "0." + "0" * 400 + "1",
    ]
)


def told(messages: list[bytes], keys: list[bytes]) -> tuple[list[Any], list[Any]]:
    """The row of the last message, or what is wrong with it."""
    found = debezium.decode_batch(messages, keys)
    last = len(messages) - 1
    wrong = [(one.part, one.field, one.offset, one.code, one.detail) for one in found.errors if one.message == last]
    rows = [(event.new, event.columns) for event in found if isinstance(event, RowChange)]
    return [] if wrong else rows[-1:], wrong


@given(st.sampled_from(FIELDS), NUMBERS | WHOLES | ODD)
def test_numbers_are_read_alike_after_others(said: Field, text: str) -> None:
    one = message('{"id":1,"v":0}', [ID_FIELD, said])
    other = message(f'{{"id":1,"v":{text}}}', [ID_FIELD, said])
    assert told([one, one, other], [KEY, KEY, KEY]) == told([other], [KEY])


BARE = message('{"id":1,"v":null}', [ID_FIELD, field("int64")])
KEYS = st.sampled_from(
    [
        '{"payload":{"id":%s}}',
        '{"payload":{"id":%s,"b":%s}}',
        '{"payload":{"id":%s,"id":%s}}',
        '{"id":%s}',
        ' { "id" : %s } ',
        '{"payload":{"id":%s},"schema":null}',
        '{"payload":%s}',
        '{"schema":%s,"payload":%s}',
        '{"payload":{"id":%s}}{}',
        '{"payload":{"id":%s}',
        '{"payload":{"%s":1}}',
    ]
)
KEY_VALUES = st.sampled_from(
    [
        "1",
        "-5",
        "0",
        "-0",
        "01",
        "1.5",
        "1e5",
        '"a"',
        '""',
        '"\\n"',
        '"\\q"',
        '"é"',
        '"\\u00e9"',
        "null",
        "{}",
        '{"id":1}',
        "[",
        "",
        "x",
        '"',
        "1" * 30,
        '1}}{"a":{"b":1',
        '"a","b":"c"',
    ]
)


@given(KEYS, st.lists(KEY_VALUES, min_size=2, max_size=2), KEYS, st.lists(KEY_VALUES, min_size=2, max_size=2))
def test_keys_are_read_alike_after_others(form: str, values: list[str], other: str, others: list[str]) -> None:
    def key(form: str, values: list[str]) -> bytes:
        return (form % tuple(values[: form.count("%s")])).encode()

    last = key(form, values)
    for first in (key(form, ["1", "2"]), key(other, others), key(form, others), last):
        assert told([BARE, BARE, BARE], [first, first, last]) == told([BARE], [last])
