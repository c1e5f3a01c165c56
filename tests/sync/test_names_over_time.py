"""Renamed tables: what was staged, parked and requested under a name belongs to the table that had it then."""

from __future__ import annotations

from typing import Any

import pytest

from sync.planned import Topic, kinds, said
from tidewire.spark.sync.changelog import DeadLetter, Request, Staged
from tidewire.spark.sync.plan import Apply, Create, Rename
from tidewire.spark.sync.requests import replayed
from tidewire.spark.sync.rules import Rules, by_hand
from tidewire.spark.sync.targets import TargetError
from tidewire.spark.sync.targets.places import Places


def letters(**known: Any) -> tuple[DeadLetter, ...]:
    return (DeadLetter("dead-1", "no schema", "t", 0, 1, "s.a")._replace(**known),)


@pytest.mark.parametrize("dropped", [True, False])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_row_without_a_commit_ts_has_the_table_wait_that_is_made_again(dropped: bool, at_once: bool) -> None:
    """It may be of the table before or behind the statement: neither is published as if it had the row."""
    topic = Topic()
    topic.batch(10, ("s.a", 5, 9))
    said_then = [said(21, "s.a", "DropTable")] if dropped else []
    said_then.append(said(22, "s.a", "CreateTable", columns=((("name", "id"), ("type", "int")),)))
    dead = {"dead": letters(ts=0, key="")}
    if not at_once:
        topic.batch(15, **dead)
    made = topic.batch(30, ("s.a", 25, 29), statements=tuple(said_then), **(dead if at_once else {}))
    number = topic.manifest.names["s.a"]
    assert (number, made.parked[number].by, made.steps.get(number)) == ("1", "message", None)
    free = Request("7", "replay", "s.a")
    made = topic.batch(40, requests=(free,))
    assert (made.parked, [type(one) for one in made.steps[number]]) == ({}, [Create, Apply])


def test_a_table_that_was_renamed_is_made_anew_of_rows_with_all_of_its_names() -> None:
    topic = Topic()
    topic.batch(20, ("s.b", 5, 9))
    moved = said(21, "s.b", "RenameTable", old="s.b", new="s.a")
    topic.batch(30, ("s.a", 25, 29), statements=(moved,))
    old = topic.manifest.names["s.a"]
    before = tuple(one.path for one in topic.manifest.lists)
    rows: tuple[tuple[str, int, int], ...] = (("s.b", 5, 9), ("s.a", 25, 29))
    made = topic.batch(40, *rows, requests=(Request("7", "load", "s.a", statements=(moved, moved)),), without=before)
    number = made.tables["s.a"]
    assert (number != old, old in topic.manifest.tables, made.parked) == (True, False, {})
    steps = made.steps[number]
    assert [(type(one), one.name) for one in steps] == [
        (Create, "s.a"),
        (Apply, "s.b"),
        (Rename, "s.a"),
        (Apply, "s.a"),
    ]
    applied = [one for one in steps if isinstance(one, Apply)]
    assert [(one.lo, one.hi, {each.table for each in one.files}) for one in applied] == [
        (0, 21, {"s.b"}),
        (21, 40, {"s.a"}),
    ]


@pytest.mark.parametrize("form", ["RENAME", "DROP", "DROP DATABASE"])
def test_a_table_is_made_anew_from_where_its_name_was_given_up(form: str) -> None:
    """What had its name before was another table, whatever became of that one."""
    topic = Topic()
    topic.batch(10, ("s.a", 5, 9))
    gone = {
        "RENAME": said(11, "s.a", "RenameTable", old="s.a", new="s.c"),
        "DROP": said(11, "s.a", "DropTable"),
        "DROP DATABASE": said(11, "", "DropDatabase", name="s"),
    }[form]
    created = said(12, "s.a", "CreateTable")
    topic.batch(20, ("s.a", 13, 19), statements=(gone, created))
    before = tuple(one.path for one in topic.manifest.lists)
    request = Request("7", "load", "s.a", statements=(gone, created))
    made = topic.batch(30, ("s.a", 5, 19), requests=(request,), without=before)
    table = topic.table("s.a")
    assert (made.parked, table.start, table.name) == ({}, 12, "s.a")
    assert kinds(made, "s.a") == ["Create", "Apply"]


def test_a_name_is_of_the_table_that_had_it_then() -> None:
    """Letters have the name of their time: what waits of a renamed table is found by it, and by no other."""
    topic = Topic()
    topic.batch(10, ("s.a", 5, 9))
    a = topic.manifest.names["s.a"]
    moved = said(21, "s.a", "RenameTable", old="s.a", new="s.b")
    created = said(22, "s.a", "CreateTable")
    (first,) = letters(ts=12, key="k")
    made = topic.batch(40, ("s.a", 23, 29), statements=(moved, created), dead=(first,))
    parked = made.parked[a]
    assert (parked.ts, parked.by, topic.manifest.names["s.b"]) == (21, "keys", a)
    # not read: its key waits on, though no table of today has the letter's name
    found = replayed("r", topic.manifest, Staged(1, dead=(first,)))
    assert [(one.table, one.keys) for one in found.requests] == [("", ())]
    other = first._replace(ts=25)
    assert [(one.table, one.keys) for one in replayed("r", topic.manifest, Staged(1, dead=(other,))).requests] == [
        ("s.b", ())
    ]
    made = topic.batch(50, ("s.a", 12, 12), requests=replayed("r", topic.manifest, Staged(1)).requests)
    assert made.parked == {}
    assert kinds(made, "s.b") == ["Repair", "Rename"]


@pytest.mark.parametrize("mode", ["ignore", "history"])
def test_a_table_whose_keys_wait_is_renamed_when_they_are_read(mode: str) -> None:
    history = {"history": lambda table: True} if mode == "history" else {"mode": lambda table: "ignore"}
    topic = Topic(Rules(**history))
    topic.batch(10, ("s.a", 5, 9))
    moved = said(21, "s.a", "RenameTable", old="s.a", new="s.b")
    topic.batch(40, statements=(moved,), dead=letters(ts=12, key="k"))
    assert topic.table("s.b").parked.by == "keys"
    topic.batch(50, requests=replayed("r", topic.manifest, Staged(1)).requests)
    assert (topic.table("s.b").parks, topic.table("s.b").keys) == ((), {})


@pytest.mark.parametrize("known", [{"ts": 25, "key": "k"}, {"ts": 25}])
def test_letters_are_read_before_their_table_is_there(known: dict[str, Any]) -> None:
    """What they park is not resolved yet: nothing of it is left, as nothing could free it later."""
    topic = Topic()
    topic.batch(20, ("s.b", 5, 9))
    topic.batch(0, dead=letters(**known))
    found = replayed("r", topic.manifest, Staged(1))
    assert [(one.table, one.keys) for one in found.requests] == [("s.a", ())]
    made = topic.batch(40, ("s.a", 25, 25), requests=found.requests)
    assert (made.parked, kinds(made, "s.a")) == ({}, ["Create", "Apply"])


def test_a_parked_table_is_asked_for_by_the_name_of_today() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9))
    topic.batch(30, statements=(said(21, "s.a", "ChangedKey"),))
    topic.batch(40, statements=(said(31, "s.a", "RenameTable", old="s.a", new="s.b"),))
    remedy = topic.table("s.b").parked.remedy
    assert remedy == by_hand("s.b")
    topic.batch(50, failures={topic.manifest.names["s.b"]: ("no space left", 0)})
    assert topic.table("s.b").parks[-1].remedy.endswith("resume FILE s.b")


@pytest.mark.parametrize(
    ("names", "beside", "by_key", "said"),
    [
        (("a.b_c", "a_b.c"), "", False, "table a.b_c and table a_b.c would both be lake.a_b_c"),
        (("a.b", "a.b_old"), "lake.{schema}_{table}_old", False, "the history of a.b and table a.b_old would both"),
        (("a.t__order", "a.t"), "", True, "table a.t__order and the order of changes of a.t would both be"),
    ],
)
def test_two_tables_have_one_place(names: tuple[str, str], beside: str, by_key: bool, said: str) -> None:
    def places(history: bool) -> Places:
        return Places("iceberg:lake.{schema}_{table}", beside and f"iceberg:{beside}", lambda _: history, by_key)

    with pytest.raises(TargetError, match=said):
        places(False).check(names)
    places(False).check(["a.b", "a.c"])
    if beside:
        places(True).check(names)  # a history table has no other one
    first, second = {names[0]: "0", names[1]: "1"}, {names[0]: "1", names[1]: "0"}
    for named in (first, second):
        old, new = sorted(named, key=named.__getitem__)
        places(False).check_new(old, "0", named, lambda number: False)
        with pytest.raises(TargetError, match="would both be"):
            places(False).check_new(new, "1", named, lambda number: False)
        with pytest.raises(TargetError, match="would both be"):
            places(False).check_new(old, "0", named, lambda number: number == "1")
