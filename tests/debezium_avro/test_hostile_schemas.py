"""Malicious schemas are refused, and neither time nor memory depends on what they claim."""

from __future__ import annotations

import gc
import json
import time
from typing import Any

import pytest

from tidewire import debezium_avro
from tidewire.cli.spans import TROUBLE
from tidewire.events import Watermark
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.record.sink import long_bytes
from tidewire.runtime.registered import plan_store
from tidewire.runtime.registered.schema_types import ReadForm
from tidewire.tables import TableStore

from .envelopes import ENVELOPE, SOURCE, known, record
from .recordings import framed

pytestmark = pytest.mark.codec

BEFORE = {
    "name": "before",
    "type": ["null", {"type": "record", "name": "V", "fields": [{"name": "id", "type": "int"}]}],
}
GOOD = framed(1, ENVELOPE, record())


def envelope(*fields: Any, row: bool = True) -> dict[str, Any]:
    return {"type": "record", "name": "E", "namespace": "a.b", "fields": [*([BEFORE] if row else []), *fields]}


def more(type: Any) -> dict[str, Any]:
    """The schema of good messages, with a field behind the others."""
    return {**ENVELOPE, "fields": [*ENVELOPE["fields"], {"name": "more", "type": type}]}


def attempted(schema: Any, value: bytes, **given: Any) -> EventColumns:
    """What becomes of a message, of which the dissector says the same."""
    schemas = known(schema)
    found: EventColumns = debezium_avro.Decoder(schemas=schemas, **given).attempt([value])
    troubles = [one for one in debezium_avro.dissect(value, schemas=schemas) if one.type == TROUBLE]
    if not given:
        assert [one.meaning for one in troubles] == [one.detail for one in found.errors]
    return found


def only(events: Any) -> Any:
    """The one of some events."""
    (event,) = events
    return event


def refused(schema: Any, value: bytes, **given: Any) -> str:
    (error,) = attempted(schema, value, **given).errors
    assert isinstance(error, DecodeError)
    return str(error)


@pytest.mark.parametrize("size", [None, "x", "2", 2**70, -1, 1.5, True, []])
def test_a_size_that_is_none_is_refused(size: Any) -> None:
    type = {"type": "fixed", "name": "f"} | ({} if size is None else {"size": size})
    assert "the size of 'f' is a number from 0 to 2147483647" in refused(more(type), GOOD)


@pytest.mark.parametrize("symbols", [None, 5, "ab", {}, [1], ["\ud800"]])
def test_symbols_that_are_none_are_refused(symbols: Any) -> None:
    type = {"type": "enum", "name": "e", "symbols": symbols}
    assert "the symbols of the enum 'e' are a list of texts" in refused(more(type), GOOD + b"\0")


def test_a_symbol_that_an_enum_does_not_have_is_refused() -> None:
    type = {"type": "enum", "name": "e", "symbols": ["a", "b"]}
    assert attempted(more(type), GOOD + b"\2").errors == []
    for number in (b"\4", b"\1"):
        assert "the numbers 0 to 1" in refused(more(type), GOOD + number)


def test_trouble_in_a_field_that_nobody_knows_has_its_name() -> None:
    assert "debezium-avro value more: " in refused(more("double"), GOOD + b"1234567")
    assert "debezium-avro value before: " in refused(ENVELOPE, GOOD[:5] + b"\x0a" + GOOD[6:])


@pytest.mark.parametrize("row", [True, False])
def test_types_that_double_with_each_other_are_counted(row: bool) -> None:
    fields: list[Any] = [{"name": "r0", "type": {"type": "record", "name": "R0", "fields": []}}]
    for k in range(1, 60):
        inside = [{"name": name, "type": f"R{k - 1}"} for name in "ab"]
        fields.append({"name": f"r{k}", "type": {"type": "record", "name": f"R{k}", "fields": inside}})
    assert "more than 65536 fields" in refused(envelope(*fields, row=row), GOOD[:5] + b"\0" * 9)


@pytest.mark.parametrize("row", [True, False])
@pytest.mark.parametrize("depth", [100, 20_000])
def test_named_types_in_one_another_are_nested(row: bool, depth: int) -> None:
    fields: list[Any] = [
        {"name": "r0", "type": {"type": "record", "name": "R0", "fields": [{"name": "a", "type": "int"}]}}
    ]
    for k in range(1, depth):
        inside = [{"name": "a", "type": f"R{k - 1}"}]
        fields.append({"name": f"r{k}", "type": {"type": "record", "name": f"R{k}", "fields": inside}})
    assert "nested deeper than 64" in refused(envelope(*fields, row=row), GOOD[:5] + b"\0" * depth)


def test_time_does_not_grow_with_what_has_no_bytes() -> None:
    """Items of arrays, and fields of records: a message says millions of them in a few bytes."""
    nulls: list[Any] = [{"name": f"n{k}", "type": "null"} for k in range(20_000)]
    with_number = [*nulls, {"name": "i", "type": "int"}]
    items = b"\xfe\x07" * 2000 + b"\0" * 512
    for type, value in (
        ({"type": "array", "items": "null"}, items[:-511]),
        ({"type": "array", "items": {"type": "record", "name": "N", "fields": nulls}}, items[:-511]),
        ({"type": "array", "items": {"type": "record", "name": "N", "fields": with_number}}, None),
    ):
        own = long_bytes(2000) + b"\0" * 2001 if value is None else value
        for schema, message in (
            (more(type), GOOD + own),
            (envelope({"name": "more", "type": type}, row=False), GOOD[:5] + own),
        ):
            start = time.thread_time()
            attempted(schema, message)
            assert time.thread_time() - start < 4


def test_items_without_bytes_are_left_out_of_statements() -> None:
    timed = {**SOURCE, "fields": [*SOURCE["fields"], {"name": "commit_ts", "type": "long"}]}
    fields = [
        {"name": "source", "type": timed},
        {"name": "ts_ms", "type": "long"},
        {"name": "op", "type": "string"},
        {"name": "nothing", "type": "null"},
        {"name": "odd", "type": {"type": "array", "items": "null"}},
    ]
    schema = envelope(*fields, row=False)
    mark = {**record(op="m", source={"commit_ts": 5}), "ts_ms": 1, "nothing": None}
    value = framed(1, schema, {**mark, "odd": [None] * 5})
    with pytest.raises(DecodeError):  # an item has a byte at least
        debezium_avro.decode(value, schemas=known(schema))
    value = framed(1, schema, {**mark, "odd": []})
    (event,) = debezium_avro.decode(value, schemas=known(schema))
    assert isinstance(event, Watermark)


def test_long_names_are_not_written_beside_each_value() -> None:
    inside = {"type": "record", "name": "N", "fields": [{"name": "x" * 100_000, "type": "boolean"}]}
    schema = envelope({"name": "odd", "type": {"type": "array", "items": inside}}, row=False)
    assert "a name of 256 at most" in refused(schema, GOOD[:5] + long_bytes(5000) + b"\1" * 5000 + b"\0")


@pytest.mark.parametrize("name", [["x"], {"a": 1}, "\ud800", "", None, 5, True])
def test_names_of_kafka_connect_that_are_no_text_say_nothing(name: Any) -> None:
    schema = json.loads(json.dumps(ENVELOPE))
    schema["fields"][0]["type"][1]["fields"][0]["connect.field"] = name
    columns = attempted(schema, GOOD)
    assert columns.errors == []
    assert columns.layouts[0].columns[0].name == "id"
    other = envelope({"name": "z", "type": "int", "connect.field": name}, row=False)
    assert "missing" in refused(other, GOOD[:5] + b"\0")


def test_two_fields_are_not_one_column() -> None:
    schema = json.loads(json.dumps(ENVELOPE))
    schema["fields"][0]["type"][1]["fields"][0]["connect.field"] = "small"
    assert "two fields are the column 'small'" in refused(schema, GOOD)


def test_a_row_without_a_record_of_a_row_is_refused() -> None:
    """It would be read by the description of its table, as Debezium's JSON is."""
    tables = TableStore()
    tables.add_sql("create table d.t (id int primary key)", version=1)
    row = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "int"}]}
    fields = [
        {"name": "source", "type": SOURCE},
        {"name": "op", "type": "string"},
        {"name": "ts_ms", "type": "long"},
        {"name": "odd", "connect.field": "after", "type": row},
    ]
    schema = envelope(*fields, row=False)
    value = framed(1, schema, {**record(), "ts_ms": 5, "odd": {"id": 1}})
    assert "its schema has no record of a row" in refused(schema, value, tables=tables)


def test_a_name_that_is_no_text_is_where_it_stands() -> None:
    """Whatever was read before it."""
    long = framed(1, ENVELOPE, record(source={"db": "d" * 300, "table": "tt"}))
    bad = framed(1, ENVELOPE, record(source={"db": "dd", "table": None})).replace(b"\x04dd\0", b"\x04\xff\xfe\0")
    decoder = debezium_avro.Decoder(schemas=known(ENVELOPE))
    (error,) = decoder.decode([long, bad]).errors
    assert (error.field, error.offset) == ("source/db", bad.index(b"\xff\xfe"))


def test_times_from_2_63_on_are_the_last_ones() -> None:
    """A `long` below 0 is a TSO of 64 bits without a sign, by which the last description counts."""
    source = {**SOURCE, "fields": [*SOURCE["fields"], {"name": "commit_ts", "type": "long"}]}
    schema = json.loads(json.dumps(ENVELOPE))
    schema["fields"][2]["type"] = source
    tables = TableStore()
    tables.add_sql("create table d.t (id int primary key, at datetime(6))", version=5)
    tables.add_sql("create table d.t (id bigint primary key, at datetime(6))", version=1)
    value = framed(1, schema, record(source={"commit_ts": -5}))
    event = only(debezium_avro.decode(value, tables=tables, schemas=known(schema)))
    assert event.commit_ts == 2**64 - 5
    assert event.columns[0].mysql_type == "int(11)"


def test_dates_have_no_zone() -> None:
    iso = {"type": "string", "connect.name": "io.debezium.time.IsoDate"}
    zoned = {"type": "string", "connect.name": "io.debezium.time.ZonedTimestamp"}
    for type, text, zone in ((iso, "2020-01-01Z", None), (zoned, "2020-01-01T00:00:00Z", "UTC")):
        schema = json.loads(json.dumps(ENVELOPE))
        schema["fields"][0]["type"][1]["fields"] = [{"name": "d", "type": type}]
        value = framed(1, schema, record(after={"d": text}))
        event = only(debezium_avro.decode(value, schemas=known(schema)))
        assert event.time_zone == zone


@pytest.mark.parametrize(
    ("type", "value"),
    [
        ({"type": "record", "name": "N", "fields": [{"name": "a", "type": "int"}]}, b"\2"),
        ({"type": "enum", "name": "N", "symbols": ["a"]}, b"\0"),
        ({"type": "fixed", "name": "N", "size": 3}, b"abc"),
        ({"type": "array", "items": "string"}, b"\2\2x\0"),
        (["int", "string"], b"\2\2x"),
    ],
)
def test_fields_that_say_nothing_may_be_anything(type: Any, value: bytes) -> None:
    """The dissector, too, knows where they end."""
    schema: Any = {**ENVELOPE, "fields": [*ENVELOPE["fields"]]}
    schema["fields"][2] = {"name": "source", "type": {**SOURCE, "fields": [{"name": "version", "type": type}]}}
    rest = framed(1, {**schema, "fields": schema["fields"][3:]}, record())
    after = framed(1, {**ENVELOPE, "fields": ENVELOPE["fields"][:2]}, record())
    message = after + value + rest[5:]
    assert attempted(schema, message).errors == []
    spans = debezium_avro.dissect(message, schemas=known(schema))
    (op,) = [one for one in spans if one.path == "op"]
    assert (op.value, op.start) == ("c", message.index(b"\2c\0"))


def test_plans_of_many_tables_of_one_wide_schema_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A schema's columns count for each table whose rows it has; what they took up is free after that."""
    monkeypatch.setattr(plan_store, "MOST_COLUMNS", 10_000)
    columns = [{"name": f"c{k}", "type": ["null", "int"]} for k in range(500)]
    schema = json.loads(json.dumps(ENVELOPE))
    schema["fields"][0]["type"][1]["fields"] = columns
    row = dict.fromkeys(f"c{k}" for k in range(500))
    decoder = debezium_avro.Decoder(schemas=known(schema))
    values = [framed(1, schema, record(after=row, source={"table": f"t{k}"})) for k in range(40)]
    before = alive()
    for value in values:
        assert decoder.decode([value]).errors == []
    assert alive() - before < 20
    events: list[Any] = list(debezium_avro._codec._events(decoder.decode(values)))
    assert [event.table for event in events] == [f"t{k}" for k in range(40)]


def alive() -> int:
    """How many plans of images there are."""
    gc.collect()
    return sum(isinstance(one, ReadForm) and one.column.name == "c499" for one in gc.get_objects())
