"""Tables that begin or cease to be kept: changed patterns, names that come and go, partitions discovered late."""

from __future__ import annotations

import pytest

from sync.planned import Topic, kinds, said
from tidewire.spark.sync.changelog import (
    Action,
    Request,
    Source,
    StateError,
    Statement,
)
from tidewire.spark.sync.plan import Apply, End
from tidewire.spark.sync.requests import check
from tidewire.spark.sync.rules import Rules
from tidewire.spark.sync.wanted import Wanted
from tidewire.spark.sync.written import read, written


def test_a_table_that_was_not_kept_before_waits_until_it_is_added() -> None:
    """Its rows of earlier batches are nowhere: what comes now is not all of it."""
    topic = Topic(Rules(wanted=Wanted(("s.a",))))
    topic.batch(20, ("s.a", 5, 9))
    topic.rules = Rules(wanted=Wanted(("s.*",)))
    created = said(25, "s.c", "CreateTable", new="s.c")
    made = topic.batch(40, ("s.a", 21, 30), ("s.b", 22, 30), ("s.c", 26, 30), statements=(created,))
    assert (kinds(made, "s.a"), kinds(made, "s.b"), kinds(made, "s.c")) == (["Apply"], [], ["Create", "Apply"])
    parked = topic.table("s.b").parked
    assert (parked.by, parked.remedy) == ("patterns", "tidewire sync add FILE s.b makes it from the topic")
    check("add", "s.b", topic.manifest, topic.rules.wanted.named)
    with pytest.raises(StateError, match=r"s\.a is kept already"):
        check("add", "s.a", topic.manifest, topic.rules.wanted.named)
    topic.batch(0, requests=(Request("r", "resume", "s.b"),))
    assert "table s.b cannot go on: it was not kept when earlier batches were staged" in topic.manifest.notes[0]
    assert read(written(topic.manifest), Source("t", "any"), "m") == topic.manifest


def test_a_table_that_is_kept_no_longer_is_in_no_snapshot_and_waits_when_it_comes_again() -> None:
    topic = Topic(Rules(wanted=Wanted(("s.*",))))
    topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9))
    topic.rules = Rules(wanted=Wanted(("s.b",)))
    made = topic.batch(40, ("s.b", 21, 30))
    assert (set(made.tables), topic.manifest.notes) == (
        {"s.b"},
        ("table s.a is no longer kept, as no pattern of tables has it: it stays as it is",),
    )
    topic.rules = Rules(wanted=Wanted(("s.*",)))
    made = topic.batch(60, ("s.a", 41, 50), ("s.b", 41, 50))
    assert (kinds(made, "s.a"), kinds(made, "s.b")) == ([], ["Apply"])
    assert topic.table("s.a").parked.by == "patterns"


def test_a_table_gets_a_name_that_is_kept() -> None:
    """As programs do it that alter tables online: what has the name now was never staged."""
    topic = Topic(Rules(wanted=Wanted(("s.a",))))
    topic.batch(20, ("s.a", 5, 9))
    old = topic.manifest.names["s.a"]
    moves = Statement(
        25,
        "s.a",
        tuple(
            Action("RenameTable", (("old", old), ("new", new)))
            for old, new in (("s.a", "s._a_del"), ("s._a_gho", "s.a"))
        ),
    )
    made = topic.batch(40, ("s.a", 21, 30), statements=(moves, moves))
    assert [type(one) for one in made.steps[old]] == [Apply, End]
    assert (set(made.tables), kinds(made, "s.a")) == ({"s.a"}, [])
    parked = topic.table("s.a").parked
    assert (parked.ts, parked.by) == (25, "patterns")
    assert parked.reason == "it was renamed at 25 from s._a_gho, which is not kept, so that its rows are nowhere"
    assert topic.manifest.notes == ("table s.a was renamed to s._a_del at 25, which is not kept: it has ended",)


def test_a_name_in_between_needs_no_pattern() -> None:
    topic = Topic(Rules(wanted=Wanted(("s.a", "s.b"))))
    topic.batch(20, ("s.a", 5, 9), ("s.b", 6, 9))
    a, b = (topic.manifest.names[one] for one in ("s.a", "s.b"))
    moves = [("s.a", "s.t"), ("s.b", "s.a"), ("s.t", "s.b")]
    actions = tuple(Action("RenameTable", (("old", old), ("new", new))) for old, new in moves)
    made = topic.batch(40, statements=(Statement(25, "s.a", actions),))
    assert (made.tables, made.parked, topic.manifest.notes) == ({"s.a": b, "s.b": a}, {}, ())


def test_rows_below_of_a_partition_that_nobody_knew_park_their_table() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9))
    marks = {"t": dict.fromkeys(range(3), 40)}
    more = {"watermarks": marks, "partitions": {"t": [0, 1, 2]}, "missed": {"s.a": ("t", 2)}}
    made = topic.batch(0, ("s.a", 7, 25), ("s.b", 7, 25), **more)
    assert [one.reason for one in made.parked.values()] == [
        "partition 2 of t was heard of when all changes below 20 were resolved, and rows below came in it"
    ]
    assert (topic.table("s.a").parked.by, topic.table("s.b").parked) == ("late", None)


def test_what_is_pending_of_a_table_that_is_kept_no_longer_makes_none() -> None:
    topic = Topic(Rules(wanted=Wanted(("s.*",))))
    truncated = said(35, "s.a", "Truncate")
    topic.batch(20, ("s.a", 5, 30), ("s.b", 5, 9), statements=(truncated,))
    topic.rules = Rules(wanted=Wanted(("s.b",)))
    like = said(36, "s.c", "CreateTable", new="s.c", like="s.b")
    assert set(topic.batch(40, ("s.b", 21, 30), statements=(like,)).tables) == {"s.b"}
    assert [one.name for one in topic.manifest.tables.values()] == ["s.b"]
