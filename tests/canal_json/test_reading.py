"""The JSON values that the reader accepts and refuses, compared with a second, naive reader."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from itertools import permutations
from random import Random
from typing import Any

import flattened
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_twin import MalformedError

from canal_json.twin import flat, read
from tidewire.canal_json.decoder import Decoder
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import DecodeError

pytestmark = pytest.mark.codec


def outcomes(columns: EventColumns, count: int) -> Iterator[Any]:
    """For each of so many messages its events, or the code of its error."""
    return flattened.outcomes(flat(columns), columns, count)


def insert(declared: str, value: str, /, **more: str) -> bytes:
    """A row of one column, its value as JSON; other members as JSON too."""
    members = {
        "database": '"d"',
        "table": '"t"',
        "type": '"INSERT"',
        "es": "1",
        "ts": "2",
        "mysqlType": '{"c":' + json.dumps(declared) + "}",
        "data": '[{"c":' + value + "}]",
    }
    return ("{" + ",".join(f'"{name}":{one}' for name, one in (members | more).items()) + "}").encode(
        "utf-8", "surrogateescape"
    )


def decoded(*values: bytes, **options: Any) -> EventColumns:
    return Decoder(**options).decode(list(values))


def only(value: bytes, **options: Any) -> Any:
    """The value of the one column of the one row."""
    columns = decoded(value, **options)
    if columns.errors:
        raise columns.errors[0]
    (layout,) = columns.layouts
    return layout.arrays[0][0].as_py()


def refused(value: bytes, **options: Any) -> DecodeError:
    columns = decoded(value, **options)
    assert columns.num_events == 0 or columns.errors
    (error,) = columns.errors
    return error


VALUES: list[tuple[str, str, Any]] = [
    ("bigint", '"-9223372036854775808"', -(2**63)),
    ("bigint", '"9223372036854775807"', 2**63 - 1),
    ("bigint", "-9223372036854775808", -(2**63)),
    ("bigint", '"\\u0031\\u0032"', 12),
    ("int", '"-0"', 0),
    ("int", '"00000000000000000000000000007"', 7),
    ("bigint unsigned", '"18446744073709551615"', 2**64 - 1),
    ("bigint(20) unsigned zerofill", '"00042"', 42),
    ("bit(64)", '"18446744073709551615"', 2**64 - 1),
    ("year", '"0"', 0),
    ("double", '"1e21"', 1e21),
    ("double", '"4.9e-324"', 5e-324),
    ("double", '"1e-400"', 0.0),
    ("double", '"0.1"', 0.1),
    ("double", '"9007199254740993"', 9007199254740992.0),
    ("double", '"123456789012345678901234567890.5"', 1.2345678901234568e29),
    ("double", "-1.5", -1.5),
    ("double", '"17976931348623157' + "0" * 292 + '"', 1.7976931348623157e308),
    ("float", '"3.14"', struct.unpack("<f", struct.pack("<f", 3.14))[0]),
    ("float", '"340282350000000000000000000000000000000"', 3.4028234663852886e38),
    ("float", '"1e-45"', 1.401298464324817e-45),
    ("float", '"16777217"', 16777216.0),  # in the middle, to even
    ("float", '"16777217.0000000000000001"', 16777218.0),  # a little above it
    ("float", '"16777219"', 16777220.0),
    ("float", '"16777218.9999999999999999"', 16777218.0),
    ("varchar(3)", '""', ""),
    ("varchar(3)", '"\\ud83d\\ude00\\u00e9é\\/\\b\\f\\n\\r\\t\\"\\\\"', '😀éé/\b\f\n\r\t"\\'),
    ("varchar(3)", "null", None),
    ("decimal(10,2)", '"0.00"', "0.00"),
    ("varbinary(3)", '"\\u0000ÿ\\u00ff\x7f"', b"\0\xff\xff\x7f"),
    ("blob", '"abc"', b"abc"),
    ("enum('a','b,c','d''e')", '"2"', 2),
    ("enum('a','b,c','d''e')", '"b,c"', 2),
    ("enum('a','b,c','d''e')", '"d\'e"', 3),
    ("enum('a')", '""', 0),
    ("enum", "3", 3),
    ("set('x','y','z')", '"x,z"', 5),
    ("set('x','y','z')", '""', 0),
    ("set('x','y','z')", '"6"', 6),
    ("json", '"{\\"a\\": \\"\\\\u00e9\\"}"', '{"a": "\\u00e9"}'),
    ("geometry", "null", None),
]


@pytest.mark.parametrize(("type", "text", "expected"), VALUES)
def test_values(type: str, text: str, expected: Any) -> None:
    found = only(insert(type, text))
    assert found == expected
    assert found.__class__ is expected.__class__
    assert read(insert(type, text)) == flat(decoded(insert(type, text)))[0]


REFUSED: list[tuple[str, str, str]] = [
    ("bigint", '"18446744073709551616"', "outside"),
    ("bigint", '"-9223372036854775809"', "outside"),
    ("bigint", '"99999999999999999999999999"', "outside"),
    ("bigint unsigned", '"18446744073709551616"', "outside"),
    ("bigint unsigned", '"-1"', "outside"),
    ("int", '""', "value"),
    ("int", '"-"', "value"),
    ("int", '"--1"', "value"),
    ("int", '"+1"', "value"),
    ("int", '" 1"', "value"),
    ("int", '"1.0"', "value"),
    ("int", "1e3", "value"),
    ("int", '"99999999999999999999999999x"', "value"),
    ("double", "true", "kind"),
    ("int", "[]", "kind"),
    ("int", "01", "syntax"),
    ("int", "-", "syntax"),
    ("int", "1.", "syntax"),
    ("double", '"1e999"', "outside"),
    ("double", '"-1e999"', "outside"),
    ("double", '"nan"', "value"),
    ("double", '"inf"', "value"),
    ("double", '"0x10"', "value"),
    ("double", '"1e"', "value"),
    ("double", '".5"', "value"),
    ("double", '"1_0"', "value"),
    ("float", '"3.5e38"', "outside"),
    ("varbinary(3)", "1", "kind"),
    ("varchar(3)", '"\\ud800"', "utf8"),
    ("varchar(3)", '"\\udc00\\ud800"', "utf8"),
    ("varchar(3)", '"\\ud800\\u0041"', "utf8"),
    ("varchar(3)", '"\udcff"', "utf8"),
    ("varchar(3)", '"\udced\udca0\udc80"', "utf8"),
    ("varchar(3)", '"\\x"', "syntax"),
    ("varchar(3)", '"\\u12g4"', "syntax"),
    ("varchar(3)", '"a\tb"', "syntax"),
    ("varchar(3)", '"a\0b"', "syntax"),
    ("varbinary(3)", '"\\u0100"', "value"),
    ("varbinary(3)", '"Ā"', "value"),
    ("enum('a')", '"b"', "value"),
    ("enum", '"a"', "value"),
    ("set('x','y')", '"x,,y"', "value"),
    ("null", '"x"', "unknown"),
]


@pytest.mark.parametrize(("type", "text", "code"), REFUSED)
def test_what_is_no_value(type: str, text: str, code: str) -> None:
    value = insert(type, text)
    error = refused(value)
    assert error.code == code
    assert error.field in ("data/0/c", "mysqlType/c", "data")
    assert 0 <= error.offset < len(value)
    with pytest.raises(MalformedError):
        read(value)


def test_policies_for_text_that_is_none() -> None:
    """Raw bytes and halves of surrogate pairs; binary columns and names are never let off."""
    value = insert("varchar(9)", '"a\udcff\\ud800"')
    assert refused(value).code == "utf8"
    assert only(value, invalid_text="bytes") == b"a\xff\xed\xa0\x80"
    assert only(value, invalid_text="replace") == "a" + "\ufffd" * 4
    for policy in ("error", "bytes", "replace"):
        assert refused(insert("varbinary(9)", '"\\ud800"'), invalid_text=policy).code == "utf8"
        assert refused(insert("int", '"1"', database='"\udcff"'), invalid_text=policy).code == "utf8"


@given(st.text())
def test_any_text(text: str) -> None:
    assert only(insert("text", json.dumps(text))) == text
    assert only(insert("text", json.dumps(text, ensure_ascii=False))) == text
    for name in (json.dumps(text), json.dumps(text, ensure_ascii=False)):
        value = insert("int", "1", mysqlType=f'{{{name}:"int"}}', data=f'[{{{json.dumps(text)}:"1"}},{{{name}:null}}]')
        (layout,) = decoded(value).layouts
        assert [column.name for column in layout.columns] == [text]
        assert layout.arrays[0].to_pylist() == [1, None]


@given(st.binary())
def test_any_bytes(data: bytes) -> None:
    text = data.decode("latin-1")
    assert only(insert("blob", json.dumps(text))) == data
    assert only(insert("blob", json.dumps(text, ensure_ascii=False))) == data


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_float(number: float) -> None:
    assert struct.pack("<d", only(insert("double", f'"{number!r}"'))) == struct.pack("<d", number)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False), st.integers(-2, 2))
def test_any_float32_and_what_is_between(number: float, step: int) -> None:
    """Of texts around the middle of two neighbours the nearest is taken, whatever the nearest float64 is."""
    bits = struct.unpack("<i", struct.pack("<f", abs(number)))[0]
    after = struct.unpack("<f", struct.pack("<i", min(bits + 1, 0x7F7FFFFF)))[0]
    middle = format((number if number >= 0 else -number) / 2 + after / 2, ".200f").rstrip("0")
    texts = [middle + "0", middle + "0" * 30 + "1", middle[:-1] + "4" + "9" * 20]
    value = insert("float", f'"{texts[step % 3]}"')
    try:
        assert read(value) == flat(decoded(value))[0]
    except MalformedError:
        assert refused(value).code == "outside"


def test_members_come_in_any_order() -> None:
    """All orders of those that depend on each other."""
    members = {
        "database": '"d"',
        "table": '"t"',
        "type": '"UPDATE"',
        "pkNames": '["i"]',
        "mysqlType": '{"i":"int","v":"varchar(3)"}',
        "data": '[{"i":"1","v":"x"}]',
        "old": '[{"v":null}]',
    }
    expected = None
    values = []
    for names in permutations(members):
        text = ",".join(f'"{name}":{members[name]}' for name in names)
        values.append(f'{{"es":1,"ts":2,{text}}}'.encode())
    for found in outcomes(decoded(*values), len(values)):
        expected = expected or found
        assert found == expected
    assert expected == read(values[0])


@pytest.mark.parametrize(
    ("value", "field", "code"),
    [
        (insert("int", '"1"', type='"FOO"'), "type", "unnamed"),
        (insert("int", '"1"', type="null"), "type", "missing"),
        (insert("int", '"1"', type="1"), "type", "kind"),
        (insert("int", '"1"', es='"1"'), "es", "kind"),
        (insert("int", '"1"', es="1.0"), "es", "value"),
        (insert("int", '"1"', es="9223372036854775808"), "es", "outside"),
        (insert("int", '"1"', _tidb="{}"), "_tidb/commitTs", "missing"),
        (insert("int", '"1"', _tidb="[]"), "_tidb", "kind"),
        (insert("int", '"1"', _tidb='{"commitTs":-1}'), "_tidb/commitTs", "outside"),
        (insert("int", '"1"', _tidb='{"commitTs":1,"rowkey":"AAE"}'), "_tidb/rowkey", "value"),
        (insert("int", '"1"', _tidb='{"commitTs":1,"rowkey":"AAF="}'), "_tidb/rowkey", "value"),
        (insert("int", '"1"', _tidb='{"commitTs":1,"onlyHandleKey":1}'), "_tidb/onlyHandleKey", "kind"),
        (insert("int", '"1"', data="null"), "data", "missing"),
        (insert("int", '"1"', data="[]"), "data", "missing"),
        (insert("int", '"1"', data='"x"'), "data", "kind"),
        (insert("int", '"1"', data="[1]"), "data", "kind"),
        (insert("int", '"1"', mysqlType='{"c":"int","c":"int"}'), "mysqlType/c", "duplicate"),
        (insert("int", '"1"', mysqlType='{"c":1}'), "mysqlType/c", "kind"),
        (insert("int", '"1"', data='[{"c":"1"},{"c":"1","\\u0063":"2"}]'), "data/1/c", "duplicate"),
        (insert("int", '"1"', pkNames='["c","c"]'), "pkNames", "duplicate"),
        (insert("int", '"1"', pkNames='"c"'), "pkNames", "kind"),
        (insert("int", '"1"', type='"UPDATE"'), "old", "missing"),
        (insert("int", '"1"', type='"UPDATE"', old="[{},{}]"), "old", "count"),
        (b'{"type":"INSERT","type":"INSERT"}', "type", "duplicate"),
        (b'{"id":1,"\\u0069d":1}', "id", "duplicate"),
        (b"", "message", "truncated"),
        (b"  ", "message", "truncated"),
        (b"null", "message", "kind"),
        (b'{"type":"GTID"}x', "message", "kind"),
        (b'{"type":"GTID",}', "message", "syntax"),
        (b'{,"type":"GTID"}', "message", "syntax"),
        (b'\xef\xbb\xbf{"type":"GTID"}', "message", "kind"),
    ],
)
def test_what_is_wrong_is_said(value: bytes, field: str, code: str) -> None:
    error = refused(value)
    assert (error.field, error.code) == (field, code)
    with pytest.raises(MalformedError):
        read(value)


def test_several_objects_in_a_value() -> None:
    one = insert("int", '"1"')
    for between in (b"", b"\r\n", b"  \n", b";", b";;\n"):
        columns = decoded(one + between + one + between, terminator=";")
        assert not columns.errors
        assert columns.events["message"].to_pylist() == [0, 0]
    assert refused(one + b";" + one).code == "kind"


def test_messages_without_events() -> None:
    columns = decoded(b'{"type":"GTID","data":[]}', b'{"type":"MHEARTBEAT"}')
    assert columns.num_events == 0
    assert not columns.errors


def test_types_and_keys_may_change_without_the_names() -> None:
    """As after ALTER TABLE: from there on, and back again, in any number of batches."""
    decoder = Decoder()
    chance = Random(1)
    kinds = ["int", "bigint unsigned", "varchar(3)", "blob", "double"]
    for _ in range(30):
        values = [
            insert(chance.choice(kinds), '"7"', pkNames=chance.choice(["[]", "null", '["c"]', '["x"]', '["x","c"]']))
            for _ in range(20)
        ]
        assert list(outcomes(decoder.decode(values), 20)) == [read(value) for value in values]


def test_rows_of_many_layouts() -> None:
    """Parts of a row, in any order."""
    chance = Random(2)
    names = [f"c{k}" for k in range(12)]
    types = json.dumps({name: chance.choice(["int", "varchar(3)", "double"]) for name in names})
    values = []
    for _ in range(400):
        rows = [
            {name: str(chance.randrange(9)) for name in chance.sample(names, chance.randrange(1, 13))} for _ in range(2)
        ]
        values.append(insert("", "", mysqlType=types, data=json.dumps(rows)))
    columns = decoded(*values)
    assert list(outcomes(columns, len(values))) == [read(value) for value in values]


def test_a_bad_message_leaves_nothing_behind() -> None:
    good = insert("int", '"1"')
    bad = [
        insert("int", '"1"', data='[{"c":"1"},{"c":"x"}]'),
        insert("varchar(3)", '"1"', pkNames='["c"]', data='[{"c":"1"},{"c":1,}]'),
        insert("int", '"1"', table='"other"', data='[{"c":"1"}', es="1"),
        good + b"x",
    ]
    columns = decoded(*(one for pair in zip(bad, [good] * 4, strict=True) for one in pair))
    assert [error.message for error in columns.errors] == [0, 2, 4, 6]
    assert columns.events["message"].to_pylist() == [1, 3, 5, 7]
    assert columns.tables == [("d", "t")]
    (layout,) = columns.layouts
    assert layout.arrays[0].to_pylist() == [1, 1, 1, 1]
    layout.arrays[0].validate(full=True)


def test_many_rows_and_columns_take_as_much_as_they_are_long() -> None:
    """Nothing is quadratic, and nothing is held that is not in the message."""
    wide = {f"c{k}": "1" for k in range(20_000)}
    value = insert("", "", mysqlType=json.dumps(dict.fromkeys(wide, "int")), data=json.dumps([wide]))
    assert decoded(value).layouts[0].num_rows == 1
    rows = decoded(insert("int", "", data=json.dumps([{"c": "1"}] * 50_000)))
    assert rows.num_events == 50_000
    assert rows.layouts[0].arrays[0] == pa.array([1] * 50_000)
