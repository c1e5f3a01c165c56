"""Encoded messages, read by fastavro with the registered schemas."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import fastavro
import pytest

from tidewire import debezium_avro
from tidewire.events import Ddl, RowChange, Watermark
from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import ColumnFlag, declared
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import DecodeError, EncodeError
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

TS = 470607536966860800
KEY = int(ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY)


def column(name: str, type: str, flags: int = 0) -> Column:
    told = declared(type)
    return Column(name, told.type, int(told.flags) | flags, type)


def by_fastavro(data: bytes | None, registry: MemorySchemas) -> dict[str, Any]:
    assert data is not None
    schema = json.loads(registry.schema(int.from_bytes(data[1:5], "big")))
    body = io.BytesIO(data[5:])
    found = fastavro.schemaless_reader(body, schema, None)
    assert body.read() == b""
    assert isinstance(found, dict)
    return found


def written(
    new: dict[str, Any],
    columns: list[Column],
    tables: TableStore | None = None,
    zone: str | None = None,
    **options: Any,
) -> tuple[dict[str, Any], dict[str, Any], MemorySchemas]:
    """The key, the row and the schemas of an insert."""
    registry = MemorySchemas()
    event = RowChange("insert", TS, "d", "t", new, columns=columns, time_zone=zone, sent_ms=9)
    (message,) = debezium_avro.encode([event], debezium_avro.Options(**options), tables=tables, schemas=registry)
    value = by_fastavro(message.value, registry)
    (back,) = debezium_avro.decode(message.value, message.key, tables=tables, schemas=registry)
    assert isinstance(back, RowChange)
    assert (back.kind, back.commit_ts, back.sent_ms) == ("insert", TS, 9)
    return by_fastavro(message.key, registry), value["after"], registry


@pytest.mark.parametrize(
    ("type", "default", "filled"),
    [
        ("tinyint", "7", 7),
        ("int unsigned", "4000000000", 4000000000),
        ("bigint", "-9223372036854775808", -9223372036854775808),
        ("year", "1999", 1999),
        ("bit(1)", "1", True),
        ("bit(10)", "b'101'", b"\x05\x00"),
        ("float", "1.5", 1.5),
        ("float(5,2)", "1.5", 1.5),
        ("double", "0.1", 0.1),
        ("decimal(5,2)", "'1.50'", Decimal("1.50")),
        ("varchar(9)", "'a'", "a"),
        ("varbinary(9)", "'a'", b"a"),
        ("enum('x','y')", "'y'", "y"),
        ("set('x','y')", "'x,y'", "x,y"),
        ("date", "'2020-02-29'", 18321),
        ("datetime", "'1970-01-01 00:00:01'", 1000),
        ("datetime(6)", "'1970-01-01 00:00:01.000001'", 1000001),
        ("time", "'-01:00:00'", 0),
        ("year", "'69'", 69),
        ("bigint unsigned", "18446744073709551615", 0),
        ("double", "(rand())", 0.0),
        ("float(5,2)", "(rand())", 0.0),
        ("float", "1e400", 0.0),
    ],
)
def test_null_is_the_default_of_its_column(type: str, default: str, filled: Any) -> None:
    """As TiCDC parses it: a TIME as 0, a number that 64 bits with a sign do not hold, and an expression."""
    tables = TableStore()
    tables.add_sql(f"create table d.t (id int primary key, c {type} default {default})", version=1)
    columns = [column("id", "int", KEY), column("c", type, int(ColumnFlag.NULLABLE))]
    _, found, _ = written({"id": 1, "c": None}, columns, tables)
    # fastavro makes dates of no such type: they are plain numbers in its eyes
    assert found == {"id": 1, "c": filled}
    _, alone, _ = written({"id": 1, "c": None}, columns)
    assert alone["c"] is None


@pytest.mark.parametrize(
    ("type", "default"),
    [
        ("int", "2147483648"),
        ("float", "1e39"),
    ],
)
def test_null_stays_null_where_the_default_is_none_that_the_column_can_have(type: str, default: str) -> None:
    """Descriptions say what they are told; a record that no reader can read would lose the whole message."""
    tables = TableStore()
    tables.add_sql(f"create table d.t (id int primary key, c {type} default '{default}')", version=1)
    columns = [column("id", "int", KEY), column("c", type, int(ColumnFlag.NULLABLE))]
    _, found, _ = written({"id": 1, "c": None}, columns, tables)
    assert found["c"] is None


def test_times_of_a_zone_are_in_utc_also_in_keys() -> None:
    columns = [column("at", "timestamp", KEY), column("b", "timestamp(3)", int(ColumnFlag.NULLABLE))]
    row = {"at": "2020-01-01 08:00:00", "b": "1970-01-01 08:00:00.000"}
    key, found, _ = written(row, columns, zone="Asia/Shanghai")
    assert key == {"at": "2020-01-01T00:00:00Z"}
    assert found["at"] == "2020-01-01T00:00:00Z"
    assert found["b"] == "1970-01-01T00:00:00.000Z"
    plain, again, _ = written(row, columns)
    assert plain == {"at": "2020-01-01T08:00:00Z"}
    assert again["b"] == "1970-01-01T08:00:00.000Z"


def test_dates_that_no_calendar_has() -> None:
    nullable = [column("id", "int", KEY), column("d", "date", int(ColumnFlag.NULLABLE)), column("t", "datetime")]
    _, found, _ = written({"id": 1, "d": "0000-00-00", "t": "2021-02-30 00:00:00"}, nullable)
    assert (found["d"], found["t"]) == (None, 0)
    _, early, _ = written({"id": 1, "d": "0001-01-01", "t": "0099-01-01 00:00:00"}, nullable)
    assert early["d"] == (datetime(2001, 1, 1, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).days
    assert early["t"] == int(datetime(1999, 1, 1, tzinfo=UTC).timestamp()) * 1000


def test_numbers_that_a_long_has_no_room_for_are_texts_or_refused() -> None:
    columns = [column("id", "bigint unsigned", KEY)]
    _, found, registry = written(
        {"id": 2**64 - 1}, columns, avro_bigint_unsigned_handling_mode="string", avro_decimal_handling_mode="string"
    )
    assert found == {"id": "18446744073709551615"}
    assert '"type":["null","string"]' in registry.schema(1)
    with pytest.raises(EncodeError, match="more than a long of Avro has room for"):
        written({"id": 2**63}, columns)
    with pytest.raises(EncodeError, match="more bits than the column"):
        written({"id": 1, "b": 256}, [*columns, column("b", "bit(8)")])
    with pytest.raises(EncodeError, match=r"a BIT\(1\) is 0 or 1"):
        written({"id": 1, "b": 2}, [*columns, column("b", "bit(1)")])


def test_an_invalid_enum_is_an_empty_text() -> None:
    _, found, _ = written({"id": 1, "e": 0}, [column("id", "int", KEY), column("e", "enum('a','b')")])
    assert found["e"] == ""


def test_names_are_those_of_avro_and_kafka_connect() -> None:
    columns = [column("1 é", "int", KEY), column("b", "int")]
    registry = MemorySchemas()
    event = RowChange("insert", TS, "d-1", "t.2", {"1 é": 1, "b": 2}, columns=columns)
    options = debezium_avro.Options(cluster_id="c 1", topic="x.{schema}.{table}", enable_tidb_extension=True)
    (message,) = debezium_avro.encode([event], options, schemas=registry)
    assert [one.subject for one in registry.schemas] == ["x.d-1.t.2-key", "x.d-1.t.2-value"]
    schema = json.loads(registry.schema(2))
    assert (schema["namespace"], schema["name"]) == ("c_1.d_1", "t_2Envelope")
    assert schema["connect.name"] == "c_1.d_1.t_2Envelope"
    first = schema["fields"][0]["type"][1]["fields"][0]
    assert (first["name"], first["connect.field"], first["tidb_type"]) == ("_1__", "1 é", "int")
    (back,) = debezium_avro.decode(message.value, message.key, schemas=registry)
    assert isinstance(back, RowChange)
    assert (back.schema, back.table, back.new) == ("d-1", "t.2", {"1 é": 1, "b": 2})
    source = by_fastavro(message.value, registry)["source"]
    assert (source["name"], source["cluster_id"], source["db"], source["table"]) == ("c 1", "c 1", "d-1", "t.2")


def test_updates_have_their_old_row_unless_an_option_says_otherwise() -> None:
    columns = [column("id", "int", KEY)]
    event = RowChange("update", TS, "d", "t", {"id": 2}, {"id": 1}, columns=columns)
    for shown in (True, False):
        registry = MemorySchemas()
        options = debezium_avro.Options(debezium_output_old_value=shown)
        (message,) = debezium_avro.encode([event], options, schemas=registry)
        found = by_fastavro(message.value, registry)
        assert found["before"] == ({"id": 1} if shown else None)
        assert by_fastavro(message.key, registry) == {"id": 2}


def test_a_row_without_a_key_has_a_key_without_fields() -> None:
    registry = MemorySchemas()
    event = RowChange("delete", TS, "d", "t", None, {"a": 1}, columns=[column("a", "int")])
    (message,) = debezium_avro.encode([event], schemas=registry)
    assert message.key == b"\0\0\0\0\1"
    assert json.loads(registry.schema(1))["fields"] == []
    (back,) = debezium_avro.decode(message.value, message.key, schemas=registry)
    assert isinstance(back, RowChange)
    assert (back.kind, back.old) == ("delete", {"a": 1})


SENT: dict[str, Any] = {"enable_tidb_extension": True, "avro_enable_watermark": True}


def test_statements_and_watermarks_are_sent_with_an_option_only() -> None:
    events = [Ddl(TS, "d", "t", 3, "create table d.t (id int primary key)", sent_ms=9), Watermark(TS + 1, sent_ms=9)]
    assert debezium_avro.encode(events, schemas=MemorySchemas()) == []
    registry = MemorySchemas()
    messages = debezium_avro.encode(events, debezium_avro.Options(**SENT, cluster_id="c"), schemas=registry)
    assert [one.subject for one in registry.schemas] == [
        *("io.debezium.connector.mysql.SchemaChangeKey", "io.debezium.connector.mysql.SchemaChangeValue"),
        *("c.watermark.Key", "c.watermark.Envelope"),
    ]
    assert [one.first_event for one in messages] == [0, 1]
    decoder = debezium_avro.Decoder(schemas=registry)
    back = list(debezium_avro._codec._events(decoder.decode([m.value for m in messages], [m.key for m in messages])))
    assert isinstance(back[0], Ddl)
    assert (back[0].commit_ts, back[0].schema, back[0].query) == (TS, "d", "create table d.t (id int primary key)")
    assert back[1] == Watermark(TS + 1, sent_ms=9)


def test_what_is_wrong_in_a_message_of_no_row_is_said_with_one_place() -> None:
    """The JSON that it is read through has offsets of its own, which are of no use to anybody."""
    registry = MemorySchemas()
    (message,) = debezium_avro.encode([Watermark(TS)], debezium_avro.Options(**SENT), schemas=registry)
    assert message.value is not None
    schema = json.loads(registry.schema(int.from_bytes(message.value[1:5], "big")))
    body = io.BytesIO()
    fastavro.schemaless_writer(body, schema, {**by_fastavro(message.value, registry), "op": "zz"})
    with pytest.raises(DecodeError, match=r"op: `zz` is none of [^()]* \(offset 5\)$"):
        debezium_avro.decode(message.value[:5] + body.getvalue(), message.key, schemas=registry)


def test_statements_of_two_databases_have_the_schema_that_came_first() -> None:
    """TiCDC asks for it by its subject, which names no database."""
    events = [Ddl(TS + n, name, None, 1, f"create database {name}") for n, name in enumerate(("a", "b"))]
    registry = MemorySchemas()
    messages = debezium_avro.encode(events, debezium_avro.Options(**SENT), schemas=registry)
    assert {one.value[:5] for one in messages if one.value is not None} == {b"\0\0\0\0\2"}
    assert "default.a.Source" in registry.schema(2)
    assert len(registry.schemas) == 2


def test_a_table_called_as_the_record_beside_its_rows_is_refused() -> None:
    """Its schema would say two records of one name, which no reader tells apart."""

    def insert_into(name: str) -> RowChange:
        return RowChange("insert", TS, "d", name, {"id": 1}, columns=[column("id", "int", KEY)])

    with pytest.raises(EncodeError, match=r"called default\.d\.Source, as another record is: rename the table"):
        debezium_avro.encode([insert_into("Source")], debezium_avro.Options(), schemas=MemorySchemas())
    for name in ("source", "Envelope", "Key"):
        assert len(debezium_avro.encode([insert_into(name)], debezium_avro.Options(), schemas=MemorySchemas())) == 1


def test_a_statement_that_has_no_message_leaves_the_others() -> None:
    events = [Ddl(TS, "d", "s", 34, "create sequence d.s"), Watermark(TS + 1)]
    (message,) = debezium_avro.encode(events, debezium_avro.Options(**SENT), schemas=MemorySchemas())
    assert (message.first_event, message.events) == (1, 1)


def test_what_a_statement_lacks_is_said_with_its_number() -> None:
    events = [Watermark(TS), Ddl(None, "d", "t", 3, "create table t (id int)")]
    with pytest.raises(EncodeError, match="debezium-avro event 1: ddl needs commit_ts"):
        debezium_avro.encode(events, debezium_avro.Options(**SENT), schemas=MemorySchemas())


class Asked(MemorySchemas):
    """Counts how often it is asked for the id of a schema."""

    def __init__(self) -> None:
        super().__init__()
        self.times = 0

    def id_of(self, subject: str, text: str) -> int:
        self.times += 1
        return super().id_of(subject, text)


def test_calls_with_the_same_registry_ask_it_once() -> None:
    event = RowChange("insert", TS, "d", "t", {"id": 1}, columns=[column("id", "int", KEY)])
    first, second = Asked(), Asked()
    keys = [debezium_avro.encode([event], schemas=one)[0].key for one in (first, first, first, second, second, first)]
    assert set(keys) == {keys[0]}
    assert (first.times, second.times) == (4, 2), "key and value; the last encoder is kept, not the one before"
    times = first.times
    debezium_avro.encode([event], debezium_avro.Options(**SENT), schemas=first)
    assert first.times == times + 2, "other options are another encoder"


def test_what_one_call_learns_of_a_table_is_no_business_of_the_next_one() -> None:
    store = TableStore()
    (table,) = store.add_sql("create table d.t (id int primary key, v int default 7)", version=TS - 9)
    statement = Ddl(TS - 9, "d", "t", 3, "create table d.t (id int primary key, v int default 7)", table_after=table)
    columns = [column("id", "int", KEY), column("v", "int", int(ColumnFlag.NULLABLE))]
    event = RowChange("insert", TS, "d", "t", {"id": 1, "v": None}, columns=columns)
    options = debezium_avro.Options(**SENT)

    def row_of(registry: MemorySchemas, tables: TableStore | None = None) -> Any:
        *_, message = debezium_avro.encode([event], options, tables=tables, schemas=registry)
        return by_fastavro(message.value, registry)["after"]

    registry = MemorySchemas()
    debezium_avro.encode([statement], options, schemas=registry)
    alone = row_of(registry)
    assert alone == {"id": 1, "v": None}
    assert alone == row_of(MemorySchemas())
    assert row_of(registry, store) == {"id": 1, "v": 7}, "NULL is the default where the table is known to have one"
    assert row_of(registry, store) == {"id": 1, "v": 7}
    assert row_of(registry) == alone


def test_schemas_of_statements_do_not_depend_on_calls_before() -> None:
    """Within a call TiCDC's rule holds, by which the first one under a subject stays."""
    statements = [Ddl(TS + n, name, None, 1, f"create database {name}") for n, name in enumerate(("a", "b"))]
    options, registry = debezium_avro.Options(**SENT), MemorySchemas()
    for statement in [*statements, statements[0]]:
        (message,) = debezium_avro.encode([statement], options, schemas=registry)
        assert message.value is not None
        assert f"default.{statement.schema}.Source" in registry.schema(int.from_bytes(message.value[1:5], "big"))


def test_a_column_becomes_another_under_the_same_schema() -> None:
    """Numbers that are written as texts, and texts: the schema does not tell them apart, and a record says when it was
    behind its row only. One that cannot be read at all costs itself alone.
    """
    registry = MemorySchemas()
    options = debezium_avro.Options(avro_bigint_unsigned_handling_mode="string")
    sent = []
    for at, type, value in ((TS, "bigint unsigned", 18446744073709551615), (TS + 9, "varchar(30)", "text")):
        tables = TableStore()
        tables.add_sql(f"create table d.t (id int primary key, c {type})", version=1)
        columns = [column("id", "int", KEY), column("c", type, int(ColumnFlag.NULLABLE))]
        event = RowChange("insert", at, "d", "t", {"id": 1, "c": value}, columns=columns, sent_ms=9)
        sent += debezium_avro.encode([event], options, tables=tables, schemas=registry)
    number, text = sent
    assert number.value is not None
    assert text.value is not None
    assert number.value[:5] == text.value[:5]
    known = TableStore()
    known.add_sql("create table d.t (id int primary key, c bigint unsigned)", version=1)
    known.add_sql("create table d.t (id int primary key, c varchar(30))", version=TS + 1)
    decoder = debezium_avro.Decoder(tables=known, schemas=registry)
    wrong = number.value.replace(b"18446744073709551615", b"1844674407370955161x")
    for values, numbers in (
        ([number, text, number, text], ["18446744073709551615", "text"] * 2),
        ([text, number], ["text", "18446744073709551615"]),
    ):
        found = decoder.decode([one.value for one in values], [one.key for one in values])
        assert found.errors == []
        rows = sorted(str(value) for layout in found.layouts for value in layout.arrays[1].to_pylist())
        assert rows == sorted(numbers)
    found = decoder.decode([text.value, wrong, number.value, wrong[:-3]], [text.key, *[number.key] * 3])
    assert [(error.message, error.field) for error in found.errors] == [(1, "after/c"), (3, "op")]
    assert found.num_events == 2
