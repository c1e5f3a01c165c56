"""Record columns of unknown types: only what is unknown is lost."""

from __future__ import annotations

import io
import json
import warnings
from decimal import Decimal
from typing import Any

import fastavro
import pytest

from tidewire import avro, debezium_avro
from tidewire.cli.spans import TROUBLE
from tidewire.events import RowChange
from tidewire.messages.registry import MemorySchemas, RegisteredSchema
from tidewire.mysql import ColumnFlag
from tidewire.runtime.connect.unknown import UnknownTypeWarning
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.record.sink import long_bytes
from tidewire.tables import TableStore

from .envelopes import SOURCE, known
from .recordings import framed

pytestmark = pytest.mark.codec

WORDS = {"io.debezium.data.FloatVector": "float", "io.debezium.data.DoubleVector": "double"}
GEO = "io.debezium.data.geometry"
SCALED = "io.debezium.data.VariableScaleDecimal"


def typed(type: Any, name: Any = None, small: Any = None, **more: Any) -> dict[str, Any]:
    """A type of Avro as Confluent's converter has it."""
    found = dict(type) if isinstance(type, dict) else {"type": type}
    found |= {} if name is None else {"connect.version": 1, "connect.name": name}
    return found | ({} if small is None else {"connect.type": small}) | more


def record(*fields: tuple[str, Any], name: str = "R") -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": key, "type": type} for key, type in fields]}


def array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


TREE = record(("n", "int"), ("kids", array("R")), ("next", ["null", "R"]))
SYMBOLS = {"type": "enum", "name": "E", "symbols": ["on", "off"]}
FIXED = {"type": "fixed", "name": "F", "size": 3}
PLAIN: list[tuple[Any, Any, Any, str]] = [
    (array("int"), [1, -2], "[1,-2]", "json"),
    (array("float"), [0.1, 1e30], "[0.1,1e+30]", "json"),
    (array(["null", "double"]), [0.1, None, float("inf"), float("-inf")], '[0.1,null,"Infinity","-Infinity"]', "json"),
    (array("bytes"), [b"\0\1"], '["AAE="]', "json"),
    ({"type": "map", "values": "string"}, {"é": 'a"'}, '{"é":"a\\""}', "json"),
    ({"type": "map", "values": ["null", FIXED]}, {"a": b"abc", "b": None}, '{"a":"YWJj","b":null}', "json"),
    (record(("a", "boolean"), ("b", ["long", "string"]), ("c", SYMBOLS)), {"a": True, "b": "x", "c": "off"},
     '{"a":true,"b":"x","c":"off"}', "json"),
    (["null", "int", "string"], "x", '"x"', "json"),
    (["int", "string"], 5, "5", "json"),
    (TREE, {"n": 1, "kids": [{"n": 2, "kids": [], "next": None}], "next": {"n": 3, "kids": [], "next": None}},
     '{"n":1,"kids":[{"n":2,"kids":[],"next":null}],"next":{"n":3,"kids":[],"next":null}}', "json"),
    (SYMBOLS, "off", "off", "longtext"),
    (FIXED, b"\0\1\2", b"\0\1\2", "longblob"),
]  # fmt: skip
"""Types, values, as what they are read, and the column's type."""
NAMED: list[tuple[Any, Any, Any, str]] = [
    (typed("string", "com.example.debezium.datetime.string"), "2023-01-01 08:00:00", "2023-01-01 08:00:00", "longtext"),
    (typed("long", "com.example.Money"), -5, -5, "bigint"),
    (typed("int", "com.example.Small"), 7, 7, "int"),
    (typed("int", "com.example.Small", "int16"), 7, 7, "smallint"),
    (typed("int", "com.example.Small", "int8"), -7, -7, "tinyint"),
    (typed("int", None, "int8"), -7, -7, "tinyint"),
    (typed("int", None, "int24"), -7, -7, "int"),
    (typed("boolean", "com.example.Yes"), True, 1, "bit(1)"),
    (typed("double", "com.example.Real"), 0.1, 0.1, "double"),
    (typed("float", "com.example.Real"), 0.5, 0.5, "float"),
    (typed("bytes", "com.example.Bytes"), b"\0\1", b"\0\1", "longblob"),
    (typed("string", "io.debezium.data.Uuid"), "0-1", "0-1", "longtext"),
    (typed("long", "io.debezium.time.MicroDuration"), 5, 5, "bigint"),
    (typed("int", "io.debezium.time.Time"), 3723004, "01:02:03.004", "time"),
    (typed(array("float"), "io.debezium.data.FloatVector"), [1.0, 2.5, -3.25, 0.1], "[1,2.5,-3.25,0.1]", "vector"),
    (typed(array("float"), "io.debezium.data.FloatVector"), [], "[]", "vector"),
    (typed(array("double"), "io.debezium.data.DoubleVector"), [0.1, 1 / 3], "[0.1,0.3333333333333333]", "vector"),
    # what has the name and not the shape
    (typed(array(["null", "float"]), "io.debezium.data.FloatVector"), [1.0, None], "[1.0,null]", "json"),
    (typed(array("int"), "io.debezium.data.FloatVector"), [1], "[1]", "json"),
    (typed(record(("scale", "long"), ("value", "bytes")), SCALED), {"scale": 1, "value": b"1"},
     '{"scale":1,"value":"MQ=="}', "json"),
    (typed(record(("scale", "int"), ("value", "bytes")), SCALED), {"scale": 2, "value": b"09"}, "123.45", "decimal"),
    (typed(record(("value", "bytes"), ("scale", "int")), SCALED), {"scale": -1, "value": b"\xff"}, "-10", "decimal"),
    (typed(array("int"), "com.example.List"), [1], "[1]", "json"),
    # what cannot be what it says
    (typed("bytes", "org.apache.kafka.connect.data.Decimal", logicalType="decimal", precision=99, scale=80),
     b"\0\1", b"\0\1", "longblob"),
    (typed("string", "io.debezium.data.Enum", **{"connect.parameters": {"allowed": 5}}), "a", "a", "longtext"),
    (typed("string", "io.debezium.data.Enum", **{"connect.parameters": [1]}), "a", "a", "longtext"),
    (typed("string", "io.debezium.data.Enum"), "a", "a", "longtext"),
    (typed("string", "io.debezium.data.EnumSet"), "a,b", "a,b", "longtext"),
    (typed("bytes", "io.debezium.data.Bits", **{"connect.parameters": {"length": "x"}}), b"\0\1", b"\0\1", "longblob"),
]  # fmt: skip
"""The same of types that Kafka Connect has a name for."""


def envelope(type: Any, **field: Any) -> dict[str, Any]:
    row = record(("id", "int"), ("v", type), name="Value")
    row["fields"][1] |= field
    return record(
        *(("before", ["null", {**row, "namespace": "server.d.t"}]), ("after", ["null", "server.d.t.Value"])),
        *(("source", SOURCE), ("op", "string"), ("ts_ms", "long")),
        name="Envelope",
    )


def message(schema: dict[str, Any], value: Any) -> bytes:
    source = {"version": "3", "ts_ms": 5, "snapshot": "false", "db": "d", "table": "t", "server_id": 1, "more": {}}
    return framed(1, schema, {"before": None, "after": {"id": 1, "v": value}, "source": source, "op": "c", "ts_ms": 1})


def read(type: Any, value: Any, tables: TableStore | None = None, **field: Any) -> RowChange:
    schema = envelope(type, **field)
    data = message(schema, value)
    (event,) = debezium_avro.decode(data, schemas=known(schema), tables=tables)
    assert isinstance(event, RowChange)
    if tables is None:
        assert TROUBLE not in [one.type for one in debezium_avro.dissect(data, schemas=known(schema))]
    return event


def column(event: RowChange) -> Any:
    """Its name is v."""
    return event.columns[1]


@pytest.mark.filterwarnings("ignore::tidewire.runtime.connect.unknown.UnknownTypeWarning")
@pytest.mark.parametrize(("type", "value", "read_as", "called"), NAMED + PLAIN)
def test_a_column_of_an_unknown_type_is_read_by_its_type_of_avro(
    type: Any, value: Any, read_as: Any, called: str
) -> None:
    event = read(type, value)
    assert (event.new, event.types_from) == ({"id": 1, "v": read_as}, "connect")
    assert column(event).mysql_type == called
    if not isinstance(type, list):
        assert read(["null", type], value).new == {"id": 1, "v": read_as}
        assert read(["null", type], None).new == {"id": 1, "v": None}


POINT = record(("x", "double"), ("y", "double"), ("wkb", ["null", "bytes"]), ("srid", ["null", "int"]), name="Point")
ROWS = "server.d.t"
FLATTENED: list[tuple[Any, Any, Any, str]] = [
    (typed({**POINT, "namespace": f"{GEO}"}, f"{GEO}.Point"), {"x": 1.0, "y": 2.0, "wkb": b"\1\2", "srid": 7},
     b"\7\0\0\0\1\2", "geometry"),
    (typed(record(("wkb", "bytes"), ("srid", ["null", "int"]), name="Geometry"), f"{GEO}.Geometry"),
     {"wkb": b"\1\2", "srid": None}, b"\0\0\0\0\1\2", "geometry"),
    (typed(record(("scale", "int"), ("value", "bytes")), SCALED), {"scale": 2, "value": b"09"}, "123.45", "decimal"),
    (typed(record(("n", "int")), 5), {"n": 1}, '{"n":1}', "json"),
    (record(("n", "int")), {"n": 1}, '{"n":1}', "json"),
]  # fmt: skip
"""Columns that are records of Kafka Connect, in a row that has no envelope around it."""


@pytest.mark.filterwarnings("ignore::tidewire.runtime.connect.unknown.UnknownTypeWarning")
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(("type", "value", "read_as", "called"), FLATTENED)
def test_a_row_without_its_envelope_has_columns_that_are_records(
    named: bool, type: Any, value: Any, read_as: Any, called: str
) -> None:
    schema = record(("id", "int"), ("v", ["null", type]), name="Value") | {"namespace": ROWS}
    schema |= {"connect.name": f"{ROWS}.Value"} if named else {}
    for one, expected in ((value, read_as), (None, None)):
        data = framed(1, schema, {"id": 1, "v": one})
        (event,) = avro.decode(data, schemas=known(schema))
        assert isinstance(event, RowChange)
        assert event.new == {"id": 1, "v": expected}
        assert column(event).mysql_type == called
        assert TROUBLE not in [span.type for span in avro.dissect(data, schemas=known(schema))]


@pytest.mark.parametrize("named", [True, False])
def test_an_envelope_is_no_row(named: bool) -> None:
    schema = envelope("int") | {"namespace": ROWS} | ({"connect.name": f"{ROWS}.Envelope"} if named else {})
    schema["fields"][0]["type"][1]["connect.name"] = f"{ROWS}.Value"
    said = r"'before' is a record that Kafka Connect calls 'server\.d\.t\.Value', as envelopes"
    with pytest.raises(DecodeError, match=said):
        avro.decode(message(schema, 1), schemas=known(schema))


@pytest.mark.parametrize(
    ("named", "words"), [("io.debezium.connector.mysql.Source", {}), ("default.Source", {"connect.field": "source"})]
)
def test_a_statement_is_no_row(named: str, words: dict[str, str]) -> None:
    """Its source is a record in the namespace of the statement's own record; TiCDC says the field's name besides."""
    space, _, name = named.rpartition(".")
    source = typed(record(("n", "int"), name=name) | {"namespace": space}, named)
    schema = record(("source", source), ("databaseName", "string"), name="SchemaChangeValue")
    schema |= {"namespace": "io.debezium.connector.mysql"}
    schema["fields"][0] |= words
    with pytest.raises(DecodeError, match="'source' is a record that Kafka Connect calls"):
        avro.decode(framed(1, schema, {"source": {"n": 1}, "databaseName": "d"}), schemas=known(schema))


@pytest.mark.filterwarnings("ignore::tidewire.runtime.connect.unknown.UnknownTypeWarning")
@pytest.mark.parametrize("name", ["com.example.Address", "Value", "server.d.t2.Value", "server.d.Value", ""])
@pytest.mark.parametrize("space", [ROWS, "", "d"])
def test_a_record_of_a_name_that_no_type_has_is_a_column(space: str, name: str) -> None:
    schema = record(("id", "int"), ("v", ["null", typed(record(("n", "int")), name)]), name="t") | {"namespace": space}
    (event,) = avro.decode(framed(1, schema, {"id": 1, "v": {"n": 1}}), schemas=known(schema))
    assert isinstance(event, RowChange)
    assert (event.new, column(event).mysql_type) == ({"id": 1, "v": '{"n":1}'}, "json")


@pytest.mark.filterwarnings("ignore::tidewire.runtime.connect.unknown.UnknownTypeWarning")
@pytest.mark.parametrize(
    ("type", "value", "read_as", "called"),
    [
        *PLAIN,
        ({"type": "string", "logicalType": "uuid"}, "x", "x", "longtext"),
        (typed("string", None, **{"connect.parameters": {"tidb_type": "GEOGRAPHY"}}), "x", "x", "longtext"),
        (typed("long", None, **{"connect.parameters": {"tidb_type": "ENUM"}}), 3, 3, "bigint"),
        (typed("string", None, **{"connect.parameters": [1]}), "x", "x", "longtext"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 66, "scale": 0}, Decimal(5), "5", "decimal"),
        (
            {
                "type": "bytes",
                "logicalType": "decimal",
                "precision": 4,
                "scale": 2,
                "connect.parameters": {"tidb_type": "MONEY"},
            },
            *(Decimal("1.25"), "1.25", "decimal(4,2)"),
        ),
    ],
)
def test_so_it_is_where_the_row_is_the_record(type: Any, value: Any, read_as: Any, called: str) -> None:
    schema = record(("id", "int"), ("v", type), name="t")
    found = avro.decode(framed(1, schema, {"id": 1, "v": value}), schemas=known(schema))
    (event,) = found
    assert isinstance(event, RowChange)
    assert (event.new, event.types_from) == ({"id": 1, "v": read_as}, "record")
    assert column(event).mysql_type == called
    many = avro.Decoder(schemas=known(schema)).decode([framed(1, schema, {"id": 1, "v": value})] * 70)
    assert (many.errors, many.num_events) == ([], 70)
    (layout,) = many.layouts
    assert layout.arrays[1].to_pylist() == [read_as] * 70


def test_it_is_named_once() -> None:
    schema = envelope(typed("string", "com.example.Text"))
    with pytest.warns(UnknownTypeWarning) as said:
        debezium_avro.Decoder(schemas=known(schema)).decode([message(schema, "x")] * 9)
    assert [str(one.message) for one in said] == [
        "debezium-avro: d.t: column 'v' is string named 'com.example.Text', which is none of the types that are known: "
        "it is read as longtext"
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        debezium_avro.Decoder(schemas=known(schema)).decode([message(schema, "x")] * 9)


def test_a_description_says_more() -> None:
    tables = TableStore()
    tables.add_sql("create table d.t (id int, v varchar(20))", version=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        event = read(typed("string", "com.example.Text"), "x", tables)
    assert (event.types_from, column(event).mysql_type) == ("described", "varchar(20)")
    labels = TableStore()
    labels.add_sql("create table d.t (id int, v enum('a','b'))", version=1)
    event = read(typed("string", "io.debezium.data.Enum"), "b", labels)
    assert (event.types_from, event.new) == ("described", {"id": 1, "v": 2})


@pytest.mark.filterwarnings("ignore::tidewire.runtime.connect.unknown.UnknownTypeWarning")
@pytest.mark.parametrize("name", ["zzz", "bigint", 5])
def test_a_name_of_a_type_that_cannot_be_is_none(name: Any) -> None:
    date = typed("int", "io.debezium.time.Date")
    event = read(date, 1, tidb_type=name)
    assert (event.new, event.types_from) == ({"id": 1, "v": "1970-01-02"}, "connect")


def test_a_column_without_bytes_is_left_out() -> None:
    hollow = record(("a", "null"), name="H")
    schema = record(("id", "int"), ("v", "null"), ("w", hollow), ("x", ["null", hollow]), name="t")
    schema["fields"][3]["type"][1] = "H"
    with pytest.warns(UnknownTypeWarning, match="have no bytes: it is left out"):
        found = avro.decode(
            framed(1, schema, {"id": 1, "v": None, "w": {"a": None}, "x": {"a": None}}), schemas=known(schema)
        )
    (event,) = found
    assert isinstance(event, RowChange)
    assert event.new == {"id": 1, "x": "{}"}


@pytest.mark.parametrize(
    ("type", "image"),
    [
        (typed(array("float"), "io.debezium.data.FloatVector"), b"\2\0\0\xc0\x7f\0"),
        (typed(array("double"), "io.debezium.data.DoubleVector"), b"\2\0\0\0\0\0\0\xf0\x7f\0"),
        (typed(record(("scale", "int"), ("value", "bytes")), SCALED), b"\4\0"),
        (typed(record(("scale", "int"), ("value", "bytes")), SCALED), b"\xfe\xff\xff\xff\x0f\2\1"),
        (typed(record(("scale", "int"), ("value", "bytes")), SCALED), b"\4\x42" + b"\1" * 33),
        (SYMBOLS, b"\4"),
        (["null", "int", "string"], b"\6"),
        (array("string"), b"\2\2\xff\0"),
        ({"type": "map", "values": "int"}, b"\2\2\xff\0\0"),
        (FIXED, b"\1\2"),
        (record(("r", "R")), b""),
        (record(("r", ["null", "R"])), b"\2" * 100),
    ],
)
def test_a_value_that_is_none_of_its_type_is_an_error(type: Any, image: bytes) -> None:
    row = {**record(("v", type), name="Value"), "namespace": "d"}
    schema = record(("after", row), ("op", "string"), ("ts_ms", "long"), name="Envelope")
    (error,) = debezium_avro.Decoder(schemas=known(schema)).attempt([b"\0\0\0\0\1" + image + b"\2c\2"]).errors
    assert isinstance(error, DecodeError)


@pytest.mark.filterwarnings("ignore::tidewire.runtime.connect.unknown.UnknownTypeWarning")
def test_a_key_may_have_any_types() -> None:
    key = record(("id", "int"), ("v", typed(array("int"), "com.example.List")), name="Key")
    schema = envelope(array("int"))
    schemas = MemorySchemas(
        [RegisteredSchema(1, "v", 1, json.dumps(schema)), RegisteredSchema(2, "k", 1, json.dumps(key))]
    )
    out = io.BytesIO()
    fastavro.schemaless_writer(out, key, {"id": 1, "v": [1]})
    found = debezium_avro.Decoder(schemas=schemas).decode([message(schema, [1])], [b"\0\0\0\0\2" + out.getvalue()])
    (layout,) = found.layouts
    assert [bool(one.flags & ColumnFlag.HANDLE_KEY) for one in layout.columns] == [True, True]


@pytest.mark.parametrize("items", ["null", record(("a", "null"), name="H")])
def test_what_has_no_bytes_takes_no_memory(items: Any) -> None:
    """A block of an array says as many items as bytes are left; those without bytes are left out."""
    schema = record(("id", "int"), ("v", array(items)), ("w", "string"), name="t")
    text = b"x" * 60
    value = b"\0\0\0\0\1\2" + b"\x64" + b"\0" + b"\x78" + text
    (event,) = avro.decode(value, schemas=known(schema))
    assert isinstance(event, RowChange)
    assert event.new == {"id": 1, "v": "[]", "w": text.decode()}


FIXED = {"type": "fixed", "name": "dec", "logicalType": "decimal"}


@pytest.mark.parametrize(
    ("type", "value", "read"),
    [
        ({"type": "long", "logicalType": "timestamp-micros"}, 1709208794123456, "2024-02-29 12:13:14.123456"),
        ({"type": "long", "logicalType": "local-timestamp-micros"}, 1709208794123456, "2024-02-29 12:13:14.123456"),
        ({"type": "long", "logicalType": "local-timestamp-millis"}, 1709208794123, "2024-02-29 12:13:14.123"),
        ({"type": "long", "logicalType": "time-micros"}, 3723000004, "01:02:03.000004"),
        ({**FIXED, "size": 8, "precision": 18, "scale": 4}, -12345, "-1.2345"),
        ({**FIXED, "size": 2, "precision": 4, "scale": 4}, 5, "0.0005"),
        ({**FIXED, "size": 9, "precision": 20}, -(2**63) - 1, "-9223372036854775809"),
        ({**FIXED, "size": 16, "precision": 38, "scale": 38}, 0, "0." + "0" * 38),
    ],
)
@pytest.mark.parametrize("nullable", [False, True])
def test_logical_types_of_avro_are_read_by_both_wires(type: Any, value: int, read: str, nullable: bool) -> None:
    image = value.to_bytes(type["size"], "big", signed=True) if "size" in type else long_bytes(value)
    said = ["null", type] if nullable else type
    cell = (b"\2" if nullable else b"") + image
    schema = record(("v", said), name="t") | {"namespace": "default.d"}
    (event,) = avro.decode(b"\0\0\0\0\1" + cell, schemas=known(schema))
    assert isinstance(event, RowChange)
    assert event.new == {"v": read}
    schema = record(("after", ["null", record(("v", said), name="Value")]), ("op", "string"), name="Envelope")
    sent = b"\0\0\0\0\1\2" + cell + b"\2c"
    (event,) = debezium_avro.decode(sent, schemas=known(schema))
    assert isinstance(event, RowChange)
    assert event.new == {"v": read}


@pytest.mark.filterwarnings("ignore::tidewire.runtime.connect.unknown.UnknownTypeWarning")
def test_a_decimal_on_a_fixed_of_more_digits_than_a_decimal_has_is_refused() -> None:
    type = {**FIXED, "size": 28, "precision": 65}
    schema = record(("v", type), name="t") | {"namespace": "default.d"}
    (event,) = avro.decode(b"\0\0\0\0\1" + (10**65 - 1).to_bytes(28, "big"), schemas=known(schema))
    assert isinstance(event, RowChange)
    assert event.new == {"v": "9" * 65}
    with pytest.raises(DecodeError, match="more than the 65 digits"):
        avro.decode(b"\0\0\0\0\1" + (10**65).to_bytes(28, "big"), schemas=known(schema))


KINDS: list[tuple[Any, Any]] = [
    *(("int", 5), ("long", 5), ("float", 1.5), ("double", 1.5), ("boolean", True), ("string", "x"), ("bytes", b"x")),
    ({"type": "enum", "name": "E", "symbols": ["a", "b"]}, "b"),
    ({"type": "fixed", "name": "F", "size": 3}, b"abc"),
    ({"type": "array", "items": "int"}, [1]),
    ({"type": "map", "values": "int"}, {"a": 1}),
    ({"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}, {"a": 1}),
]
UNIONS: list[tuple[Any, Any]] = [
    *((["null", "int", "string"], "x"), (["int", "string"], 5), (["null"], None), ("null", None)),
    ({"type": "array", "items": ["null", {"type": "record", "name": "R", "fields": []}]}, [None, {}]),
]
LOGICAL: tuple[Any, ...] = ("uuid", "big-decimal", "duration", "decimal", "timestamp-nanos", 5, {})
MORE_WORDS: list[dict[str, Any]] = [
    *({"logicalType": logical} for logical in LOGICAL),
    *({"connect.name": "com.acme.Foo"}, {"connect.name": 5}, {"connect.name": "io.debezium.data.Enum"}),
]


@pytest.mark.parametrize("own", ["avro", "envelope"])
def test_no_type_costs_a_row(own: str) -> None:
    """A column is read as text, number, bytes or JSON, or it is null or left out: the row is there."""
    cases: list[tuple[Any, Any, dict[str, Any]]] = [(type, value, {}) for type, value in (*KINDS, *UNIONS)]
    cases += [(type, value, word) for type, value in KINDS for word in MORE_WORDS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for type, value, word in cases:
            if own == "avro" and "connect.name" in word and word["connect.name"] != 5 and "fields" in type:
                continue  # is taken for an envelope's part: the message is of another protocol
            bare = type if isinstance(type, list) else {"type": type} if isinstance(type, str) else type
            said = bare if isinstance(bare, list) else bare | word
            row = record(("id", "int"), ("v", bare), name="Value")
            made = record(("after", ["null", row]), ("op", "string"), name="Envelope")
            whole: Any = made if own == "envelope" else row | {"namespace": "default.d"}
            datum = {"id": 1, "v": value}
            sent = framed(1, whole, {"after": datum, "op": "c"} if own == "envelope" else datum)
            row["fields"][1]["type"] = said
            whole = made if own == "envelope" else row | {"namespace": "default.d"}
            (event,) = (debezium_avro if own == "envelope" else avro).decode(sent, schemas=known(whole))
            assert isinstance(event, RowChange), (type, word)
            assert event.new is not None
            assert event.new["id"] == 1, (type, word)
