"""Maintenance of whole synchronisations: each kept record is read as before, with histories, while a stream goes on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sync.staged_histories import START as FIRST
from sync.staged_histories import change
from sync.topic import Topic, formats
from tidewire.events import Event, Watermark
from tidewire.spark.sync.choices import chosen
from tidewire.spark.sync.exact import snapshot
from tidewire.spark.sync.how_far import status
from tidewire.spark.sync.maintaining import delta, iceberg, last, maintenance, scheduled
from tidewire.spark.sync.maintaining.maintenance import Maintenance, _inside, maintain
from tidewire.spark.sync.maintaining.upkeep import Spared, Upkeep
from tidewire.spark.sync.publish import Published
from tidewire.spark.sync.row_versions import scd2


@pytest.fixture(autouse=True)
def _few_and_young(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two small files are written together, and snapshots expire that are just made."""
    for module in (maintenance, scheduled):
        monkeypatch.setattr(module, "Spared", lambda: Spared(read=timedelta(0)))
    monkeypatch.setattr(delta, "_LEAST", 2)


def places(topic: Topic, format: str, name: str) -> dict[str, Any]:
    into, history = (f"{format}:{topic.tmp}/{one}/{{schema}}/{{table}}" for one in ("lake", "changes"))
    if format == "iceberg":
        into, history = (f"iceberg:ice.{name}_{{schema}}.{{table}}{one}" for one in ("", "_changes"))
    return {"into": into, "history": history, "options": {"keepPublished": "90000d"}}


def pair(ts: int, a: int, n: int) -> Event:
    row = {"a": a, "b": "x", "n": n}
    if a == 1 and ts > 9:
        return change("update", ts, "pairs", row, {**row, "n": n - 1})
    return change("insert", ts, "pairs", row)


def states(topic: Topic) -> dict[int, Any]:
    """All that can be read by records."""
    found: dict[int, Any] = {one: topic.rows("shop.pairs", one) for one in Published(topic.state).resolved()}
    between = snapshot(topic.spark, topic.state, FIRST + 23, exact=True)
    found[FIRST + 23] = sorted(tuple(one) for one in between["shop.pairs"].collect())
    found[0] = sorted((tuple(one) for one in scd2(topic.spark, topic.state, "shop.pairs").collect()), key=str)
    return found


@formats("iceberg", "delta")
def test_all_that_kept_records_name_is_read_as_before(topic: Topic, format: str) -> None:
    more = places(topic, format, "maintained")
    for at in (0, 10, 20):
        events = [pair(at + 1, 1, at), pair(at + 2, at + 2, at), Watermark(FIRST + at + 9)]
        topic.sync(topic.frame(events), **more).once()
    # the first record is old enough to go
    Published(topic.state).remove(FIRST + 9)
    before = states(topic)
    choice = chosen("shop.*", more["options"])
    planned = list(maintain(topic.spark, topic.state, choice, dry=True))
    assert [(one.table, one.kind, one.failures) for one in planned] == [
        ("shop.pairs", "table", ()),
        ("shop.pairs", "history", ()),
    ]
    done = list(maintain(topic.spark, topic.state, choice))
    if format == "parquet":
        assert [one.expired for one in done] == [1, 1]  # of the first batch
    assert [one[2:5] for one in done] == [one[2:5] for one in planned]
    assert states(topic) == before
    topic.sync(topic.frame([pair(31, 1, 30), Watermark(FIRST + 39)]), **more).once()
    assert topic.rows("shop.pairs") == [(1, "x", 30), (2, "x", 0), (12, "x", 10), (22, "x", 20)]


def test_what_is_in_a_tables_folder_is_known() -> None:
    """Tables in it, and the state: their files would be taken for files of no version."""
    places = ["/lake/shop/pairs", "/lake/shop/pairs_changes", "/lake/shop/pairs/changes", "s3://b/t", "s3://b/t/state"]
    assert [_inside(one, places) for one in places] == [places[2], "", "", places[4], ""]
    assert _inside("", places) == ""


def test_a_table_that_fails_is_told_and_others_go_on(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here another program deletes a row of files that are being written into fewer."""
    more = places(topic, "iceberg", "failing")
    for name in ("into", "history"):
        more[name] = more[name].replace("ice.", "old.")  # a catalog of Hadoop's type
    for ts in range(1, 6):
        topic.sync(topic.frame([pair(ts, ts, ts), Watermark(FIRST + ts + 1)]), **more).once()
    real = iceberg.IcebergUpkeep._loaded
    stale: dict[str, Any] = {}

    def loaded(self: iceberg.IcebergUpkeep) -> Any:
        ref = self._table.ref
        if ref not in stale:
            stale[ref] = real(self)
            if not ref.endswith("_changes`"):
                topic.spark.sql(f"delete from {ref} where a = 2")
        return stale[ref]

    monkeypatch.setattr(iceberg.IcebergUpkeep, "_loaded", loaded)
    table, history = maintain(topic.spark, topic.state, chosen("shop.*", more["options"]))
    assert (table.compacted, history.compacted, history.failures) == (0, 5, ())
    (failure,) = table.failures
    assert failure.startswith("small files were not compacted: ")
    assert "Missing required files to delete" in failure
    assert topic.rows("shop.pairs") == [(one, "x", one) for one in range(1, 6)]


def test_a_stream_maintains_its_tables_when_it_is_due(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_800_000_000.0]
    for module in (last, scheduled):
        monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: now[0], monotonic=lambda: now[0]))
    more = places(topic, "iceberg", "scheduled")
    more["options"] |= {"maintainEvery": "1h"}
    frames = [topic.frame([])]
    running = topic.sync(lambda _: frames[-1], **more)
    runs: list[bool] = []
    real = Maintenance.run

    def run(self: Maintenance, **given: Any) -> Any:
        runs.append(given["clean"])
        return real(self, **given)

    monkeypatch.setattr(Maintenance, "run", run)

    def batch(number: int) -> None:
        frames.append(topic.frame([pair(number, number, number), Watermark(FIRST + number + 1)]))
        running.once()

    # the first batch, and then each hour; what has no version is looked for each day
    batch(1)
    assert (runs, topic_last(topic).tables) == ([True], 2)
    for number in (2, 3, 4):
        now[0] += 1199
        batch(number)
        assert runs == [True]
    now[0] += 4
    batch(5)
    assert runs == [True, False]
    assert (topic_last(topic).began, topic_last(topic).compacted, topic_last(topic).failures) == (now[0], 10, {})
    # the next record names what compaction made, also of a table without changes
    named = Published(topic.state).at(None).tables["shop.pairs"]
    frames.append(topic.frame([Watermark(FIRST + 30)]))
    running.once()
    newer = Published(topic.state).at(None).tables["shop.pairs"]
    assert (newer.position, newer.version == named.version) == (named.position, False)
    assert topic.rows("shop.pairs") == [(one, "x", one) for one in range(1, 6)]
    # what fails is told, and tried at the next time
    now[0] += 3601
    monkeypatch.setattr(Maintenance, "run", lambda *_, **__: 1 / 0)
    batch(7)
    assert (topic_last(topic).began, topic_last(topic).seconds) == (now[0], None)
    batch(8)
    text = "the tables were not maintained: division by zero; it is tried again at the next time"
    assert status(topic.state).notes == (text,)
    # a process that was killed on the way does not begin with it again
    monkeypatch.setattr(Maintenance, "run", run)
    running = topic.sync(lambda _: frames[-1], **more)
    batch(9)
    assert runs == [True, False]
    now[0] += 86_400
    batch(10)
    assert runs == [True, False, True]


def test_a_stream_goes_on_while_many_tables_are_maintained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are left come after the next batches; each is done once."""
    now = [1_800_000_000.0]
    for module in (last, scheduled):
        monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: now[0], monotonic=lambda: now[0]))
    every = [f"shop.t{one}" for one in range(7)]
    seen: list[tuple[str, bool]] = []

    class Slow:
        def __init__(self, *_: Any) -> None:
            self.changed: set[str] = set()
            self.done: set[str] = set()

        def run(self, clean: bool, stopping: Any) -> Iterator[Upkeep]:
            for one in every:
                if one not in self.done:
                    now[0] += 25
                    self.done.add(one)
                    self.changed.add(one)
                    seen.append((one, clean))
                    yield Upkeep(one, "table", compacted=2)

    monkeypatch.setattr(scheduled, "Maintenance", Slow)
    spark: Any = None
    of: Any = None
    one = scheduled.Scheduled(spark, str(tmp_path), chosen("*.*", {"maintainEvery": "1h"}), of)
    one.most = scheduled.MOST
    written: list[set[str]] = []
    publishing: Any = SimpleNamespace(written=lambda changed: written.append({*changed}))
    counts = []
    for _ in range(4):
        assert one.after_batch(publishing, lambda: False) == []
        counts.append(len(seen))
        now[0] += 10
    assert counts == [3, 6, 7, 7]
    assert seen == [(name, True) for name in every]
    assert written == [{*every[:3]}, {*every[3:6]}, {*every[6:]}]
    found = last.Maintained(str(tmp_path)).last()
    assert found is not None
    assert (found.tables, found.compacted, found.seconds) == (7, 14, 195)
    # at the next time all of them again
    now[0] += 3600
    one.after_batch(publishing, lambda: False)
    assert seen[7:] == [(name, False) for name in every[:3]]


def topic_last(topic: Topic) -> last.Last:
    found = status(topic.state).maintained
    assert found is not None
    return found
