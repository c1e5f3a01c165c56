"""Canal-JSON with Spark's own from_json and the generated message type: where its rows equal ours and where not."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from tidewire.schemas import MESSAGES
from tidewire.spark import from_ticdc, rows_from_ticdc

IMAGES = """
    case m.type
        when 'INSERT' then array(struct('insert' as change, m.data[0] as row))
        when 'DELETE' then array(struct('delete' as change, m.data[0] as row))
        when 'UPDATE' then array(
            struct(
                'update_preimage' as change,
                map_concat(map_filter(m.data[0], (k, v) -> not map_contains_key(m.old[0], k)), m.old[0]) as row
            ),
            struct('update_postimage' as change, m.data[0] as row)
        )
    end
"""
"""The row images of a message; an old one has the columns that did not change from the new one."""


@pytest.fixture(scope="session")
def parsed(canal: DataFrame) -> DataFrame:
    """The messages of the shipped capture as from_json reads them."""
    return canal.select(F.from_json(F.decode("value", "UTF-8"), MESSAGES["canal-json"]).alias("m"))


def jvm_rows(parsed: DataFrame, table: str, *columns: str) -> list[Row]:
    """Rows of a table of the schema test, without Python."""
    rows = parsed.filter(f"m.database = 'test' and m.table = '{table}'").selectExpr("m", f"explode({IMAGES}) as image")
    found = rows.selectExpr(*columns, "image.change", "cast(m._tidb.commitTs as bigint) as version")
    return sorted(found.collect(), key=str)


def our_rows(canal: DataFrame, table: str, schema: str, *columns: str) -> list[Row]:
    """The same from us."""
    rows = rows_from_ticdc(canal, "canal_json", f"test.{table}", schema, {"mode": "FAILFAST"})
    found = rows.selectExpr(*columns, "_change_type as change", "_commit_version as version")
    return sorted(found.collect(), key=str)


def test_rows_of_plain_types_are_the_same(canal: DataFrame, parsed: DataFrame) -> None:
    jvm = jvm_rows(
        parsed,
        "k_comp",
        "cast(image.row['a'] as int) as a",
        "image.row['b'] as b",
        "cast(image.row['c'] as timestamp_ntz) as c",
        "cast(image.row['v'] as int) as v",
    )
    ours = our_rows(canal, "k_comp", "a int, b string, c timestamp_ntz, v int", "a", "b", "c", "v")
    assert jvm == ours
    assert len(ours) == 7
    assert sum(row.change == "update_preimage" for row in ours) == 2


def test_every_row_image_is_there(canal: DataFrame, parsed: DataFrame) -> None:
    counted = parsed.selectExpr("m.table", f"explode({IMAGES}) as image").groupBy("table", "image.change").count()
    ours = rows_from_ticdc(canal, "canal_json", None, "variant").groupBy("table", "_change_type").count()
    assert sorted(map(tuple, counted.collect())) == sorted(map(tuple, ours.collect()))


def test_unsigned_numbers_need_a_decimal(canal: DataFrame, parsed: DataFrame) -> None:
    largest = Decimal(2**64 - 1)
    jvm = jvm_rows(parsed, "ints", "try_cast(image.row['bu'] as bigint) as as_bigint", "image.row['bu'] as text")
    assert [row.as_bigint for row in jvm if row.text == str(largest)] == [None] * 2
    exact = jvm_rows(parsed, "ints", "cast(image.row['bu'] as decimal(20,0)) as bu")
    assert exact == our_rows(canal, "ints", "bu decimal(20,0)", "bu")
    # the commit ts is exact in the generated type, whose unsigned numbers are decimals
    assert {row[0] for row in parsed.selectExpr("typeof(m._tidb.commitTs)").distinct().collect()} == {"decimal(20,0)"}


def test_binary_has_to_be_known_to_be_binary(canal: DataFrame, parsed: DataFrame) -> None:
    ours = our_rows(canal, "strs", "b binary", "b")
    assert jvm_rows(parsed, "strs", "cast(image.row['b'] as binary) as b") != ours
    assert jvm_rows(parsed, "strs", "encode(image.row['b'], 'ISO-8859-1') as b") == ours


def test_null_and_absent_are_one_in_a_struct(canal: DataFrame) -> None:
    struct = "old array<struct<a:string,b:string,c:string,v:string>>, type string, table string"
    lean = canal.select(F.from_json(F.decode("value", "UTF-8"), struct).alias("m"))
    updated = lean.filter("m.type = 'UPDATE' and m.table = 'k_comp'").select("m.old")
    assert {tuple(row.old[0]) for row in updated.collect()} == {(None, None, None, "1"), (None, None, None, "2")}
    events = from_ticdc(canal, "canal_json").filter("kind = 'update' and table = 'k_comp'").select("old").collect()
    assert [row.old.toPython() for row in events] == [{"v": 1}, {"v": 2}]


def test_watermarks_are_messages_like_others(canal: DataFrame, parsed: DataFrame) -> None:
    marks = parsed.filter("m.type = 'TIDB_WATERMARK'").selectExpr(
        "m._tidb.commitTs", "cast(m._tidb.watermarkTs as bigint) as ts"
    )
    assert {row.commitTs for row in marks.collect()} == {None}
    ours = from_ticdc(canal, "canal_json").filter("kind = 'watermark'").select("_commit_version").collect()
    assert sorted(row.ts for row in marks.collect()) == sorted(row._commit_version for row in ours)


def test_what_is_no_message_is_a_row_of_nulls(canal: DataFrame) -> None:
    broken = canal.limit(1).selectExpr('cast(\'{"type": "INSERT"\' as binary) as value', "partition", "offset")
    (row,) = broken.select(F.from_json(F.decode("value", "UTF-8"), MESSAGES["canal-json"]).alias("m")).collect()
    assert row.m.data is None
    (event,) = from_ticdc(broken, "canal_json").collect()
    assert event._corrupt_record.reason.startswith("canal-json ")
