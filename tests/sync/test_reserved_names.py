"""Columns of the source with names of columns that Tidewire adds."""

from __future__ import annotations

import pytest

from sync import planned
from sync.planned import kinds, said
from sync.staged_histories import START as FIRST
from sync.staged_histories import account, change
from sync.topic import Topic
from tidewire.events import Column, Ddl, Watermark
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.spark.sync.changelog import Action, Request, Statement, TableEvent
from tidewire.spark.sync.equal_rows import NTH
from tidewire.spark.sync.plan import Alter
from tidewire.spark.sync.reserved import RESERVED, reserved, with_other_names
from tidewire.spark.sync.rules import Rules
from tidewire.spark.sync.shapes import METADATA


def test_all_columns_of_staged_changes_are_reserved() -> None:
    assert {*METADATA, NTH} == RESERVED


def added(ts: int, name: str, table: str = "s.a") -> Statement:
    return said(ts, table, "AddColumn", name=name, type="int", default=None)


def renamed(ts: int, old: str, new: str) -> Statement:
    return said(ts, "s.a", "RenameColumn", old=old, new=new)


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("name", ["_change_type", "_Commit_Version", "_commit_rank", "_tidewire_nth"])
def test_a_table_waits_until_its_column_has_another_name(name: str, history: bool) -> None:
    topic = planned.Topic(Rules(mode=lambda _: "evolve", history=lambda _: history))
    topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9))
    made = topic.batch(30, ("s.b", 25, 26), statements=(added(22, name),))
    parked = topic.table("s.a").parked
    assert (parked.ts, parked.reason) == (
        22,
        f"its column {name!r} has the name of a column that Tidewire adds to changes",
    )
    assert parked.remedy == "rename the column in the source, and run tidewire sync resume FILE s.a"
    assert (kinds(made, "s.a"), len(kinds(made, "s.b"))) == ([], 1)
    topic.batch(40, requests=(Request("1", "resume", "s.a"),))
    assert topic.table("s.a").parked == parked
    (note,) = topic.manifest.notes
    assert f"resume s.a was not done: its column {name!r} still has that name" in note
    topic.batch(50, statements=(renamed(45, name.lower(), "c"),))
    assert topic.table("s.a").parked == parked
    made = topic.batch(60, requests=(Request("2", "resume", "s.a"),))
    (step,) = made.steps["0"]
    assert isinstance(step, Alter)
    assert [(one.kind, one.get("name")) for one in step.actions] == [("AddColumn", "c")]
    assert (step.to.ts, topic.table("s.a").parked) == (22, None)


def test_each_column_waits_by_itself() -> None:
    topic = planned.Topic()
    topic.batch(20, ("s.a", 5, 9))
    names = ("_change_type", "_commit_rank")
    statements = [added(22, names[0]), added(23, names[1]), renamed(25, names[1], "d"), renamed(26, names[0], "c")]
    topic.batch(30, statements=(*statements, added(27, "e")))
    assert [one.ts for one in topic.table("s.a").parks] == [22, 23]
    made = topic.batch(40, requests=(Request("1", "resume", "s.a"),))
    assert [(one.kind, one.get("name")) for one in _actions(made.steps["0"])] == [("AddColumn", "c")]
    made = topic.batch(50, requests=(Request("2", "resume", "s.a"),))
    assert [(one.kind, one.get("name")) for one in _actions(made.steps["0"])] == [
        ("AddColumn", "d"),
        ("AddColumn", "e"),
    ]
    assert topic.table("s.a").parks == ()


def _actions(steps: object) -> list[Action]:
    assert isinstance(steps, list | tuple)
    return [action for one in steps if isinstance(one, Alter) for action in one.actions]


def test_what_happens_to_such_a_column_happens_to_the_other_name() -> None:
    create = Action(
        "CreateTable", (("columns", ((("name", "id"), ("type", "int")), (("name", "_Change_Type"), ("type", "int")))),)
    )
    drop, modify = (
        Action("DropColumn", (("name", "_change_type"),)),
        Action("ModifyColumn", (("name", "_change_type"),)),
    )
    to, back = renamed(1, "v", "_change_type").actions[0], renamed(2, "_change_type", "w").actions[0]
    assert reserved(create) == "_Change_Type"
    found = with_other_names((TableEvent(1, (create,)), TableEvent(2, (modify, back))), 1)
    assert [dict(one)["name"] for one in found[0].actions[0].get("columns")] == ["id", "w"]
    assert found[1:] == (TableEvent(2, (Action("ModifyColumn", (("name", "w"),)),)),)
    found = with_other_names((TableEvent(1, (create,)), TableEvent(2, (modify,)), TableEvent(3, (drop,))), 1)
    assert [dict(one)["name"] for one in found[0].actions[0].get("columns")] == ["id"]
    assert len(found) == 1
    assert with_other_names((TableEvent(1, (to, back)),), 1) == (TableEvent(1, (renamed(1, "v", "w").actions)),)
    gone = (TableEvent(1, (Action("DropColumn", (("name", "v"),)),)),)
    assert with_other_names((TableEvent(1, (to,)), TableEvent(2, (drop,))), 1) == gone
    other = TableEvent(2, (renamed(2, "x", "_change_type").actions))
    assert with_other_names((TableEvent(1, (added(1, "c").actions)), other), 1)[1] == other


def test_a_column_with_a_reserved_name_stops_no_other_table(topic: Topic) -> None:
    """With a default, which rows that are there have under the column's other name."""
    pair = {"a": 1, "b": "x", "n": 1}
    first = [change("insert", 1, "pairs", pair), change("insert", 1, "accounts", account(1)), Watermark(FIRST + 10)]
    topic.sync(topic.frame(first)).once()
    statement = "ALTER TABLE shop.pairs ADD COLUMN _change_type INT DEFAULT 7"
    more = [Ddl(FIRST + 12, "shop", "pairs", 5, statement), change("insert", 13, "accounts", account(2))]
    found = topic.sync(topic.frame([*more, Watermark(FIRST + 20)])).once()
    assert (set(found.parked), found.published) == ({"shop.pairs"}, FIRST + 20)
    assert len(topic.rows("shop.accounts")) == 2
    statement = "ALTER TABLE shop.pairs RENAME COLUMN _change_type TO kind"
    columns = (*change("insert", 1, "pairs", pair).columns, Column("kind", ColumnType.INT, ColumnFlag.NULLABLE, "int"))
    row = change("insert", 23, "pairs", {"a": 2, "b": "y", "n": 2, "kind": 9}, columns=columns)
    found = topic.sync(topic.frame([Ddl(FIRST + 22, "shop", "pairs", 5, statement), row, Watermark(FIRST + 30)])).once()
    assert set(found.parked) == {"shop.pairs"}
    running = topic.sync(topic.frame([Watermark(FIRST + 40)]))
    running.ask("resume", "shop.pairs")
    assert (running.once().parked, topic.rows("shop.pairs")) == ({}, [(1, "x", 1, 7), (2, "y", 2, 9)])


def test_rows_with_a_reserved_name_have_their_table_wait(topic: Topic) -> None:
    columns = change("insert", 1, "pairs", {"a": 1, "b": "x", "n": 1}).columns
    columns = (*columns, Column("_change_type", ColumnType.INT, ColumnFlag.NULLABLE, "int"))
    row = change("insert", 1, "pairs", {"a": 1, "b": "x", "n": 1, "_change_type": 3}, columns=columns)
    events = [row, change("insert", 1, "accounts", account(1)), Watermark(FIRST + 10)]
    found = topic.sync(topic.frame(events)).once()
    assert (set(found.parked), found.published) == ({"shop.pairs"}, FIRST + 10)
    parked = found.parked["shop.pairs"]
    assert parked.reason == "its column '_change_type' has the name of a column that Tidewire adds to changes"
    assert parked.remedy.startswith("rename the column in the source; tidewire sync reset FILE shop.pairs makes")


def test_a_column_with_the_name_of_what_orders_rows(topic: Topic) -> None:
    pair = {"a": 1, "b": "x", "n": 1, "_Tidewire_last": 5}
    plain = change("insert", 1, "pairs", {"a": 1, "b": "x", "n": 1}).columns
    columns = (*plain, Column("_Tidewire_last", ColumnType.INT, ColumnFlag.NULLABLE, "int"))
    events = [
        change("insert", 1, "pairs", pair, columns=columns),
        change("update", 2, "pairs", {**pair, "n": 2}, pair, columns=columns),
        Watermark(FIRST + 10),
    ]
    found = topic.sync(topic.frame(events)).once()
    assert (found.parked, topic.rows("shop.pairs")) == ({}, [(1, "x", 2, 5)])
