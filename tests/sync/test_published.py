"""Records of published states: the cost of a batch does not grow with them, and the versions they name stay readable.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sync.staged_histories import PAIRS, change
from sync.staged_histories import START as FIRST
from sync.topic import Topic
from tidewire.events import Ddl, Event, Watermark
from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.sync.changelog import Position
from tidewire.spark.sync.publish import Published, PublishedTable, Record, Records, snapshot
from tidewire.spark.sync.targets import TargetError
from tidewire.spark.sync.targets.parquet import ParquetTables
from tidewire.spark.sync.targets.shapes import Column


class Counted:
    """Counts the calls of a storage."""

    def __init__(self, files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[str] = []
        for name in ("read", "names", "create", "remove", "remove_folder"):
            monkeypatch.setattr(files, name, self._counted(name, getattr(files, name)))

    def _counted(self, name: str, was: Any) -> Any:
        def call(*given: Any) -> Any:
            self.calls.append(name)
            return was(*given)

        return call


def _record(resolved: int, version: int) -> Record:
    return Record(resolved, 1, {"s.a": PublishedTable("0", "s.a", version, Position(resolved))})


def test_what_a_batch_asks_of_records_does_not_grow_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_700_000_000_000
    monkeypatch.setattr("tidewire.spark.sync.publish.time", SimpleNamespace(time=lambda: now / 1000))
    published = Published(str(tmp_path))
    counted = Counted(published.files, monkeypatch)
    records = Records(published)
    for number in range(40):
        counted.calls.clear()
        # the first ten are older than what is kept
        records.spans()
        assert records.create(_record(now - (100_000 if number < 10 else 1_000) + number << TSO_SHIFT, number))
        records.forget(50)
        calls = {one: counted.calls.count(one) for one in counted.calls}
        # a file that is made is removed under its first name; and one record is read to know what the oldest names
        assert calls.pop("create") == 1
        assert calls.pop("remove") <= 3
        assert calls.pop("read", 0) <= 1
        assert calls == ({} if number else {"names": 1})
    assert records.spans() == {"0": (10, 39)}
    again = Records(published)
    counted.calls.clear()
    assert again.spans() == {"0": (10, 39)}
    assert counted.calls == ["names", "read", "read"]


def test_what_another_process_published_counts(tmp_path: Path) -> None:
    one, other = Records(Published(str(tmp_path))), Records(Published(str(tmp_path)))
    assert one.newest() is None
    assert other.create(_record(5, 1))
    assert one.newest() is None
    assert not one.create(_record(5, 2))
    assert one.newest() == _record(5, 1)
    assert other.create(_record(6, 3))
    one.again()
    assert one.newest() == _record(6, 3)


def test_versions_that_no_record_names_go_and_others_stay(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = ParquetTables(spark, f"{tmp_path}/{{schema}}/{{table}}").table("s.a", "any/1")
    table.create([Column("id", "int")], Position(1))

    def merged(step: int) -> int:
        rows = spark.createDataFrame([("insert", step)], "_change_type string, id int")
        table.apply(rows, ["id"], Position(step), Position(step + 1))
        return table.version()

    versions = [merged(step) for step in range(1, 9)]
    died = tmp_path / "s/a/data/000000000006-died"
    died.mkdir()
    rows = {one: table.read(one).count() for one in versions}
    # records name 3 to 5; 6 and 7 were steps between records, and one writer of 6 died
    counted = Counted(table.files, monkeypatch)
    table.collect(3, 5)
    kept = {one: table.read(one).count() for one in (3, 4, 5, 8)}
    assert kept == {one: rows[one] for one in (3, 4, 5, 8)}
    assert sorted(table._numbers()) == [3, 4, 5, 8]
    folders = sorted(one.name[:12] for one in (tmp_path / "s/a/data").iterdir())
    assert folders == [f"{one:012d}" for one in (3, 4, 5, 8)]
    # nothing to remove is one list of names
    counted.calls.clear()
    table.collect(3, 5)
    assert counted.calls == ["names"]
    # what is appended stays in all commits behind: files go only with the last commit that has them
    before = spark.createDataFrame([(100,)], "id int")
    for step in (9, 10, 11):
        table.append(before, Position(step), Position(step + 1))
    table.collect(11, 11)
    assert table.read(11).count() == rows[8] + 3


def _dies_before_the_record(topic: Topic, events: list[Event], more: dict[str, Any]) -> None:
    """A batch of these events writes all tables, and publishes nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Published, "create", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            topic.sync(topic.frame(events), **more).once()


@pytest.mark.parametrize("format", ["parquet", "delta", "iceberg"])
def test_a_table_that_was_dropped_is_read_as_it_was(topic: Topic, format: str) -> None:
    """Another one has its name, no later record names it, and it is called otherwise; also before the next record is
    there.
    """
    into = f"{format}:{topic.tmp}/lake/{{schema}}/{{table}}"
    if format == "iceberg":
        into = "iceberg:ice.gone_{schema}.{table}"
    more: dict[str, Any] = {"into": into, "tables": "shop.pairs"}
    more["options"] = {"keepPublished": "90000d"}  # the events are of 1970
    topic.sync(
        topic.frame([change("insert", 1, "pairs", {"a": 1, "b": "x", "n": 1}), Watermark(FIRST + 10)]), **more
    ).once()
    events = [
        change("insert", 11, "pairs", {"a": 2, "b": "x", "n": 2}),
        Ddl(FIRST + 12, "shop", "pairs", 4, "DROP TABLE shop.pairs"),
        Ddl(
            FIRST + 13, "shop", "pairs", 3, "CREATE TABLE shop.pairs (a INT, b VARCHAR(20), n INT, PRIMARY KEY (a, b))"
        ),
        change("insert", 14, "pairs", {"a": 3, "b": "y", "n": 3}),
        Watermark(FIRST + 20),
    ]
    _dies_before_the_record(topic, events, more)
    assert topic.rows("shop.pairs") == [(1, "x", 1)]
    found = topic.sync(topic.frame([]), **more).once()
    assert (found.parked, found.published) == ({}, FIRST + 20)
    assert topic.rows("shop.pairs") == [(3, "y", 3)]
    assert topic.rows("shop.pairs", FIRST + 10) == [(1, "x", 1)]
    # and dropped once more, with nothing in its place
    events = [Ddl(FIRST + 22, "shop", "pairs", 4, "DROP TABLE shop.pairs"), Watermark(FIRST + 30)]
    topic.sync(topic.frame(events), **more).once()
    assert list(snapshot(topic.spark, topic.state)) == []
    assert topic.rows("shop.pairs", FIRST + 20) == [(3, "y", 3)]
    assert topic.rows("shop.pairs", FIRST + 10) == [(1, "x", 1)]


def test_a_table_that_is_renamed_and_dropped_is_found_where_another_one_has_its_first_name(
    topic: Topic,
) -> None:
    """All in one batch: it is moved out of the way under the name that it had before, and is read before and after the
    next record is there.
    """
    more: dict[str, Any] = {"tables": "shop.*", "options": {"keepPublished": "90000d", "threads": 1}}
    names = ("pairs", "zebras")
    rows = [change("insert", 1, one, {"a": at, "b": "x", "n": at}, columns=PAIRS) for at, one in enumerate(names)]
    topic.sync(topic.frame([*rows, Watermark(FIRST + 10)]), **more).once()
    events = [
        Ddl(FIRST + 12, "shop", "pairs", 14, "RENAME TABLE shop.pairs TO shop.others"),
        Ddl(FIRST + 13, "shop", "zebras", 14, "RENAME TABLE shop.zebras TO shop.pairs"),
        Ddl(FIRST + 14, "shop", "others", 4, "DROP TABLE shop.others"),
        Watermark(FIRST + 20),
    ]
    _dies_before_the_record(topic, events, more)
    assert topic.rows("shop.pairs") == [(0, "x", 0)]
    assert topic.rows("shop.zebras") == [(1, "x", 1)]
    found = topic.sync(topic.frame([]), **more).once()
    assert (found.parked, found.published) == ({}, FIRST + 20)
    assert topic.rows("shop.pairs") == [(1, "x", 1)]
    assert topic.rows("shop.pairs", FIRST + 10) == [(0, "x", 0)]


def test_a_version_of_iceberg_that_was_expired_is_one_sentence(topic: Topic) -> None:
    more: dict[str, Any] = {"into": "iceberg:ice.expired_{schema}.{table}", "options": {"keepPublished": "90000d"}}
    for at in (1, 11):
        row = change("insert", at, "pairs", {"a": at, "b": "x", "n": 1})
        topic.sync(topic.frame([row, Watermark(FIRST + at + 9)]), **more).once()
    topic.spark.sql(
        "call ice.system.expire_snapshots(table => 'ice.expired_shop.pairs', older_than => timestamp '2999-01-01',"
        " retain_last => 1)"
    )
    with pytest.raises(TargetError, match=r"^table shop.pairs: its snapshot \d+, which a record names, was expired:"):
        topic.rows("shop.pairs", FIRST + 10)
    assert topic.rows("shop.pairs") == [(1, "x", 1), (11, "x", 1)]
