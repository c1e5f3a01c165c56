"""What Debezium's own connector says of columns is read alike in both wires: JSON with a schema block, and Avro."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from connect_twin import KAFKA, Field, avro_message, json_message

from tidewire import avro, debezium, debezium_avro
from tidewire.debezium.schema_types import SCHEMA_TYPES as IN_BLOCKS
from tidewire.debezium_avro.schema_types import SCHEMA_TYPES as IN_RECORDS
from tidewire.events import Ddl, RowChange
from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.connect.unknown import UnknownTypeWarning
from tidewire.runtime.errors import DecodeError, EncodeError
from tidewire.tables import TableDescription, TableStore

SAID = "__debezium.source.column."
POINT = (
    {"field": "x", "type": "double", "optional": False},
    {"field": "y", "type": "double", "optional": False},
    {"field": "wkb", "type": "bytes", "optional": True},
    {"field": "srid", "type": "int32", "optional": True},
)
WKB = bytes.fromhex("0101000000000000000000f03f000000000000f03f")
PLACE = {"x": 1.0, "y": 1.0, "wkb": b64encode(WKB).decode(), "srid": 7}
NAMED = "io.debezium."
FIELDS = [
    Field("boolean", "boolean", True),
    Field("bits", "bytes", "BQI=", f"{NAMED}data.Bits", {"length": "12"}),
    Field("int16", "int16", -5),
    Field("int32", "int32", -70000),
    Field("int64", "int64", -(2**62)),
    Field("float", "float", 0.5),
    Field("double", "double", -2.25),
    Field("string", "string", "ä"),
    Field("bytes", "bytes", "/wA="),
    Field("decimal", "bytes", "AJY=", f"{KAFKA}Decimal", {"scale": "2", "connect.decimal.precision": "10"}),
    Field("below_zero", "bytes", "9g==", f"{KAFKA}Decimal", {"scale": "0", "connect.decimal.precision": "5"}),
    Field("enum", "string", "b", f"{NAMED}data.Enum", {"allowed": "a,b"}),
    Field("set", "string", "a,c", f"{NAMED}data.EnumSet", {"allowed": "a,b,c"}),
    Field("json", "string", '{"a":1}', f"{NAMED}data.Json"),
    Field("vector", "string", "[1,2]", f"{NAMED}data.TiDBVectorFloat32"),
    Field("year", "int32", 2020, f"{NAMED}time.Year"),
    Field("date", "int32", 18263, f"{NAMED}time.Date"),
    Field("timestamp", "int64", 1577934245120, f"{NAMED}time.Timestamp"),
    Field("micro_timestamp", "int64", 1577934245123456, f"{NAMED}time.MicroTimestamp"),
    Field("nano_timestamp", "int64", 1577934245123456000, f"{NAMED}time.NanoTimestamp"),
    Field("micro_time", "int64", -3020399000000, f"{NAMED}time.MicroTime"),
    Field("nano_time", "int64", 1000000000, f"{NAMED}time.NanoTime"),
    Field("zoned_timestamp", "string", "2020-01-02T03:04:05.12Z", f"{NAMED}time.ZonedTimestamp"),
    Field("iso_date", "string", "2020-01-02Z", f"{NAMED}time.IsoDate"),
    Field("iso_time", "string", "03:04:05Z", f"{NAMED}time.IsoTime"),
    Field("iso_timestamp", "string", "2020-01-02T03:04:05Z", f"{NAMED}time.IsoTimestamp"),
    Field("connect_date", "int32", 18999, f"{KAFKA}Date"),
    Field("connect_time", "int32", 3723004, f"{KAFKA}Time"),
    Field("connect_timestamp", "int64", 1700000000123, f"{KAFKA}Timestamp"),
    Field("geometry", "struct", PLACE | {"srid": None}, f"{NAMED}data.geometry.Geometry", fields=POINT[2:]),
    Field("point", "struct", PLACE, f"{NAMED}data.geometry.Point", fields=POINT),
]
"""One column at least of every schema type."""


def source(type: str, length: int | None = None, scale: int | None = None, **more: str) -> dict[str, str]:
    """What a connector repeats of a column (column.propagate.source.type)."""
    numbers = {"length": length, "scale": scale}
    found = {f"{SAID}type": type} | {f"{SAID}{key}": str(one) for key, one in numbers.items() if one is not None}
    return found | more


PROPAGATED: list[tuple[Field, str, Any]] = [
    (Field("a", "int64", -1, parameters=source("BIGINT UNSIGNED", 20)), "bigint(20) unsigned", 2**64 - 1),
    (Field("a", "int64", 2**62, parameters=source("BIGINT UNSIGNED")), "bigint unsigned", 2**62),
    (Field("a", "string", str(2**64 - 1), parameters=source("BIGINT UNSIGNED")), "bigint unsigned", 2**64 - 1),
    (
        Field("a", "bytes", "AP//////////", f"{KAFKA}Decimal", {"scale": "0", **source("BIGINT UNSIGNED", 20)}),
        "bigint(20) unsigned",
        2**64 - 1,
    ),
    (Field("a", "int64", 2**32 - 1, parameters=source("INT UNSIGNED", 10)), "int(10) unsigned", 2**32 - 1),
    (Field("a", "int32", 65535, parameters=source("SMALLINT UNSIGNED")), "smallint unsigned", 65535),
    (Field("a", "int16", 255, parameters=source("TINYINT UNSIGNED")), "tinyint unsigned", 255),
    (Field("a", "int32", 7, parameters=source("MEDIUMINT UNSIGNED ZEROFILL", 8)), "mediumint(8) unsigned zerofill", 7),
    (Field("a", "boolean", True, parameters=source("TINYINT", 1)), "tinyint(1)", 1),
    (Field("a", "boolean", True, parameters=source("BIT", 1)), "bit(1)", 1),
    (Field("a", "string", "1.50", parameters=source("DECIMAL", 10, 2)), "decimal(10,2)", "1.50"),
    (Field("a", "string", "15", parameters=source("DECIMAL", 10)), "decimal(10,0)", "15"),
    (Field("a", "double", 1.5, parameters=source("DECIMAL", 10, 3)), "decimal(10,3)", "1.500"),
    (Field("a", "double", 1e20, parameters=source("DECIMAL UNSIGNED", 30)), "decimal(30,0) unsigned", f"1{'0' * 20}"),
    (
        Field("a", "bytes", "AJY=", f"{KAFKA}Decimal", {"scale": "2", **source("NUMERIC", 12, 2)}),
        "decimal(12,2)",
        "1.50",
    ),
    (Field("a", "string", "aGk=", parameters=source("VARBINARY", 16)), "varbinary(16)", b"hi"),
    (Field("a", "bytes", "aGk=", parameters=source("BINARY", 2)), "binary(2)", b"hi"),
    (Field("a", "bytes", "aGk=", parameters=source("MEDIUMBLOB")), "mediumblob", b"hi"),
    (Field("a", "string", "x", parameters=source("VARCHAR")), "varchar", "x"),
    (Field("a", "string", "x", parameters=source("CHAR", 3)), "char(3)", "x"),
    (Field("a", "string", "b", f"{NAMED}data.Enum", source("ENUM", 1, allowed="a,b")), "enum('a','b')", 2),
    (Field("a", "string", "a,c", f"{NAMED}data.EnumSet", source("SET", 5, allowed="a,b,c")), "set('a','b','c')", 5),
    (Field("a", "string", "b", parameters=source("ENUM('a','b')")), "enum('a','b')", 2),
    (Field("a", "string", "a,b", parameters=source("SET", allowed="a,b")), "set('a','b')", 3),
    (
        Field("a", "string", "2020-01-02T03:04:05.12Z", f"{NAMED}time.ZonedTimestamp", source("TIMESTAMP", 3)),
        "timestamp(3)",
        "2020-01-02 03:04:05.120",
    ),
    (Field("a", "int64", 0, f"{NAMED}time.Timestamp", source("DATETIME")), "datetime", "1970-01-01 00:00:00"),
    (
        Field("a", "int64", 5, f"{NAMED}time.MicroTimestamp", source("DATETIME", 6)),
        "datetime(6)",
        "1970-01-01 00:00:00.000005",
    ),
    (Field("a", "double", 0.5, parameters=source("FLOAT", 7, 3)), "float(7,3)", 0.5),
    (Field("a", "double", 0.1, parameters=source("FLOAT", 53)), "double", 0.1),
    (Field("a", "float", 0.5, parameters=source("DOUBLE")), "double", 0.5),
    (
        Field("a", "struct", PLACE, f"{NAMED}data.geometry.Point", source("POINT"), fields=POINT),
        "point",
        b"\7\0\0\0" + WKB,
    ),
]
"""A column of which the connector repeats the source's type, what it is then, and its value."""
IGNORED: list[tuple[Field, str, Any]] = [
    (Field("a", "int32", 7, parameters=source("NUMBERS")), "int", 7),
    (Field("a", "int32", 7, parameters=source("")), "int", 7),
    (Field("a", "int32", 7, parameters=source("VARCHAR", 3)), "int", 7),
    (Field("a", "string", "a", parameters=source("ENUM", 1)), "longtext", "a"),
    (Field("a", "string", "a", parameters={**source("ENUM"), "allowed": 5}), "longtext", "a"),  # type: ignore[dict-item]
    (Field("a", "int64", -1, parameters={f"{SAID}type": 5}), "bigint", -1),  # type: ignore[dict-item]
    (Field("a", "int32", 7, parameters=source("( (")), "int", 7),
    (Field("a", "boolean", True, parameters=source("VARCHAR(99999999999)")), "bit(1)", 1),
    (Field("a", "string", "2020", f"{NAMED}data.Json", source("YEAR")), "json", "2020"),
    (Field("a", "int64", -1, parameters={f"{SAID}length": "20"}), "bigint", -1),
]
"""What no such column can be: Kafka Connect's type says what it is."""
DROPPED_NUMBERS: list[tuple[Field, str]] = [
    (Field("a", "int64", 1, parameters=source("BIGINT UNSIGNED") | {f"{SAID}length": "long"}), "bigint unsigned"),
    (Field("a", "int64", 1, parameters=source("BIGINT UNSIGNED") | {f"{SAID}length": "²"}), "bigint unsigned"),
    (Field("a", "int64", 1, parameters=source("BIGINT UNSIGNED") | {f"{SAID}length": "9" * 30}), "bigint unsigned"),
    (Field("a", "string", "1", parameters=source("DECIMAL(5,2)")), "decimal(5,2)"),
    (Field("a", "string", "1", parameters=source("DECIMAL", 2, 9)), "decimal"),
    (Field("a", "int64", 0, f"{NAMED}time.Timestamp", source("DATETIME", 19)), "datetime"),
]
"""Numbers that no such type has are passed over."""


def both(fields: list[Field], key: list[str] | None = None, **given: Any) -> Iterator[RowChange]:
    """The row as JSON says it, and as Avro does."""
    value, key_value = json_message(fields, "c", key)
    (found,) = debezium.decode(value, key_value, **given)
    assert isinstance(found, RowChange)
    yield found
    for with_logical in (True, False):
        record, key_record, schemas = avro_message(fields, "c", key, with_logical)
        (found,) = debezium_avro.decode(record, key_record, schemas=schemas, **given)
        assert isinstance(found, RowChange)
        yield found


def told(event: RowChange) -> Any:
    """A row and what its columns are; of Avro nothing says which can be NULL."""
    assert event.new is not None
    columns = [(one.name, one.type, one.flags & ~ColumnFlag.NULLABLE, one.mysql_type) for one in event.columns or ()]
    return dict(event.new), columns, event.types_from, event.time_zone, event.schema, event.table


OF_ONE_WIRE = {
    *("any_other", "symbol", "fixed_bytes", "any_union", "decimal_on_fixed", "time_micros"),
    *("timestamp_micros", "local_timestamp_millis", "local_timestamp_micros"),
}
"""What JSON alone has of types that nobody knows, and Avro alone of types that Kafka Connect does not have."""


NESTED_OR_RARE = {
    "any_array",
    "any_map",
    "any_struct",
    "double_vector",
    "float_vector",
    "int8",
    "milli_time",
    "scaled_decimal",
}
"""Those that tests/debezium/test_unknown_types.py and tests/debezium_avro/test_unknown_types_of_records.py hold."""


def test_both_wires_read_the_same_types() -> None:
    rows = [
        {
            (one.types, one.schema, one.flagged, one.unflagged, one.length, one.fraction, one.unscaled)
            for one in table.columns
            if one.schema not in OF_ONE_WIRE
        }
        for table in (IN_BLOCKS, IN_RECORDS)
    ]
    assert rows[0] == rows[1]
    assert IN_BLOCKS.types.keys() | OF_ONE_WIRE == IN_RECORDS.types.keys() | OF_ONE_WIRE
    assert (IN_BLOCKS.exact, IN_BLOCKS.source) == (IN_RECORDS.exact, IN_RECORDS.source)
    assert {one.name for one in FIELDS} | OF_ONE_WIRE | NESTED_OR_RARE >= set(IN_BLOCKS.types)


@pytest.mark.parametrize("types", [IN_BLOCKS, IN_RECORDS], ids=["blocks", "records"])
def test_what_a_reader_takes_first_is_found_out_once(types: Any) -> None:
    options = {one.mode[0]: one.mode[1] for one in types.columns if one.mode is not None}
    plain, other = types.reading({}), types.reading(options)
    assert plain is types.reading({})
    assert other is types.reading(dict(reversed(options.items())))
    assert plain is not other
    assert plain is not types
    for read in (types, plain, other):
        for schema in types.types.values():
            fitting = [one for one in read.columns if one.schema == schema.id]
            for column in fitting:
                flags = column.flagged
                wanted = next(one for one in fitting if one.takes(column.types[0], flags))
                assert read.read_by(schema, column.types[0], flags) is wanted


@pytest.mark.parametrize("optional", [True, False])
def test_rows_are_the_same(optional: bool) -> None:
    fields = [one._replace(optional=optional) for one in FIELDS]
    block, *records = map(told, both(fields, ["int32", "decimal", "connect_date"]))
    assert records == [block] * 2
    assert block[0]["geometry"] == bytes(4) + WKB
    assert block[0]["point"] == b"\7\0\0\0" + WKB
    assert block[0]["connect_timestamp"] == "2023-11-14 22:13:20.123"
    assert block[2] == "connect"


def test_nulls_are_the_same() -> None:
    block, *records = map(told, both([one._replace(value=None) for one in FIELDS]))
    assert records == [block] * 2
    assert set(block[0].values()) == {None}


@pytest.mark.parametrize("one", FIELDS, ids=lambda one: one.name)
def test_a_row_of_one_column_is_the_same(one: Field) -> None:
    block, *records = map(told, both([one]))
    assert records == [block] * 2


# ---- what the connector repeats of the source


@pytest.mark.parametrize("optional", [True, False])
@pytest.mark.parametrize("in_key", [True, False])
@pytest.mark.parametrize(("field", "text", "value"), PROPAGATED, ids=lambda one: one if isinstance(one, str) else "")
def test_the_source_tells_what_a_column_is(field: Field, text: str, value: Any, in_key: bool, optional: bool) -> None:
    for event in both([field._replace(optional=optional)], ["a"] if in_key else None):
        assert event.new == {"a": value}
        assert event.types_from == "propagated"
        (column,) = event.columns or ()
        assert column.mysql_type == text
        assert bool(column.flags & ColumnFlag.UNSIGNED) == ("unsigned" in text)
        assert bool(column.flags & ColumnFlag.HANDLE_KEY) == in_key


@pytest.mark.parametrize(("field", "text", "value"), IGNORED)
def test_what_a_column_cannot_be_is_passed_over(field: Field, text: str, value: Any) -> None:
    for event in both([field]):
        assert event.new == {"a": value}
        assert event.types_from == "connect"
        assert [one.mysql_type for one in event.columns or ()] == [text]


@pytest.mark.parametrize(("field", "text"), DROPPED_NUMBERS)
def test_numbers_that_a_type_cannot_have_are_passed_over(field: Field, text: str) -> None:
    for event in both([field]):
        assert event.types_from == "propagated"
        assert [one.mysql_type for one in event.columns or ()] == [text]


def test_one_column_that_nothing_tells_is_said() -> None:
    fields = [Field("b", "int32", 1), PROPAGATED[0][0]]
    for event in both(fields):
        assert event.new == {"b": 1, "a": 2**64 - 1}
        assert event.types_from == "connect"


def test_tidb_is_believed_before_the_source() -> None:
    field = Field("a", "int64", 5, parameters=source("INT UNSIGNED"), more={"tidb_type": "bigint"})
    for event in both([field]):
        (column,) = event.columns or ()
        assert (column.type, column.mysql_type) == (ColumnType.BIGINT, "bigint")
        assert event.types_from is None


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ({"mysql_type": "bigint", "unsigned": True}, "bigint unsigned"),
        ({"mysql_type": "bigint"}, "bigint(20) unsigned"),
        ({"mysql_type": "varchar", "length": 3, "charset": "utf8mb4"}, "bigint(20) unsigned"),
    ],
)
def test_the_source_is_believed_before_a_description(declared: dict[str, Any], text: str) -> None:
    store = TableStore()
    column = {"name": "a", "nullable": True, **declared}
    store.add(TableDescription.from_json({"schema": "d", "table": "t", "version": 1, "columns": [column]}))
    for event in both([PROPAGATED[0][0]], tables=store):
        assert event.new == {"a": 2**64 - 1}
        assert event.types_from == "propagated"
        assert [one.mysql_type for one in event.columns or ()] == [text]


@pytest.mark.parametrize(("mode", "text"), [("hex", "fbff"), ("base64-url-safe", "-_8"), ("base64", "+/8=")])
def test_an_option_says_how_bytes_are_texts(mode: str, text: str) -> None:
    field = Field("a", "string", text, parameters=source("VARBINARY", 2))
    value, _ = json_message([field])
    (event,) = debezium.decode(value, options=debezium.Options(binary_handling_mode=mode))
    assert isinstance(event, RowChange)
    assert event.new == {"a": b"\xfb\xff"}
    record, _, schemas = avro_message([field])
    (event,) = debezium_avro.decode(record, schemas=schemas, options=debezium_avro.Options(binary_handling_mode=mode))
    assert isinstance(event, RowChange)
    assert event.new == {"a": b"\xfb\xff"}


@pytest.mark.parametrize(
    ("field", "text"),
    [
        (Field("a", "string", "?", parameters=source("VARBINARY")), "value"),
        (
            Field("a", "bytes", "AQAAAAAAAAAA", f"{KAFKA}Decimal", {"scale": "0", **source("BIGINT UNSIGNED")}),
            "value",
        ),
        (Field("a", "string", "z", parameters=source("ENUM('a','b')")), "no label"),
        (Field("a", "struct", {"wkb": None, "srid": 1}, f"{NAMED}data.geometry.Geometry", fields=POINT[2:]), "wkb"),
    ],
)
def test_values_that_a_column_cannot_have_say_why(field: Field, text: str) -> None:
    value, _ = json_message([field])
    with pytest.raises(DecodeError, match=text):
        debezium.decode(value)
    record, _, schemas = avro_message([field])
    with pytest.raises(DecodeError, match=text):
        debezium_avro.decode(record, schemas=schemas)


@pytest.mark.parametrize(
    ("precision", "scale"),
    [(66, 2), (99999, 3), (9999999999, 3), (65, 31), (65, 40), (10, 31), (64, 30), (65, 0), (300, 0), (65, 30)],
)
def test_digits_that_no_decimal_has_are_not_said(precision: int, scale: int) -> None:
    said = precision <= 65 and scale <= 30
    numbers = {"scale": str(scale), "connect.decimal.precision": str(precision)}
    sent = [Field("a", "bytes", "AP8=", f"{KAFKA}Decimal", numbers)] if scale <= precision else []
    sent += [
        Field("a", "string", "2.55", parameters=source("DECIMAL", precision, scale)),
        Field("a", "string", "2.55", parameters=source(f"DECIMAL({precision},{scale})")),
        Field("a", "string", "2.55", parameters=source(f"DECIMAL({precision},{scale}) UNSIGNED")),
    ]
    for field in sent:
        for event in both([field]):
            assert event.new == {"a": format(Decimal(255).scaleb(-scale), "f") if field.type == "bytes" else "2.55"}
            (column,) = event.columns
            text = f"decimal({precision},{scale})" if said else "decimal"
            assert column.mysql_type in (text, f"{text} unsigned")
            if not said and field.type == "string":
                with pytest.raises(EncodeError, match="how many digits it has"):
                    avro.encode([event], schemas=MemorySchemas())


@pytest.mark.parametrize(
    ("type", "source_type", "least"),
    [
        ("int64", "INT UNSIGNED", -(2**63)),
        ("int64", "INT UNSIGNED ZEROFILL", -1),
        ("int32", "MEDIUMINT UNSIGNED", -(2**31)),
        ("int32", "SMALLINT UNSIGNED", -1),
        ("int16", "TINYINT UNSIGNED", -1),
    ],
)
def test_no_number_below_0_is_unsigned(type: str, source_type: str, least: int) -> None:
    for values in ([least], [5, least, 7]):
        rows = [[Field("a", type, value, parameters=source(source_type))] for value in values]
        for found in (
            debezium.decode_batch([json_message(row)[0] for row in rows]),
            debezium_avro.decode_batch([avro_message(row)[0] for row in rows], schemas=avro_message(rows[0])[2]),
        ):
            (error,) = found.errors
            assert error.message == values.index(least)
            assert error.field.endswith("a")
            assert f"`{least}`" in str(error)
            assert [event.new for event in found if isinstance(event, RowChange)] == [
                {"a": value} for value in values if value != least
            ]


@pytest.mark.parametrize(
    "field",
    [
        Field("a", "int32", None, optional=False),
        Field("a", "string", None, parameters=source("VARCHAR", 5), optional=False),
        Field("a", "struct", None, f"{NAMED}data.geometry.Point", fields=POINT, optional=False),
    ],
)
def test_null_in_a_field_that_is_not_optional_is_null(field: Field) -> None:
    """Blocks say so of columns of which their writer does not know whether they can be NULL, as after Canal-JSON."""
    (event,) = debezium.decode(json_message([field])[0])
    assert isinstance(event, RowChange)
    assert event.new == {"a": None}


# ---- what happened


def test_a_truncate_is_a_statement() -> None:
    fields = [Field("id", "int64", 1)]
    value, _ = json_message(fields, "t")
    (plain,) = debezium.decode(value)
    record, _, schemas = avro_message(fields, "t")
    (event,) = debezium_avro.decode(record, schemas=schemas)
    assert isinstance(event, Ddl)
    assert event == plain
    assert (event.ddl_type, event.schema, event.table) == (11, "d", "t")
    spans = {one.path: one.meaning for one in debezium_avro.dissect(record, schemas=schemas)}
    assert spans["op"] == "ddl. What happened."


def test_a_truncate_stands_between_rows() -> None:
    messages = [avro_message([Field("id", "int64", k)], op, ["id"]) for k, op in enumerate("cct" + "c" * 40 + "tdu")]
    values, keys = [one[0] for one in messages], [one[1] for one in messages]
    found = debezium_avro.decode_batch(values, keys, schemas=messages[0][2])
    assert found.errors == []
    assert [event.kind for event in found].count("ddl") == 2
    assert [event.kind for event in found][:4] == ["insert", "insert", "ddl", "insert"]
    rows = [event.new for event in found if isinstance(event, RowChange) and event.new is not None]
    assert [one["id"] for one in rows[:3]] == [0, 1, 3]


def test_what_nobody_knows_to_have_happened_is_an_error() -> None:
    record, _, schemas = avro_message([Field("id", "int64", 1)], "x")
    with pytest.raises(DecodeError, match="op"):
        debezium_avro.decode(record, schemas=schemas)


# ---- errors


def test_a_column_that_a_block_lacks_is_an_error_about_the_block() -> None:
    value, _ = json_message([Field("id", "int64", 1)])
    message = json.loads(value)
    message["payload"]["after"]["more"] = 1
    with pytest.raises(DecodeError, match="after/more: `schema` does not describe column `more`"):
        debezium.decode(json.dumps(message).encode())


def test_a_block_that_contradicts_itself_is_read_by_its_connect_type() -> None:
    value, _ = json_message([Field("id", "int64", 1, more={"tidb_type": "varchar"})])
    with pytest.warns(UnknownTypeWarning, match="column 'id' .*varchar"):
        (event,) = debezium.decode(value)
    assert dict(event.new) == {"id": 1}  # type: ignore[attr-defined]
