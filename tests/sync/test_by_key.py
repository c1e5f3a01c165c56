"""Streams without watermarks or commit timestamps (consistency=key): replays, crashes, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from registered import one_topic, registered_streams, sent
from schema_server import schema_server

from sync.frames import frame_of
from sync.staged_histories import account, change
from sync.topic import OF_KAFKA, Topic, formats
from tidewire.events import Column, Ddl, Event
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.errors import OptionError
from tidewire.spark.sync import away, by_key
from tidewire.spark.sync.changelog import SourceError, StateError
from tidewire.spark.sync.publish import snapshot
from tidewire.spark.sync.run import sync
from tidewire.spark.sync.targets.opened import tables_of

KEY = {"consistency": "key"}


def rows(topic: Topic, into: str, table: str) -> list[tuple[Any, ...]]:
    there = tables_of(topic.spark, into).table(table, "any/0")
    return sorted(tuple(one) for one in there.read(there.version()).collect())


def pair(kind: str, ts: int, a: int, n: int | None = None) -> Event:
    row = {"a": a, "b": "x", "n": n}
    return change(kind, ts, "pairs", None if n is None else row, None if kind == "insert" else row)


CHANGES = [pair("insert", 10, 0, 10), pair("insert", 10, 1, 10), pair("update", 20, 0, 20), pair("delete", 30, 1)]


@formats("iceberg")
def test_an_old_row_changes_nothing_when_it_comes_again(topic: Topic, format: str) -> None:
    """Rows that were deleted are not there again, either; and a crash behind the user's own table costs nothing."""
    into = f"{format}:{topic.tmp}/lake/{{schema}}/{{table}}"
    if format == "iceberg":
        into = "iceberg:ice.key_{schema}.{table}"
    found = topic.sync(topic.frame(CHANGES), into=into, options=KEY).once()
    assert (found.published, found.waiting, found.tables, found.consistency) == (0, None, {}, "key")
    assert rows(topic, into, "shop.pairs") == [(0, "x", 20)]
    later = [*CHANGES[:3], pair("insert", 40, 2, 40), pair("insert", 41, 1, 41)]
    with pytest.MonkeyPatch.context() as patch:

        def dies(*_: Any) -> None:
            raise KeyboardInterrupt

        patch.setattr(by_key.Orders, "apply", dies)
        with pytest.raises(KeyboardInterrupt):
            topic.sync(topic.frame(later), into=into, options={**KEY, "few": "0"}).once()
    want = [(0, "x", 20), (1, "x", 41), (2, "x", 40)]
    assert rows(topic, into, "shop.pairs") == want
    topic.sync(topic.frame([*CHANGES, pair("insert", 40, 1, 40)]), into=into, options=KEY).once()
    assert rows(topic, into, "shop.pairs") == want
    with pytest.raises(StateError, match="no TSO in common, and each is read by itself"):
        snapshot(topic.spark, topic.state)
    with pytest.raises(StateError, match="is of consistency=key, order=commit, and tables was asked for"):
        topic.sync(topic.frame(CHANGES), into=into)


@pytest.mark.parametrize("few", ["0", "200"])
def test_rows_without_commit_ts_are_in_the_order_of_their_messages(topic: Topic, few: str) -> None:
    into = f"parquet:{topic.tmp}/lake/{{schema}}/{{table}}"
    moved = change("update", 40, "pairs", {"a": 3, "b": "x", "n": 40}, {"a": 0, "b": "x", "n": 20})
    events = [*CHANGES, moved]
    own = {**KEY, "order": "offset", "few": few}
    found = topic.sync(topic.frame(events, enable_tidb_extension=False), options=own).once()
    assert (found.dead, found.parked) == (0, {})
    assert rows(topic, into, "shop.pairs") == [(3, "x", 40)]
    # a replay that is not at its end: what it says counts until it is
    topic.sync(topic.frame(events[:3], enable_tidb_extension=False), options=own).once()
    assert rows(topic, into, "shop.pairs") == [(0, "x", 20), (1, "x", 10), (3, "x", 40)]
    topic.sync(topic.frame(events[3:], enable_tidb_extension=False), options=own).once()
    assert rows(topic, into, "shop.pairs") == [(3, "x", 40)]
    for table in ("pairs", "pairs__order"):
        assert len(list((topic.tmp / "lake" / "shop" / table / "commits").iterdir())) == 1  # nobody needs older ones


def test_an_order_that_some_rows_have_not_is_refused(topic: Topic) -> None:
    """Rows of Avro have a commit ts, and those that say of a row that it was deleted have none."""
    mixed = topic.frame(CHANGES[:2]).union(topic.frame(CHANGES[2:], enable_tidb_extension=False))
    with pytest.raises(StateError, match=r"no commit ts, as that at offset 2 of partition 0: ask for order=offset"):
        topic.sync(mixed, options=KEY).once()
    with pytest.raises(OptionError, match="order=offset is for consistency=key"):
        topic.sync(mixed, options={"order": "offset"})
    with pytest.raises(StateError, match="is of consistency=key, order=commit, and key, order=offset was asked for"):
        topic.sync(mixed, options={**KEY, "order": "offset"})
    topic.sync(mixed, options={**KEY, "order": "offset"}, state=f"{topic.tmp}/other").once()
    assert rows(topic, f"parquet:{topic.tmp}/lake/{{schema}}/{{table}}", "shop.pairs") == [(0, "x", 20)]


def test_columns_come_with_rows_and_statements_are_told_of(topic: Topic) -> None:
    into = f"parquet:{topic.tmp}/lake/{{schema}}/{{table}}"
    topic.sync(topic.frame(CHANGES), options=KEY).once()
    more = Column("more", ColumnType.INT, ColumnFlag.NULLABLE, "int")
    wide = change("insert", 50, "pairs", {"a": 5, "b": "x", "n": 5, "more": 7})
    wide = change("insert", 50, "pairs", wide.new, columns=(*wide.columns, more))
    truncated = Ddl(START_OF_DDL, "shop", "pairs", 11, "TRUNCATE TABLE shop.pairs")
    found = topic.sync(topic.frame([wide, truncated]), options=KEY).once()
    assert rows(topic, into, "shop.pairs") == [(0, "x", 20, None), (5, "x", 5, 7)]
    assert (found.parked, len(found.notes)) == ({}, 1)
    assert "1 statements were not followed (Truncate): with consistency=key" in found.notes[0]


START_OF_DDL = change("insert", 60, "pairs", {}).commit_ts


def test_rows_that_no_merge_can_take_wait(topic: Topic) -> None:
    keyless = [Column("v", ColumnType.INT, ColumnFlag.NULLABLE, "int")]
    events = [change("insert", 10, "pairs", {"v": 1}, columns=keyless), change("insert", 11, "accounts", account(1))]
    found = topic.sync(topic.frame(events), options=KEY).once()
    assert "no handle key" in found.parked["shop.pairs"].reason
    assert len(rows(topic, f"parquet:{topic.tmp}/lake/{{schema}}/{{table}}", "shop.accounts")) == 1


def test_history_tables_need_watermarks(topic: Topic) -> None:
    with pytest.raises(OptionError, match="consistency=key keeps no history tables"):
        topic.sync(topic.frame(CHANGES), options=KEY, tables={"shop.*": {"mode": "history"}})


def test_the_password_of_a_registry_that_is_away_is_shown_nowhere(
    topic: Topic, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "s3cr3t-of-somebody"
    stream = next(one for one in registered_streams() if "avro" in one.name and "debezium" not in one.name)
    messages = [(one.key, one.value, "t", 0, offset) for offset, one in enumerate(sent(stream))]
    frame = frame_of(topic.spark, messages, OF_KAFKA)
    access = {"schema-registry-user": "u", "schema-registry-password": secret, **KEY, "order": "offset"}
    where: dict[str, Any] = {"into": f"parquet:{topic.tmp}/lake/{{schema}}/{{table}}", "state": topic.state}
    monkeypatch.setattr(away, "WAIT_SECONDS", 0)
    running = sync(topic.spark, frame, "avro", options={**access, "schema-registry": "http://localhost:1"}, **where)
    with pytest.raises(SourceError, match=r"cannot be had .* nothing of this micro-batch counts") as refused:
        running.once()
    found = running.status()
    assert (found.batches, found.dead) == (0, 0)
    with schema_server(one_topic([stream])[1]) as server:
        found = sync(topic.spark, frame, "avro", options={**access, "schema-registry": server.url}, **where).once()
    assert (found.batches, found.dead) == (1, 0)
    texts = [path.read_bytes().decode("latin-1") for path in Path(topic.state).rglob("*") if path.is_file()]
    assert not any(secret in one for one in (str(refused.value), str(found), caplog.text, *texts))
