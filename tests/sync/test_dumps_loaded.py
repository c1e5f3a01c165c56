"""Tables that begin with the rows of a dump, and go on with the changes after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from sync.dumpling import Dumped, write_dump
from sync.staged_histories import START, change
from sync.topic import Topic
from sync.verified_types import describe
from tidewire.events import Watermark
from tidewire.spark.sync.dumped import found_dump
from tidewire.spark.sync.how_far import status

SQL = "CREATE TABLE `orders` (`id` int NOT NULL, `n` int, `note` varchar(20), PRIMARY KEY (`id`))"
NAMES = {"id": "int", "n": "int", "note": "varchar"}
COLUMNS = describe(SQL).row_columns()


def order(kind: str, ts: int, number: int, n: int | None = None) -> object:
    row = {"id": number, "n": n, "note": "changed"}
    return change(kind, ts, "orders", None if kind == "delete" else row, row if kind != "insert" else None, columns=COLUMNS)


def dump(tmp: Path, ts: int, rows: int = 3, kind: str = "csv", how: str = "") -> str:
    cells = [[str(at).encode(), b"%d" % (at * 10), b"dumped"] for at in range(rows)]
    return str(write_dump(tmp / f"dump-{ts}", START + ts, {"shop.orders": Dumped(SQL, NAMES, cells)}, kind, how))


@pytest.mark.parametrize("format", ["parquet", "iceberg", "delta"])
def test_a_table_begins_with_a_dump_and_goes_on(topic: Topic, format: str) -> None:
    lake = {"iceberg": "ice.dumped_{schema}.{table}"}.get(format, f"{topic.tmp}/lake/{{schema}}/{{table}}")
    into = f"{format}:{lake}"
    first = topic.frame([
        Watermark(START + 5),
        order("insert", 8, 0, 1),  # the dump has a later state
        order("insert", 20, 1, 1),
        order("insert", 21, 7, 7),
        order("delete", 22, 2),
        Watermark(START + 30),
    ]).persist()
    topic.sync(first, into=into, tables="shop.nothing").once()
    running = topic.sync(first.union(topic.frame([Watermark(START + 40)])), into=into)
    running.ask("add", "shop.orders", found_dump(dump(topic.tmp, 20)))
    seen = []
    running = topic.sync(first.union(topic.frame([Watermark(START + 50)])), into=into, said=lambda b: seen.append(b.notes))
    found = running.once()
    print(seen, found)
    assert topic.rows("shop.orders") == [(0, 0, "dumped"), (1, 10, "dumped"), (7, 7, "changed")]
