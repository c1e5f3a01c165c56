"""Rows below the resolved ts, watermarks that cannot be, and rows that came while their table was not kept."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F

from sync.staged_histories import START as FIRST
from sync.staged_histories import account, change, declared_history
from sync.topic import Topic
from tidewire.events import Column, Ddl, RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.how_far import status
from tidewire.spark.sync.publish import snapshot


@pytest.mark.parametrize("few", ["0", "200"])
def test_news_below_the_resolved_ts_are_told_from_replays(topic: Topic, few: str) -> None:
    verify, stop = {"late": "verify", "few": few}, {"late": "stop", "few": few}
    rows = [one for one in declared_history() if not isinstance(one, Ddl)]
    topic.sync(topic.frame(rows), options=verify).once()
    replays = [*rows, Watermark(FIRST + 40)]
    assert topic.sync(topic.frame(replays), options=stop).once().unknown == {}
    news = change("insert", 15, "pairs", {"a": 9, "b": "x", "n": 9})
    found = topic.sync(topic.frame([*rows, news, Watermark(FIRST + 50)]), options=verify).once()
    assert (found.unknown, found.published) == ({"shop.pairs": 1}, FIRST + 50)
    assert "1 rows of table shop.pairs came below the resolved ts, and the changelog does not have" in found.notes[0]
    news = change("insert", 16, "pairs", {"a": 10, "b": "x", "n": 10})
    with pytest.raises(StateError, match="1 rows below the resolved ts, which the changelog does not have"):
        topic.sync(topic.frame([news, Watermark(FIRST + 60)]), options=stop).once()
    assert status(topic.state).published == FIRST + 50
    assert topic.sync(topic.frame([Watermark(FIRST + 70)]), options={"few": few}).once().published == FIRST + 70
    assert [row[0] for row in topic.rows("shop.pairs")] == [0, 1, 2]


def test_replays_of_rows_of_a_type_that_was_changed_stop_nothing(topic: Topic) -> None:
    def pair(at: int, a: int, n: object, type: ColumnType, mysql_type: str) -> RowChange:
        key = ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY
        columns = [Column("a", ColumnType.INT, key, "int"), Column("n", type, 0, mysql_type)]
        new = {"a": a, "n": n}
        return RowChange("insert", FIRST + at, schema="shop", table="numbers", new=new, columns=columns)

    rows = [
        pair(1, 1, 5, ColumnType.INT, "int"),
        Ddl(FIRST + 2, schema="shop", table="numbers", query="ALTER TABLE numbers MODIFY n DOUBLE", ddl_type=12),
        pair(3, 2, 1.5, ColumnType.DOUBLE, "double"),
    ]
    verify = {"late": "verify"}
    topic.sync(topic.frame([*rows, Watermark(FIRST + 10)]), options=verify).once()
    found = topic.sync(topic.frame([*rows, Watermark(FIRST + 20)]), options=verify).once()
    assert (found.unknown, found.published) == ({}, FIRST + 20)
    assert topic.rows("shop.numbers") == [(1, 5.0), (2, 1.5)]


def test_a_watermark_that_cannot_be_is_none(topic: Topic) -> None:
    """By it everything would be resolved, and all rows that come later would be left out."""
    rows = [change("insert", 1, "accounts", account(1)), Watermark(2**63 - 1), Watermark(FIRST + 10)]
    found = topic.sync(topic.frame(rows)).once()
    assert (found.published, found.dead) == (FIRST + 10, 1)
    assert found.letters[0][2:5] == ("t", 0, 1)
    assert "a watermark of commit ts 9223372036854775807 is later than the clock" in found.letters[0].reason
    more = [change("insert", 20, "accounts", account(2)), Watermark(FIRST + 30)]
    assert topic.sync(topic.frame(more)).once().published == FIRST + 30
    assert len(topic.rows("shop.accounts")) == 2


def test_rows_below_of_a_partition_that_comes_later_park_their_table(topic: Topic) -> None:
    topic.sync(topic.frame([change("insert", 1, "accounts", account(1)), Watermark(FIRST + 10)])).once()
    more = [
        change("insert", 5, "accounts", account(2)),
        change("insert", 12, "pairs", {"a": 1, "b": "x", "n": 1}),
        Watermark(FIRST + 30),
    ]
    new = topic.frame(more).withColumn("partition", F.lit(7))
    old = topic.frame([change("insert", 1, "accounts", account(1)), Watermark(FIRST + 30)])
    found = topic.sync(old.union(new)).once()
    assert (set(found.parked), found.late, found.published) == ({"shop.accounts"}, {"shop.accounts": 2}, FIRST + 30)
    assert "partition 7 of t was heard of when all changes below" in found.parked["shop.accounts"].reason
    assert topic.rows("shop.pairs") == [(1, "x", 1)]


def test_a_table_that_is_wanted_later_waits_until_it_is_added(topic: Topic) -> None:
    first = topic.frame(
        [
            change("insert", 1, "accounts", account(1)),
            change("insert", 1, "pairs", {"a": 1, "b": "x", "n": 1}),
            Watermark(FIRST + 10),
        ]
    ).persist()
    topic.sync(first, tables="shop.accounts").once()
    more = topic.frame([change("insert", 11, "pairs", {"a": 2, "b": "x", "n": 2}), Watermark(FIRST + 30)]).persist()
    found = topic.sync(more).once()
    assert {name: one.remedy for name, one in found.parked.items()} == {
        "shop.pairs": "tidewire sync add FILE shop.pairs makes it from the topic"
    }
    assert set(snapshot(topic.spark, topic.state)) == {"shop.accounts"}
    running = topic.sync(first.union(more).union(topic.frame([Watermark(FIRST + 40)])))
    running.ask("add", "shop.pairs")
    assert running.once().parked == {}
    assert topic.rows("shop.pairs") == [(1, "x", 1), (2, "x", 2)]


def test_a_watermark_later_than_its_message_is_none(topic: Topic) -> None:
    """It is of before now, and of after the time at which Kafka got it."""
    rows = [change("insert", 1, "accounts", account(1)), Watermark(FIRST + (900_000 << 18)), Watermark(FIRST + 10)]
    sent = F.timestamp_millis(F.lit((FIRST >> 18) + 5_000))
    found = topic.sync(topic.frame(rows).withColumn("timestamp", sent)).once()
    assert (found.published, found.dead) == (FIRST + 10, 1)
    assert "is later than Kafka's timestamp of its message: something else" in found.letters[0].reason
    # clocks may differ by some minutes, and a message that nobody gave a time to may be of any
    near = Watermark(FIRST + (500_000 << 18))
    assert topic.sync(topic.frame([near]).withColumn("timestamp", sent)).once().published == near.commit_ts
    far = Watermark(FIRST + (2_000_000 << 18))
    none = F.lit(None).cast("timestamp")
    assert topic.sync(topic.frame([far]).withColumn("timestamp", none)).once().published == far.commit_ts


def test_rows_that_were_not_kept_are_replays_all_the_same(topic: Topic) -> None:
    """The changelog never had them, and their writer broke no promise; once the table is there, all are known again."""
    pair, stop = {"a": 1, "b": "x", "n": 1}, {"late": "stop"}
    first = [change("insert", 1, "accounts", account(1)), change("insert", 1, "pairs", pair), Watermark(FIRST + 10)]
    begin = topic.frame(first).persist()
    topic.sync(begin, tables="shop.accounts", options=stop).once()
    assert topic.sync(topic.frame(first), tables="shop.accounts", options=stop).once().notes == ()
    found = topic.sync(topic.frame([*first, Watermark(FIRST + 20)]), options=stop).once()
    assert (found.published, found.unknown, found.late["shop.pairs"]) == (FIRST + 20, {}, 1)
    (note,) = found.notes
    assert note.startswith("1 rows of table shop.pairs came below the resolved ts, and it was not kept when they came")
    assert note.endswith("tidewire sync add FILE shop.pairs makes it from the topic")
    later = [change("insert", 21, "pairs", {**pair, "a": 2}), Watermark(FIRST + 30)]
    end = topic.frame(later).persist()
    found = topic.sync(end, options=stop).once()
    assert (set(found.parked), found.published) == ({"shop.pairs"}, FIRST + 30)
    found = topic.sync(topic.frame(first), options=stop).once()
    assert (found.unknown, found.notes) == ({}, ())
    running = topic.sync(begin.union(end).union(topic.frame([Watermark(FIRST + 40)])), options=stop)
    running.ask("add", "shop.pairs")
    assert (running.once().parked, topic.rows("shop.pairs")) == ({}, [(1, "x", 1), (2, "x", 1)])
    assert topic.sync(topic.frame([*first, *later]), options=stop).once().unknown == {}
    news = change("insert", 15, "pairs", {**pair, "a": 9})
    with pytest.raises(StateError, match=r"1 rows below the resolved ts, which .* came for shop.pairs"):
        topic.sync(topic.frame([news]), options=stop).once()
