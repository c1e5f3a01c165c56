"""Files that were removed while tables are kept: one sentence each, and the rest continues if possible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sync.staged_histories import START as FIRST
from sync.staged_histories import account, change
from sync.topic import Topic
from tidewire.events import Event, Watermark
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.how_far import status


def pair(ts: int, a: int, kind: str = "insert") -> Event:
    row = {"a": a, "b": "x", "n": ts}
    return change(kind, ts, "pairs", row, {**row, "n": 0} if kind == "update" else None)


@pytest.mark.parametrize("few", ["0", "200"])
@pytest.mark.parametrize("what", ["staged", "lists", "manifests"])
def test_a_file_of_the_state_that_is_gone_ends_it(topic: Topic, few: str, what: str) -> None:
    """Nothing is published, and what was is what it was; with the file all goes on."""
    more: dict[str, Any] = {"options": {"few": few}}
    topic.sync(topic.frame([pair(1, 1), Watermark(FIRST + 10)]), **more).once()
    topic.sync(topic.frame([pair(11, 2), change("insert", 12, "accounts", account(1))]), **more).once()
    if what == "manifests":
        (gone,) = Path(topic.state, what).glob("*2.json")
    else:
        gone = max((one for one in Path(topic.state, what).rglob("*") if one.is_file()), key=lambda one: one.name)
    kept = gone.read_bytes()
    gone.unlink()
    said = r"is missing: it belongs to the state; restore it|restore them"
    frame = topic.frame([pair(13, 3), Watermark(FIRST + 20)])
    if what == "manifests":
        # without it the rows of its batch are unknown, and come again
        assert status(topic.state).published == FIRST + 10
    else:
        with pytest.raises(StateError, match=said) as found:
            topic.sync(frame, **more).once()
        assert "\n" not in str(found.value)
        assert gone.name in str(found.value)
        assert topic.rows("shop.pairs") == [(1, "x", 1)]
    gone.parent.mkdir(exist_ok=True)
    gone.write_bytes(kept)
    assert topic.sync(frame, **more).once().published == FIRST + 20
    assert [one[0] for one in topic.rows("shop.pairs")] == [1, 2, 3]


@pytest.mark.parametrize("format", ["parquet", "iceberg", "delta"])
def test_a_table_of_which_a_file_is_gone_waits_alone(topic: Topic, format: str) -> None:
    into = f"{format}:{topic.tmp}/lake/{{schema}}/{{table}}"
    folder = Path(topic.tmp, "lake/shop/pairs")
    if format == "iceberg":
        into = "iceberg:ice.lost_{schema}.{table}"
        where = topic.spark.conf.get("spark.sql.catalog.ice.warehouse")
        assert where is not None
        folder = Path(where, "lost_shop")
    topic.sync(
        topic.frame([pair(1, 1), change("insert", 2, "accounts", account(1)), Watermark(FIRST + 10)]), into=into
    ).once()
    for one in folder.rglob("*.parquet"):
        if "accounts" not in str(one):
            one.unlink()
    events = [pair(11, 1, "update"), change("insert", 12, "accounts", account(2)), Watermark(FIRST + 20)]
    found = topic.sync(topic.frame(events), into=into).once()
    assert (set(found.parked), found.published) == ({"shop.pairs"}, FIRST + 20)
    reason = found.parked["shop.pairs"].reason
    assert ".parquet is missing, a file of the table: restore it, or make the table anew with reset" in reason
    assert "\n" not in reason
    assert len(topic.rows("shop.accounts")) == 2
