"""Requests without Spark: which keys are freed if only some of their messages can be read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql.types import IntegerType, StructType

from tidewire.spark.sync import parked_keys
from tidewire.spark.sync.changelog import (
    Action,
    DeadLetter,
    Manifest,
    Outcome,
    Parked,
    Position,
    Source,
    Staged,
    StagedRows,
    StateError,
    Statement,
    TargetTable,
)
from tidewire.spark.sync.loading import loaded
from tidewire.spark.sync.parked_keys import _ended
from tidewire.spark.sync.requests import of_no_name, replayed, too_old
from tidewire.spark.sync.resolved import advance
from tidewire.spark.sync.shapes import Shape, ShapeColumn
from tidewire.spark.sync.walk import KEY

SOURCE = Source("t", "any")


def parked(key: str, ts: int) -> Statement:
    return Statement(ts, "s.a", (Action(KEY, (("key", key),)),))


def newest(**more: object) -> Manifest:
    """At 100, with keys k1 and k2 that wait, and k3 that will."""
    table = TargetTable("s.a", 0, Position(100), Position(100), keys={"k1": 40, "k2": 50})
    return Manifest(
        SOURCE,
        7,
        resolved=100,
        watermarks={"t": {0: 100}},
        statements=(parked("k3", 120),),
        tables={"0": table},
        names={"s.a": "0"},
        dead={"old": 3},
        **more,  # type: ignore[arg-type]
    )


def letter(key: str, ts: int, table: str = "s.a") -> DeadLetter:
    return DeadLetter("new", "no schema", "t", 0, 5, table, key, ts)


def after(staged: Staged) -> TargetTable:
    more = {"outcomes": SEEN, "letters": {"new": len(staged.dead)} if staged.dead else {}}
    done = Staged(**{name: getattr(staged, name) for name in staged.__dataclass_fields__} | more)
    made = advance(newest(), done, {"t": {0}})
    assert made.done[:1] == ("r1",)
    assert dict(made.dead) == ({"new": len(staged.dead)} if staged.dead else {})
    return made.tables["0"]


SEEN = {"0": Outcome(Position(100), Position(100))}


def test_all_that_can_be_read_is_free() -> None:
    found = replayed("r1", newest(), Staged(1))
    assert [(one.kind, one.table, one.keys) for one in found.requests] == [("replay", "s.a", ())]
    table = after(found)
    assert (table.keys, table.repair) == ({}, {"k1": 40, "k2": 50})


@pytest.mark.parametrize("ts", [0, 50, 120])
def test_what_cannot_be_read_waits_on(ts: int) -> None:
    """Whatever is known of it."""
    key = {0: "k2", 50: "k2", 120: "k3"}[ts]
    found = replayed("r1", newest(), Staged(1, dead=(letter(key, ts),)))
    free = {"k1", "k2", "k3"} - {key}
    assert [(one.table, set(one.keys)) for one in found.requests] == [("s.a", free)]
    table = after(found)
    assert set(table.keys) == {"k2"} - free
    assert set(table.repair) == free - {"k3"}


def test_a_letter_without_a_key_keeps_its_table() -> None:
    waits = Parked(60, "a row cannot be read", "replay it", "letters")
    of = newest()
    of = Manifest(**{name: getattr(of, name) for name in of.__dataclass_fields__} | {
        "tables": {"0": of.tables["0"]._replace(parks=(waits,))}
    })  # fmt: skip
    still = replayed("r1", of, Staged(1, dead=(letter("", 60),)))
    assert [one.table for one in still.requests] == [""]
    assert [one.table for one in replayed("r1", of, Staged(1)).requests] == ["s.a"]


def test_rows_that_no_table_waited_for_are_told_of() -> None:
    rows = (StagedRows("s.a", "f", 2, 40, 50, 2), StagedRows("s.b", "f", 3, 60, 140, 1))
    found = replayed("r1", newest(), Staged(1, rows=rows))
    (note,) = too_old(newest(), found)
    assert note.startswith("1 rows of messages that were read again are older than table s.b")


def test_a_table_is_not_made_of_a_topic_that_cannot_be_read() -> None:
    statement = Statement(5, "s.a", (Action("Truncate"),))
    found = loaded("r1", "s.a", Staged(1, statements=(statement,), dead=(letter("k", 1, "s.b"),)), 100)
    assert (found.requests[0].kind, found.requests[0].statements, found.statements) == ("load", (statement,), ())
    with pytest.raises(StateError, match=r"s\.a cannot be made from the topic: the message at offset 5 of partition 0"):
        loaded("r1", "s.a", Staged(1, dead=(letter("k", 1),)), 100)


def test_rows_in_part_end_no_wait() -> None:
    """They park their table, and nothing is asked of them."""
    shape = Shape((ShapeColumn("id", "int", "int", True), ShapeColumn("v", "int", "int", False)), "only its key came")
    rows = [StagedRows("s.a", "f", 1, 60, 60, 0, shape.text()), StagedRows("s.a", "g", 1, 61, 61, 0, Shape(()).text())]
    nobody: Any = None
    assert _ended(nobody, newest(), newest().tables["0"], rows, 0, 100) == ()


def test_columns_without_a_common_type_do_not_keep_keys_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """What frees keys are the columns of the key alone."""
    key = ShapeColumn("id", "int", "int", True)
    shapes = [Shape((key, ShapeColumn("v", kind, kind, False))) for kind in ("int", "date")]
    rows = [StagedRows("s.a", "f", 1, 60 + at, 60 + at, 0, shape.text()) for at, shape in enumerate(shapes)]
    read: list[StructType] = []
    monkeypatch.setattr(parked_keys, "changes", lambda *given, **more: read.append(given[5]))
    monkeypatch.setattr(parked_keys, "ended_keys", lambda spark, found, last: set(last))
    steps: Any = SimpleNamespace(spark=None, protocol="simple", options=None, state="")
    assert _ended(steps, newest(), newest().tables["0"], rows, 0, 100) == ("k1", "k2")
    assert [(one.name, one.dataType) for one in read[0]] == [("id", IntegerType())]


def test_rows_of_a_name_that_no_table_has_any_more_are_told_of() -> None:
    rows = (StagedRows("s.a", "f", 2, 40, 50, 2), StagedRows("s.old", "f", 3, 60, 70, 3))
    (note,) = of_no_name(newest(), Staged(1, rows=rows))
    assert note.startswith("3 rows of messages that were read again are of s.old, which no table is called any more")
