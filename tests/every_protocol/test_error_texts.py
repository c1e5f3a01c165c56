"""Error texts name the place, the text found and the expectation, for each kind of error."""

from __future__ import annotations

from typing import Any

import pytest
from craft import wire
from craft.vectors import BY_NAME
from craft.wire import Cell, Change, Statement, parts
from open_protocol.wire import VERSION, Made, cell, column, frame, insert, key, message

from tidewire import canal_json, craft, open_protocol, simple
from tidewire.runtime.errors import REASONS, DecodeError
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

BODY = {"u": {"a": column(3, 1)}}
ONE = insert(c=column(3, 1))
DEEP = b'{"x":' + b"[" * 600 + b"]" * 600 + b',"u":{}}'


def keyed(text: str) -> Made:
    """A row whose key is this text."""
    return message((text.encode(), BODY))


def valued(text: str | bytes, kind: int = 1) -> Made:
    """An event whose value is this text."""
    return message((key(kind), text.encode() if isinstance(text, str) else text))


OPEN: list[tuple[str, Made, str]] = [
    ("truncated", Made(b"", ONE.value), "key version: 8 bytes needed, 0 left"),
    ("truncated", Made(ONE.key, ONE.value[:-1]), "value 0: 31 bytes needed, 30 left"),
    ("truncated", Made(ONE.key, b"\xff" * 8 + ONE.value[8:]), "value 0: 18446744073709551615 bytes needed, 31 left"),
    ("truncated", valued("{"), "value 0: 1 bytes needed, 0 left"),
    ("const", Made((2).to_bytes(8, "big"), b""), "key version: 2 where only 1 is possible"),
    ("const", Made(b"\xff" * 8, b""), "key version: 18446744073709551615 where only 1 is possible"),
    ("enum", message((key(4), BODY)), "key 0/t: 4 is none of the values that are defined"),
    ("missing", keyed('{"scm":"s","tbl":"t","t":1}'), "key 0/ts: it is missing"),
    ("missing", keyed('{"ts":1,"scm":"s","tbl":"t"}'), "key 0/t: it is missing"),
    ("missing", keyed('{"ts":1,"scm":"s","t":1}'), "key 0/tbl: it is missing"),
    ("missing", valued('{"u":{"a":{"f":0,"v":1}}}'), "value 0/u/a/t: it is missing"),
    ("missing", valued('{"u":{"a":{"t":3,"f":0}}}'), "value 0/u/a/v: it is missing"),
    ("missing", valued('{"t":3}', 2), "value 0/q: it is missing"),
    ("missing", Made(ONE.key, ONE.value * 2), "key 1: it is missing"),
    ("missing", Made(ONE.key + ONE.key[8:], ONE.value), "value 1: it is missing"),
    ("duplicate", keyed('{"ts":1,"ts":1,"scm":"s","tbl":"t","t":1}'), "key 0/ts: given twice"),
    ("duplicate", valued('{"u":{"a":{"t":3,"t":3,"v":1}}}'), "value 0/u/a/t: given twice"),
    ("trailing", valued('{"u":{"a":{"t":3,"f":0,"v":1}}} x'), "value 0: bytes left over: 1, `x`"),
    ("trailing", valued("{}", 3), "value 0: bytes left over: 2, `{}`"),
    ("kind", valued("null"), "value 0: `null` where an object is expected"),
    ("kind", valued('{"u":[1]}'), "value 0/u: `[1]}` where an object is expected"),
    ("kind", valued('{"u":{"t":8,"f":65,"v":null}}'), "value 0/u/t: `8` where an object is expected"),
    ("kind", keyed('{"ts":"5","t":1}'), 'key 0/ts: `"5"` where a number is expected'),
    ("kind", keyed('{"ts":1,"scm":7,"t":1}'), "key 0/scm: `7` where a string is expected"),
    ("kind", keyed('{"ohk":"yes"}'), 'key 0/ohk: `"yes"` where true or false is expected'),
    ("kind", cell(3, "x"), 'value 0/u/c/v: `"x"` cannot be a value of this type'),
    ("kind", cell(15, 5), "value 0/u/c/v: `5` cannot be a value of this type"),
    ("value", cell(3, 1.5), "value 0/u/c/v: `1.5` cannot be a value of this type"),
    ("value", cell(252, "YQ", 65), 'value 0/u/c/v: `"YQ"` cannot be a value of this type'),
    ("value", cell(15, "\\q", 1), 'value 0/u/c/v: `"\\\\q"` cannot be a value of this type'),
    ("outside", cell(8, 2**64, 128), "value 0/u/c/v: `18446744073709551616` is more or less than can be held here"),
    ("outside", cell(5, b"1e400"), "value 0/u/c/v: `1e400` is more or less than can be held here"),
    ("outside", cell(3, b"9" * 99), f"value 0/u/c/v: `{'9' * 47}…` is more or less than can be held here"),
    ("outside", valued('{"u":{"a":{"t":256,"v":1}}}'), "value 0/u/a/t: `256` is out of range: 0 to 255"),
    ("outside", keyed('{"ts":-1}'), "key 0/ts: `-1` is more or less than can be held here"),
    ("utf8", keyed('{"ts":1,"scm":"a\\ud800","tbl":"t","t":1}'), "key 0/scm: `\\ud800` is not valid UTF-8"),
    ("utf8", cell(15, b'"a\xff"'), 'value 0/u/c/v: `"a\\xff"` is not valid UTF-8'),
    ("unknown", cell(200, 1), "value 0/u/c/v: `1` for a type that has no values"),
    ("syntax", valued("{'u':{}}"), "value 0: `'` is not valid here"),
    ("syntax", cell(3, b"01"), "value 0/u/c: `01` is not valid here"),
    ("syntax", cell(3, b"NaN"), "value 0/u/c/v: `NaN` is not valid here"),
    ("syntax", cell(3, b"nul"), "value 0/u/c/v: `nul}` is not valid here"),
    ("depth", valued(DEEP), "value 0: nested deeper than 512"),
]
"""Messages of Open Protocol, the kind of trouble, and what is said, between the protocol and the offset."""


def changed(old: str, new: str) -> bytes:
    """A message of Canal-JSON in which this stands instead of that."""
    text = (
        '{"id":0,"database":"d","table":"t","pkNames":["i"],"isDdl":false,"type":"INSERT","es":1,"ts":2,"sql":"",'
        '"mysqlType":{"i":"int"},"old":null,"data":[{"i":"1"}]}'
    )
    assert old in text
    return text.replace(old, new, 1).encode()


LONG = "long " * 40
CANAL: list[tuple[str, bytes, str]] = [
    ("truncated", b"", "message: 1 bytes needed, 0 left"),
    ("truncated", changed("}]}", "}]"), "message: 1 bytes needed, 0 left"),
    ("kind", b"null", "message: `null` where an object is expected"),
    ("kind", changed('"INSERT"', "5"), "type: `5` where a string is expected"),
    ("kind", changed('"es":1', '"es":"x"'), 'es: `"x"` where a number is expected'),
    ("kind", changed('"int"', "5"), "mysqlType/i: `5` where a string is expected"),
    ("kind", changed('[{"i":"1"}]', "5"), "data: `5` where an array is expected"),
    ("kind", changed('{"i":"1"}', "5"), "data: `5` where an object is expected"),
    ("unnamed", changed("INSERT", "UPSERT"), "type: `UPSERT` is none of INSERT, UPDATE, DELETE, TIDB_WATERMARK, "),
    ("unnamed", changed("INSERT", ""), 'type: `""` is none of INSERT, '),
    ("unnamed", changed("INSERT", LONG), f"type: `{LONG[:47]}…` is none of INSERT, "),
    ("missing", changed('"type":"INSERT",', ""), "type: it is missing"),
    ("missing", b'{"type":"TIDB_WATERMARK"}', "es: it is missing"),
    ("missing", changed('[{"i":"1"}]', "null"), "data: it is missing"),
    ("value", changed('"es":1', '"es":1.5'), "es: `1.5` cannot be a value of this type"),
    ("value", changed('"1"}', '"x"}'), 'data/0/i: `"x"` cannot be a value of this type'),
    ("outside", changed('"1"}', f'"{2**63}"}}'), f'data/0/i: `"{2**63}"` is more or less than can be held here'),
    ("duplicate", changed('"ts"', '"es"'), "es: given twice"),
    ("duplicate", changed('"i":"1"', '"i":"1","i":"1"'), "data/0/i: given twice"),
    ("utf8", changed('"d"', '"\\udc00"'), 'database: `"\\udc00"` is not valid UTF-8'),
    ("kind", changed('"es":1', '"es":tru'), "es: `tru` where a number is expected"),
    ("syntax", changed(":false", ":fals"), "isDdl: `fals,` is not valid here"),
    ("syntax", changed('"es":1', '"es":1 2'), "message: `2` is not valid here"),
    ("rows", changed("INSERT", "CREATE"), "data: messages of this kind have no rows, and here are some: "),
    ("count", changed("null", '[{"i":"1"},{"i":"2"}]').replace(b"INSERT", b"UPDATE"), "old: 2 where 1 are expected"),
]
"""The same of Canal-JSON."""


def spoiled(name: str, place: int, byte: int) -> bytes:
    """A message of Craft with another byte."""
    found = bytearray(BY_NAME[name].message)
    found[place] = byte
    return bytes(found)


def made(**given: Any) -> bytes:
    """A message of Craft of which parts are something else."""
    found = parts([Change("insert", 1, "s", "t", None, (Cell("i", 3, 0, 7),), None)])
    for name, value in given.items():
        setattr(found, name, value)
    return found.build()


CELL = "bodies/0/groups/0/columns/value"
INSERT = BY_NAME["insert"].message
CRAFT: list[tuple[str, bytes, str]] = [
    ("truncated", b"", "version: 1 bytes needed, 0 left (offset 0)"),
    ("const", b"\x02" + INSERT[1:], "version: 2 where only 1 is possible (offset 0)"),
    ("const", b"\xff" * 9 + b"\x01" + INSERT[1:], f"version: {2**64 - 1} where only 1 is possible (offset 0)"),
    ("range", INSERT[:-1] + b"\x7f", "sizes: 127 is out of range, at most 49 is possible (offset 50)"),
    ("truncated", INSERT[:-1] + b"\x00", "sizes/meta: 1 bytes needed, 0 left (offset 50)"),
    ("const", INSERT[:30], "sizes/meta: 4 where only 2 is possible (offset 27)"),
    ("enum", spoiled("resolved", 10, 4), "headers/event_type: 4 is none of the values that are defined (offset 14)"),
    ("term", spoiled("insert", 12, 8), "headers/schema: there is no term 4, the dictionary has 4 (offset 12)"),
    ("enum", spoiled("insert", 14, 3), "bodies/0/groups/0/kind: 3 is none of the values that are defined (offset 14)"),
    ("range", spoiled("insert", 15, 200), "bodies/0/groups/0/count: 584 is out of range, at most 10 is possible"),
    ("utf8", spoiled("insert", 26, 0xFF), f"{CELL}: `x'61ff'` is not valid UTF-8 (offset 25)"),
    ("range", spoiled("insert", 23, 3), f"{CELL}: -2 is out of range, at most 3 is possible (offset 23)"),
    ("trailing", made(gap=b"\0\1"), "terms: bytes left over: 2, `x'0001'` (offset 20)"),
    ("term", made(terms=[b"s", b"t"]), "bodies/0/groups/0/columns/name: there is no term 2, the dictionary has 2"),
    (
        "overflow",
        made(headers=b"\x80" * 10 + b"\x01" * 5),
        "headers/commit_ts: a varint of more than 64 bits",
    ),
    (
        "mixed",
        wire.write([Statement(1, "s", "t", 3, "x"), Change("insert", 1, "s", "t", None, (Cell("i", 3, 0, 7),), None)]),
        "headers/event_type: events of several types in one message",
    ),
    ("count", made(group_sizes=[]), "sizes/groups: 0 where 1 are expected (offset 6)"),
    ("value", spoiled("float 0.1", 11, 14), f"{CELL}: `x'000000a09999b9'` cannot be a value of this type (offset 12)"),
    (
        "utf8",
        wire.write([Statement(1, "s", "t", 3, "x")]).replace(b"\x03\x01x", b"\x03\x01\xff"),
        "bodies/0/query: `x'ff'` is not valid UTF-8 (offset 8)",
    ),
]
"""The same of Craft."""


COLUMN = (
    '{"name":"i","dataType":{"mysqlType":"int","charset":"binary","collate":"binary","length":11},"nullable":false,'
    '"default":null}'
)
TIMES = "".join(
    f',{{"name":"{name}","dataType":{{"mysqlType":"timestamp","charset":"binary","collate":"binary"}},"nullable":true,'
    '"default":null}'
    for name in "st"
)
TABLE = (
    '{"schema":"d","table":"t","tableID":1,"version":7,"columns":['
    + COLUMN
    + TIMES
    + '],"indexes":[{"name":"primary","unique":true,"primary":true,"nullable":false,"columns":["i"]}]}'
)
CREATE = f'{{"version":1,"type":"CREATE","sql":"x","commitTs":1,"buildTs":2,"tableSchema":{TABLE}}}'
SIMPLE_ROW = (
    '{"version":1,"database":"d","table":"t","tableID":1,"type":"INSERT","commitTs":1,"buildTs":2,"schemaVersion":7,'
    '"data":{"i":"1"}}'
)


def row(old: str, new: str) -> bytes:
    """A row of Simple in which this stands instead of that."""
    assert old in SIMPLE_ROW
    return SIMPLE_ROW.replace(old, new, 1).encode()


def statement(old: str, new: str) -> bytes:
    """The statement that describes its table, likewise."""
    assert old in CREATE
    return CREATE.replace(old, new, 1).encode()


def located(one: str, other: str) -> bytes:
    """A row with two times in these objects."""
    return row('"i":"1"', f'"i":"1","s":{one},"t":{other}')


UTC = '{"location":"UTC","value":"2026-01-01 00:00:00"}'
UNDESCRIBED = "is not described in version"
SIMPLE: list[tuple[str, bytes, str]] = [
    ("undescribed_table", row(":7", ":8"), f"schemaVersion: the table `d`.`t` {UNDESCRIBED} 8 of its columns: "),
    ("undescribed_table", row('"t"', '"u"'), f"schemaVersion: the table `d`.`u` {UNDESCRIBED} 7 of its columns: "),
    ("missing", row('"table":"t",', ""), "table: it is missing"),
    ("missing", row('"table":"t"', '"table":null'), "table: it is missing"),
    ("missing", row('"table":"t"', '"table":""'), "table: it is missing"),
    ("undescribed_table", row('"database":"d",', ""), f"schemaVersion: the table `t` {UNDESCRIBED} 7 of its columns: "),
    ("missing", row('"schemaVersion":7,', ""), "schemaVersion: it is missing"),
    ("missing", row(',"data":{"i":"1"}', ""), "data: it is missing"),
    ("missing", row('"commitTs":1,', ""), "commitTs: it is missing"),
    (
        "undescribed",
        row('"i":"1"', '"j":"1"'),
        "data/j: the description of the table has no column `j`: give the one of this row",
    ),
    ("kind", row('{"i":"1"}', '[{"i":"1"}]'), 'data: `[{"i":"1"}]}` where an object is expected'),
    ("value", row('"1"}', '"x"}'), 'data/i: `"x"` cannot be a value of this type'),
    ("duplicate", row('"i":"1"', '"i":"1","i":"1"'), "data/i: given twice"),
    ("kind", located('"2026-01-01 00:00:00"', UTC), 'data/s: `"2026-01-01 00:00:00"` where an object is expected'),
    ("missing", located('{"location":"UTC"}', UTC), "data/s: it is missing"),
    ("missing", located('{"value":"x"}', UTC), "data/s: it is missing"),
    ("duplicate", located(UTC.replace("value", "location"), UTC), "data/s: given twice"),
    ("contradiction", located(UTC, UTC.replace("UTC", "CET")), "data/t: `CET` contradicts `UTC`"),
    ("contradiction", statement('"nullable":false', '"nullable":true'), "tableSchema: table d.t columns/i/nullable: "),
    ("missing", statement('"mysqlType":"int",', ""), "tableSchema/columns/0/dataType/mysqlType: it is missing"),
    ("kind", statement('"version":7', '"version":"7"'), 'tableSchema/version: `"7"` where a whole number is expected'),
    ("kind", statement('"version":7', '"version":7.0'), "tableSchema/version: `7.0` where a whole number is expected"),
    (
        "kind",
        statement('"mysqlType":"int"', '"mysqlType":1.5'),
        "tableSchema/columns/0/dataType/mysqlType: `1.5` where a string is expected",
    ),
    ("kind", statement('"nullable":false', '"nullable":0'), "tableSchema/columns/0/nullable: `0` where true or false"),
    ("kind", statement('["i"]', '"i"'), 'tableSchema/indexes/0/columns: `"i"` where an array of texts is expected'),
    ("kind", statement(f"[{COLUMN}", f"[5,{COLUMN}"), "tableSchema/columns/0: `5` where an object is expected"),
    ("outside", statement('"version":7', '"version":-1'), "tableSchema/version: `-1` is out of range: 0 to "),
    (
        "outside",
        statement('"tableID":1', f'"tableID":{"9" * 5000}'),
        "tableSchema/tableID: `99999999999999999999999…` ",
    ),
    ("duplicate", statement('"version":7', '"version":7,"version":7'), "tableSchema/version: given twice"),
    ("value", statement('["i"]', '["z"]'), "tableSchema: table t indexes/0/columns"),
    ("kind", statement('"name":"s"', '"name":1.5'), "tableSchema/columns/1/name: `1.5` where a string is expected"),
    ("value", statement('"name":"s"', '"name":"i"'), "tableSchema: table t columns/1/name: there are two columns 'i'"),
    ("value", statement('"name":"i"', '"name":"\\ud800"'), "tableSchema/columns/0/name: it has a lone surrogate"),
    ("utf8", statement('"sql":"x"', '"sql":"\\ud800"'), 'sql: `"\\ud800"` is not valid UTF-8'),
    ("syntax", statement('"nullable":false', '"nullable":nein'), "tableSchema: `nein` is not valid here"),
]
"""The same of Simple, behind a statement that describes the table."""


@pytest.mark.parametrize(("code", "given", "text"), SIMPLE, ids=[text for _, _, text in SIMPLE])
def test_simple(code: str, given: bytes, text: str) -> None:
    tables = TableStore()
    simple.decode(CREATE.encode(), tables=tables)
    with pytest.raises(DecodeError) as caught:
        simple.decode(given, tables=tables)
    error = caught.value
    assert str(error).startswith(f"simple {text}")
    assert error.code == code


@pytest.mark.parametrize(
    ("declared", "said"), [("nosuch", "'nosuch' is no type of a column"), ("int(", "'int(' is no type of a column")]
)
def test_a_row_whose_description_has_no_type_of_tidb(declared: str, said: str) -> None:
    tables = TableStore()
    simple.decode(statement('"mysqlType":"int"', f'"mysqlType":"{declared}"'), tables=tables)
    for _ in range(2):
        with pytest.raises(DecodeError) as caught:
            simple.decode(SIMPLE_ROW.encode(), tables=tables)
        error = caught.value
        assert (error.code, error.field) == ("value", "schemaVersion")
        assert f"column `i`: {said}" in str(error)


@pytest.mark.parametrize(("code", "given", "text"), OPEN, ids=[text for _, _, text in OPEN])
def test_open_protocol(code: str, given: Made, text: str) -> None:
    with pytest.raises(DecodeError) as caught:
        open_protocol.decode(given.value, given.key)
    error = caught.value
    assert str(error).startswith(f"open-protocol {text}")
    assert str(error).endswith(f"(offset {error.offset})")
    assert error.code == code
    assert error.part == text.split()[0]


@pytest.mark.parametrize(("code", "given", "text"), CANAL, ids=[text for _, _, text in CANAL])
def test_canal_json(code: str, given: bytes, text: str) -> None:
    with pytest.raises(DecodeError) as caught:
        canal_json.decode(given)
    error = caught.value
    assert str(error).startswith(f"canal-json {text}")
    assert error.code == code


@pytest.mark.parametrize(("code", "given", "text"), CRAFT, ids=[text for _, _, text in CRAFT])
def test_craft(code: str, given: bytes, text: str) -> None:
    with pytest.raises(DecodeError) as caught:
        craft.decode(given)
    error = caught.value
    assert str(error).startswith(f"craft {text}")
    assert error.code == code


def test_a_key_that_is_not_there_is_named() -> None:
    (error,) = open_protocol.decode_batch([ONE.value], [None]).errors
    assert str(error).startswith("open-protocol key: it is missing, and is needed to know what the events are")


def test_every_kind_of_trouble_is_in_a_table() -> None:
    """But a batch of 2 GiB."""
    shown = {code for code, *_ in (*OPEN, *CANAL, *CRAFT, *SIMPLE)}
    assert {code for code, _ in REASONS} - shown == {"batch"}


@pytest.mark.parametrize("text", ["x" * 10**6, "\\n\u2028\u200b" * 9, "é" * 500, "\ufffe" * 200, "\\u001b[31m"])
def test_long_and_unseen_text_stays_one_short_line(text: str) -> None:
    with pytest.raises(DecodeError) as caught:
        canal_json.decode(changed("INSERT", text))
    assert len(str(caught.value)) < 700
    assert str(caught.value).isprintable()


def test_the_length_of_a_frame_is_no_text() -> None:
    """34 as the last byte of a length is a quote, 49 a digit."""
    for size in (34, 49):
        wrong = Made(VERSION + frame(b"null" + b" " * (size - 4)), b"")
        with pytest.raises(DecodeError) as caught:
            open_protocol.decode(wrong.value, wrong.key)
        assert str(caught.value) == "open-protocol key 0: `null` where an object is expected (offset 16)"
