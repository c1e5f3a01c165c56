"""Schemas of producers other than TiCDC, and invalid ones: read if their types allow it, otherwise refused by field."""

from __future__ import annotations

import io
import json
import time
from decimal import Decimal
from typing import Any

import fastavro
import pytest

from avro.images import changed, new_of, values_of
from tidewire import avro
from tidewire.events import RowChange
from tidewire.messages.registry import MemorySchemas, RegisteredSchema
from tidewire.runtime.connect.unknown import UnknownTypeWarning
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.registered.schema import MOST_DEPTH, MOST_FIELDS, read_schema

pytestmark = pytest.mark.codec


def read(schema: Any, record: dict[str, Any]) -> RowChange:
    """The event of a record that fastavro writes."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, record)
    text = schema if isinstance(schema, str) else json.dumps(schema)
    (event,) = avro.decode(b"\0\0\0\0\1" + out.getvalue(), schemas=MemorySchemas([RegisteredSchema(1, "s", 1, text)]))
    assert isinstance(event, RowChange)
    return event


def record_of(*fields: Any, **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": "t", "namespace": "ns.d", "fields": list(fields), **more}


def refused(schema: Any) -> str:
    text = schema if isinstance(schema, str) else json.dumps(schema)
    with pytest.raises(DecodeError) as found:
        avro.decode(b"\0\0\0\0\1", schemas=MemorySchemas([RegisteredSchema(1, "s", 1, text)]))
    return str(found.value)


def test_plain_types_are_columns() -> None:
    names = ("int", "long", "float", "double", "string", "bytes", "boolean")
    schema = record_of(*({"name": name, "type": ["null", name]} for name in names))
    event = read(schema, {"int": -1, "long": 1 << 40, "float": 0.5, "double": 0.1, "string": "ä", "bytes": b"\xff"})
    assert values_of(event) == {
        "int": -1,
        "long": 1 << 40,
        "float": 0.5,
        "double": 0.1,
        "string": "ä",
        "bytes": b"\xff",
        "boolean": None,
    }
    assert event.types_from == "record"
    assert (event.schema, event.table, event.commit_ts, event.kind) == ("d", "t", None, "insert")
    assert [column.mysql_type for column in new_of(event).columns] == [
        "int",
        "bigint",
        "float",
        "double",
        "longtext",
        "longblob",
        "tinyint(1)",
    ]


@pytest.mark.parametrize("value", ["0", "0.01", "-0.01", "-1.28", "1.28", "-327.68", "99999999.99", "-99999999.99"])
def test_decimals_keep_their_scale(value: str) -> None:
    kind = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
    event = read(record_of({"name": "a", "type": kind}), {"a": Decimal(value)})
    assert values_of(event) == {"a": f"{Decimal(value):.2f}"}
    assert new_of(event).columns[0].mysql_type == "decimal(10,2)"


@pytest.mark.parametrize("value", [f"{'9' * 35}.{'9' * 30}", f"-{'9' * 35}.{'9' * 30}", "0." + "0" * 29 + "1"])
def test_decimals_of_65_digits(value: str) -> None:
    from decimal import localcontext

    kind = {"type": "bytes", "logicalType": "decimal", "precision": 65, "scale": 30}
    with localcontext() as context:
        context.prec = 80
        event = read(record_of({"name": "a", "type": kind}), {"a": Decimal(value)})
    assert values_of(event) == {"a": value}


def test_null_can_be_the_second_branch() -> None:
    schema = record_of({"name": "a", "type": ["int", "null"], "default": 5}, {"name": "b", "type": ["int", "null"]})
    assert values_of(read(schema, {"a": None, "b": 3})) == {"a": None, "b": 3}


def test_fields_of_the_event_are_known_by_name_and_type() -> None:
    extra = [{"name": "_tidb_op", "type": "string"}, {"name": "_tidb_commit_ts", "type": "long"}]
    event = read(record_of({"name": "a", "type": "int"}, *extra), {"a": 1, "_tidb_op": "u", "_tidb_commit_ts": 7})
    assert (event.kind, event.commit_ts, values_of(event)) == ("update", 7, {"a": 1})
    text = {"type": "string", "connect.parameters": {"tidb_type": "TEXT"}}
    event = read(record_of({"name": "_tidb_op", "type": text}), {"_tidb_op": "u"})  # a column of that name
    assert (event.kind, values_of(event)) == ("insert", {"_tidb_op": "u"})


def test_a_type_of_tidb_that_is_new_is_read_by_its_avro_type() -> None:
    kind = {"type": "string", "connect.parameters": {"tidb_type": "GEOMETRY"}}
    event = read(record_of({"name": "a", "type": kind}), {"a": "x"})
    assert (values_of(event), new_of(event).columns[0].mysql_type) == ({"a": "x"}, "longtext")


def test_a_named_type_can_be_used_again() -> None:
    """A record with the row before has the types of the first one by name, and a namespace is inherited."""
    schema = record_of(
        {"name": "a", "type": "int"},
        {"name": "_ticdc_before", "type": ["null", {"type": "record", "name": "x", "fields": [
            {"name": "a", "type": "int"}]}]},
        {"name": "_tidb_op", "type": "string"},
    )  # fmt: skip
    event = read(schema, {"a": 2, "_ticdc_before": {"a": 1}, "_tidb_op": "u"})
    assert (values_of(event), dict(event.old or {})) == ({"a": 2}, {"a": 1})
    assert values_of(read(schema, {"a": 2, "_ticdc_before": None, "_tidb_op": "c"})) == {"a": 2}
    event = read(schema, {"a": 2, "_ticdc_before": {"a": 2}, "_tidb_op": "d"})
    assert (event.kind, event.new, dict(event.old or {})) == ("delete", None, {"a": 2})


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("1", "it is no record"),
        ('"int"', "it is no record"),
        ("[]", "it is no record"),
        ({"type": "record"}, "a type has a name"),
        ({"type": "record", "name": "t"}, "has no list of fields"),
        (record_of(1), "a field of the record 't' has no name or no type"),
        (record_of({"name": "a"}), "a field of the record 't' has no name or no type"),
        (record_of({"name": "", "type": "int"}), "a field of the record 't' has no name or no type"),
        (record_of({"name": "\ud800", "type": "int"}), "a field of the record 't' has no name or no type"),
        (record_of({"name": "a", "type": "int"}, {"name": "a", "type": "int"}), "has two fields 'a'"),
        (record_of({"name": "a", "type": "inte"}), "the type 'inte' is none of Avro's"),
        (record_of({"name": "a", "type": {"type": 5}}), "{'type': 5} stands where a type is expected"),
        (record_of({"name": "a", "type": None}), "None stands where a type is expected"),
        (record_of({"name": "a", "type": {"type": "record", "name": "t", "fields": []}}), "two types named"),
        (record_of({"name": "a", "type": ["null", ["null", "int"]]}), "a union stands in a union"),
        (record_of({"name": "a", "type": ["null", {"type": ["int", "null"]}]}), "a union stands in a union"),
        (record_of({"name": "a", "type": ["string", ["int", "long"]]}), "a union stands in a union"),
        (record_of(name="."), "the name '.' of a type ends in a point"),
        (record_of({"name": "_tidb_op", "type": "int"}), "'_tidb_op' is int, where string is expected"),
        (record_of({"name": "_tidb_commit_ts", "type": "string"}), "is string, where long is expected"),
    ],
)
def test_what_is_no_schema_of_a_row_says_why(schema: Any, said: str) -> None:
    assert said in refused(schema)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"precision": 66, "scale": 66}, "numbers, the scale one from 0 to 65"),
        ({"precision": "10", "scale": 2}, "numbers, the scale one from 0 to 65"),
        ({"precision": 10, "scale": -1}, "numbers, the scale one from 0 to 65"),
        ({"precision": 2, "scale": 3}, "has 2 digits, 3 of them behind the point"),
        ({"scale": 3}, "numbers, the scale one from 0 to 65"),
        ({"precision": True}, "numbers, the scale one from 0 to 65"),
    ],
)
def test_decimals_have_digits(more: dict[str, Any], said: str) -> None:
    kind = {"type": "bytes", "logicalType": "decimal", **more}
    text = json.dumps(record_of({"name": "a", "type": kind}))
    with pytest.warns(UnknownTypeWarning, match=said):
        (event,) = avro.decode(b"\0\0\0\0\1\2\1", schemas=MemorySchemas([RegisteredSchema(1, "s", 1, text)]))
    assert isinstance(event, RowChange)
    assert values_of(event) == {"a": b"\1"}


@pytest.mark.parametrize("length", ["x", "-1", "9999", 5, ["1"]])
def test_lengths_are_small_numbers(length: Any) -> None:
    kind = {"type": "bytes", "connect.parameters": {"tidb_type": "BIT", "length": length}}
    with pytest.warns(UnknownTypeWarning, match="no small number"):
        assert values_of(read(record_of({"name": "a", "type": kind}), {"a": b"\1"})) == {"a": b"\1"}


def test_deep_and_huge_schemas_take_no_time() -> None:
    started = time.process_time()
    deep: Any = "int"
    for _ in range(MOST_DEPTH + 2):
        deep = {"type": "array", "items": deep}
    assert f"nested deeper than {MOST_DEPTH}" in refused(record_of({"name": "a", "type": deep}))
    text = '{"type":"array","items":' * 100_000 + '"int"' + "}" * 100_000
    assert f"nested deeper than {MOST_DEPTH}" in refused(
        '{"type":"record","name":"t","fields":[{"name":"a","type":' + text + "}]}"
    )
    many = record_of(*({"name": f"c{k}", "type": "int"} for k in range(MOST_FIELDS + 1)))
    assert f"more than {MOST_FIELDS} fields" in refused(many)
    inner = [{"name": f"c{k}", "type": "int"} for k in range(MOST_FIELDS // 2)]
    twice = record_of(
        {"name": "a", "type": {"type": "record", "name": "x", "fields": inner}},
        {"name": "b", "type": {"type": "record", "name": "y", "fields": inner}},
    )
    assert f"more than {MOST_FIELDS} fields" in refused(twice)
    assert time.process_time() - started < 20


def test_texts_that_are_hostile_stay_texts() -> None:
    name = "a'\"\\\n;DROP TABLE t--{column}%s\u202e" + "x" * 300
    event = read_by_hand(name)
    assert values_of(event) == {name: 1}


def read_by_hand(name: str) -> RowChange:
    """fastavro takes no such name."""
    text = json.dumps(record_of({"name": name, "type": "int"}))
    (event,) = avro.decode(b"\0\0\0\0\1\2", schemas=MemorySchemas([RegisteredSchema(1, "s", 1, text)]))
    assert isinstance(event, RowChange)
    return event


def test_names_of_tables() -> None:
    assert (read_schema('{"type":"record","name":"a.b.t","fields":[]}').namespace) == "a.b"
    for name, namespace, names in [
        ("t", "default.d", ("d", "t")),
        ("t", "default", (None, "t")),
        ("t", "", (None, "t")),
    ]:
        text = json.dumps({"type": "record", "name": name, "namespace": namespace, "fields": []})
        (event,) = avro.decode(b"\0\0\0\0\1", schemas=MemorySchemas([RegisteredSchema(1, "s", 1, text)]))
        assert (changed(event).schema, changed(event).table) == names
