"""Columns declared anew whose Spark type is the same, and defaults that are times: what rows have that were there."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sync.staged_histories import START as FIRST
from sync.staged_histories import change
from sync.topic import Topic, formats
from tidewire.events import Column, Ddl, Event, Watermark
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.spark.sync.publish import snapshot

COLUMNS = (
    Column("id", ColumnType.INT, ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY, "int"),
    Column("moment", ColumnType.DATETIME, ColumnFlag.NULLABLE, "datetime(6)"),
    Column("clock", ColumnType.TIME, ColumnFlag.NULLABLE, "time(3)"),
    Column("name", ColumnType.VARCHAR, ColumnFlag.NULLABLE, "varchar(10)"),
    Column("kind", ColumnType.ENUM, ColumnFlag.NULLABLE, "enum('a','b')"),
)


@pytest.fixture
def topic(spark: SparkSession, tmp_path: Path) -> Topic:
    return Topic(spark, tmp_path)


def row(ts: int, number: int, moment: str, clock: str, name: str) -> Event:
    values = {"id": number, "moment": moment, "clock": clock, "name": name, "kind": 2}
    return change("insert", ts, "things", values, columns=COLUMNS)


def altered(ts: int, what: str) -> Ddl:
    return Ddl(FIRST + ts, "shop", "things", 5, f"ALTER TABLE shop.things {what}")


def rows(topic: Topic, as_of: Any = None) -> list[dict[str, Any]]:
    found = snapshot(topic.spark, topic.state, as_of)["shop.things"].orderBy("id").collect()
    return [one.asDict() for one in found]


@formats("iceberg")
def test_values_are_those_that_the_database_made_of_them(topic: Topic, format: str) -> None:
    into = f"{format}:{topic.tmp}/lake/{{schema}}/{{table}}"
    if format == "iceberg":
        into = "iceberg:ice.anew_{schema}.{table}"
    events = [
        row(1, 1, "2024-12-31 23:59:59.500000", "-838:59:59.000", "a  "),
        row(2, 2, "2024-01-01 00:00:00.499999", "01:02:03.000", "b"),
        Watermark(FIRST + 10),
        altered(20, "MODIFY moment datetime, MODIFY clock time, MODIFY name char(10)"),
        Watermark(FIRST + 30),
    ]
    assert topic.sync(topic.frame(events), into=into).once().parked == {}
    assert [(one["moment"], one["clock"], one["name"]) for one in rows(topic)] == [
        (datetime(2025, 1, 1), "-838:59:59", "a"),
        (datetime(2024, 1, 1), "01:02:03", "b"),
    ]


def test_a_table_whose_values_stay_is_not_written_anew(topic: Topic) -> None:
    topic.sync(topic.frame([row(1, 1, "2024-01-01 00:00:00.5", "00:00:01.000", "a"), Watermark(FIRST + 10)])).once()
    folder = topic.tmp / "lake" / "shop" / "things" / "data"
    before = {path.name for path in folder.iterdir()}
    events = [
        altered(20, "MODIFY moment datetime(1), MODIFY name char(10), MODIFY kind enum('a','b','c')"),
        Watermark(FIRST + 30),
    ]
    assert topic.sync(topic.frame(events)).once().parked == {}
    assert {path.name for path in folder.iterdir()} == before


def test_what_cannot_be_told_waits(topic: Topic) -> None:
    first = row(1, 1, "2024-01-01 00:00:00", "00:00:01.500", "a")
    events = [first, altered(20, "MODIFY clock time"), Watermark(FIRST + 30)]
    found = topic.sync(topic.frame(events)).once()
    assert "the time 00:00:01.500 was rounded to 0 digits" in found.parked["shop.things"].reason
    events = [first, altered(20, "MODIFY kind enum('b','a')"), Watermark(FIRST + 30)]
    found = topic.sync(
        topic.frame(events), state=f"{topic.tmp}/other", into=f"parquet:{topic.tmp}/more/{{schema}}/{{table}}"
    ).once()
    assert "labels of its column 'kind' were put in another order" in found.parked["shop.things"].reason


def test_defaults_that_are_times(topic: Topic) -> None:
    """Which no message tells: the statement's commit ts, and the time zone of the changefeed, and both are said."""
    made = "TIMESTAMP DEFAULT '2024-06-01 08:00:00'"
    events = [
        row(1, 1, "2024-01-01 00:00:00", "00:00:01", "a"),
        altered(20, f"ADD COLUMN seen {made}, ADD COLUMN at TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP(3)"),
        altered(21, "ADD COLUMN local DATETIME DEFAULT CURRENT_TIMESTAMP"),
        Watermark(FIRST + 30),
    ]
    options = {"timezone": "Asia/Shanghai"}
    said: list[str] = []
    running = topic.sync(topic.frame(events), options=options, said=lambda batch: said.extend(batch.notes))
    assert running.once().parked == {}
    assert [note.split(": ", 2)[1].split(" was added")[0] for note in said] == [
        "column 'seen'",
        "column 'at'",
        "column 'local'",
    ]
    assert "was read in the time zone Asia/Shanghai" in said[0]
    assert "that of its commit ts" in said[1]
    (one,) = rows(topic)
    at = datetime.fromtimestamp((FIRST >> 18) / 1000, UTC)
    assert one["seen"].astimezone(UTC) == datetime(2024, 6, 1, tzinfo=UTC)
    assert one["at"].astimezone(UTC) == at
    assert str(one["local"]) == f"{at.replace(hour=at.hour + 8):%Y-%m-%d %H:%M:%S}"
