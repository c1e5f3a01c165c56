"""Rows without columns are errors, unless the message states that its table has none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tidewire import canal_json, debezium, open_protocol, simple
from tidewire.events import Column, RowChange
from tidewire.runtime.errors import DecodeError, EncodeError
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

pytestmark = pytest.mark.codec

BARE = "this row has no columns, and nothing says that its table has none"
ID = {"type": "int32", "optional": False, "field": "id"}
NAME = {"type": "string", "optional": True, "field": "name"}


def canal(kind: str, data: Any, types: Any, codes: Any = None, old: Any = None) -> bytes:
    found = {
        "database": "s",
        "table": "t",
        "type": kind,
        "mysqlType": types,
        "sqlType": codes,
        "data": data,
        "old": old,
    }
    return json.dumps(found).encode()


@pytest.mark.parametrize("kind", ["INSERT", "UPDATE", "DELETE"])
@pytest.mark.parametrize("data", [{}, [{}], [{"id": "1"}, {}], [{}, {"id": "1"}]])
@pytest.mark.parametrize(("types", "codes"), [({"id": "int"}, {"id": 4}), (None, {"id": 4}), ({}, {"id": 4})])
def test_canal(kind: str, data: Any, types: Any, codes: Any) -> None:
    old = None if kind != "UPDATE" else data
    for value in (canal(kind, data, types, codes, old), canal(kind, data, types, codes, old).replace(b" ", b"")):
        found = canal_json.decode_batch(
            [canal(kind, [{"id": "1"}], {"id": "int"}, old=[{"id": "0"}] if kind == "UPDATE" else None), value]
        )
        assert [(one.field, one.detail) for one in found.errors] == [("data", BARE)]
    if kind != "DELETE":
        alone: Any = json.dumps({"type": kind, "data": data, "old": old}).encode()
        with pytest.raises(DecodeError, match=BARE):
            canal_json.decode(alone)


def test_rows_that_are_gone_of_a_table_without_a_handle_key() -> None:
    """So TiCDC writes them with delete-only-output-handle-key-columns."""
    found: list[Any] = [{}, None]
    for types in found:
        (event,) = canal_json.decode(canal("DELETE", [{}], types))
        assert isinstance(event, RowChange)
        assert event.old == {}


@pytest.mark.parametrize("kind", ["INSERT", "UPDATE", "DELETE"])
def test_classic_ticdc_says_of_a_table_that_it_has_no_columns(kind: str) -> None:
    (event,) = canal_json.decode(canal(kind, [{}], {}, old=[{}] if kind == "UPDATE" else None))
    assert isinstance(event, RowChange)
    assert dict((event.old if kind == "DELETE" else event.new) or {}) == {}
    assert event.columns == ()


def test_an_update_in_which_nothing_changed() -> None:
    events: Any = canal_json.decode_batch([canal("UPDATE", [{"id": "1"}], {"id": "int"}, old=[{}])] * 2)
    assert [(one.new, one.old) for one in events] == [({"id": 1}, {})] * 2


def connect(op: str, before: Any, after: Any, *fields: Any, block: bool = True) -> bytes:
    images = [{"type": "struct", "optional": True, "field": one, "fields": fields} for one in ("before", "after")]
    payload = {
        "before": before,
        "after": after,
        "op": op,
        "ts_ms": 1,
        "source": {"db": "s", "table": "t", "commit_ts": 5},
    }
    return json.dumps(
        {"schema": {"type": "struct", "fields": images}, "payload": payload} if block else payload
    ).encode()


DESCRIBED = TableDescription(
    "s",
    "t",
    [ColumnDescription("id", "int"), ColumnDescription("name", "varchar", length=20)],
    [IndexDescription("primary", ("id",), True, True)],
)


@pytest.mark.parametrize(
    ("op", "before", "after"),
    [("c", None, {}), ("r", None, {}), ("u", None, {}), ("u", {"id": 1}, {}), ("d", {}, None)],
)
def test_debezium(op: str, before: Any, after: Any) -> None:
    for value in (connect(op, before, after, ID), connect(op, before, after, ID, NAME)):
        with pytest.raises(DecodeError, match=BARE):
            debezium.decode(value)
    with pytest.raises(DecodeError, match=BARE):
        debezium.decode(connect(op, before, after, block=False), tables=TableStore([DESCRIBED]))


def test_a_block_whose_columns_can_all_be_null_or_that_has_none() -> None:
    """TiCDC's blocks have generated columns, and its rows do not."""
    for fields in ((), (NAME,)):
        (event,) = debezium.decode(connect("c", None, {}, *fields))
        assert isinstance(event, RowChange)
        assert event.new == {}


def test_simple_and_open_protocol() -> None:
    said = {"version": 1, "database": "s", "table": "t", "commitTs": 5, "buildTs": 5, "schemaVersion": 5}
    for kind, image in (("INSERT", "data"), ("UPDATE", "data"), ("DELETE", "old")):
        value = json.dumps({**said, "type": kind, "data": None, "old": None, image: {}}).encode()
        described = TableDescription("s", "t", DESCRIBED.columns, DESCRIBED.indexes, version=5)
        with pytest.raises(DecodeError, match=BARE if kind != "UPDATE" else "no columns|missing"):
            simple.decode(value, tables=TableStore([described]))
    key = b'{"ts":447984084414103554,"scm":"s","tbl":"t","t":1}'
    for text in (b'{"u":{}}', b'{"u":{},"p":{}}', b'{"d":{}}', b"{}"):
        framed = len(text).to_bytes(8, "big") + text
        with pytest.raises(DecodeError):
            open_protocol.decode(framed, (1).to_bytes(8, "big") + len(key).to_bytes(8, "big") + key)


COLUMNS = [Column("id", 3, 11, "int(11)")]
AVRO = simple.Options(encoding_format="avro")
VERSIONED = TableDescription("s", "t", DESCRIBED.columns, DESCRIBED.indexes, version=5)


def simple_record(kind: str, *images: tuple[str, bytes], partial: bool = False) -> bytes:
    """A row as a record of Avro; an image is a map."""
    found = b"\x16\x06\x06\x02" + b"\x02s\x02t" + b"\x02"
    found += bytes([2 * ["insert", "update", "delete"].index(kind)]) + b"\x0a\x0a\x0a"  # times and version
    found += b"\x00" + (b"\x02\x01" if partial else b"\x00") + b"\x00"
    maps = dict(images)
    return found + b"".join([b"\x02" + maps[one] if one in maps else b"\x00" for one in ("data", "old")])


ONE = b"\x02\x04id\x02\x02\x00"
"""A map of one column."""


@pytest.mark.parametrize(
    ("kind", "images", "field"),
    [
        ("insert", [("data", b"\x00")], "data"),
        ("update", [("data", b"\x00"), ("old", b"\x00")], "data"),
        ("update", [("data", b"\x00"), ("old", ONE)], "data"),
        ("delete", [("old", b"\x00")], "old"),
    ],
)
def test_simple_as_records(kind: str, images: list[tuple[str, bytes]], field: str) -> None:
    store = TableStore([VERSIONED])
    whole = simple_record(kind, *[(name, ONE) for name, _ in images])
    bare = simple_record(kind, *images)
    found = simple.decode_batch([whole, bare, whole], options=AVRO, tables=store)
    assert [(one.message, one.field, one.detail) for one in found.errors] == [(1, field, BARE)]
    assert len(list(found)) == 2
    with pytest.raises(DecodeError, match=BARE):
        simple.decode(bare, options=AVRO, tables=store)


@pytest.mark.parametrize(("kind", "image"), [("insert", "data"), ("delete", "old")])
def test_a_part_of_a_row_without_a_handle_key_as_a_record(kind: str, image: str) -> None:
    value = simple_record(kind, (image, b"\x00"), partial=True)
    (event,) = simple.decode(value, options=AVRO, tables=TableStore([VERSIONED]))
    assert isinstance(event, RowChange)
    assert event.handle_key_only
    assert (event.new if kind == "insert" else event.old) == {}


@pytest.mark.parametrize("format", ["json", "avro"])
@pytest.mark.parametrize("kind", ["insert", "update", "delete"])
def test_simple_writes_no_row_without_columns(format: str, kind: str) -> None:
    images: Any = {"insert": {"new": {}}, "update": {"new": {}, "old": {}}, "delete": {"old": {}}}[kind]
    event = RowChange(kind, 7, "s", "t", columns=COLUMNS, table_version=5, **images)
    with pytest.raises(EncodeError, match="has no columns, and a message that says so is not read"):
        simple.encode([event], simple.Options(encoding_format=format))


@pytest.mark.parametrize("kind", ["insert", "delete"])
def test_encoders_write_no_such_row(kind: str) -> None:
    image: Any = {"new": {}} if kind == "insert" else {"old": {}}
    event = RowChange(kind, 7, "s", "t", columns=COLUMNS, **image)
    if kind == "insert":
        with pytest.raises(EncodeError, match="has no columns, and the message does not say that its table has none"):
            canal_json.encode([event], canal_json.Options(producer="ticdc"))
    (message,) = canal_json.encode([event])
    assert len(canal_json.decode(message.value)) == 1
    with pytest.raises(EncodeError, match="has no columns, and the message does not say"):
        debezium.encode([event], debezium.Options(debezium_disable_schema=True))
    with pytest.raises(EncodeError, match="has no columns, and the message does not say"):
        debezium.encode([event], tables=TableStore([DESCRIBED]))
    (message,) = debezium.encode([event])
    assert len(debezium.decode(message.value, message.key)) == 1
