"""Several objects, processes and threads that keep the tables of one state, one after the other."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from sync.staged_histories import START as FIRST
from sync.staged_histories import account, change
from sync.topic import Topic, formats
from tidewire.events import Ddl, Event, Watermark
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.how_far import status
from tidewire.spark.sync.publish import snapshot
from tidewire.spark.sync.requests import Asked
from tidewire.spark.sync.run import plan


def into(topic: Topic, format: str, name: str) -> dict[str, Any]:
    where = f"iceberg:ice.{name}_{{schema}}.{{table}}" if format == "iceberg" else f"{format}:{topic.tmp}/{name}"
    if format != "iceberg":
        where += "/{schema}/{table}"
    return {"into": where, "options": {"schemaChanges": "evolve", "keepPublished": "40000d"}}


def pair(ts: int, a: int, n: int, table: str = "pairs") -> Event:
    return change("insert", ts, table, {"a": a, "b": "x", "n": n}, columns=change("insert", ts, "pairs", {}).columns)


@formats("parquet")
def test_two_take_turns(topic: Topic, format: str) -> None:
    """Each knows what the other did since: tables, names, records and what waits."""
    frames = [topic.frame([])]
    more = into(topic, format, "turns")
    first, second = (topic.sync(lambda _: frames[-1], **more) for _ in range(2))
    batches: list[list[Event]] = [
        [pair(1, 1, 1)],
        [pair(11, 2, 2), pair(12, 1, 1, "twins")],
        [pair(21, 3, 3)],
        [Ddl(FIRST + 31, "shop", "twins", 14, "RENAME TABLE shop.twins TO shop.others")],
        [pair(41, 1, 9), pair(42, 4, 4, "others")],
        [change("delete", 51, "pairs", None, {"a": 2, "b": "x", "n": 2}), pair(52, 5, 5, "others")],
    ]
    for at, events in enumerate(batches):
        frames.append(topic.frame([*events, Watermark(FIRST + 10 * (at + 1))]))
        found = (first, second)[at % 2].once()
        assert (found.batches, found.published, found.parked) == (at + 1, FIRST + 10 * (at + 1), {})
    assert topic.rows("shop.pairs") == [(1, "x", 9), (3, "x", 3)]
    assert topic.rows("shop.pairs", FIRST + 50) == [(1, "x", 9), (2, "x", 2), (3, "x", 3)]
    assert topic.rows("shop.pairs", FIRST + 30) == [(1, "x", 1), (2, "x", 2), (3, "x", 3)]
    assert topic.rows("shop.twins", FIRST + 30) == [(1, "x", 1)]
    assert topic.rows("shop.others") == [(1, "x", 1), (4, "x", 4), (5, "x", 5)]


@formats("iceberg")
def test_any_thread_keeps_and_reads_tables(topic: Topic, format: str) -> None:
    """Java knows of no session in a thread that has used none."""
    more = into(topic, format, "threads")
    more["history"] = more["into"].replace("{table}", "{table}_changes")
    done: list[Any] = []

    def runs() -> None:
        try:
            for at in (0, 1):
                events = [pair(10 * at + 1, at, at), pair(10 * at + 2, at, at, "twins"), Watermark(FIRST + 10 * at + 9)]
                done.append(topic.sync(topic.frame(events), **more).once().published - FIRST)
            given = {name: more[name] for name in ("into", "history")}
            rows = topic.frame([pair(1, 1, 1)])
            done.append(plan(topic.spark, rows, "canal-json", state=topic.state, **given)[0].exists)
            done.append(sorted(row[0] for row in snapshot(topic.spark, topic.state)["shop.twins"].collect()))
        except BaseException as error:
            done.append(error)

    for _ in range(4):  # a thread of Java's that has known one is used again
        idle = threading.Thread(target=lambda: topic.spark._jvm.System.nanoTime())  # type: ignore[union-attr]
        idle.start()
        idle.join()
    thread = threading.Thread(target=runs)
    thread.start()
    thread.join()
    assert done == [9, 19, True, [0, 1]]


def test_of_two_at_once_one_is_told_and_loses_nothing(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it staged is in no manifest, and what it was asked for is asked on."""
    topic.sync(topic.frame([pair(1, 1, 1), Watermark(FIRST + 10)])).once()
    mine = topic.frame([pair(22, 2, 2), Watermark(FIRST + 30)])
    slow = topic.sync(mine)
    was = slow._batches._stage

    def stage(*given: Any, **named: Any) -> Any:
        staged = was(*given, **named)
        monkeypatch.undo()
        topic.sync(topic.frame([change("insert", 11, "accounts", account(1)), Watermark(FIRST + 20)])).once()
        return staged

    monkeypatch.setattr(slow._batches, "_stage", stage)
    with pytest.raises(StateError, match=r"another process wrote manifest 2 of .* nothing of this batch counts"):
        slow.once()
    assert status(topic.state).published == FIRST + 20
    assert slow.once().published == FIRST + 30
    assert topic.rows("shop.pairs") == [(1, "x", 1), (2, "x", 2)]
    assert len(topic.rows("shop.accounts")) == 1


def test_what_was_asked_while_another_process_was_faster_is_done_later(
    topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = topic.frame([pair(1, 1, 1), Watermark(FIRST + 10)]).persist()
    topic.sync(frame).once()
    slow = topic.sync(frame)
    other = topic.sync(topic.frame([pair(11, 2, 2), Watermark(FIRST + 20)]))
    slow.ask("reset", "shop.pairs")
    (request,) = Asked(topic.state).pending(slow._batches.resume())
    was = slow._batches.answers._replaced

    def makes_way(*given: Any) -> None:
        was(*given)
        monkeypatch.undo()
        with monkeypatch.context() as patch:
            patch.setattr(Asked, "pending", lambda *_, **__: [])
            other.once()

    monkeypatch.setattr(slow._batches.answers, "_replaced", makes_way)
    with pytest.raises(StateError, match="another process wrote manifest 2"):
        slow.once()
    assert Asked(topic.state).pending(slow._batches.manifests.newest()) == [request]
