"""History tables: adopted files, equal rows of tables without a key, replayed rows."""

from __future__ import annotations

import os
from typing import Any

import pytest

from sync.staged_histories import START as FIRST
from sync.staged_histories import account, change
from sync.topic import Topic
from tidewire.events import Column as EventColumn
from tidewire.events import Ddl, Event, Watermark
from tidewire.mysql import ColumnFlag, ColumnType, ddl_type_of
from tidewire.spark.sync.publish import snapshot
from tidewire.spark.sync.state import identity
from tidewire.spark.sync.targets import TargetError
from tidewire.spark.sync.targets.opened import tables_of
from tidewire.spark.sync.targets.parquet import ParquetTable

KEYED = EventColumn("id", ColumnType.BIGINT, ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY, "bigint")
V = EventColumn("v", ColumnType.INT, 0, "int")
NO_DAY = "2020-00-00 00:00:00"
KEYLESS = (EventColumn("v", ColumnType.INT, 0, "int"), EventColumn("w", ColumnType.INT, 0, "int"))
MODES = pytest.mark.parametrize("few", ["0", "200"])


def beside(topic: Topic, format: str, name: str) -> dict[str, Any]:
    """Where tables and their histories are."""
    into, history = (f"{format}:{topic.tmp}/{one}/{{schema}}/{{table}}" for one in ("lake", "changes"))
    if format == "iceberg":
        into, history = (f"iceberg:ice.{name}_{{schema}}.{{table}}{one}" for one in ("", "_changes"))
    return {"into": into, "history": history}


def table_of(topic: Topic, table: str, number: int = 0, history: bool = True) -> Any:
    of = identity(topic.state)
    tables = tables_of(topic.spark, of.history if history else of.into)
    return tables.table(table, f"{of.id}/{number}{'h' if history else ''}")


def rows(table: Any) -> list[tuple[Any, ...]]:
    found = table.read(table.version()).collect()
    return sorted(
        (row["_commit_version"] - FIRST, row["_commit_rank"], row["_change_type"], *row[:-3]) for row in found
    )


@pytest.mark.parametrize("format", ["parquet", "iceberg", "delta"])
def test_a_staged_file_becomes_one_of_the_history(topic: Topic, format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it has nothing else; what came again, too late or too early is copied, each once; columns come."""
    more = {**beside(topic, format, "adopted"), "options": {"few": "0"}}
    first: list[Event] = [change("insert", 1 + n, "accounts", account(n)) for n in range(3)]
    first += [change("update", 8, "accounts", account(1, balance="8.25"), account(1)), Watermark(FIRST + 10)]
    seen: list[set[int]] = []
    linked: list[int] = []
    was = os.link

    def link(path: str, name: str, **given: Any) -> None:
        if path.endswith(".parquet"):
            linked.append(os.stat(path).st_ino)
        was(path, name, **given)

    monkeypatch.setattr(os, "link", link)
    topic.sync(topic.frame(first), **more).once()
    seen.append(set(linked))
    history = table_of(topic, "shop.accounts")
    assert [row[:4] for row in rows(history)] == [
        *((1 + n, 3, "insert", n) for n in range(3)),
        (8, 2, "update_postimage", 1),
    ]
    assert str(rows(history)[3][5]) == "8.25"
    assert len(seen[0]) == 1
    # the same once more, and a row that waits: some of it is below, some above
    linked.clear()
    late = change("insert", 25, "accounts", account(25))
    topic.sync(
        topic.frame([*first, change("insert", 12, "accounts", account(12)), late, Watermark(FIRST + 20)]), **more
    ).once()
    assert linked == []
    topic.sync(topic.frame([late, Watermark(FIRST + 30)]), **more).once()
    assert linked == []
    # a column that no statement told of
    wide = (*change("insert", 1, "accounts", {}).columns, EventColumn("odd name", ColumnType.INT, 0, "int"))
    topic.sync(
        topic.frame(
            [change("insert", 31, "accounts", {**account(31), "odd name": 5}, columns=wide), Watermark(FIRST + 40)]
        ),
        **more,
    ).once()
    found = rows(history)
    assert [(row[0], row[3]) for row in found] == [(1, 0), (2, 1), (3, 2), (8, 1), (12, 12), (25, 25), (31, 31)]
    last = history.read(history.version()).orderBy("_commit_version").collect()
    assert [row["odd name"] for row in last] == [None] * 6 + [5]
    # and rows of before are read as they were by all of it
    assert history.read(history.version()).where("balance = 8.25").count() == 1


def inserted(ts: int, table: str, id: int, v: Any, column: EventColumn = V) -> Event:
    return change("insert", ts, table, {"id": id, "v": v}, columns=(KEYED, column))


@MODES
@pytest.mark.parametrize("format", ["iceberg", "delta"])
def test_files_of_a_history_have_values_of_the_columns_that_they_were_of(topic: Topic, format: str, few: str) -> None:
    """Adopted or copied: a column that takes the name of another one has none of its values, and older records have
    what they had.
    """
    more = {
        "into": beside(topic, format, f"named{few}")["into"],
        "tables": {"shop.*": {"mode": "history"}},
        "options": {"few": few, "keepPublished": "40000d"},
    }
    word = EventColumn("v", ColumnType.VARCHAR, 0, "varchar(9)")
    every: list[list[Event]] = [
        [inserted(1, "d", 1, 5), inserted(2, "m", 1, 5), Watermark(FIRST + 10)],
        [altered(11, "d", "DROP COLUMN v"), altered(12, "m", "MODIFY COLUMN v varchar(9)"), Watermark(FIRST + 20)],
        [altered(21, "d", "ADD COLUMN v varchar(9)"), Watermark(FIRST + 30)],
        [inserted(31, "d", 2, "x", word), inserted(32, "m", 2, "z", word), Watermark(FIRST + 40)],
    ]
    for events in every:
        assert topic.sync(topic.frame(events), **more).once().parked == {}

    def values(table: str, ts: int) -> list[Any]:
        found = snapshot(topic.spark, topic.state, FIRST + ts)[table]
        return [row["v"] for row in found.orderBy("_commit_version").collect()]

    assert values("shop.d", 10) == values("shop.m", 10) == [5]
    assert values("shop.d", 40) == [None, "x"]
    assert values("shop.m", 40) == ["5", "z"]


def altered(ts: int, table: str, what: str) -> Event:
    query = f"ALTER TABLE {table} {what}"
    return Ddl(FIRST + ts, "shop", table, ddl_type_of(query), query)


def test_a_history_is_ahead_of_a_table_that_refused_its_rows(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has each change once, and the table all of them, when people let it go on."""
    more = {**beside(topic, "parquet", "ahead"), "options": {"few": "0"}}
    topic.sync(topic.frame([inserted(1, "a", 1, 1), Watermark(FIRST + 10)]), **more).once()
    was = ParquetTable.apply

    def apply(table: ParquetTable, *given: Any) -> None:
        if "changes" not in table.folder:
            raise TargetError("refused")
        was(table, *given)

    with monkeypatch.context() as patched:
        patched.setattr(ParquetTable, "apply", apply)
        for ts in (12, 22):
            events = [inserted(ts, "a", ts, ts), Watermark(FIRST + ts + 8)]
            assert "shop.a" in topic.sync(topic.frame(events), **more).once().parked
    running = topic.sync(topic.frame([inserted(32, "a", 32, 32), Watermark(FIRST + 40)]), **more)
    running.ask("resume", "shop.a")
    assert running.once().parked == {}
    assert topic.rows("shop.a") == [(1, 1), (12, 12), (22, 22), (32, 32)]
    assert [row[3] for row in rows(table_of(topic, "shop.a"))] == [1, 12, 22, 32]


def test_settings_of_writes_are_not_those_of_the_users_session(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Any, ...]] = []
    was = ParquetTable.apply

    def apply(table: ParquetTable, *given: Any) -> None:
        seen.append((table.spark, table.spark.conf.get("spark.wap.branch", None)))
        was(table, *given)

    monkeypatch.setattr(ParquetTable, "apply", apply)
    topic.spark.conf.set("spark.wap.branch", "audited")
    try:
        more = {"into": beside(topic, "parquet", "apart")["into"]}
        topic.sync(topic.frame([inserted(1, "a", 1, 1), Watermark(FIRST + 10)]), **more).once()
        assert topic.spark.conf.get("spark.wap.branch") == "audited"
    finally:
        topic.spark.conf.unset("spark.wap.branch")
    ((session, branch),) = seen
    assert session is not topic.spark
    assert branch is None


@MODES
@pytest.mark.parametrize("protocol", ["canal-json", "craft"])
def test_equal_rows_of_one_transaction_are_all_there(topic: Topic, few: str, protocol: str) -> None:
    """In a table without a key; what a changefeed sends once more is not."""

    def row(ts: int, v: int) -> Event:
        return change("insert", ts, "logs", {"v": v, "w": 0}, columns=KEYLESS)

    more = {"tables": {"shop.*": {"mode": "history"}}, "options": {"few": few}}
    first = [row(1, 7), row(2, 7), row(2, 7), row(2, 8), row(2, 7)]
    topic.sync(topic.frame([*first, Watermark(FIRST + 2)], protocol), protocol, **more).once()
    # from before the second transaction on, and then once more in the same micro-batch
    again = [*first, *first, row(3, 7), row(3, 7), Watermark(FIRST + 10)]
    topic.sync(topic.frame(again, protocol), protocol, **more).once()
    history = table_of(topic, "shop.logs", history=False)
    assert [(one[0], one[3]) for one in rows(history)] == [(1, 7), (2, 7), (2, 7), (2, 7), (2, 8), (3, 7), (3, 7)]


@MODES
@pytest.mark.parametrize("format", ["parquet", "iceberg"])
def test_rows_that_are_read_again_are_in_the_history(
    topic: Topic, few: str, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At their commit ts, each once, also when the process dies behind it; in the table only what is newest."""
    more = beside(topic, format, f"again{few}")
    strict, mild = {"few": few}, {"few": few, "zeroDate": "null"}
    first: list[Event] = [change("insert", 1, "accounts", account(1)), change("insert", 2, "accounts", account(2))]
    unread = [
        change("update", ts, "accounts", account(n, balance=f"{ts}.00", opened=NO_DAY), account(n))
        for ts, n in ((10, 1), (11, 2))
    ]
    later = change("update", 12, "accounts", account(1, balance="12.00"), account(1))
    topic.sync(topic.frame([*first, *unread, later, Watermark(FIRST + 30)]), options=strict, **more).once()
    history = table_of(topic, "shop.accounts")
    assert [(one[0], one[3]) for one in rows(history)] == [(1, 1), (2, 2), (12, 1)]
    running = topic.sync(topic.frame([Watermark(FIRST + 40)]), options=mild, **more)
    running.ask("replay")
    with monkeypatch.context() as patch:
        patch.setattr(running._batches, "_created", lambda manifest: (_ for _ in ()).throw(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            running.once()
    assert len(rows(history)) == 5
    assert topic.sync(topic.frame([Watermark(FIRST + 50)]), options=mild, **more).once().notes == ()
    assert [(one[0], one[3], str(one[5])) for one in rows(history)] == [
        (1, 1, "1.50"),
        (2, 2, "2.50"),
        (10, 1, "10.00"),
        (11, 2, "11.00"),
        (12, 1, "12.00"),
    ]
    assert [(one[0], str(one[2])) for one in topic.rows("shop.accounts")] == [(1, "12.00"), (2, "11.00")]
