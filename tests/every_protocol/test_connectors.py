"""Messages of connectors with another meaning of tables and types are refused with an explanation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from debezium_avro.envelopes import ENVELOPE, SOURCE, known, record
from debezium_avro.recordings import framed

from tidewire import debezium, debezium_avro

ID = {"type": "int32", "optional": False, "field": "id"}
BLOCK = {
    "type": "struct",
    "fields": [{"type": "struct", "field": one, "optional": True, "fields": [ID]} for one in ("before", "after")],
}
MISSING = object()
OTHERS = ["postgresql", "vitess", "sqlserver", "oracle", "mongodb", "db2", "MySQL", "mysql ", "tidb", "é" * 5000]


def in_json(connector: Any, op: str = "c", **more: Any) -> bytes:
    source = {"version": "3.0", "connector": connector, "name": "srv", "db": "shop", "table": "t", **more}
    if connector is MISSING:
        del source["connector"]
    images = {"before": None, "after": None} | ({"after": {"id": 1}} if op == "c" else {})
    payload = {**images, "source": {**source, "ts_ms": 5, "commit_ts": 6}, "op": op, "ts_ms": 7}
    return json.dumps({"schema": BLOCK, "payload": payload}, separators=(",", ":")).encode()


@pytest.mark.parametrize("op", ["c", "t", "m"])
@pytest.mark.parametrize("connector", ["mysql", "mariadb", "TiCDC", None, MISSING])
def test_these_are_read(connector: Any, op: str) -> None:
    found = debezium.Decoder().decode([in_json(connector, op)] * 3, [None] * 3)
    assert (found.num_events, found.errors) == (3, [])


@pytest.mark.parametrize("op", ["c", "t", "m"])
@pytest.mark.parametrize("connector", [*OTHERS, 5, {"mysql": 1}])
def test_others_are_refused(connector: Any, op: str) -> None:
    """Whatever messages are around them."""
    right, wrong = in_json("mysql", op), in_json(connector, op)
    found = debezium.Decoder().decode([right, wrong, right, wrong, wrong, in_json("mariadb")], [None] * 6)
    assert (found.num_events, [one.message for one in found.errors]) == (3, [1, 3, 4])
    (error,) = debezium.Decoder().decode([wrong], [None]).errors
    assert (error.field, error.code) == ("source/connector", "unnamed")
    assert "is none of `TiCDC`, `mysql`, `mariadb`, whose messages are read" in error.detail
    assert len(error.detail) < 600


def test_rows_of_two_schemas_of_postgresql_are_never_those_of_one_table() -> None:
    values = [in_json("postgresql", schema=one) for one in ("public", "audit")]
    assert debezium.Decoder().decode(values, [None, None]).num_events == 0


def test_a_connector_is_read_with_escapes() -> None:
    value = in_json("mysql").replace(b'"mysql"', b'"m\\u0079sql"')
    assert debezium.Decoder().decode([value], [None]).num_events == 1


def connecting(type: Any) -> Any:
    schema = json.loads(json.dumps(ENVELOPE))
    schema["fields"][2]["type"] = {**SOURCE, "fields": [*SOURCE["fields"], {"name": "connector", "type": type}]}
    return schema


@pytest.mark.parametrize("type", ["string", ["null", "string"]])
def test_the_same_in_records(type: Any) -> None:
    schema = connecting(type)
    names = ["mysql", "mariadb", "TiCDC", "mysql", "postgresql", "mysql", "vitess", "vitess", "mariadb"]
    values = [framed(1, schema, record(source={"connector": one})) for one in names]
    found = debezium_avro.Decoder(schemas=known(schema)).decode(values, [None] * len(values))
    assert [one.message for one in found.errors] == [4, 6, 7]
    assert found.num_events == 6
    assert {one.field for one in found.errors} == {"source/connector"}
    said = "'postgresql' is not supported: it is none of `TiCDC`, `mysql`, `mariadb`, whose messages are read"
    assert said in found.errors[0].detail
    if type != "string":
        (event,) = debezium_avro.decode(framed(1, schema, record(source={"connector": None})), schemas=known(schema))
        assert event.kind == "insert"


LAYERS = ["schema", "collection"]
"""What only other databases have above their rows."""


@pytest.mark.parametrize("op", ["c", "t", "m"])
@pytest.mark.parametrize("connector", [None, MISSING, "", "mysql", "TiCDC"])
@pytest.mark.parametrize("layer", LAYERS)
def test_schemas_and_collections_are_refused_whoever_wrote_them(layer: str, connector: Any, op: str) -> None:
    """Whatever messages are around them."""
    right = [in_json(connector, op, **{layer: one}) for one in (None, "")]
    wrong = [in_json(connector, op, **{layer: one}) for one in ("public", "mysql", "audit", 5, {"a": "b"})]
    found = debezium.Decoder().decode([*right, *wrong, *right, *wrong, in_json("mysql")])
    assert (found.num_events, [one.message for one in found.errors]) == (5, [*range(2, 7), *range(9, 14)])
    for one in wrong:
        (error,) = debezium.Decoder().decode([one]).errors
        assert (error.field, error.code) == (f"source/{layer}", "unnamed")
        assert "is neither null nor empty: in what others write, names of tables" in error.detail


@pytest.mark.parametrize("source", ['"schema":"public",%s', '%s,"schema":"public"', '"sch\\u0065ma":"public",%s'])
def test_where_they_stand_does_not_matter(source: str) -> None:
    right = '{"before":null,"after":{"id":1},"op":"c","source":{"db":"shop","table":"t"}}'
    wrong = right.replace('"db":"shop","table":"t"', source % '"db":"shop","table":"t"')
    found = debezium.Decoder().decode([one.encode() for one in (right, wrong, wrong, right, wrong)])
    assert [one.message for one in found.errors if one.field == "source/schema"] == [1, 2, 4]


@pytest.mark.parametrize("type", ["string", ["null", "string"]])
@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("connector", [None, "", "mysql"])
def test_schemas_and_collections_are_refused_in_records(connector: str | None, layer: str, type: Any) -> None:
    schema = connecting("string") if connector is not None else json.loads(json.dumps(ENVELOPE))
    schema["fields"][2]["type"]["fields"].append({"name": layer, "type": type})
    names = ["", "public", "mysql", "", "mysql", "audit", *([None] if type != "string" else [""])]
    said = {} if connector is None else {"connector": connector}
    values = [framed(1, schema, record(source={**said, layer: one})) for one in names]
    found = debezium_avro.Decoder(schemas=known(schema)).decode(values, [None] * len(values))
    assert (found.num_events, [one.message for one in found.errors]) == (3, [1, 2, 4, 5])
    assert {(one.field, one.code) for one in found.errors} == {(f"source/{layer}", "unnamed")}
    assert "'public' is neither null nor empty" in found.errors[0].detail
