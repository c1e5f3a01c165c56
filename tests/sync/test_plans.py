"""Manifests and plans, case by case, for situations that do not occur in histories."""

from __future__ import annotations

from typing import Any

import pytest

from sync.planned import Topic, kinds, said
from tidewire.spark.sync.changelog import (
    Action,
    DeadLetter,
    Position,
    Request,
    StateError,
    Statement,
)
from tidewire.spark.sync.plan import Alter, Apply, Create, End, Load, Rename, TablesPlan, taking_names
from tidewire.spark.sync.rules import DEFAULT, MOST_KEYS, Rules
from tidewire.spark.sync.shapes import Shape, ShapeColumn

DEFAULT_UUID = (("text", "uuid()"), ("bits", None), ("expression", True), ("number", False))


def test_the_partition_that_is_waited_for_is_named() -> None:
    topic = Topic()
    assert topic.manifest.waiting() is None
    topic.batch(0, ("s.a", 5, 9), watermarks={"t": {1: 20}})
    assert topic.manifest.resolved == 0
    assert topic.manifest.waiting() == ("t", 0)
    topic.batch(0, watermarks={"t": {0: 30}})
    assert (topic.manifest.resolved, topic.manifest.waiting()) == (20, ("t", 1))


def test_tables_without_changes_have_no_step_and_are_complete() -> None:
    topic = Topic()
    assert kinds(topic.batch(20, ("s.a", 5, 9)), "s.a") == ["Create", "Apply"]
    made = topic.batch(30)
    assert made.steps == {}
    assert made.reached == {"0": Position(30)}
    assert topic.manifest.lists == ()


@pytest.mark.parametrize("form", ["through a third name", "directly", "in one statement"])
def test_two_tables_swap_their_names(form: str) -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9), ("s.b", 6, 9))
    a, b = (topic.manifest.names[one] for one in ("s.a", "s.b"))
    moves = [("s.a", "s.b"), ("s.b", "s.a")]
    if form != "directly":
        moves = [("s.a", "s.t"), ("s.b", "s.a"), ("s.t", "s.b")]
    statements = tuple(said(25, old, "RenameTable", old=old, new=new) for old, new in moves)
    if form == "in one statement":
        statements = (Statement(25, "s.a", tuple(action for one in statements for action in one.actions)),)
    made = topic.batch(40, ("s.a", 21, 30), ("s.b", 26, 26), statements=statements * 2)
    assert made.tables == {"s.a": b, "s.b": a}
    first, second = made.steps[a], made.steps[b]
    assert [type(one) for one in first] == [Apply, Rename, Apply]
    assert [one.name for one in first] == ["s.a", "s.b", "s.b"]
    assert [(type(one), one.name) for one in second] == [(Rename, "s.a"), (Apply, "s.a")]


def test_tables_that_take_names_of_others_do_so_when_those_are_done() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9), ("s.b", 6, 9), ("s.c", 7, 9))
    moves = [said(25, "s.a", "RenameTable", old="s.a", new="s.d"), said(26, "s.b", "RenameTable", old="s.b", new="s.a")]
    again = [said(27, "s.c", "DropTable"), said(28, "s.c", "CreateTable", columns=())]
    made = topic.batch(40, ("s.a", 21, 23), ("s.c", 29, 30), statements=(*moves, *again))
    names = {number: name for name, number in made.tables.items()}
    taking = taking_names(made.steps, topic.manifest.tables)
    assert [names[one] for one in taking] == ["s.a", "s.c"]
    assert len(made.steps) == 4


def test_a_table_is_made_anew_from_a_dump_and_what_came_since() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9))
    old = topic.manifest.names["s.a"]
    topic.batch(50, ("s.a", 31, 40), statements=(said(30, "s.a", "ChangedKey"),))
    assert topic.table("s.a").parked.ts == 30
    request = Request(
        "7", "load", "s.a", 36, "/dumps/a", (), (said(38, "s.a", "Truncate"), said(30, "s.a", "ChangedKey"))
    )
    before = topic.manifest.lists
    with pytest.raises(StateError, match="all lists have to be merged"):
        topic.batch(60, requests=(request,))
    made = topic.batch(60, ("s.a", 37, 55), requests=(request,), without=tuple(one.path for one in before))
    assert old not in topic.manifest.tables
    assert topic.manifest.done == ("7",)
    steps = made.steps[made.tables["s.a"]]
    assert [type(one) for one in steps] == [Load, Apply, Alter, Apply]
    assert [(one.at, one.to) for one in steps] == [
        (None, Position(36)),
        (Position(36), Position(38)),
        (Position(38), Position(38, 1)),
        (Position(38, 1), Position(60)),
    ]


def test_stop_stops_before_the_statement_and_goes_on_with_another_mode() -> None:
    topic = Topic(Rules(mode=lambda table: "stop" if table == "s.a" else "evolve"))
    added = said(25, "s.a", "AddColumn", name="c", type="int", default=None)
    made = topic.batch(40, ("s.a", 5, 30), ("s.b", 6, 33), statements=(added,))
    assert topic.manifest.resolved == made.resolved == 25
    assert "table s.a is changed at 25 (AddColumn)" in topic.manifest.stopped
    assert made.reached == {"0": Position(25), "1": Position(25)}
    topic.batch(50)
    assert topic.manifest.resolved == 25
    topic.rules = DEFAULT
    made = topic.batch(50)
    assert (topic.manifest.resolved, topic.manifest.stopped) == (50, "")
    assert kinds(made, "s.a") == ["Alter", "Apply"]


def test_rows_that_break_the_promise_stop_everything_where_that_was_asked_for() -> None:
    topic = Topic(Rules(late="stop"))
    topic.batch(20, ("s.a", 5, 9))
    topic.batch(30, unknown={"s.a": 2})
    assert topic.manifest.resolved == 20
    assert "2 rows below the resolved ts, which the changelog does not have, came for s.a" in topic.manifest.stopped
    assert topic.manifest.unknown == {"s.a": 2}


def test_ignored_statements_and_modes_of_single_tables() -> None:
    modes = {"s.a": "ignore", "s.b": "park", "s.c": "lenient"}
    topic = Topic(Rules(mode=lambda table: modes[table]))
    topic.batch(20, *((name, 5, 9) for name in modes))
    statements = tuple(said(25, name, "DropColumn", name="c") for name in modes)
    made = topic.batch(40, *((name, 26, 26) for name in modes), statements=statements)
    assert kinds(made, "s.a") == ["Apply"]
    assert kinds(made, "s.b") == []
    assert kinds(made, "s.c") == ["Alter", "Apply"]
    assert "schema_changes of the table is park" in made.parked[made.tables["s.b"]].reason
    step = made.steps[made.tables["s.c"]][0]
    assert isinstance(step, Alter)
    assert step.actions[0].kind == "KeepColumn"


def test_a_table_that_refuses_a_change_waits_and_tries_again_when_it_is_told_to() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9))
    made = topic.batch(30, ("s.a", 25, 26), failures={"0": ("no space left", 0)})
    assert kinds(made, "s.a") == []
    assert made.parked["0"] == ("no space left" and topic.table("s.a").parked)
    assert made.reached == {"0": Position(20)}
    made = topic.batch(40, requests=(Request("1", "resume", "s.a"),))
    (step,) = made.steps["0"]
    assert isinstance(step, Apply)
    assert (step.lo, step.hi, len(step.files)) == (20, 40, 1)


def shape(key: str, **types: str) -> str:
    return Shape(tuple(ShapeColumn(name, "int", types.get(name), name == key) for name in ("a", "b", "C"))).text()


def applies(made: TablesPlan, table: str) -> list[tuple[int, int, int]]:
    steps = made.steps.get(made.tables[table], ())
    return [(one.lo, one.hi, len(one.files)) for one in steps if isinstance(one, Apply)]


def test_rows_are_cut_where_their_handle_key_changes() -> None:
    topic = Topic()
    rows = [
        ("s.a", 5, 9, shape("a")),
        ("s.a", 7, 12, shape("a")),
        ("s.a", 15, 18, shape("b")),
        ("s.a", 25, 29, shape("b")),
    ]
    assert applies(topic.batch(20, *rows), "s.a") == [(0, 15, 2), (15, 20, 1)]
    made = topic.batch(40, ("s.a", 3, 8, shape("a")), ("s.a", 22, 35, shape("b")))
    assert applies(made, "s.a") == [(20, 40, 2)]
    # rows that cannot be told apart stay together, and are refused when they are read
    made = topic.batch(60, ("s.a", 41, 50, shape("a")), ("s.a", 45, 46, shape("b")))
    assert applies(made, "s.a") == [(40, 60, 2)]


def test_keys_that_wait_while_a_unique_index_changes_have_the_table_wait() -> None:
    topic = Topic()
    letters = (DeadLetter("letters", "no schema", "t", 0, 7, "s.a", '["1"]', 7),)
    topic.batch(20, ("s.a", 5, 9), dead=letters)
    index = said(25, "S.A", "NoEffect", reason="an index", unique=True)
    topic.batch(30, statements=(said(24, "s.a", "NoEffect", reason="an index", unique=False), index))
    parked = topic.table("s.a").parked
    assert (parked.ts, parked.by) == (25, "keys")
    assert parked.reason == "its unique indexes were changed while rows of 1 keys wait to be read"


@pytest.mark.parametrize("mode", ["evolve", "ignore"])
def test_keys_wait_for_no_row_that_was_truncated(mode: str) -> None:
    """Also where the table waits when the statement comes, and does it later."""
    topic = Topic(Rules(mode=lambda _: mode))
    early, both, late = (DeadLetter("dead-1", "no schema", "t", 0, ts, "s.a", f"k{ts}", ts) for ts in (25, 28, 29))
    topic.batch(20, ("s.a", 5, 9))
    topic.batch(27, dead=(early,), statements=(said(26, "s.a", "ChangedKey"),))
    topic.batch(40, dead=(both, both._replace(ts=35), late), statements=(said(30, "s.a", "Truncate"),))
    if mode == "ignore":
        topic.batch(50)
        assert (topic.table("s.a").keys, topic.table("s.a").unread) == (
            {"k25": 25, "k28": 28, "k29": 29},
            {"k28": (35,)},
        )
        return
    assert (set(topic.table("s.a").keys), topic.table("s.a").parked.ts) == ({"k25", "k28", "k29"}, 26)
    topic.batch(40, requests=(Request("1", "replay", "s.a", keys=("k25",)), Request("2", "resume", "s.a")))
    topic.batch(50)
    table = topic.table("s.a")
    assert (table.keys, table.unread, table.repair, table.parks) == ({"k28": 35}, {}, {}, ())


def test_a_table_that_waits_for_some_keys_goes_on_when_those_are_read() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9))
    first, other = (DeadLetter("dead-1", "no schema", "t", 0, ts, "s.a", f"k{ts}", ts) for ts in (25, 28))
    topic.batch(30, dead=(first, other), statements=(said(26, "s.a", "AddColumn", name="c"),))
    assert topic.table("s.a").parked.by == "keys"
    topic.batch(40, requests=(Request("1", "replay", "s.a", keys=("k25",)),))
    assert (topic.table("s.a").parked, topic.table("s.a").keys) == (None, {"k28": 28})


def test_a_column_declared_anew_knows_what_it_was_before() -> None:
    """By rows below the statement, and by statements behind these rows."""
    topic = Topic()
    topic.batch(20, ("s.a", 5, 30, shape("a", b="enum('x')", C="int")), ("s.a", 26, 30, shape("a", b="text")))
    statements = (
        said(22, "s.a", "AddColumn", name="d", type="json"),
        said(23, "s.a", "RenameColumn", old="c", new="e"),
        said(24, "s.a", "ModifyColumn", name="B", type="varchar(3)"),
        said(25, "s.a", "ModifyColumn", name="b", type="set('x')"),
        said(26, "s.a", "ModifyColumn", name="e", type="bigint"),
        said(27, "s.a", "ModifyColumn", name="d", type="text"),
        said(28, "s.a", "ModifyColumn", name="f", type="text"),
    )
    made = topic.batch(40, ("s.a", 35, 38, shape("a", b="set")), statements=statements)
    steps = [one for one in made.steps["0"] if isinstance(one, Alter)]
    found = {one.at.ts: one.actions[0].get("before") for one in steps if one.actions[0].kind == "ModifyColumn"}
    assert list(found.values()) == ["enum('x')", "varchar(3)", "int", "json", None]
    (step,) = topic.batch(60, statements=(said(50, "s.a", "ModifyColumn", name="b", type="int"),)).steps["0"]
    assert isinstance(step, Alter)
    assert step.actions[0].get("before") == "set('x')"
    # rows that were above R when they came, and of a table that nobody knew
    topic.batch(60, ("s.b", 70, 75, shape("a", b="year")))
    pending = (topic.rows[-1],)
    topic.batch(80, pending=pending)
    assert topic.table("s.b").declared["b"] == "year"


def test_a_statement_that_a_table_refuses_has_it_wait_there() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9))
    modified = said(25, "s.a", "ModifyColumn", name="v", type="json")
    topic.batch(30, ("s.a", 22, 23), ("s.a", 27, 28), statements=(modified,))
    topic.where, topic.outcomes = {"0": Position(25)}, {}
    made = topic.batch(30, failures={"0": ("values are not told", 25)})
    parked = made.parked["0"]
    assert (parked.ts, parked.by, made.steps) == (25, "statement", {})
    assert "change the table by hand and run tidewire sync resume FILE s.a" in parked.remedy
    made = topic.batch(40, requests=(Request("1", "resume", "s.a"),))
    assert applies(made, "s.a") == [(25, 40, 1)]
    assert kinds(made, "s.a") == ["Apply"]


def test_a_table_that_was_restored_or_is_ahead_is_told() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9))
    topic.batch(30, ("s.a", 25, 26))
    topic.where = {"0": Position(7), "1": Position(20)}
    made = topic.batch(40)
    assert "table s.a is at 7, and it was at 30: it was dropped or restored" in made.lost["0"]
    assert "tidewire sync reset FILE s.a" in made.lost["0"]
    topic.where = {"1": Position(90)}
    made = topic.batch(40)
    assert "table s.a is gone" in made.lost["0"]
    assert made.ahead == ("1",)


def letters(count: int, **known: Any) -> tuple[DeadLetter, ...]:
    return tuple(
        DeadLetter("dead-1", "no schema", "t", 0, i, "s.a", f"k{i}", 25)._replace(**known) for i in range(count)
    )


def test_dead_letters_park_keys_or_the_table() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9))
    topic.batch(30, ("s.a", 25, 26), dead=letters(3) * MOST_KEYS)  # that came again and again
    assert topic.table("s.a").keys == {"k0": 25, "k1": 25, "k2": 25}
    assert topic.manifest.dead == {"dead-1": 3 * MOST_KEYS}
    topic.batch(40, dead=letters(2))  # a replay of what is known
    assert topic.table("s.a").parked is None
    topic.batch(50, dead=letters(MOST_KEYS + 1, ts=45))
    assert (topic.table("s.a").parked.ts, topic.table("s.a").parked.by) == (45, "letters")


def test_too_many_parked_keys_park_the_table() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9))
    topic.batch(30, dead=letters(MOST_KEYS))
    assert topic.table("s.a").parked is None
    topic.batch(40, dead=(DeadLetter("dead-1", "no schema", "t", 0, 1, "s.a", "other", 35),))
    assert topic.table("s.a").parked.ts == 35


@pytest.mark.parametrize(("known", "at"), [({"key": ""}, 25), ({"ts": 0}, 20)])
def test_a_dead_letter_of_which_little_is_known_parks_the_table(known: dict[str, Any], at: int) -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9))
    made = topic.batch(30, ("s.a", 21, 29), dead=letters(1, **known))
    assert topic.table("s.a").parked.ts == at
    assert made.reached == {"0": Position(at)}
    made = topic.batch(40, requests=(Request("1", "replay", "s.a"),))
    assert topic.table("s.a").parked is None
    assert made.reached == {"0": Position(40)}


def test_a_dead_letter_of_no_known_table_is_counted() -> None:
    topic = Topic()
    made = topic.batch(20, ("s.a", 5, 9), dead=letters(1, table=""))
    assert topic.manifest.dead == {"dead-1": 1}
    assert made.parked == {}


def test_create_after_drop_is_another_table() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9))
    statements = (said(22, "s.a", "DropTable"), said(25, "s.a", "CreateTable", columns=("id",)))
    made = topic.batch(40, ("s.a", 21, 30), statements=statements)
    assert made.tables == {"s.a": "1"}
    assert [type(one) for one in made.steps["0"]] == [Apply, End]
    assert [type(one) for one in made.steps["1"]] == [Create, Apply]
    assert made.steps["1"][0].to == Position(25, 1)
    topic.batch(50)
    assert list(topic.manifest.tables) == ["1"]


def test_a_truncation_in_a_batch_without_rows_of_its_table_is_done() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9))
    made = topic.batch(40, ("s.b", 30, 30), statements=(said(25, "s.a", "Truncate"),))
    assert kinds(made, "s.a") == ["Alter"]
    assert made.steps["0"][0].to == Position(25, 1)
    assert topic.batch(50).reached["0"] == Position(50)


def test_partial_rows_park_the_table_and_say_what_to_do() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9))
    topic.batch(30, ("s.a", 21, 29), unmergeable={"s.a": (24, "its rows have no key")})
    parked = topic.table("s.a").parked
    assert (parked.ts, parked.reason) == (24, "its rows have no key")
    assert "mode: history" in parked.remedy
    topic.batch(40, requests=(Request("1", "resume", "s.a"),))
    assert topic.table("s.a").parked == parked
    assert "resume s.a was not done: table s.a cannot go on: its rows have no key" in topic.manifest.notes[0]


def test_rows_below_of_a_new_partition_park_tables_that_had_their_name() -> None:
    """And those that have it, as nothing tells of which they are."""
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9), ("s.c", 5, 9))
    topic.batch(30, statements=(said(25, "s.a", "RenameTable", old="s.a", new="s.b"),))
    made = topic.batch(40, ("s.b", 35, 36), ("s.c", 35, 36), missed={"s.a": ("t", 7)})
    assert sorted(topic.manifest.names) == ["s.b", "s.c"]
    (parked,) = topic.table("s.b").parks
    assert "partition 7 of t was heard of when all changes below 30 were resolved" in parked.reason
    assert parked.remedy == "tidewire sync reset FILE s.b makes it anew from the topic"
    assert (kinds(made, "s.b"), kinds(made, "s.c")) == ([], ["Apply"])
    # a name that another table has now
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9))
    moves = [("s.a", "s.old"), ("s.b", "s.a")]
    topic.batch(30, statements=tuple(said(25, old, "RenameTable", old=old, new=new) for old, new in moves))
    topic.batch(40, missed={"s.a": ("t", 7)})
    assert all(topic.table(name).parks for name in ("s.a", "s.old"))
    # a name that nothing had
    topic.batch(50, missed={"s.new": ("t", 8)})
    assert topic.table("s.new").parked.remedy == "tidewire sync reset FILE s.new makes it anew from the topic"


def test_a_dropped_schema_drops_its_tables() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9), ("`s.x`.c", 5, 9), ("s2.a", 5, 9))
    made = topic.batch(40, ("s.a", 21, 22), statements=(said(25, "", "DropDatabase", name="S"),))
    assert sorted(made.tables) == ["`s.x`.c", "s2.a"]
    assert [type(one) for one in made.steps["0"]] == [Apply, End]
    assert [type(one) for one in made.steps["1"]] == [End]


def test_a_dropped_schema_drops_tables_of_which_only_rows_told() -> None:
    """Rows at and above its commit ts are of another table of that name."""
    topic = Topic()
    topic.batch(20, ("s.other", 5, 9))
    rows = (("s.a", 21, 22), ("s.b", 21, 30), ("S.c", 27, 28), ("t.a", 21, 22))
    made = topic.batch(40, *rows, statements=(said(25, "", "DropDatabase", name="s"),))
    assert sorted(made.tables) == ["S.c", "s.b", "t.a"]
    assert [topic.table(name).start for name in ("s.b", "S.c")] == [25, 25]
    assert [step.lo for step in made.steps[made.tables["s.b"]] if isinstance(step, Apply)] == [25]
    # and rows that wait above R
    topic.batch(50, ("s.new", 55, 58))
    made = topic.batch(70, statements=(said(60, "", "DropDatabase", name="s"),))
    assert sorted(made.tables) == ["t.a"]


def test_a_dropped_schema_stops_at_tables_of_which_only_rows_told() -> None:
    topic = Topic(Rules(mode=lambda table: "stop" if table == "s.b" else "evolve"))
    topic.batch(40, ("s.b", 21, 30), statements=(said(25, "", "DropDatabase", name="s"),))
    assert topic.manifest.resolved == 25
    assert "table s.b is changed at 25 (DropDatabase)" in topic.manifest.stopped


def test_a_dropped_schema_stops_what_it_has_to() -> None:
    topic = Topic(Rules(mode=lambda table: "stop" if table == "s.b" else "evolve"))
    topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9))
    topic.batch(40, statements=(said(25, "", "DropDatabase", name="s"),))
    assert (topic.manifest.resolved, sorted(topic.manifest.names)) == (25, ["s.a", "s.b"])


@pytest.mark.parametrize("name", ["s.a", "s.b"])
def test_a_partition_that_is_exchanged_stops_at_either_table(name: str) -> None:
    topic = Topic(Rules(mode=lambda table: "stop" if table == name else "evolve"))
    topic.batch(20, ("s.a", 5, 9), ("s.b", 5, 9))
    exchanged = Action("ExchangePartition", (("partition", "p0"), ("table", "s.b"), ("partitioned", "s.a")))
    topic.batch(40, statements=(Statement(25, "s.a", (exchanged,)),))
    assert topic.manifest.resolved == 25
    assert f"table {name} is changed at 25 (ExchangePartition)" in topic.manifest.stopped


def test_statements_spell_names_in_any_case() -> None:
    topic = Topic()
    topic.batch(20, ("s.Orders", 5, 9))
    statements = (
        Statement(25, "s.orders", (Action("Truncate", (("table", "S.ORDERS"),)),)),
        said(27, "s.Orders", "RenameTable", old="s.ORDERS", new="s.Sold"),
    )
    made = topic.batch(40, ("s.Sold", 28, 30), statements=statements)
    assert made.tables == {"s.Sold": "0"}
    assert [type(one) for one in made.steps["0"]] == [Alter, Rename, Apply]


@pytest.mark.parametrize("kind", ["CreateTable", "RecoverTable"])
def test_a_table_that_is_made_in_another_case_is_the_one_of_its_rows(kind: str) -> None:
    topic = Topic()
    topic.batch(20, ("s.Orders", 5, 9))
    again = said(25, "s.ORDERS", kind, columns=("id",))
    made = topic.batch(40, ("s.Orders", 28, 30), statements=(said(22, "s.Orders", "DropTable"), again))
    assert made.tables == {"s.Orders": "1"}


def test_statements_that_change_no_row_are_not_followed() -> None:
    for mode in ("evolve", "lenient", "park", "stop"):
        topic = Topic(Rules(mode=lambda _, mode=mode: mode))  # type: ignore[misc]
        topic.batch(20, ("s.a", 5, 9))
        kinds_of_none = ("NoEffect", "SetDefault", "DropDefault", "CreateDatabase")
        made = topic.batch(40, statements=tuple(said(25, "s.a", kind, name="c") for kind in kinds_of_none))
        assert (made.steps, made.parked, topic.manifest.resolved) == ({}, {}, 40)


@pytest.mark.parametrize(
    ("kind", "facts", "reason"),
    [
        ("TruncatePartition", {}, "a partition was truncated"),
        ("DropPartition", {}, "a partition was dropped"),
        ("RecoverTable", {"new": "s.a"}, "recovered with rows that no message has"),
        ("CreateTable", {"query": True}, "created with the rows of a query"),
        ("AddColumn", {"name": "c", "stored": True}, "a column was added that the database computes"),
        ("AddColumn", {"name": "c", "default": DEFAULT_UUID}, "a column was added that the database computes"),
    ],
)
def test_a_table_waits_where_rows_change_without_messages(kind: str, facts: dict[str, Any], reason: str) -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9))
    made = topic.batch(40, ("s.a", 21, 30), statements=(said(25, "s.a", kind, **facts),))
    parked = made.parked[made.tables["s.a"]]
    assert parked.ts == 25
    assert reason in parked.reason
    assert "tidewire sync reset FILE s.a" in parked.remedy


def test_an_unknown_statement_without_a_table_is_told() -> None:
    topic = Topic()
    topic.batch(20, ("s.a", 5, 9))
    topic.batch(40, statements=(Statement(25, "", (Action("Unknown"),), "FROB THE DATABASE"),))
    assert topic.manifest.notes == ("the statement at 25 names no table, and was not followed: 'FROB THE DATABASE'",)
    assert list(topic.manifest.names) == ["s.a"]


def test_history_tables_get_all_changes_whatever_takes_rows_away() -> None:
    topic = Topic(Rules(history=lambda table: table == "s.a"))
    statements = (
        said(11, "s.a", "Truncate"),
        said(12, "s.a", "ChangedKey"),
        said(13, "s.a", "DropColumn", name="c"),
        said(14, "s.a", "AddColumn", name="d"),
    )
    made = topic.batch(20, ("s.a", 5, 19), ("s.b", 5, 9), statements=statements, unmergeable={"s.a": (7, "no key")})
    assert kinds(made, "s.b") == ["Create", "Apply"]
    assert kinds(made, "s.a") == ["Create", "Append", "Alter", "Append", "Alter", "Append"]
    assert made.parked == {}
    alters = [one for one in made.steps[made.tables["s.a"]] if isinstance(one, Alter)]
    assert [one.actions[0].kind for one in alters] == ["KeepColumn", "AddColumn"]
