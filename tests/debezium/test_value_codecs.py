"""Values in all forms of schema blocks, compared with Python's integers, decimals and dates."""

from __future__ import annotations

import base64
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debezium.blocks import ID, KEY, NAME, OTHER, Field, field, message
from tidewire import debezium
from tidewire.events import Column, RowChange
from tidewire.runtime.errors import EncodeError

pytestmark = pytest.mark.codec

EPOCH = datetime(1970, 1, 1)
FLAGS = {"binary": 1, "handle_key": 2, "nullable": 64, "unsigned": 128}
LABELS = st.lists(st.text(alphabet="ab ',\"é中", min_size=1, max_size=5), min_size=1, max_size=8, unique=True)
"""Without backslashes: TiCDC does not escape them, and a list in a block with one before a comma can be two lists."""


def read(said: Field, value: Any) -> Any:
    """A value of a column that a block says this of."""
    found = debezium.decode_batch([message({"id": 1, "v": value}, [ID, said])], [KEY])
    assert not found.errors, found.errors
    (event,) = found
    assert isinstance(event, RowChange)
    assert event.new is not None
    return event.new["v"]


def refused(said: Field, value: Any) -> str:
    """Why such a value cannot be."""
    found = debezium.decode_batch([message({"id": 1, "v": value}, [ID, said])], [KEY])
    (error,) = found.errors
    assert not list(found)
    return str(error)


def fraction(micros: int) -> str:
    return f".{micros:06}".rstrip("0") if micros else ""


@given(st.integers(-(10**65) + 1, 10**65 - 1), st.integers(0, 30))
def test_decimals_without_their_point(unscaled: int, scale: int) -> None:
    data = unscaled.to_bytes((unscaled.bit_length() + 8) // 8, "big", signed=True)
    said = field("bytes", OTHER + "Decimal", scale=str(scale))
    sign, digits, _ = Decimal(unscaled).as_tuple()
    assert read(said, base64.b64encode(data).decode()) == format(Decimal((sign, digits, -scale)), "f").removeprefix(
        "-" if unscaled == 0 else ""
    )


@given(st.integers(0, 2**64 - 1))
def test_unsigned_integers(value: int) -> None:
    signed = value - 2**64 if value >> 63 else value
    assert read(field("int64", None, "bigint unsigned"), signed) == value
    assert read(field("int64", None, "bigint"), signed) == signed


@given(st.integers(1, 64), st.data())
def test_bits(length: int, data: st.DataObject) -> None:
    value = data.draw(st.integers(0, 2**length - 1))
    image = value.to_bytes((length + 7) // 8, "little")
    assert read(field("bytes", NAME + "data.Bits", length=str(length)), base64.b64encode(image).decode()) == value


@given(st.dates())
def test_days(day: date) -> None:
    days = (day - EPOCH.date()).days
    assert read(field("int32", NAME + "time.Date"), days) == day.isoformat()
    assert read(field("int32", OTHER + "Date"), days) == day.isoformat()
    assert read(field("string", NAME + "time.IsoDate"), f"{day.isoformat()}Z") == day.isoformat()


@given(st.datetimes())
def test_instants(moment: datetime) -> None:
    whole, micros = moment.replace(microsecond=0).isoformat(" "), (moment - EPOCH) // timedelta(microseconds=1)
    assert read(field("int64", NAME + "time.MicroTimestamp"), micros) == whole + fraction(moment.microsecond)
    millis = moment.microsecond // 1000 * 1000
    assert read(field("int64", NAME + "time.Timestamp"), micros // 1000) == whole + fraction(millis)
    assert read(field("int64", OTHER + "Timestamp"), micros // 1000) == whole + fraction(millis)
    if abs(micros) < 2**63 // 1000:
        assert read(field("int64", NAME + "time.NanoTimestamp"), micros * 1000) == whole + fraction(moment.microsecond)


@given(st.integers(-(839 * 3600 * 10**6) + 1, 839 * 3600 * 10**6 - 1))
def test_times_of_a_day(micros: int) -> None:
    seconds, parts = divmod(abs(micros), 10**6)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    sign = "-" if micros < 0 else ""
    assert read(field("int64", NAME + "time.MicroTime"), micros) == sign + text + fraction(parts)
    assert read(field("int64", NAME + "time.NanoTime"), micros * 1000) == sign + text + fraction(parts)
    if seconds < 86400:
        assert read(field("string", NAME + "time.IsoTime"), text + fraction(parts) + "Z") == text + fraction(parts)


@given(
    st.datetimes(datetime(1971, 1, 1), datetime(2037, 1, 1)), st.integers(-14 * 60, 14 * 60), st.sampled_from([0, 3, 6])
)
def test_times_with_a_zone(moment: datetime, ahead: int, digits: int) -> None:
    moment = moment.replace(microsecond=moment.microsecond // 10 ** (6 - digits) * 10 ** (6 - digits))
    local = moment.replace(tzinfo=UTC).astimezone(timezone(timedelta(minutes=ahead)))
    point = f".{moment.microsecond:06}"[: digits + 1] if digits else ""
    offset = f"{'-' if ahead < 0 else '+'}{abs(ahead) // 60:02}:{abs(ahead) % 60:02}"
    text = f"{local:%Y-%m-%dT%H:%M:%S}{point}{offset if ahead else 'Z'}"
    assert read(field("string", NAME + "time.ZonedTimestamp"), text) == f"{moment:%Y-%m-%d %H:%M:%S}{point}"


@given(LABELS, st.data())
def test_labels(labels: list[str], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(labels)))
    column = Column("v", 247, FLAGS["nullable"], f"enum({','.join(quoted(label) for label in labels)})")
    assert again(column, number) == number


@given(LABELS, st.data())
def test_several_labels(labels: list[str], data: st.DataObject) -> None:
    labels = sorted({label.replace(",", ";") for label in labels})
    number = data.draw(st.integers(0, 2 ** len(labels) - 1))
    column = Column("v", 248, FLAGS["nullable"], f"set({','.join(quoted(label) for label in labels)})")
    assert again(column, number) == number


def quoted(label: str) -> str:
    return "'" + label.replace("\\", "\\\\").replace("'", "''") + "'"


def again(column: Column, value: Any) -> Any:
    """A value that was encoded and decoded."""
    columns = [Column("id", 3, FLAGS["handle_key"], "int"), column]
    change = RowChange("insert", 1 << 40, "s", "t", {"id": 1, "v": value}, columns=columns, sent_ms=5)
    (written,) = debezium.encode([change], debezium.Options(enable_tidb_extension=True))
    found = debezium.decode_batch([written.value], [written.key])
    assert not found.errors, found.errors
    (event,) = found
    assert isinstance(event, RowChange)
    assert event.new is not None
    return event.new["v"]


@pytest.mark.parametrize(
    ("said", "value"),
    [
        (field("bytes", OTHER + "Decimal", scale="2"), "!!"),
        (field("bytes", OTHER + "Decimal", scale="2"), ""),
        (field("bytes", OTHER + "Decimal", scale="2"), base64.b64encode(b"\x01" * 33).decode()),
        (field("bytes", NAME + "data.Bits", length="8"), base64.b64encode(b"\x01" * 9).decode()),
        (field("string", NAME + "data.Enum", allowed="a,b"), "c"),
        (field("string", NAME + "data.EnumSet", allowed="a,b"), "a,c"),
        (field("int32", NAME + "time.Date"), 2**62),
        (field("int64", NAME + "time.MicroTimestamp"), 2**63 - 1),
        (field("string", NAME + "time.ZonedTimestamp"), "2020-02-30T00:00:00Z"),
        (field("string", NAME + "time.ZonedTimestamp"), "2020-02-20"),
        (field("string", NAME + "time.ZonedTimestamp"), "2020x01x01T00:00:00Z"),
        (field("string", NAME + "time.ZonedTimestamp"), "20x0-01-01T00:00:00Z"),
        (field("string", NAME + "time.IsoDate"), "2020/01/01Z"),
        (field("string", NAME + "time.IsoDate"), "20x0-01-01Z"),
        (field("string", NAME + "time.IsoTime"), "24:00:00Z"),
        (field("string", NAME + "time.IsoDate"), "2020-13-01Z"),
        (field("bytes", NAME + "data.Bits", length="8"), "AP9="),
        (field("bytes", OTHER + "Decimal", scale="2"), "AB=="),
        (field("float", None), "Infinity"),
        (field("float", None, "double"), "Infinity"),
        (field("float", None, "double"), "-1e400"),
        (field("int64", None, "bigint"), 2**63),
        (field("int64", None, "bigint"), "x"),
        (field("boolean", None, "bit"), "maybe"),
    ],
    ids=str,
)
def test_what_is_no_value_is_refused_where_it_is(said: Field, value: Any) -> None:
    assert "after/v" in refused(said, value)


@pytest.mark.parametrize(
    ("said", "value"),
    [(field("bytes", OTHER + "Decimal", scale="2"), "18.67"), (field("bytes", OTHER + "Decimal"), "1867")],
)
def test_a_text_is_one_also_with_escapes(said: Field, value: str) -> None:
    for text in ('"B0s="', '"\\u00420s="', '"B0s\\u003d"'):
        (event,) = debezium.decode_batch([message(f'{{"id":1,"v":{text}}}', [ID, said])], [KEY])
        assert isinstance(event, RowChange)
        assert event.new == {"id": 1, "v": value}


@pytest.mark.parametrize("text", ["2020/01/01", "2020x01-01", "20x0-01-01"])
def test_what_is_no_date_is_not_written(text: str) -> None:
    for type, said in ((10, text), (12, f"{text} 00:00:00"), (7, f"{text} 00:00:00")):
        with pytest.raises(EncodeError, match="is no"):
            again(Column("v", type, FLAGS["nullable"]), said)


@pytest.mark.parametrize("second", [b'"\xff"', b'["\xed\xa0\x80"]', b'{"\xff":1}'])
def test_what_comes_twice_is_text_both_times(second: bytes) -> None:
    value = message('{"id":1,"v":"Yg==","v":"b"}', [ID, field("string", None, "varbinary")])
    (event,) = debezium.decode_batch([value], [KEY])
    assert isinstance(event, RowChange)
    assert event.new == {"id": 1, "v": b"b"}
    (error,) = debezium.decode_batch([value.replace(b'"b"', second)], [KEY]).errors
    assert error.code == "utf8"


def test_what_is_passed_of_a_point_is_text() -> None:
    value = message('{"id":1,"v":{"wkb":"AQ==","srid":7,"x":"?"}}', [ID, field("struct", NAME + "data.geometry.Point")])
    assert not debezium.decode_batch([value], [KEY]).errors
    (error,) = debezium.decode_batch([value.replace(b'"?"', b'"\xff"')], [KEY]).errors
    assert error.code == "utf8"


def test_numbers_of_a_block_can_have_any_number_of_digits() -> None:
    value = message({"id": 1}, [ID]).replace(b'"version":1', b'"version":' + b"1" * 100_000)
    assert not debezium.decode_batch([value], [KEY]).errors


def test_a_block_has_texts() -> None:
    """Half a surrogate pair is none."""
    broken = field("string", NAME + "data.Enum", "enum", allowed="x") | {"field": "\ud800"}
    (error,) = debezium.decode_batch([message({"id": 1}, [ID, broken])], [KEY]).errors
    assert "text" in str(error)
