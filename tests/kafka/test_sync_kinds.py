"""Through a real broker: partial rows in each protocol, rows of nearly 1 MB, and many tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from kept_shop import Kept
from pyspark.sql import SparkSession
from sync.staged_histories import PROTOCOLS, START, TABLES, account, change, declared_history, messages
from topics import source

from demo.broker import Broker, Record
from demo.changefeed import CANAL
from tidewire.events import Event, Watermark
from tidewire.spark.sync.publish import snapshot
from tidewire.spark.sync.run import Sync, sync

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "exhaustive"
PARTS = {"only_output_updated_columns": True, "delete_only_output_handle_key_columns": True}
KEYS = {"delete_only_output_handle_key_columns": True}


class Sent:
    """A topic of some events, and what is kept of it."""

    def __init__(self, spark: SparkSession, broker: Broker, tmp: Path, topic: str, partitions: int = 1) -> None:
        self.spark = spark
        self.broker = broker
        self.tmp = tmp
        self.topic = topic
        self.state = str(tmp / "state")
        broker.create(topic, partitions)

    def send(self, events: Sequence[Event], name: str = "canal-json", **more: Any) -> None:
        pairs = zip(*messages(events, name, **more), strict=True)
        self.broker.send(self.topic, [Record(0, key, value) for key, value in pairs])

    def sync(self, name: str = "canal-json", **options: Any) -> Sync:
        into = f"parquet:{self.tmp}/lake/{{schema}}/{{table}}"
        read = source(self.broker, self.topic)
        return sync(self.spark, read, PROTOCOLS[name][0], into=into, state=self.state, options=options)

    def rows(self, table: str) -> list[tuple[Any, ...]]:
        return sorted(tuple(one) for one in snapshot(self.spark, self.state)[table].collect())


@pytest.mark.parametrize(
    ("protocol", "encoded"),
    [
        ("canal-json", {**CANAL, **PARTS}),
        ("open-protocol", PARTS),
        ("craft", KEYS),
        ("debezium", PROTOCOLS["debezium"][1]),
    ],
)
def test_every_published_version_is_the_source_whatever_a_row_leaves_out(
    spark: SparkSession, a_broker: Broker, tmp_path: Path, protocol: str, encoded: dict[str, Any]
) -> None:
    """Before images with what was changed alone, deletes with keys alone; by every protocol that has watermarks."""
    kept = Kept(spark, a_broker, tmp_path, protocol=protocol, encoded=encoded)
    reading = {"producer": encoded["producer"]} if "producer" in encoded else {}
    kept.shop.trade(60)
    kept.feed.send()
    found = kept.sync(**reading).once()
    kept.shop.add_column("orders", "note", "varchar(20)", "none")
    kept.shop.trade(40)
    kept.feed.send()
    kept.feed.restart(2)
    kept.shop.truncate("carts")
    kept.shop.trade(40)
    kept.feed.send()
    found = kept.sync(**reading).once()
    assert (found.parked, found.dead) == ({}, 0)
    kept.compare()
    assert len(kept.compared) >= 2
    assert max(kept.compared) == kept.feed.resolved


@pytest.mark.parametrize("name", ["simple", "debezium"])
def test_tables_of_protocols_that_describe_them(
    spark: SparkSession, a_broker: Broker, tmp_path: Path, name: str
) -> None:
    """Inserts, updates, deletes, a key that is changed and two that are swapped, and all of it once more."""
    of = Sent(spark, a_broker, tmp_path, f"described-{name}")
    of.send(declared_history(), name)
    of.sync(name).once()
    of.send([*declared_history(), Watermark(START + 40)], name)
    found = of.sync(name).once()
    assert (found.published, found.parked, found.dead) == (START + 40, {}, 0)
    assert of.rows("shop.pairs") == [(0, "x", 1), (1, "x", 0), (2, "y", 2)]
    assert [(row[0], row[1], str(row[2])) for row in of.rows("shop.accounts")] == [
        (0, "o0", "0.50"),
        (1, None, "7.00"),
        (3, "o3", "0.01"),
        (4, "o4", "4.50"),
        (5, "o5", "5.50"),
        (100, "o2", "100.50"),
    ]


def test_a_row_of_which_the_key_alone_came_parks_its_table(
    spark: SparkSession, a_broker: Broker, tmp_path: Path
) -> None:
    """large-message-handle-option=handle-key-only: the rest of the row is in the database alone."""
    of = Sent(spark, a_broker, tmp_path, "keys-alone")
    more: dict[str, Any] = {"large_message_handle_option": "handle-key-only", "max_message_bytes": 2_000}
    wide = account(7, owner="o" * 3_000)
    pair = {"a": 1, "b": "x", "n": 1}
    events = [change("insert", 1, "accounts", account(1)), change("insert", 2, "pairs", pair)]
    of.send([*events, change("insert", 5, "accounts", wide), Watermark(START + 10)], **more)
    found = of.sync().once()
    assert (set(found.parked), found.published) == ({"shop.accounts"}, START + 10)
    parked = found.parked["shop.accounts"]
    assert parked.ts == START + 5
    assert "key" in parked.reason
    assert [one[0] for one in of.rows("shop.accounts")] == [1]
    assert of.rows("shop.pairs") == [(1, "x", 1)]


def test_rows_of_nearly_a_megabyte(spark: SparkSession, a_broker: Broker, tmp_path: Path) -> None:
    of = Sent(spark, a_broker, tmp_path, "wide-rows")
    columns = TABLES["accounts"]
    texts = {n: chr(97 + n) * 900_000 for n in range(6)}
    events: list[Event] = [
        change("insert", 1 + n, "accounts", account(n, owner=text), columns=columns) for n, text in texts.items()
    ]
    of.send([*events, change("delete", 10, "accounts", None, account(5)), Watermark(START + 20)])
    assert of.sync().once().published == START + 20
    assert {one[0]: one[1] for one in of.rows("shop.accounts")} == {n: texts[n] for n in range(5)}


def test_many_tables(spark: SparkSession, a_broker: Broker, tmp_path: Path) -> None:
    """Most with a few rows, one with many; all at one TSO."""
    count = 300 if LONG else 30
    of = Sent(spark, a_broker, tmp_path, "many-tables")
    columns = TABLES["pairs"]
    events: list[Event] = []
    for n in range(count):
        for row in range(600 if n == 7 else 1 + n % 3):
            values = {"a": row, "b": f"t{n}", "n": n}
            events.append(change("insert", 1 + len(events), f"t{n}", values, columns=columns))
    end = len(events) + 1
    of.send([*events, Watermark(START + end)])
    found = of.sync().once()
    assert (found.published, found.parked, len(found.tables)) == (START + end, {}, count)
    # changes of some tables alone: the others stay as they are
    more = [change("delete", end, "t8", None, {"a": 0, "b": "t8", "n": 8}, columns=columns), Watermark(START + end + 5)]
    of.send(more)
    assert of.sync().once().published == START + end + 5
    lake = snapshot(spark, of.state)
    assert len(lake) == count
    for n in (*range(9), count - 1):
        rows = {tuple(one) for one in lake[f"shop.t{n}"].collect()}
        true = {(row, f"t{n}", n) for row in range(600 if n == 7 else 1 + n % 3)}
        assert rows == (true - {(0, "t8", 8)} if n == 8 else true)
