"""Statements about columns whose effect does not follow from the table alone."""

from __future__ import annotations

from typing import Any

import pytest

from sync.planned import Topic, kinds, said
from tidewire.spark.sync.changelog import Request, Statement
from tidewire.spark.sync.plan import Alter
from tidewire.spark.sync.rules import Rules
from tidewire.spark.sync.shapes import Shape, ShapeColumn


def test_a_column_that_is_renamed_is_not_lost_where_statements_are_ignored() -> None:
    """Rows have no value under its old name from there on: the table waits, and nothing becomes null in silence."""
    topic = Topic(Rules(mode=lambda table: "ignore"))
    topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9))
    statements = tuple(said(25, name, "RenameColumn", old="v", new=new) for name, new in (("s.a", "w"), ("s.b", "V")))
    made = topic.batch(40, ("s.a", 26, 30), ("s.b", 26, 30), statements=statements)
    assert (kinds(made, "s.a"), kinds(made, "s.b")) == ([], ["Apply"])
    (parked,) = made.parked.values()
    assert "its column 'v' was renamed to 'w', and schema_changes of the table is ignore" in parked.reason
    made = topic.batch(50, requests=(Request("1", "resume", "s.a"),))
    assert (made.parked, kinds(made, "s.a")) == ({}, ["Apply"])


@pytest.mark.parametrize("said_by", ["CREATE", "rows", "rows without types"])
@pytest.mark.parametrize("mode", ["evolve", "lenient"])
def test_a_column_is_added_if_it_does_not_exist(said_by: str, mode: str) -> None:
    """One that is there stays as it is; one that was dropped, and that the target has kept, is a new one."""
    topic = Topic(Rules(mode=lambda table: mode))
    columns = (tuple({"name": "v", "type": "int"}.items()),)
    first = (said(1, "s.a", "CreateTable", columns=columns),) if said_by == "CREATE" else ()
    type = {"CREATE": "", "rows": "int"}.get(said_by, "")
    shape = "" if said_by == "CREATE" else Shape((ShapeColumn("v", "int", type, False),)).text()
    topic.batch(20, ("s.a", 5, 9, shape), statements=first)

    def add(ts: int, name: str) -> Statement:
        return said(ts, "s.a", "AddColumn", name=name, type="int", default=None, conditional=True)

    statements = (add(21, "V"), add(22, "w"), said(23, "s.a", "DropColumn", name="v"), add(24, "v"))
    made = topic.batch(40, statements=statements)
    altered = [(one.to.ts, one.actions[0].kind) for one in made.steps["0"] if isinstance(one, Alter)]
    drop = "DropColumn" if mode == "evolve" else "KeepColumn"
    assert altered == [(22, "AddColumn"), (23, drop), (24, "AddColumn")]


def test_a_column_is_changed_if_it_exists() -> None:
    """What is not there is not changed, nor is the column that has its new name."""
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9, Shape((ShapeColumn("v", "int", "int", False),)).text()))

    def change(ts: int, old: str, new: str) -> Statement:
        facts = [("RenameColumn", {"old": old, "new": new}), ("ModifyColumn", {"name": new, "type": "varchar(9)"})]
        actions = [said(ts, "s.a", kind, **of, conditional=True).actions[0] for kind, of in facts]
        return Statement(ts, "s.a", tuple(actions))

    made = topic.batch(40, statements=(change(21, "nope", "v"), change(22, "V", "v"), change(23, "v", "w")))
    altered = [(one.to.ts, [each.kind for each in one.actions]) for one in made.steps["0"] if isinstance(one, Alter)]
    assert altered == [(22, ["CopyColumn", "ModifyColumn"]), (23, ["CopyColumn", "ModifyColumn"])]


@pytest.mark.parametrize("mode", ["lenient", "ignore", "history"])
@pytest.mark.parametrize("kind", ["AddColumn", "RenameColumn", "CreateTable"])
def test_a_column_with_a_name_of_ours_parks_its_table_alone(kind: str, mode: str) -> None:
    topic = Topic(
        Rules(mode=lambda _: "ignore" if mode == "ignore" else "lenient", history=lambda _: mode == "history")
    )
    every: dict[str, dict[str, Any]] = {
        "AddColumn": {"name": "_Change_type", "type": "int", "default": None},
        "RenameColumn": {"old": "v", "new": "_tidewire_nth"},
        "CreateTable": {"columns": (tuple({"name": "_commit_rank", "type": "int"}.items()),)},
    }
    if kind != "CreateTable":
        topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9))
    made = topic.batch(40, ("s.a", 26, 30), ("s.b", 26, 30), statements=(said(25, "s.a", kind, **every[kind]),))
    ((number, parked),) = made.parked.items()
    assert number == made.tables["s.a"]
    assert "has the name of a column that Tidewire adds to changes" in parked.reason
    assert kinds(made, "s.b")[-1] == ("Append" if mode == "history" else "Apply")
