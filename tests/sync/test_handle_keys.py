"""A table without a primary key, whose rows are identified by another unique index from some commit ts on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sync.staged_histories import START as FIRST
from sync.staged_histories import change
from sync.topic import Topic
from tidewire.events import Column, Ddl, Event, Watermark
from tidewire.mysql import ColumnFlag, ColumnType

HANDLE, UNIQUE = ColumnFlag.HANDLE_KEY | ColumnFlag.UNIQUE_KEY, ColumnFlag.UNIQUE_KEY


def columns(a: ColumnFlag, b: ColumnFlag) -> tuple[Column, ...]:
    return (
        Column("a", ColumnType.INT, a, "int"),
        Column("b", ColumnType.INT, b, "int"),
        Column("v", ColumnType.INT, ColumnFlag.NULLABLE, "int"),
    )


BY_A, BY_B = columns(HANDLE, UNIQUE), columns(ColumnFlag(0), HANDLE)


def row(a: int, b: int, v: int) -> dict[str, Any]:
    return {"a": a, "b": b, "v": v}


def events(back: bool = False) -> list[Event]:
    return [
        change("insert", 2, "t", row(1, 10, 1), columns=BY_A),
        change("insert", 2, "t", row(2, 20, 2), columns=BY_A),
        change("insert", 2, "t", row(3, 30, 3), columns=BY_A),
        change("delete", 3, "t", None, row(3, 30, 3), columns=BY_A),
        Ddl(FIRST + 5, "shop", "t", 9, "ALTER TABLE shop.t DROP INDEX ua"),
        change("update", 6, "t", row(1, 20, 9), row(2, 20, 2), columns=BY_B),
        *([change("insert", 7, "t", row(7, 70, 7), columns=BY_A)] if back else []),
        Watermark(FIRST + 10),
    ]


@pytest.mark.parametrize("name", ["open-protocol", "craft, keys of deletes"])
@pytest.mark.parametrize("few", [0, 200])
def test_deletes_by_an_old_handle_key_delete_their_rows(
    spark: SparkSession, tmp_path: Path, name: str, few: int
) -> None:
    topic = Topic(spark, tmp_path)
    assert topic.sync(topic.frame(events(), name), name, options={"few": few}).once().parked == {}
    assert topic.rows("shop.t") == [(1, 10, 1), (1, 20, 9)]
    more = [
        change("delete", 11, "t", None, row(1, 10, 1), columns=BY_B),
        change("insert", 12, "t", row(1, 50, 5), columns=BY_B),
        Watermark(FIRST + 20),
    ]
    assert topic.sync(topic.frame(more, name), name, options={"few": few}).once().parked == {}
    assert topic.rows("shop.t") == [(1, 20, 9), (1, 50, 5)]


def test_rows_between_which_nothing_tells_when_the_key_changed_wait(spark: SparkSession, tmp_path: Path) -> None:
    topic = Topic(spark, tmp_path)
    found = topic.sync(topic.frame(events(back=True), "craft"), "craft").once()
    reason = found.parked["shop.t"].reason
    assert "are told apart by a and others by b: its handle key was changed more than once" in reason


def test_kept_key_by_key_such_a_table_waits(spark: SparkSession, tmp_path: Path) -> None:
    """What was applied last is known by the key that rows had."""
    topic = Topic(spark, tmp_path)
    options = {"consistency": "key"}
    first, later = events()[:4], events()[5:6]
    assert topic.sync(topic.frame(first, "craft"), "craft", options=options).once().parked == {}
    found = topic.sync(topic.frame(later, "craft"), "craft", options=options).once()
    assert "its rows are told apart by b now, and were by a before" in found.parked["shop.t"].reason
