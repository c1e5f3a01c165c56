"""A changefeed that goes on as one of the new architecture, or in another protocol, in the middle of a topic."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from archives import unpacked
from pyspark.sql import DataFrame

from sync.frames import frame_of
from sync.staged_histories import START as FIRST
from sync.staged_histories import change, messages
from sync.topic import OF_KAFKA, Topic
from tidewire.cli.conform import recording
from tidewire.events import Watermark
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.how_far import status
from tidewire.spark.sync.publish import Snapshot, snapshot

TESTS = Path(__file__).parents[1]
SCENARIOS = ("integers", "decimals", "strings", "times", "enum-set-json-vector", "batches")
LAST = 470607626465626630 + (1 << 30)
"""Above all commit timestamps of the recordings."""
Message = tuple[bytes | None, bytes | None]


def recorded(producer: str, statements: bool) -> list[Message]:
    """The messages of a producer for the same SQL."""
    folder = unpacked(TESTS / "golden" / "open-protocol.tar.xz")
    found: list[Message] = []
    for one in recording.find(folder):
        if (one.producer, one.option_set) == (producer, "default") and one.scenario in SCENARIOS:
            lines = [line for line in recording.read(one) if statements or line.kind != "ddl"]
            found += [(line.key, line.value) for line in lines if line.error is None]
    return found


@pytest.mark.parametrize("statements", [True, False])
def test_tables_are_the_same_whatever_wrote_their_first_rows(topic: Topic, statements: bool) -> None:
    """Classic TiCDC, then the new architecture, in one topic; with statements the tables are made again in between."""

    def kept(name: str, parts: Iterable[Message]) -> Snapshot:
        rows = [*parts, *zip(*messages([Watermark(LAST)], "open-protocol"), strict=True)]
        frame = frame_of(topic.spark, [(*one, "t", 0, at) for at, one in enumerate(rows)], OF_KAFKA)
        state, into = str(topic.tmp / name), f"parquet:{topic.tmp}/{name}-lake/{{schema}}/{{table}}"
        options = {"zeroDate": "null"}
        found = topic.sync(frame, "open-protocol", state=state, into=into, options=options).once()
        assert (found.parked, found.dead, found.notes, found.published) == ({}, 0, (), LAST)
        return snapshot(topic.spark, state)

    new = recorded("ticdc", True)
    both = kept("both", [*recorded("tiflow", True), *(new if statements else recorded("ticdc", False))])
    alone = kept("alone", new)
    assert set(both) == set(alone)
    for name in alone:
        one, other = both[name], alone[name]
        assert one.schema == other.schema, name
        assert sorted(map(str, one.collect())) == sorted(map(str, other.collect())), name


def test_messages_of_another_protocol_end_the_synchronisation(topic: Topic) -> None:
    """With the reason and what to do; what was published stays, and nothing of the batch counts."""

    def frame(ts: int, name: str) -> DataFrame:
        row = change("insert", ts, "pairs", {"a": ts, "b": "x", "n": 1})
        return topic.frame([row, Watermark(FIRST + ts + 5)], name)

    topic.sync(frame(1, "canal-json")).once()
    for _ in range(2):
        with pytest.raises(StateError, match="are craft, and the state is of canal-json: one state has one protocol"):
            topic.sync(frame(11, "craft")).once()
    assert (status(topic.state).published, status(topic.state).dead) == (FIRST + 6, 0)
    topic.sync(frame(21, "canal-json")).once()
    assert [row[0] for row in topic.rows("shop.pairs")] == [1, 21]
