"""Tables whose changes are all above the resolved ts are not created yet, which is reported with the reason."""

from __future__ import annotations

import inspect

import pytest

from sync.frames import frame_of
from sync.staged_histories import SECOND, START, TABLES, account, change
from sync.topic import Topic
from tidewire.cli import sync as command
from tidewire.events import Ddl, Event, Watermark
from tidewire.spark.source import kafka_columns
from tidewire.spark.sync.how_far import NotYet
from tidewire.spark.sync.looked_at import MOST, look_at
from tidewire.spark.sync.rehearsal.encoded import described
from tidewire.spark.sync.run import plan

AT = 30


def events() -> list[Event]:
    """Pairs below and above the watermark, accounts above alone."""
    made = [
        Ddl(ts, "shop", name, 3, f"CREATE TABLE `{name}` (id int)", table_after=described(name, TABLES[name]))
        for ts, name in ((START, "pairs"), (START + AT + 1, "accounts"))
    ]
    pairs = [change("insert", at, "pairs", {"a": at, "b": "x", "n": 1}) for at in (1, AT + 20)]
    return [
        *made,
        *pairs,
        *(change("insert", AT + at, "accounts", account(at)) for at in (9, 7)),
        Watermark(START + AT),
    ]


@pytest.mark.parametrize("name", ["canal-json", "craft", "open-protocol", "simple", "debezium"])
def test_tables_above_the_watermark_are_told(topic: Topic, name: str) -> None:
    into, frame = f"parquet:{topic.tmp}/lake/{{schema}}/{{table}}", topic.frame(events(), name)
    planned = {one.table: one for one in plan(topic.spark, frame, name, into=into, state=topic.state)}
    assert planned["shop.pairs"].not_yet == ""
    says = planned["shop.accounts"].not_yet
    assert f"({START + AT + 7}), is above the watermarks of these messages: partition 0 of t has none above" in says
    assert f"({START + AT}); it is made when each partition has sent a later one" in says
    found = topic.sync(frame, name).once()
    assert found.published == START + AT
    assert set(found.tables) == {"shop.pairs"}
    assert found.not_yet == {"shop.accounts": NotYet(START + AT + 7, 2)}
    assert (found.waiting, found.watermark) == (("t", 0), START + AT)
    found = topic.sync(topic.frame([Watermark(START + 2 * SECOND)], name), name).once()
    assert set(found.tables) == {"shop.pairs", "shop.accounts"}
    assert not found.not_yet
    planned = {one.table: one for one in plan(topic.spark, frame, name, into=into, state=topic.state)}
    assert not any(one.not_yet for one in planned.values())


def test_without_a_watermark_no_table_is_made(topic: Topic) -> None:
    frame = topic.frame(events()[:-1])
    into = f"parquet:{topic.tmp}/lake/{{schema}}/{{table}}"
    for one in plan(topic.spark, frame, "canal-json", into=into, state=topic.state):
        assert "is above the watermarks of these messages: partition 0 of t has none; it is made when" in one.not_yet
    found = topic.sync(frame).once()
    assert (found.published, found.watermark, set(found.not_yet)) == (0, 0, {"shop.accounts", "shop.pairs"})


def test_of_more_messages_than_a_plan_reads_nothing_is_said(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that follow may have the watermark."""
    frame = topic.frame(events())
    assert look_at(frame, "canal-json", {}).not_resolved("shop.accounts") == START + AT + 7
    monkeypatch.setattr("tidewire.spark.sync.looked_at.MOST", 5)
    assert look_at(frame, "canal-json", {}).not_resolved("shop.accounts") == 0


def test_a_frame_without_partitions_is_looked_at(topic: Topic) -> None:
    rows = [(row.key, row.value) for row in kafka_columns(topic.frame(events()), "canal-json").collect()]
    seen = look_at(frame_of(topic.spark, rows, "key BINARY, value BINARY"), "canal-json", {})
    assert seen.watermarks == {"": {0: START + AT}}
    assert (seen.first["shop.pairs"], seen.messages) == (START + 1, len(rows))


def test_the_command_says_how_many_messages_a_plan_looks_at() -> None:
    assert f'"looking at {MOST:,} messages at most"' in inspect.getsource(command)
