"""The comparison in README: recorded messages read with from_json and casts, and with Tidewire."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from manual.pages import README
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row

from tidewire.spark import rows_from_ticdc

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "latest.json"
ZONE = {"timezone": "Asia/Shanghai"}


@pytest.fixture(scope="module")
def shown() -> dict[str, tuple[list[str], list[str]]]:
    """By what is in TiDB the values that the table shows, those of from_json and ours."""
    table = README.read_text(encoding="utf-8").partition("\n## Why\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", table, re.M)[1:]
    assert len(rows) == 6
    return {what: (re.findall("`(.+?)`", theirs), re.findall("`(.+?)`", ours)) for what, theirs, ours in rows}


def row(shown: dict[str, tuple[list[str], list[str]]], begins: str) -> tuple[list[str], list[str]]:
    (found,) = (values for what, values in shown.items() if what.startswith(begins))
    return found


def parsed(messages: DataFrame, table: str, *columns: str) -> DataFrame:
    """The new rows of a table as one writes it with from_json: its values are text."""
    image = ",".join(f"`{name}`:string" for name in columns)
    type_of_message = f"`table` string, type string, data array<struct<{image}>>"
    found = messages.selectExpr(f"from_json(cast(value as string), '{type_of_message}') m")
    return found.where(f"m.`table` = '{table}' and m.type <> 'DELETE'").selectExpr("m.type as kind", "inline(m.data)")


def ours(messages: DataFrame, table: str, columns: str, **options: str) -> DataFrame:
    rows = rows_from_ticdc(messages, "canal-json", table, columns, {**ZONE, **options})
    return rows.where("_change_type in ('insert', 'update_postimage')")


def one(rows: DataFrame) -> Any:
    (found,) = rows.collect()
    return found[0]


def spaced(value: bytes | bytearray) -> str:
    return value.hex(" ").upper()


def test_times_are_eight_hours_off(canal: DataFrame, shown: dict[str, tuple[list[str], list[str]]]) -> None:
    inserts = parsed(canal, "times", "id", "ts").where("kind = 'INSERT' and id = '1'")
    theirs = one(inserts.selectExpr("string(cast(ts as timestamp))"))
    rows = ours(canal, "test.times", "id int, ts timestamp").where("_change_type = 'insert' and id = 1")
    mine = one(rows.selectExpr("string(ts)"))
    assert row(shown, "TIMESTAMP, 19:04:05 in UTC") == ([theirs.split()[1]], [mine.split()[1]])
    assert (theirs, mine) == ("2021-01-02 03:04:05", "2021-01-01 19:04:05")


def test_bytes_become_others(canal: DataFrame, shown: dict[str, tuple[list[str], list[str]]]) -> None:
    update = "id = 'a' and v = 'changed'"
    theirs = one(parsed(canal, "strs", "id", "v", "b").where(update).selectExpr("cast(b as binary)"))
    mine = one(ours(canal, "test.strs", "id string, v string, b binary").where(update).select("b"))
    assert row(shown, f"BLOB of the bytes `{spaced(bytes.fromhex('deadbeef'))}`") == ([spaced(theirs)], [spaced(mine)])
    assert mine == bytes.fromhex("deadbeef")


def test_unsigned_numbers_fail(canal: DataFrame, shown: dict[str, tuple[list[str], list[str]]]) -> None:
    largest = "18446744073709551615"
    rows = parsed(canal, "ints", "id", "bu").where(f"bu = '{largest}'")
    with pytest.raises(PySparkException, match="CAST_INVALID_INPUT"):
        rows.selectExpr("cast(bu as bigint)").collect()
    theirs, mine = row(shown, f"BIGINT UNSIGNED `{largest}`")
    assert theirs == ["NULL", "try_cast"]
    assert one(rows.selectExpr("try_cast(bu as bigint)")) is None
    found = ours(canal, "test.ints", "id int, bu decimal(20,0)").select("bu").collect()
    assert mine == [largest]
    assert Row(bu=Decimal(largest)) in found


def test_a_column_that_is_added_vanishes(canal: DataFrame, shown: dict[str, tuple[list[str], list[str]]]) -> None:
    """The type is that of the table as it was; the second message has a column more, with a value."""
    theirs = parsed(canal, "orders", "id", "customer").drop("kind").distinct().collect()
    assert theirs == [Row(id="1", customer="ann")]
    given = canal.where("value like '%phone%'")
    rows = ours(given, "shop.orders", "id decimal(20,0), customer string", rescuedDataColumn="_rescued")
    lines = [line for (line,) in rows.selectExpr("_rescued").collect()]
    phones = [{name: value for name, value in json.loads(line).items() if name == "phone"} for line in lines]
    assert row(shown, "a column that ALTER TABLE adds")[1] == [json.dumps(phones[0], separators=(",", ":"))]


def test_half_a_message_says_nothing(canal: DataFrame, shown: dict[str, tuple[list[str], list[str]]]) -> None:
    half = canal.where("value like '%k_comp%' and value like '%INSERT%'").limit(1)
    half = half.selectExpr("substring(value, 1, length(value) div 2) as value", "topic", "partition", "offset")
    whole_row = "from_json(cast(value as string), 'type string, data array<struct<a:string>>').data"
    assert row(shown, "half a message") == (["NULL"], [])
    assert one(half.selectExpr(whole_row)) is None
    (mine,) = rows_from_ticdc(half, "canal-json", "test.k_comp", "a int", ZONE).collect()
    assert mine.a is None
    assert mine._corrupt_record.reason.startswith("canal-json ")
    (place,) = half.select("topic", "partition", "offset").collect()
    assert (mine._corrupt_record.topic, mine._corrupt_record.partition) == (place.topic, place.partition)
    assert mine._corrupt_record.offset == place.offset


def test_the_times_are_those_that_were_measured() -> None:
    (theirs, ours) = re.findall(
        r"^\| time to read a message with one update \| ([\d.]+) µs \| ([\d.]+) µs \|$",
        README.read_text(encoding="utf-8"),
        re.M,
    )[0]
    found = {
        (line["surface"], line["batch"]): line["ns_per_message_min"] / 1000
        for line in json.loads(RESULTS.read_text(encoding="utf-8"))["spark"]
    }
    assert (theirs, ours) == (
        f"{found['Canal-JSON from_json', 1]:.1f}",
        f"{found['Canal-JSON typed rows', 1]:.1f}",
    )
