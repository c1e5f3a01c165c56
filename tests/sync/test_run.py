"""Refusals of a synchronisation, waiting tables, two processes on one state, and reading it back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sync.frames import frame_of
from sync.staged_histories import START as FIRST
from sync.staged_histories import account, change, created, declared_history
from sync.topic import OF_KAFKA, Topic, formats
from tidewire.events import Ddl, Event, Watermark
from tidewire.runtime.errors import OptionError
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.how_far import status
from tidewire.spark.sync.publish import snapshot
from tidewire.spark.sync.run import plan, sync
from tidewire.spark.sync.targets import FenceError, TargetError
from tidewire.spark.sync.targets.opened import tables_of
from tidewire.spark.sync.writing import Writing


@pytest.mark.parametrize("name", ["canal-json", "craft", "open-protocol", "simple", "debezium"])
def test_protocols_give_the_same_tables(topic: Topic, name: str) -> None:
    found = topic.sync(topic.frame(declared_history(), name), name).once()
    assert (found.published, found.parked, found.dead) == (FIRST + 30, {}, 0)
    pairs = {(row["a"], row["b"], row["n"]) for row in snapshot(topic.spark, topic.state)["shop.pairs"].collect()}
    assert pairs == {(0, "x", 1), (1, "x", 0), (2, "y", 2)}
    accounts = snapshot(topic.spark, topic.state)["shop.accounts"].collect()
    assert sorted((row["id"], str(row["balance"])) for row in accounts) == [
        *((0, "0.50"), (1, "7.00"), (3, "0.01"), (4, "4.50"), (5, "5.50")),
        (100, "100.50"),
    ]


def test_tables_are_read_as_they_were(topic: Topic) -> None:
    topic.sync(topic.frame(declared_history())).once()
    more = [change("insert", 2_000 << 18, "pairs", {"a": 0, "b": "x", "n": 99}), Watermark(FIRST + (3_000 << 18))]
    topic.sync(topic.frame(more)).once()
    assert topic.rows("shop.pairs")[0] == (0, "x", 99)
    assert topic.rows("shop.pairs", FIRST + 30)[0] == (0, "x", 1)
    assert topic.rows("shop.pairs", FIRST + (3_000 << 18) - 1)[0] == (0, "x", 1)
    seconds = (FIRST >> 18) // 1000
    moment = datetime.fromtimestamp(seconds + 2, UTC)
    for as_of in (moment, moment.isoformat(), moment.replace(tzinfo=None), f"{moment:%Y-%m-%d %H:%M:%S}"):
        assert topic.rows("shop.pairs", as_of)[0] == (0, "x", 1)
    found = snapshot(topic.spark, topic.state)
    assert found.create_views() == {"shop.accounts": "shop_accounts", "shop.pairs": "shop_pairs"}
    assert topic.spark.sql("select n from shop_pairs where a = 0").collect()[0][0] == 99
    with pytest.raises(StateError, match="nothing is published at or before"):
        snapshot(topic.spark, topic.state, 5)
    with pytest.raises(StateError, match="neither a TSO nor a time"):
        snapshot(topic.spark, topic.state, "yesterday")


def test_the_protocol_is_that_of_the_first_messages(topic: Topic) -> None:
    where: dict[str, Any] = {"into": f"parquet:{topic.tmp}/lake/{{schema}}/{{table}}", "state": topic.state}
    found = sync(topic.spark, topic.frame(declared_history(), "open-protocol"), **where).once()
    assert found.published == FIRST + 30
    assert (
        sync(topic.spark, topic.frame([Watermark(FIRST + 40)], "open-protocol"), **where).once().published == FIRST + 40
    )
    with pytest.raises(OptionError, match=r"the messages look like none of the protocols: the first line begins with"):
        sync(topic.spark, frame_of(topic.spark, [(None, b"?", "t", 0, 0)], OF_KAFKA), **{**where, "state": "/nowhere"})


def test_everything_stops_at_a_statement_where_that_is_chosen_and_goes_on_when_it_is_not(topic: Topic) -> None:
    first = [change("insert", 1, "pairs", {"a": 1, "b": "x", "n": 1}), Watermark(FIRST + 10)]
    topic.sync(topic.frame(first)).once()
    more = [
        change("insert", 15, "pairs", {"a": 2, "b": "x", "n": 2}),
        Ddl(FIRST + 20, "shop", "pairs", 11, "TRUNCATE TABLE shop.pairs"),
        change("insert", 25, "pairs", {"a": 3, "b": "x", "n": 3}),
        Watermark(FIRST + 30),
    ]
    stop = {"schemaChanges": "stop"}
    for frame in (topic.frame(more), topic.frame([Watermark(FIRST + 40)])):
        with pytest.raises(
            StateError, match=r"table shop.pairs is changed at \d+ \(Truncate\), and its schema_changes is"
        ):
            topic.sync(frame, options=stop).once()
        assert status(topic.state).published == FIRST + 20
        assert [row[0] for row in topic.rows("shop.pairs")] == [1, 2]
    assert topic.sync(topic.frame([Watermark(FIRST + 50)])).once().published == FIRST + 50
    assert [row[0] for row in topic.rows("shop.pairs")] == [3]


def test_a_table_of_somebody_else_is_left_alone(topic: Topic) -> None:
    topic.sync(topic.frame(declared_history()), state=f"{topic.tmp}/first").once()
    with pytest.raises(TargetError, match="exists already and does not belong to this synchronisation"):
        topic.sync(topic.frame(declared_history())).once()
    assert status(topic.state).published == 0
    assert snapshot(topic.spark, f"{topic.tmp}/first")["shop.pairs"].count() == 3


def test_a_table_that_refuses_its_rows_waits_and_others_go_on(topic: Topic) -> None:
    topic.sync(topic.frame(declared_history())).once()
    wide = {"a": 7, "b": "x", "n": 7}
    columns = (*change("insert", 40, "pairs", wide).columns, *change("insert", 40, "accounts", account(1)).columns[1:2])
    events = [
        change("insert", 40, "pairs", {**wide, "owner": "nobody told of"}, columns=columns),
        change("insert", 41, "accounts", account(50)),
        Watermark(FIRST + 50),
    ]
    found = topic.sync(topic.frame(events), tables={"shop.*": {}, "shop.pairs": {"schema_changes": "park"}}).once()
    assert found.published == FIRST + 50
    assert set(found.parked) == {"shop.pairs"}
    assert "owner" in found.parked["shop.pairs"].reason
    assert found.tables == {"shop.accounts": FIRST + 50, "shop.pairs": FIRST + 30}
    assert len(topic.rows("shop.accounts")) == 7
    assert len(topic.rows("shop.pairs")) == 3
    assert list(snapshot(topic.spark, topic.state).parked) == ["shop.pairs"]


@pytest.mark.parametrize(
    ("format", "setting", "says"),
    [
        ("delta", "add constraint small check (n < 5)", "CHECK constraint small (n < 5) violated by row with values: "),
        ("delta", "set tblproperties ('delta.appendOnly' = 'true')", "configured to only allow appends"),
        ("iceberg", "set tblproperties ('write.format.default' = 'csv')", "Invalid file format: csv"),
    ],
)
def test_what_a_table_refuses_by_settings_of_others_has_it_wait_alone(
    topic: Topic, format: str, setting: str, says: str
) -> None:
    """Those of a person, for example: what they are is not known, and the sentence is that of the format."""
    into, name = "iceberg:ice.refused_{schema}.{table}", "ice.refused_shop.pairs"
    if format == "delta":
        into, name = f"delta:{topic.tmp}/lake/{{schema}}/{{table}}", f"delta.`{topic.tmp}/lake/shop/pairs`"
    pair = {"a": 1, "b": "x", "n": 1}
    first = [change("insert", 1, "pairs", pair), change("insert", 1, "accounts", account(1)), Watermark(FIRST + 10)]
    topic.sync(topic.frame(first), into=into).once()
    topic.spark.sql(f"alter table {name} {setting}")
    more = [
        change("update", 12, "pairs", {**pair, "n": 7}, pair),
        change("insert", 12, "accounts", account(2)),
        Watermark(FIRST + 20),
    ]
    found = topic.sync(topic.frame(more), into=into).once()
    assert (set(found.parked), found.published) == ({"shop.pairs"}, FIRST + 20)
    assert says in found.parked["shop.pairs"].reason
    assert "\n" not in found.parked["shop.pairs"].reason
    assert "resume FILE shop.pairs" in found.parked["shop.pairs"].remedy
    assert (len(topic.rows("shop.accounts")), topic.rows("shop.pairs")) == (2, [(1, "x", 1)])
    if "constraint" in setting:
        topic.spark.sql(f"alter table {name} drop constraint small")
        resumed = topic.sync(topic.frame([Watermark(FIRST + 30)]), into=into)
        resumed.ask("resume", "shop.pairs")
        assert (resumed.once().parked, topic.rows("shop.pairs")) == ({}, [(1, "x", 7)])


@formats("delta")
def test_columns_that_no_statement_told_of_come_with_their_rows(topic: Topic, format: str) -> None:
    into = f"{format}:{topic.tmp}/lake/{{schema}}/{{table}}"
    if format == "iceberg":
        into = "iceberg:ice.more_{schema}.{table}"
    events = [change("insert", 1, "pairs", {"a": 1, "b": "x", "n": 1}), Watermark(FIRST + 30)]
    topic.sync(topic.frame(events), into=into).once()
    wide = {"a": 7, "b": "x", "n": 7}
    columns = (*change("insert", 40, "pairs", wide).columns, *change("insert", 40, "accounts", account(1)).columns[1:2])
    events = [change("insert", 40, "pairs", {**wide, "owner": "new"}, columns=columns), Watermark(FIRST + 50)]
    assert topic.sync(topic.frame(events), into=into).once().parked == {}
    assert topic.rows("shop.pairs") == [(1, "x", 1, None), (7, "x", 7, "new")]
    assert topic.rows("shop.pairs", FIRST + 30) == [(1, "x", 1)]


@pytest.mark.parametrize(
    ("format", "engine"),
    [("parquet", "merge"), ("iceberg", "merge"), ("iceberg", "native"), ("delta", "merge"), ("delta", "native")],
)
def test_a_process_whose_view_is_old_writes_nothing(
    topic: Topic, format: str, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    into = f"{format}:{topic.tmp}/lake/{{schema}}/{{table}}"
    if format == "iceberg":
        into = f"iceberg:ice.two_{engine}_{{schema}}.{{table}}"
    into_pairs: dict[str, Any] = {"into": into, "tables": "shop.pairs", "options": {"engine": engine}}
    topic.sync(topic.frame(declared_history()), **into_pairs).once()
    events = [change("insert", 40, "pairs", {"a": 0, "b": "x", "n": 40}), Watermark(FIRST + 50)]
    held = topic.sync(topic.frame(events), **into_pairs)
    held._batches.resume()
    writer: Any = held._batches.workers if engine == "native" else held._batches.steps
    name = "_tried" if engine == "native" else "do"
    plans: list[Any] = []
    was = getattr(writer, name)
    later = [change("insert", 60, "pairs", {"a": 0, "b": "x", "n": 60}), Watermark(FIRST + 70)]

    def do(*given: Any) -> Any:
        if not plans:
            plans.append(given)
            topic.sync(topic.frame(later), **into_pairs).once()  # another process, meanwhile
        return was(*given)

    monkeypatch.setattr(writer, name, do)
    with pytest.raises((FenceError, StateError), match=r"another (process|writer)"):
        held.once()
    assert topic.rows("shop.pairs")[0] == (0, "x", 60)
    assert status(topic.state).published == FIRST + 70


def _changes_of(topic: Topic, address: str, table: str) -> list[tuple[Any, ...]]:
    there = tables_of(topic.spark, address).table(table, "any/0")
    rows = there.read(there.version()).collect()
    return sorted((one["_commit_version"] - FIRST, one["_commit_rank"], one["_change_type"], *one[:-3]) for one in rows)


@formats("iceberg")
def test_a_history_is_kept_beside_each_table(topic: Topic, format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All changes once, of replays and of crashes; columns come and stay; what takes rows away does not."""
    into, history = (f"{format}:{topic.tmp}/{one}/{{schema}}/{{table}}" for one in ("lake", "changes"))
    if format == "iceberg":
        into, history = "iceberg:ice.beside_{schema}.{table}", "iceberg:ice.beside_{schema}.{table}_changes"
    more: dict[str, Any] = {"into": into, "history": history, "options": {"schemaChanges": "evolve", "threads": 1}}
    first = [
        change("insert", 1, "pairs", {"a": 1, "b": "x", "n": 1}),
        change("update", 2, "pairs", {"a": 1, "b": "x", "n": 2}, {"a": 1, "b": "x", "n": 1}),
        Watermark(FIRST + 10),
    ]
    topic.sync(topic.frame(first), **more).once()
    columns = change("insert", 1, "pairs", {}).columns
    second = [
        *first,
        change("delete", 11, "pairs", None, {"a": 1, "b": "x", "n": 2}),
        Ddl(FIRST + 12, "shop", "pairs", 11, "TRUNCATE TABLE shop.pairs"),
        Ddl(FIRST + 13, "shop", "pairs", 5, "ALTER TABLE shop.pairs DROP COLUMN n"),
        change("insert", 14, "pairs", {"a": 2, "b": "y"}, columns=columns[:2]),
        Watermark(FIRST + 20),
    ]
    frame = topic.frame(second)
    with monkeypatch.context() as patch:
        was = Writing.step
        done: list[Any] = []

        def dies(self: Writing, step: Any) -> None:
            was(self, step)
            done.append(step)
            if len(done) == 3:  # the history is there, and the table is not
                raise KeyboardInterrupt

        patch.setattr(Writing, "step", dies)
        with pytest.raises(KeyboardInterrupt):
            topic.sync(frame, **more).once()
    found = topic.sync(frame, **more).once()
    assert (found.parked, found.published) == ({}, FIRST + 20)
    assert topic.rows("shop.pairs") == [(2, "y")]
    assert _changes_of(topic, history, "shop.pairs") == [
        (1, 3, "insert", 1, "x", 1),
        (2, 2, "update_postimage", 1, "x", 2),
        (11, 0, "delete", 1, "x", None),
        (14, 3, "insert", 2, "y", None),
    ]
    with pytest.raises(StateError, match=r"is of tables in .* with histories in"):
        topic.sync(frame, into=into)
    with pytest.raises(OptionError, match="is where the tables are: name another place"):
        topic.sync(frame, into=into, history=into)


def test_a_table_that_cannot_be_renamed_waits_alone(topic: Topic) -> None:
    """A catalog of Hadoop's type renames no tables."""
    into = "iceberg:old.renames_{schema}.{table}"
    pair = change("insert", 1, "pairs", {"a": 1, "b": "x", "n": 1})
    assert (
        "renames no tables"
        in plan(topic.spark, topic.frame([pair]), "canal-json", into=into, state=topic.state)[0].limits
    )
    first = [pair, change("insert", 1, "accounts", account(1)), Watermark(FIRST + 10)]
    topic.sync(topic.frame(first), into=into).once()
    more = [
        Ddl(FIRST + 11, "shop", "pairs", 4, "DROP TABLE shop.pairs"),
        Ddl(FIRST + 12, "shop", "pairs", 3, created("pairs")),
        change("insert", 15, "pairs", {"a": 2, "b": "x", "n": 2}),
        change("insert", 15, "accounts", account(2)),
        Watermark(FIRST + 30),
    ]
    found = topic.sync(topic.frame(more), into=into).once()
    assert (set(found.parked), found.published) == ({"shop.pairs"}, FIRST + 30)
    assert "a catalog of Hadoop's type renames no tables" in found.parked["shop.pairs"].reason
    found = topic.sync(topic.frame([Watermark(FIRST + 40)]), into=into).once()
    assert (set(found.parked), found.published, len(topic.rows("shop.accounts"))) == ({"shop.pairs"}, FIRST + 40, 2)


def test_what_was_chosen_for_tables_stays(topic: Topic) -> None:
    pair = {"a": 1, "b": "x", "n": 1}
    first = [change("insert", 1, "pairs", pair), Watermark(FIRST + 10)]
    topic.sync(topic.frame(first), options={"timezone": "UTC"}).once()
    more = [change("update", 11, "pairs", {**pair, "n": 2}, pair), Watermark(FIRST + 30)]
    with pytest.raises(StateError, match="read with timezone=UTC, and Asia/Shanghai was asked for"):
        topic.sync(topic.frame([Watermark(FIRST + 20)]), options={"timezone": "Asia/Shanghai"}).once()
    utc = {"timezone": "UTC"}
    found = topic.sync(topic.frame(more), tables={"shop.*": {"mode": "history"}}, options=utc).once()
    assert "table shop.pairs was made with mode state, and history was chosen" in found.parked["shop.pairs"].reason
    running = topic.sync(topic.frame([Watermark(FIRST + 40)]), options=utc)
    running.ask("resume", "shop.pairs")
    assert running.once().parked == {}
    assert topic.rows("shop.pairs") == [(1, "x", 2)]


@pytest.mark.parametrize("altered", ["DROP COLUMN n", "ADD COLUMN more INT"])
def test_a_table_like_another_has_the_columns_of_then(topic: Topic, altered: str) -> None:
    pair = {"a": 1, "b": "x", "n": 1}
    topic.sync(topic.frame([change("insert", 1, "pairs", pair), Watermark(FIRST + 10)])).once()
    columns = change("insert", 1, "pairs", pair).columns
    more = [
        Ddl(FIRST + 11, "shop", "twins", 3, "CREATE TABLE shop.twins LIKE shop.pairs"),
        Ddl(FIRST + 12, "shop", "pairs", 5, f"ALTER TABLE shop.pairs {altered}"),
        change("insert", 14, "twins", {"a": 2, "b": "y", "n": 2}, columns=columns),
        Watermark(FIRST + 30),
    ]
    found = topic.sync(topic.frame(more), options={"schemaChanges": "evolve", "threads": 1}).once()
    assert found.parked == {}
    assert topic.rows("shop.twins") == [(2, "y", 2)]


@pytest.mark.parametrize("between", [False, True])
@pytest.mark.parametrize(
    ("format", "engine", "few"), [("iceberg", "native", 0), ("delta", "native", 100), ("delta", "merge", 100)]
)
def test_a_name_that_is_another_tables_brings_the_first_one_no_columns(
    topic: Topic, format: str, engine: str, few: int, between: bool
) -> None:
    """One file has rows of both tables, and none of the time in which the first one has other columns."""
    name = f"others_{engine}_{between}"
    into = f"delta:{topic.tmp}/{{schema}}/{{table}}"
    if format == "iceberg":
        into = f"iceberg:ice.{name}_{{schema}}.{{table}}"
    columns = change("insert", 1, "pairs", {}).columns
    assert columns is not None
    renamed = (*columns[:2], columns[2]._replace(name="m"))

    def pair(ts: int, a: int, table: str = "pairs") -> Event:
        return change("insert", ts, table, {"a": a, "b": "x", "n": a}, columns=columns)

    events = [
        pair(11, 2),
        Ddl(FIRST + 12, "shop", "pairs", 5, "ALTER TABLE shop.pairs RENAME COLUMN n TO m"),
        *([change("insert", 13, "pairs", {"a": 3, "b": "x", "m": 3}, columns=renamed)] if between else []),
        Ddl(FIRST + 14, "shop", "pairs", 14, "RENAME TABLE shop.pairs TO shop.olds"),
        Ddl(FIRST + 15, "shop", "pairs", 3, "CREATE TABLE shop.pairs (a int, b varchar(20), n int, primary key (a))"),
        pair(16, 4),
        Watermark(FIRST + 20),
    ]
    for some in ([pair(1, 1), Watermark(FIRST + 10)], events):
        options = {"schemaChanges": "evolve", "threads": 1, "engine": engine, "few": few}
        found = topic.sync(topic.frame(some), into=into, options=options).once()
        assert found.parked == {}
    olds = snapshot(topic.spark, topic.state)["shop.olds"]
    assert olds.columns == ["a", "b", "m"]
    assert sorted(map(tuple, olds.collect())) == [(1, "x", 1), (2, "x", 2), *([(3, "x", 3)] if between else [])]
    assert topic.rows("shop.pairs") == [(4, "x", 4)]
