"""Rows of one table: types, policies, schemas given and derived."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, Row
from pyspark.sql.types import StructType
from recorded import bench_value
from spark_frames import Frame, RecordedFrame

from tidewire import craft
from tidewire.events import Column, RowChange
from tidewire.schemas import ROW_METADATA
from tidewire.spark import OptionError, SchemaError, from_ticdc, rows_from_ticdc, table_schema
from tidewire.spark.infer import table_schemas

TSO = 470607709161390080
INT, BIGINT, DECIMAL, DATE, DATETIME, TIMESTAMP, TIME, VARCHAR, FLOAT, BIT = 3, 8, 246, 10, 12, 7, 11, 15, 4, 16
JSON = 245
KEY, NULLABLE, UNSIGNED = 2 | 8, 64, 128


def change(
    kind: str,
    columns: Sequence[tuple[str, int, int]],
    new: dict[str, Any] | None = None,
    old: dict[str, Any] | None = None,
    ts: int = TSO,
) -> RowChange:
    """A row change of shop.orders."""
    return RowChange(kind, ts, "shop", "orders", new, old, columns=[Column(*column) for column in columns])


def encoded(events: Sequence[RowChange], size: int = 16) -> list[bytes | None]:
    """The events as messages."""
    return [message.value for message in craft.encode(events, craft.Options(max_batch_size=size))]


def ordered(rows: DataFrame) -> list[Row]:
    """Rows by version and rank, first those without."""
    return sorted(rows.collect(), key=lambda row: (row._commit_version or 0, row._commit_rank or 0))


def one_column(frame: Frame, kind: int, flags: int, value: object, spark_type: str, **options: str) -> Row:
    """The row of an insert whose column c has that value."""
    event = change("insert", [("id", INT, KEY), ("c", kind, flags)], {"id": 1, "c": value})
    (row,) = rows_from_ticdc(frame(encoded([event])), "craft", "shop.orders", f"c {spark_type}", options).collect()
    return row


def test_images_of_a_change_and_their_ranks(frame: Frame) -> None:
    columns = [("id", INT, KEY), ("v", VARCHAR, NULLABLE)]
    events = [
        change("update", columns, {"id": 1, "v": "b"}, {"id": 1, "v": "a"}),
        change("insert", columns, {"id": 2, "v": "again"}),
        change("delete", columns, None, {"id": 2, "v": "x"}),
    ]
    rows = ordered(rows_from_ticdc(frame(encoded(events)), "craft", "shop.orders", "id int, v string"))
    assert [(row._change_type, row._commit_rank, row.id, row.v) for row in rows] == [
        ("delete", 0, 2, "x"),
        ("update_preimage", 1, 1, "a"),
        ("update_postimage", 2, 1, "b"),
        ("insert", 3, 2, "again"),
    ]
    assert {row._commit_version for row in rows} == {TSO}
    assert {row._commit_timestamp for row in rows} == {datetime.fromtimestamp((TSO >> 18) / 1000)}


def test_the_schema_is_the_tables_columns_then_ours(frame: Frame) -> None:
    rows = rows_from_ticdc(frame([bench_value(1)]), "craft", "test.bench", "id int, NAME string")
    assert rows.columns == ["id", "NAME", *ROW_METADATA.names, "_corrupt_record"]
    strict = rows_from_ticdc(frame([bench_value(1)]), "craft", "test.bench", "id int", {"mode": "FAILFAST"})
    assert strict.columns == ["id", *ROW_METADATA.names]
    assert [row.NAME for row in ordered(rows)] == [
        "customer name no 000000 abcdef",
        "xcustomer name no 000000 abcdef",
    ]


def test_all_times_in_their_time_zone(recorded_frame: RecordedFrame) -> None:
    options = {"timezone": "Asia/Shanghai", "time": "interval"}
    messages = recorded_frame("times")
    schema = table_schema(messages, "craft", "test.times", options)
    assert schema.simpleString() == (
        "struct<id:int,d:date,dt:timestamp_ntz,dt1:timestamp_ntz,dt3:timestamp_ntz,dt6:timestamp_ntz,"
        "ts:timestamp,ts3:timestamp,ts6:timestamp,"
        "t:interval day to second,t2:interval day to second,t6:interval day to second,y:int>"
    )
    rows = rows_from_ticdc(messages, "craft", "test.times", schema, options)
    first, second, _, zero, empty, odd, *_ = rows.selectExpr("*", "unix_micros(ts6) as micros").collect()
    instant = datetime(2021, 1, 1, 19, 4, 5, 678901, UTC)
    assert first.micros == int(instant.timestamp()) * 10**6 + 678901
    assert (first.d, first.dt1) == (date(2021, 1, 2), datetime(2021, 1, 2, 3, 4, 5, 600000))
    assert first.t2 == timedelta(hours=3, minutes=4, seconds=5, milliseconds=670)
    assert second.micros == 1_000_001
    assert second.t6 == -timedelta(hours=838, minutes=59, seconds=58, microseconds=999999)
    assert (zero.d, zero.dt, zero.ts, zero.y) == (None, None, None, 0)
    assert zero.t6 == -timedelta(seconds=1, microseconds=1)
    assert (empty.d, empty.t, empty.y) == (None, None, None)
    assert (odd.d, odd.dt, odd.dt1) == (None, None, datetime(1582, 10, 10))
    assert rows.filter("_corrupt_record is not null").count() == 0


@pytest.mark.parametrize(
    ("local", "zone", "expected"),
    [
        ("2021-10-31 02:30:00", "Europe/Berlin", "2021-10-31 00:30:00"),  # shown twice: the earlier instant
        ("2021-03-28 02:30:00", "Europe/Berlin", "2021-03-28 01:30:00"),  # skipped: as if the clock had not changed
        ("2021-07-01 00:00:00.25", "+08:00", "2021-06-30 16:00:00.25"),
        ("2021-07-01 00:00:00", "UTC", "2021-07-01 00:00:00"),
    ],
)
def test_clock_changes(local: str, zone: str, expected: str, frame: Frame) -> None:
    event = change("insert", [("c", TIMESTAMP, NULLABLE)], {"c": local})
    rows = rows_from_ticdc(frame(encoded([event])), "craft", "shop.orders", "c timestamp", {"timezone": zone})
    (row,) = rows.selectExpr("cast(c as string) as c").collect()
    assert row.c == expected


def test_zero_dates_by_policy(frame: Frame, recorded_frame: RecordedFrame) -> None:
    assert one_column(frame, DATE, NULLABLE, "2020-02-00", "date").c is None
    bad = one_column(frame, DATE, NULLABLE, "2020-02-00", "date", zeroDate="error")
    assert bad.c is None
    assert bad._change_type == "insert"
    assert bad._corrupt_record.reason == (
        "shop.orders, column 'c': '2020-02-00' is not a day of the calendar; "
        "option zeroDate=null makes it null, a STRING column keeps it"
    )
    assert bytes(bad._corrupt_record.value)[0] == 1
    with pytest.raises(PythonException, match=r"offset 0: shop\.orders, column 'c': '2020-02-00' is not a day"):
        one_column(frame, DATE, NULLABLE, "2020-02-00", "date", zeroDate="error", mode="FAILFAST")
    schema = table_schema(recorded_frame("times"), "craft", "test.times", {"zeroDate": "string"})
    assert {schema[name].dataType.simpleString() for name in ("d", "dt", "ts", "ts6")} == {"string"}
    rows = rows_from_ticdc(recorded_frame("times"), "craft", "test.times", schema, {"zeroDate": "string"}).collect()
    assert (rows[3].d, rows[3].dt6) == ("0000-00-00", "0000-00-00 00:00:00.000000")
    assert rows[5].dt == "2020-00-00 01:02:03"


def test_a_value_that_does_not_fit_costs_only_itself(frame: Frame) -> None:
    columns = [("id", INT, KEY), ("c", BIGINT, NULLABLE), ("d", DECIMAL, NULLABLE)]
    events = [
        change("insert", columns, {"id": 1, "c": 5, "d": "1.5"}),
        change("insert", columns, {"id": 2, "c": 300, "d": "1.25"}),
        change("insert", columns, {"id": 3, "c": -128, "d": None}),
    ]
    messages = frame(encoded(events))
    wanted = "id int, c tinyint, d decimal(3,1)"
    rows = rows_from_ticdc(messages, "craft", "shop.orders", wanted).collect()
    assert [(row.id, row.c, row.d) for row in rows] == [
        (1, 5, Decimal("1.5")),
        (2, None, None),
        (3, -128, None),
    ]
    assert [row._corrupt_record is None for row in rows] == [True, False, True]
    assert rows[1]._corrupt_record.reason == (
        "shop.orders, column 'c': '300' does not fit TINYINT; declare a wider type, or STRING; "
        "shop.orders, column 'd': '1.25' does not fit DECIMAL(3,1); declare a wider type, or STRING"
    )
    kept = rows_from_ticdc(messages, "craft", "shop.orders", wanted, {"mode": "DROPMALFORMED"}).collect()
    assert [row.id for row in kept] == [1, 3]


def test_rows_that_do_not_fit_are_told_from_messages_that_cannot_be_read(frame: Frame) -> None:
    columns = [("id", INT, KEY), ("c", BIGINT, NULLABLE), ("j", JSON, NULLABLE)]
    events = [
        change("insert", columns, {"id": 1, "c": 5, "j": "{}"}),
        change("insert", columns, {"id": 2, "c": 300, "j": "[1]"}),
        change("insert", columns, {"id": 3, "c": 301, "j": "{"}),
    ]
    good = encoded(events)
    messages = frame([*good, (good[0] or b"")[:-3]])
    options = {"misfitColumn": "_misfit"}
    rows = rows_from_ticdc(messages, "craft", "shop.orders", "id int, c tinyint, j variant", options)
    assert rows.columns[-2:] == ["_misfit", "_corrupt_record"]
    found = rows.select("id", "_change_type", "_misfit", "_corrupt_record.reason").collect()
    assert [(one.id, one._change_type) for one in found] == [(1, "insert"), (2, "insert"), (3, "insert"), (None, None)]
    assert [one.reason is None for one in found] == [True, True, True, False]
    assert (found[0]._misfit, found[3]._misfit) == (None, None)
    small = "shop.orders, column 'c': '300' does not fit TINYINT; declare a wider type, or STRING"
    assert found[1]._misfit == small
    assert found[2]._misfit == (
        small.replace("300", "301") + "; shop.orders, column 'j': '{' is no JSON that VARIANT can hold; declare STRING"
    )
    assert [one.id for one in rows.where("_corrupt_record is null").collect()] == [1, 2, 3]
    dropped = rows_from_ticdc(messages, "craft", "shop.orders", "c tinyint", {**options, "mode": "DROPMALFORMED"})
    assert "_misfit" not in dropped.columns
    with pytest.raises(OptionError, match="option misfitColumn is one of rows_from_ticdc"):
        from_ticdc(messages, "craft", options)


def test_unsigned_bit_and_wide_integers(recorded_frame: RecordedFrame) -> None:
    schema = table_schema(recorded_frame("integers"), "craft", "test.ints")
    types = {field.name: field.dataType.simpleString() for field in schema}
    assert types["bu"] == "decimal(20,0)"
    assert (types["tu"], types["su"], types["mu"], types["iu"]) == ("smallint", "int", "int", "bigint")
    assert types["b64"] == "binary"
    rows = rows_from_ticdc(recorded_frame("integers"), "craft", "test.ints").collect()
    most = next(row for row in rows if row.id == 2)
    assert most.bu == Decimal(2**64 - 1)
    assert (most.b, most.iu, most.t, most.tu) == (2**63 - 1, 2**32 - 1, 127, 255)
    assert (bytes(most.b64), bytes(most.bt)) == (b"\xff" * 8, b"\x01")
    asked = "bu bigint, b64 decimal(20,0), bt boolean, b string"
    again = rows_from_ticdc(recorded_frame("integers"), "craft", "test.ints", asked).collect()[1]
    assert (again.bu, again.b64, again.bt, again.b) == (None, Decimal(2**64 - 1), True, "9223372036854775807")
    assert "'18446744073709551615' does not fit BIGINT" in again._corrupt_record.reason


def test_decimals_up_to_38_digits_and_beyond(recorded_frame: RecordedFrame) -> None:
    messages = recorded_frame("decimals", "default-float8")
    schema = table_schema(messages, "craft", "test.decs")
    types = {field.name: field.dataType.simpleString() for field in schema}
    assert (types["id"], types["d1"], types["d2"]) == ("decimal(20,0)", "decimal(38,0)", "decimal(38,2)")
    assert (types["d3"], types["d4"], types["d5"]) == ("string", "string", "decimal(38,5)")
    assert (types["f"], types["d"]) == ("float", "double")
    assert schema["id"].metadata == {"tidb_type": "bigint", "handle_key": True, "unsigned": True}
    first, second, *_ = rows_from_ticdc(messages, "craft", "test.decs", schema).collect()
    assert first.d4 == "9" * 65
    assert first.d2 == Decimal("12345678.90")
    assert second.d3 == "-0.000000000000000000000000000001"
    assert abs(first.f - 3.14) < 1e-6
    assert second.d == -1.7976931348623157e308


def test_what_a_change_does_not_carry_is_null(recorded_frame: RecordedFrame) -> None:
    rows = rows_from_ticdc(
        recorded_frame("keys", "delete-handle-only"), "craft", "test.k_comp", "b string, a int, v int, gone date"
    ).collect()
    (deleted,) = [row for row in rows if row._change_type == "delete"]
    assert (deleted.a, deleted.b, deleted.v, deleted.gone) == (1, "x", None, None)
    assert [row.v for row in rows if row._change_type == "insert"] == [1, 2]
    assert all(row._corrupt_record is None for row in rows)


def test_the_columns_of_a_table_that_was_altered(recorded_frame: RecordedFrame) -> None:
    schema = table_schema(recorded_frame("ddl"), "craft", "shop.orders")
    assert schema.names[:4] == ["id", "customer", "tel", "amount"]
    assert {"phone", "y"} < set(schema.names)
    rows = ordered(rows_from_ticdc(recorded_frame("ddl"), "craft", "shop.orders", schema))
    assert [(row._change_type, row.phone, row.tel, row.y) for row in rows] == [
        ("insert", None, None, None),
        ("update_preimage", None, None, None),
        ("update_postimage", "+1", None, None),
        ("update_preimage", None, "+1", 5),
        ("update_postimage", None, "+1", None),
    ]
    assert rows[0].amount == Decimal("0.0000")


def test_names_that_need_quotes(recorded_frame: RecordedFrame) -> None:
    rows = rows_from_ticdc(recorded_frame("ddl"), "craft", "shop.`weird name``x`").collect()
    assert [(row["col 1"], row["Mixed.Case"], row["中文列"], row['a"b']) for row in rows] == [(1, "M", 2, 4)] * 2


def test_every_table_with_one_job(recorded_frame: RecordedFrame) -> None:
    found = table_schemas(recorded_frame("batches"), "craft")
    assert {name: schema.simpleString() for name, schema in found.items()} == {
        ("test", "b1"): "struct<id:int,name:string,amount:decimal(38,2),at:timestamp_ntz>",
        ("test", "b2"): "struct<test:int,b1:string>",
    }


def test_a_column_that_changed_its_type(frame: Frame) -> None:
    def seen(*kinds: tuple[int, int, object]) -> StructType:
        events = [
            change("insert", [("c", kind, flags)], {"c": value}, ts=TSO + at)
            for at, (kind, flags, value) in enumerate(kinds)
        ]
        return table_schema(frame(encoded(events, 1)), "craft", "shop.orders")

    assert seen((INT, 64, 1), (BIGINT, 64, 2)).simpleString() == "struct<c:bigint>"
    assert seen((BIGINT, 192, 1), (INT, 64, 2)).simpleString() == "struct<c:decimal(20,0)>"
    assert seen((BIGINT, 64, 1), (DECIMAL, 64, "2.50")).simpleString() == "struct<c:decimal(38,2)>"
    assert seen((INT, 64, 1), (VARCHAR, 64, "x")).simpleString() == "struct<c:string>"
    assert seen((VARCHAR, 65, b"\xff"), (VARCHAR, 64, "x")).simpleString() == "struct<c:binary>"
    with pytest.raises(SchemaError, match="column 'c' was DATE and became INT: no type holds both; give the schema"):
        seen((DATE, 64, "2021-01-01"), (INT, 64, 1))


def test_a_type_that_a_column_cannot_have(frame: Frame) -> None:
    sentence = (
        "shop.orders, column 'c': DATETIME values (stored as string) cannot be TIMESTAMP; "
        "declare TIMESTAMP_NTZ, BINARY, STRING and cast afterwards"
    )
    row = one_column(frame, DATETIME, NULLABLE, "2021-01-01 00:00:00", "timestamp")
    assert (row.c, row._change_type, row._corrupt_record.reason) == (None, "insert", sentence)
    with pytest.raises(PythonException, match=re.escape(f"MalformedError: topic t, partition 0, offset 0: {sentence}")):
        one_column(frame, DATETIME, NULLABLE, "2021-01-01 00:00:00", "timestamp", mode="FAILFAST")


@pytest.mark.parametrize(
    ("schema", "sentence"),
    [
        ("a int, A string", "column 'A' is there twice"),
        ("_commit_version bigint", "column '_commit_version' is there twice"),
        ("a array<int>", "column 'a': array<int> is not a type that changes are decoded to"),
    ],
)
def test_schemas_that_rows_cannot_have(schema: str, sentence: str, frame: Frame) -> None:
    with pytest.raises(SchemaError, match=sentence):
        rows_from_ticdc(frame([bench_value(1)]), "craft", "test.bench", schema)


def test_tables_that_are_not_there_or_not_named(frame: Frame) -> None:
    messages = frame([bench_value(1)])
    with pytest.raises(SchemaError, match=r"no change of table test\.other is in these messages"):
        table_schema(messages, "craft", "test.other")
    assert rows_from_ticdc(messages, "craft", "test.other", "id int").collect() == []
    for name in ("bench", "a.b.c", "test.", "`a`b.c", "`a.b"):
        with pytest.raises(SchemaError, match=r"a table is named schema\.table"):
            rows_from_ticdc(messages, "craft", name, "id int")


def test_messages_that_cannot_be_decoded(frame: Frame) -> None:
    rows = rows_from_ticdc(frame([b"\x01", bench_value(1)]), "craft", "test.bench", "id int").collect()
    assert sorted((row._change_type or "", row._corrupt_record is None) for row in rows) == [
        ("", False),
        ("update_postimage", True),
        ("update_preimage", True),
    ]


def test_a_frame_without_messages_is_refused(frame: Frame) -> None:
    with pytest.raises(SchemaError, match=r"has a column `value` BINARY.* this one has topic STRING"):
        rows_from_ticdc(frame([b""]).select("topic"), "craft", "a.b", "id int")


def test_text_that_is_not_utf8_in_a_string_column(frame: Frame) -> None:
    columns = [("id", INT, KEY), ("c", VARCHAR, NULLABLE)]
    events = [
        change("insert", columns, {"id": 1, "c": "fine"}),
        change("insert", columns, {"id": 2, "c": b"\xff\xfe"}),
    ]
    messages = frame(encoded(events))
    rows = rows_from_ticdc(messages, "craft", "shop.orders", "c string", {"invalidText": "bytes"}).collect()
    assert [row.c for row in rows] == ["fine", None]
    assert "column 'c': 'fffe' is not a value that STRING can hold" in rows[1]._corrupt_record.reason
    assert table_schema(messages, "craft", "shop.orders", {"invalidText": "bytes"})["c"].dataType.typeName() == "binary"
    raw = rows_from_ticdc(messages, "craft", "shop.orders", "c binary", {"invalidText": "bytes"}).collect()
    assert [bytes(row.c) for row in raw] == [b"fine", b"\xff\xfe"]


def test_floats_are_those_of_the_database(frame: Frame) -> None:
    assert one_column(frame, FLOAT, NULLABLE, 0.10000000149011612, "string").c == "0.1"
    damaged = one_column(frame, FLOAT, NULLABLE, 1e300, "float")
    assert damaged.c is None
    assert "'1e+300' is no 32-bit float, as every FLOAT is; float-overwritten" in damaged._corrupt_record.reason
    assert one_column(frame, BIT, NULLABLE | UNSIGNED, 0x0102, "binary").c == bytearray(b"\x01\x02")
    assert one_column(frame, TIME, NULLABLE, "-838:59:59", "interval day to second").c == -timedelta(
        hours=838, minutes=59, seconds=59
    )


@pytest.mark.parametrize(
    ("unit", "fits", "does_not"),
    [
        ("day", "-48:00:00", "48:00:00.000001"),
        ("day to hour", "-838:00:00", "00:59:00"),
        ("hour to minute", "00:59:00", "-00:00:59"),
        ("minute", "838:01:00", "00:00:00.5"),
        ("second", "-00:00:00.000001", None),
        ("minute to second", "838:59:59.999999", None),
    ],
)
def test_a_time_in_an_interval_of_other_units(unit: str, fits: str, does_not: str | None, frame: Frame) -> None:
    columns = [("id", INT, KEY), ("c", TIME, NULLABLE)]
    events = [change("insert", columns, {"id": at, "c": text}) for at, text in enumerate((fits, does_not, None))]
    schema = f"c interval {unit}"
    frames = rows_from_ticdc(frame(encoded(events)), "craft", "shop.orders", schema)
    first, second, third = frames.selectExpr(
        "cast(cast(c as interval day to second) as string) c", "_corrupt_record"
    ).collect()
    sign = "-" if fits.startswith("-") else ""
    hours, minutes, seconds = fits.lstrip("-").split(":")
    clock = f"{sign}{int(hours) // 24} {int(hours) % 24:02}:{minutes}:{seconds}"
    assert (first.c, first._corrupt_record) == (f"INTERVAL '{clock}' DAY TO SECOND", None)
    assert (second.c, third.c, third._corrupt_record) == (None, None, None)
    if does_not is None:
        assert second._corrupt_record is None
    else:
        assert second._corrupt_record.reason == (
            f"shop.orders, column 'c': {does_not!r} does not fit INTERVAL {unit.upper()}; "
            "declare a wider type, or STRING"
        )
