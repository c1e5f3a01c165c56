"""Changes that wait for those of later batches, within the chosen bounds."""

from __future__ import annotations

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
from tidewire.spark.sync.batches import BatchDone
from tidewire.spark.sync.changelog import Held
from tidewire.spark.sync.choices import chosen
from tidewire.spark.sync.how_far import Bound
from tidewire.spark.sync.rehearsal.histories import History
from tidewire.spark.sync.rules import Hold, Rules

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


def test_the_choices() -> None:
    assert chosen("*.*", {"applyAfter": "5m"}).rules.hold == Hold(300 * SECOND, 100_000)
    assert chosen("*.*", {"apply_after": "1s", "applyRows": 7}).rules.hold == Hold(SECOND, 7)
    assert chosen("*.*", {"applyAfter": 0}).rules.hold is None
    with pytest.raises(OptionError, match=r"^applyRows is for changes that wait: give applyAfter, too"):
        chosen("*.*", {"applyRows": 7})
    with pytest.raises(OptionError, match=r"^applyAfter is for tables at one TSO; with consistency=key"):
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
