"""Messages that are damaged, have schemas of other writers, or tables that schemas do not distinguish."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tidewire import debezium_avro
from tidewire.events import RowChange
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.registered.errors import MissingSchemaError
from tidewire.tables import TableStore

from .envelopes import ENVELOPE, KEY, TRANSACTION, known, record
from .recordings import STREAMS, framed, messages, schemas

pytestmark = pytest.mark.codec


def decoded(found: dict[str, Any], key: int | None = 7, tables: TableStore | None = None) -> Any:
    own = None if key is None else framed(2, KEY, {"id": key})
    (event,) = debezium_avro.decode(framed(1, ENVELOPE, found), own, tables=tables, schemas=known(ENVELOPE, KEY))
    return event


def test_messages_of_another_writer_are_read_by_names_and_types() -> None:
    event = decoded(record())
    assert event.kind == "insert"
    assert (event.schema, event.table) == ("d", "t")
    assert (event.commit_ts, event.commit_ms, event.sent_ms) == (None, 5, None)
    assert event.types_from == "connect"
    assert event.new == {"id": 7, "at": "1970-01-01 00:00:01.000001", "small": -3, "label": 2}
    assert event.columns == (
        Column("id", ColumnType.INT, ColumnFlag.HANDLE_KEY, "int"),
        Column("at", ColumnType.DATETIME, 0, "datetime(6)"),
        Column("small", ColumnType.SMALLINT, 0, "smallint"),
        Column("label", ColumnType.ENUM, 0, "enum('a','b')"),
    )
    assert decoded(record(op="r")).kind == "insert"
    gone = decoded(record(op="d", before=record()["after"], after=None))
    assert (gone.kind, gone.new, gone.old["id"]) == ("delete", None, 7)
    changed = decoded(record(op="u", before={**record()["after"], "id": 6}))
    assert (changed.kind, changed.new["id"], changed.old["id"]) == ("update", 7, 6)
    assert decoded(record(source={"table": None}), None).table is None


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (record(op="x"), "`'x'` is none of c, u, d, r, m, t"),
        (record(op=""), "`''` is none of c, u, d, r, m, t"),
        (record(after=None), "is missing"),
        (record(op="d"), "is missing"),
        (record(after={**record()["after"], "label": "z"}), "no label of the column"),
        (record(after={**record()["after"], "at": -(2**62)}), "date"),
    ],
)
def test_what_is_wrong_is_said(found: dict[str, Any], text: str) -> None:
    with pytest.raises(DecodeError, match=text):
        decoded(found)


def test_names_that_are_no_text_are_refused() -> None:
    good = framed(1, ENVELOPE, record(source={"table": "tt"}))
    bad = good.replace(b"\x02\x04tt", b"\x02\x04\xff\xfe")
    assert bad != good
    with pytest.raises(DecodeError, match="UTF-8"):
        debezium_avro.decode(bad, schemas=known(ENVELOPE))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda one: one["fields"][0].update(type=TRANSACTION["fields"][1]["type"]), "none that stands before"),
        (lambda one: one["fields"][2].update(type="int"), "'source' is int, where a record is expected"),
        (lambda one: one["fields"][4].update(type="long"), "'op' is long, where string is expected"),
    ],
)
def test_schemas_that_are_not_read_say_why(change: Any, text: str) -> None:
    schema = json.loads(json.dumps(ENVELOPE))
    change(schema)
    with pytest.raises(DecodeError, match=text):
        debezium_avro.decode(framed(1, ENVELOPE, record()), schemas=known(schema))


def test_one_schema_of_two_tables() -> None:
    """Names that are one in a schema are told apart by the record; rows of each have a layout of their own."""
    names = ["t", "t", "a-b", "a_b", "a-b", "t"]
    values = [framed(1, ENVELOPE, record(source={"table": name})) for name in names]
    columns = debezium_avro.Decoder(schemas=known(ENVELOPE)).decode(values)
    assert columns.errors == []
    events: list[Any] = list(debezium_avro._codec._events(columns))
    assert [event.table for event in events] == names
    assert len(columns.layouts) == 3
    assert all(event.new["id"] == 7 for event in events)


def test_a_description_tells_types_that_a_schema_does_not() -> None:
    tables = TableStore()
    table = "create table d.t (id int primary key, at datetime(6), small tinyint, label enum('a','b'))"
    tables.add_sql(table, version=1)
    event = decoded(record(), tables=tables)
    assert event.types_from == "described"
    assert [column.mysql_type for column in event.columns] == ["int(11)", "datetime(6)", "tinyint(4)", "enum('a','b')"]
    other = TableStore()
    other.add_sql("create table d.t (id varchar(5), at datetime(6), small tinyint, label enum('a','b'))", version=1)
    mixed = decoded(record(), tables=other)
    assert mixed.types_from == "connect"
    assert mixed.columns[0].mysql_type == "int"


def test_a_schema_that_cannot_be_had_is_its_own_error() -> None:
    value = framed(9, ENVELOPE, record())
    with pytest.raises(MissingSchemaError, match="schema 9"):
        debezium_avro.decode(value, schemas=known(ENVELOPE))
    assert isinstance(debezium_avro.decode(framed(1, ENVELOPE, record()), schemas=known(ENVELOPE))[0], RowChange)


def test_records_of_no_row_that_are_none_of_its_messages_are_refused() -> None:
    schema = {"type": "record", "name": "Order", "fields": [{"name": "a", "type": "string"}]}
    with pytest.raises(DecodeError):
        debezium_avro.decode(framed(1, schema, {"a": "x"}), schemas=known(schema))


def test_dissected_fields_have_their_paths() -> None:
    for stream in STREAMS[::4]:
        for message in list(messages(stream))[:3]:
            assert message.value is not None
            spans = debezium_avro.dissect(message.value, message.key, schemas=schemas(stream))
            value = [span for span in spans if span.part == "value"]
            paths = {span.path for span in value}
            assert {"header", "source/db", "source/commit_ts", "ts_ms"} <= paths
            assert max(span.end for span in value) == len(message.value)
            assert not [span for span in spans if span.type == "error"]
