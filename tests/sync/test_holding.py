"""Changes that wait for those of later batches, within the chosen bounds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sync import planned
from sync.planned import kinds, said
from sync.staged_histories import START as FIRST
from sync.staged_histories import change
from sync.test_end_to_end import Case, has_ddl, seeds
from sync.topic import Topic, formats
from tidewire.cli.sync_progress import line_of, of_batch
from tidewire.cli.sync_status import lines_of, object_of
from tidewire.events import Event, Watermark
from tidewire.runtime.errors import OptionError
from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.sync import idle
from tidewire.spark.sync.batches import BatchDone
from tidewire.spark.sync.changelog import DeadLetter, Held, Hold, Manifest, Request, Source, SourceError
from tidewire.spark.sync.choices import chosen
from tidewire.spark.sync.file_lists import to_plan
from tidewire.spark.sync.how_far import Bound
from tidewire.spark.sync.rehearsal.histories import History
from tidewire.spark.sync.rules import Rules
from tidewire.spark.sync.run import Sync

SECOND = 1000 << TSO_SHIFT


def waiting(topic: planned.Topic) -> dict[str, Held]:
    called = topic.manifest.called()
    return {called[number]: one for number, one in topic.manifest.held.items()}


def test_changes_wait_until_the_oldest_is_old_enough() -> None:
    topic = planned.Topic(Rules(hold=Hold(30, 100)))
    made = topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9))
    assert (kinds(made, "s.a"), waiting(topic)) == (["Create", "Apply"], {})  # tables that are new do not wait
    made = topic.batch(30, ("s.a", 21, 29))
    assert (made.steps, waiting(topic)) == ({}, {"s.a": Held(1, 21)})
    made = topic.batch(40, ("s.b", 31, 39), ("s.a", 31, 50))
    # the rows of a file that goes on above the resolved ts count later
    assert (made.steps, waiting(topic)) == ({}, {"s.a": Held(1, 21), "s.b": Held(1, 31)})
    made = topic.batch(50)
    assert waiting(topic) == {"s.a": Held(1, 21), "s.b": Held(1, 31)}
    made = topic.batch(51)
    assert (kinds(made, "s.a"), kinds(made, "s.b"), waiting(topic)) == (["Apply"], ["Apply"], {})
    (step,) = made.steps[made.tables["s.a"]]
    assert (step.lo, step.hi, len(step.files)) == (20, 51, 2)  # type: ignore[union-attr]
    made = topic.batch(60, ("s.a", 52, 59))
    assert waiting(topic) == {"s.a": Held(1, 52)}
    # the choice is made anew at each start
    topic.rules = Rules()
    made = topic.batch(61)
    assert (kinds(made, "s.a"), waiting(topic)) == (["Apply"], {})


def test_a_table_with_many_changes_does_not_wait() -> None:
    topic = planned.Topic(Rules(hold=Hold(30, 3)))
    topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9))
    topic.batch(22, ("s.a", 21, 21), ("s.b", 21, 21))
    topic.batch(24, ("s.a", 23, 23))
    assert waiting(topic) == {"s.a": Held(2, 21), "s.b": Held(1, 21)}
    made = topic.batch(26, ("s.a", 25, 25))
    assert (kinds(made, "s.a"), waiting(topic)) == (["Apply"], {"s.b": Held(1, 21)})
    # what it has from then on waits again
    made = topic.batch(28, ("s.a", 27, 27))
    assert (made.steps, waiting(topic)) == ({}, {"s.a": Held(1, 27), "s.b": Held(1, 21)})


def test_a_table_with_anything_but_rows_does_not_wait() -> None:
    topic = planned.Topic(Rules(hold=Hold(90, 100)))
    topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9))
    topic.batch(30, ("s.a", 21, 29), ("s.b", 21, 29))
    made = topic.batch(40, ("s.a", 33, 34), statements=(said(32, "s.a", "RenameTable", old="s.a", new="s.c"),))
    assert (kinds(made, "s.c"), waiting(topic)) == (["Apply", "Rename"], {"s.b": Held(1, 21)})


def test_a_table_that_was_parked_does_not_wait_once_it_goes_on() -> None:
    """What came while it was parked was not counted."""
    topic = planned.Topic(Rules(hold=Hold(30, 3)))
    topic.batch(20, ("s.a", 5, 9))
    topic.batch(30, ("s.a", 25, 29), statements=(said(22, "s.a", "Unknown"),))
    topic.batch(90, ("s.a", 31, 99))
    made = topic.batch(90, requests=(Request("1", "resume", "s.a"),))
    assert (kinds(made, "s.a"), waiting(topic)) == (["Apply"], {})
    made = topic.batch(100)
    assert (made.steps, waiting(topic)) == ({}, {"s.a": Held(1, 90)})


def test_a_table_that_was_made_anew_waits_as_others_do() -> None:
    topic = planned.Topic(Rules(hold=Hold(30, 3)))
    topic.batch(20, ("s.a", 5, 9))
    topic.batch(30, ("s.a", 21, 29))
    asked = {"requests": (Request("1", "load", "s.a", replaces="0"),), "without": ("1", "2")}
    made = topic.batch(30, ("s.a", 5, 9), ("s.a", 21, 29), **asked)
    assert (kinds(made, "s.a"), waiting(topic)) == (["Create", "Apply"], {})
    made = topic.batch(40, ("s.a", 31, 39))
    assert (made.steps, waiting(topic)) == ({}, {"s.a": Held(1, 31)})


def test_messages_of_a_table_that_waits_can_be_read_again() -> None:
    """Otherwise its keys would be parked without messages that end that."""
    topic = planned.Topic(Rules(hold=Hold(90, 100)))
    topic.batch(20, ("s.a", 5, 9))
    topic.batch(30, ("s.a", 21, 29), dead=(DeadLetter("dead", "x", "t", 0, 0, "s.a", "k", 35),))
    assert waiting(topic) == {"s.a": Held(1, 21)}
    topic.batch(30, ("s.a", 35, 35), requests=(Request("1", "replay", "s.a"),), read_again=("dead",))
    assert (topic.manifest.notes, topic.manifest.dead, topic.manifest.statements) == ((), {}, ())
    topic.batch(40)
    assert (topic.table("s.a").keys, waiting(topic)) == ({}, {"s.a": Held(2, 21)})


def test_lists_of_tables_that_wait_are_not_read() -> None:
    """Otherwise a batch would take the longer, the more batches wait."""
    topic = planned.Topic(Rules(hold=Hold(90, 3)))
    topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9))
    read = []
    for ts in range(30, 70, 10):
        topic.batch(ts, ("s.a", ts - 9, ts - 1))
        read.append([one.path for one in to_plan(topic.manifest)])
    assert read == [["1"], ["2"], ["1", "2", "3"], ["4"]]


def test_the_choices() -> None:
    assert chosen("*.*", {"applyAfter": "5m"}).rules.hold == Hold(300 * SECOND, 100_000)
    assert chosen("*.*", {"apply_after": "1s", "applyRows": 7}).rules.hold == Hold(SECOND, 7)
    assert chosen("*.*", {"applyAfter": 0}).rules.hold is None
    with pytest.raises(OptionError, match=r"^applyRows is for changes that wait: give applyAfter \(apply[.]after"):
        chosen("*.*", {"applyRows": 7})
    with pytest.raises(OptionError, match=r"^applyAfter is for tables at one TSO, and consistency=key"):
        chosen("*.*", {"applyAfter": "5m", "consistency": "key"})


def several(history: History) -> bool:
    return has_ddl(history) and history.hold is not None and len(history.batches) > 3


@formats("iceberg")
def test_every_published_version_is_the_source(spark: SparkSession, tmp_path: Path, format: str) -> None:
    case = Case(spark, tmp_path, seeds(1, several)[0], "canal-json", format)
    for number in range(len(case.history.batches)):
        case.files.write(number)
    hold = case.history.hold
    assert hold is not None
    done: list[BatchDone] = []
    options = {"applyAfter": f"{hold.age / SECOND:.12f}", "applyRows": hold.rows}
    case.sync(done.append, **options).once()
    case.compare()
    assert max(case.compared) == case.last
    assert any(one.manifest.held for one in done)


def pairs(second: int, *names: str) -> list[Event]:
    row = {"a": second, "b": "x", "n": 1}
    columns = change("insert", 1, "pairs", {}).columns
    return [
        *(change("insert", second * SECOND, name, row, columns=columns) for name in names),
        Watermark(FIRST + second * SECOND + 1),
    ]


@formats("parquet")
def test_nothing_is_published_until_all_is_applied(topic: Topic, format: str) -> None:
    """What waits is in `status` and in the line of a batch; a run that ends waits for nothing."""
    done: list[Any] = []
    batches = [pairs(0, "pairs", "twins"), pairs(1, "pairs", "twins"), pairs(2, "pairs"), pairs(61, "pairs")]
    sync = topic.sync(topic.frame([]), options={"applyAfter": "1m"}, said=done.append)

    def run(events: list[Event]) -> Any:
        before = sync._batches.asked()
        sync._batches.run(topic.frame(events), "", before.batch + 1, {"t": {0: topic.offset}})
        return sync.status()

    found = run(batches[0])
    assert (found.published, found.held, found.bound) == (FIRST + 1, {}, Bound(60.0, 100_000))
    run(batches[1])
    found = run(batches[2])
    assert found.published == FIRST + 1
    assert (found.held["shop.pairs"].rows, found.held["shop.twins"].rows) == (2, 1)
    text = "3 changes of 2 tables wait to be applied"
    line = (
        f"{text}, the oldest 1 s behind the resolved ts: all are applied when it is 60 s behind, those of a table also"
        " when they are 100,000"
    )
    assert line in lines_of(found, "", False)
    assert object_of(found)["bound"] == {"seconds": 60.0, "rows": 100_000}
    assert line_of(done[-1], 1.0).endswith(f"; {text}")
    assert of_batch(done[-1])["held"] == 3
    assert len(topic.rows("shop.pairs")) == 1
    # one process ends, and the next one knows what waits
    sync = topic.sync(topic.frame(pairs(62, "twins")), options={"applyAfter": "1m"}, said=done.append)
    found = run(batches[3])
    assert (found.published, found.held) == (FIRST + 61 * SECOND + 1, {})
    assert (len(topic.rows("shop.pairs")), len(topic.rows("shop.twins"))) == (4, 2)
    found = sync.once()
    assert (found.published, found.held) == (FIRST + 62 * SECOND + 1, {})
    assert len(topic.rows("shop.twins")) == 3


def test_a_stream_without_messages_applies_what_waits(topic: Topic) -> None:
    """No batch comes that would apply it."""
    folder = topic.tmp / "in"
    batches = [pairs(0, "pairs"), pairs(1, "pairs")]

    def send(number: int) -> None:
        topic.frame(batches[number]).coalesce(1).write.parquet(str(folder), mode="append")

    send(0)
    messages = topic.spark.readStream.schema(topic.frame([]).schema).parquet(str(folder))
    done: list[Any] = []
    sync = topic.sync(messages, options={"applyAfter": "2s"}, said=done.append).start("1 second")
    try:
        while not done:
            assert not sync.wait(1)
        send(1)
        while len(done) < 3:
            assert not sync.wait(1)
    finally:
        sync.stop()
    assert [one.published for one in done] == [True, False, True]
    assert [one.manifest.messages for one in done] == [2, 2, 0]
    assert len(topic.rows("shop.pairs")) == 2


def test_what_waits_is_applied_though_a_stream_starts_without_messages(topic: Topic) -> None:
    """At a start with other choices, too."""
    sync = topic.sync(topic.frame([]), options={"applyAfter": "1h"})
    for number in range(2):
        before = sync._batches.asked()
        sync._batches.run(topic.frame(pairs(number, "pairs")), "", before.batch + 1, {"t": {0: topic.offset}})
    assert sync.status().held
    (topic.tmp / "in").mkdir()
    messages = topic.spark.readStream.schema(topic.frame([]).schema).parquet(str(topic.tmp / "in"))
    done: list[Any] = []
    sync = topic.sync(messages, said=done.append).start("1 second")
    try:
        while not any(one.published for one in done):
            assert not sync.wait(1)
    finally:
        sync.stop()
    assert (sync.status().held, len(topic.rows("shop.pairs"))) == ({}, 2)


class Timers:
    """In place of a timer: for how long the newest waits."""

    seconds = 0.0
    waits = False

    def __init__(self, seconds: float, apply: object) -> None:
        Timers.seconds = seconds

    def start(self) -> None:
        Timers.waits = True

    def cancel(self) -> None:
        Timers.waits = False


def test_messages_without_a_later_watermark_put_nothing_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of other partitions while one is silent."""
    now = 100.0
    monkeypatch.setattr("tidewire.spark.sync.idle.Timer", Timers)
    monkeypatch.setattr("tidewire.spark.sync.idle.monotonic", lambda: now)
    made = Manifest(Source("t", "any"), resolved=FIRST + 40 * SECOND, held={"0": Held(1, FIRST + 10 * SECOND)})
    hold = Hold(60 * SECOND, 100)
    timer = idle.Idle(lambda: None)
    timer.after(made, hold)
    assert (Timers.waits, Timers.seconds) == (True, 30)
    now = 120.0
    timer.after(made, hold)
    assert (Timers.waits, Timers.seconds) == (True, 10)
    timer.after(replace(made, resolved=made.resolved + 25 * SECOND), hold)
    assert (Timers.waits, Timers.seconds) == (True, 5)
    timer.after(replace(made, held={"1": Held(1, FIRST + 39 * SECOND)}), hold)
    assert (Timers.waits, Timers.seconds) == (True, 59)
    timer.after(made, None)
    assert (Timers.waits, Timers.seconds) == (True, 0)
    timer.after(replace(made, held={}), hold)
    assert not Timers.waits


class Query:
    """A query that begins a batch while it is stopped, as Spark can: Java waits for the batch."""

    def __init__(self, sync: Sync) -> None:
        self.sync = sync
        self.isActive = True

    def stop(self) -> None:
        assert not self.sync._busy.locked()
        with pytest.raises(SourceError, match=r"^it was stopped"):
            self.sync._batch(None, 1)  # type: ignore[arg-type]
        self.isActive = False


def test_a_stream_is_stopped_while_a_batch_begins(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    """The batch would wait for what stops the stream, which waits for the batch."""
    applied: list[int] = []
    sync = topic.sync(topic.frame([]))
    monkeypatch.setattr(sync._batches, "all_applied", lambda: applied.append(1))
    query: Any = Query(sync)
    sync.query = query
    sync._apply_waiting()
    assert applied == [1]
    sync.stop()
    sync._apply_waiting()
    sync.query = query
    sync._batches.stopping.clear()
    sync._apply_waiting()  # it has ended by itself: whoever starts it anew applies what waits
    assert applied == [1]
