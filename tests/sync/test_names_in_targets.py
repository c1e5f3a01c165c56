"""Table names in the target: tables with the same location, renamed tables, and tables moved out of the way."""

from __future__ import annotations

from typing import Any

import pytest

from sync.frames import frame_of
from sync.staged_histories import ACCOUNTS, PAIRS, VERSION, account, change
from sync.staged_histories import START as FIRST
from sync.topic import LONG, OF_KAFKA, Topic, formats
from tidewire.events import Ddl, Event, RowChange, Watermark
from tidewire.mysql import ddl_type_of
from tidewire.spark.sync.run import plan
from tidewire.spark.sync.targets import TargetError

NO_DAY = "0000-00-00 00:00:00"


def pair(ts: int, number: int, table: str, schema: str = "shop") -> RowChange:
    more = {"schema": schema, "table": table, "table_version": VERSION, "table_id": 11, "columns": PAIRS}
    return RowChange("insert", FIRST + ts, new={"a": number, "b": "x", "n": number}, **more)  # type: ignore[arg-type]


def ddl(ts: int, table: str, query: str) -> Ddl:
    return Ddl(FIRST + ts, "shop", table, ddl_type_of(query), query)


def owned(number: int, ts: int, table: str, **values: Any) -> RowChange:
    return change("insert", ts, table, account(number, **values), columns=ACCOUNTS)


@pytest.mark.parametrize("few", ["0", "200"] if LONG else ["200"])
def test_what_waits_of_a_renamed_table_is_read_again_by_its_old_name(topic: Topic, few: str) -> None:
    topic.tmp /= "{a} [folder]*%41"  # no pattern of Spark's, and nothing that is to be decoded
    topic.state = f"{topic.tmp}/state"
    strict, mild = {"few": few}, {"few": few, "zeroDate": "null"}
    rows: list[Event] = [owned(1, 1, "a"), owned(2, 2, "a")]
    late = change("update", 12, "a", account(1, balance="12.00", opened=NO_DAY), account(1), ACCOUNTS)
    moved = [ddl(21, "a", "RENAME TABLE a TO b"), owned(3, 22, "b"), Watermark(FIRST + 30)]
    found = topic.sync(topic.frame([*rows, late, *moved]), options=strict).once()
    assert (set(found.parked), found.keys, found.dead) == ({"shop.b"}, {"shop.b": 1}, 1)
    for ts, options, balances in ((40, strict, {1: "1.50", 2: "2.50"}), (50, mild, {1: "12.00", 2: "2.50", 3: "3.50"})):
        running = topic.sync(topic.frame([Watermark(FIRST + ts)]), options=options)
        running.ask("replay")
        found = running.once()
        # a message that still cannot be read frees nothing
        assert (found.published, found.keys) == (FIRST + ts, {"shop.b": 1} if options is strict else {})
        assert {row[0]: str(row[2]) for row in topic.rows("shop.b")} == balances
    assert (found.dead, found.parked, found.notes) == (0, {}, ())


@formats("parquet")
def test_a_table_is_made_anew_of_all_names_that_it_had(topic: Topic, format: str) -> None:
    """Also where another table has one of them since, and while some message is of no table that can be known."""
    where = {"parquet": "parquet:{}/lake/{{schema}}/{{table}}", "delta": "delta:{}/lake/{{schema}}/{{table}}"}
    into = where.get(format, "iceberg:ice.anew_{{schema}}.{{table}}").format(topic.tmp)
    events = [
        *(pair(1, 1, "a"), pair(2, 9, "c"), Watermark(FIRST + 10)),
        *(ddl(11, "a", "RENAME TABLE a TO b"), ddl(12, "a", "CREATE TABLE a LIKE b"), pair(13, 2, "a")),
        *(pair(14, 3, "b"), Watermark(FIRST + 20)),
    ]
    broken = frame_of(topic.spark, [(None, b'{"database":"shop","tab', "t", 0, topic.offset)], OF_KAFKA)
    topic.offset += 1
    frame = broken.union(topic.frame(events)).persist()
    found = topic.sync(frame, into=into).once()
    before = {name: topic.rows(name) for name in ("shop.a", "shop.b", "shop.c")}
    assert (found.dead, before["shop.a"], before["shop.b"]) == (1, [(2, "x", 2)], [(1, "x", 1), (3, "x", 3)])
    seen: list[Any] = []
    running = topic.sync(frame.union(topic.frame([Watermark(FIRST + 30)])), into=into, said=seen.append)
    running.ask("reset", "shop.b")
    running.ask("reset", "shop.a")
    found = running.once()
    assert (found.dead, found.parked, found.published) == (2, {}, FIRST + 30)  # the frame gives the message again
    assert {name: topic.rows(name) for name in before} == before
    assert {name: topic.rows(name, FIRST + 20) for name in before} == before
    notes = [note for batch in seen for note in batch.manifest.notes]
    assert [note.split(",")[0] for note in notes] == [
        f"table {name} was made without 1 messages that cannot be read" for name in ("shop.b", "shop.a")
    ]


def test_a_message_that_was_readable_before_keeps_a_table_as_it_is(topic: Topic) -> None:
    """Nothing tells what it is of: rows of the table would be missing."""
    first = topic.frame([pair(1, 1, "a"), Watermark(FIRST + 10)]).persist()
    topic.sync(first).once()
    broken = frame_of(topic.spark, [(None, b"{", "t", 0, 0)], OF_KAFKA)
    seen: list[Any] = []
    rest = first.where("offset > 0").union(topic.frame([Watermark(FIRST + 20)]))
    running = topic.sync(broken.union(rest), said=seen.append)
    running.ask("reset", "shop.a")
    running.once()
    (note,) = [note for batch in seen for note in batch.manifest.notes]
    assert "reset shop.a was not done: table shop.a cannot be made from the topic: the message at offset 0" in note
    assert topic.rows("shop.a") == [(1, "x", 1)]


@pytest.mark.parametrize("history", [None, "parquet:{}/lake/{{schema}}_{{table}}_c"])
def test_two_tables_that_would_be_one_are_refused(topic: Topic, history: str | None) -> None:
    """In a plan both; and when the second one comes, that one waits, whichever is a history of the other."""
    more: dict[str, Any] = {
        "into": f"parquet:{topic.tmp}/lake/{{schema}}_{{table}}",
        "history": history and history.format(topic.tmp),
    }
    one, two = ("a", "b_c"), ("a_b", "c")
    if history is not None:
        one, two = ("a", "b"), ("a", "b_c")
    first = [pair(1, 1, one[1], one[0]), Watermark(FIRST + 10)]
    second = [pair(11, 2, two[1], two[0]), pair(12, 3, one[1], one[0]), Watermark(FIRST + 20)]
    assert topic.sync(topic.frame(first), **more).once().parked == {}
    found = topic.sync(topic.frame(second), **more).once()
    ((name, parked),) = found.parked.items()
    assert name == ".".join(two)
    assert f"{'.'.join(one)} and table {name} would both be {topic.tmp}/lake/a_b_c: choose names" in parked.reason
    assert topic.rows(".".join(one)) == [(1, "x", 1), (3, "x", 3)]
    found = topic.sync(topic.frame([Watermark(FIRST + 30)]), **more).once()  # nor does it ever take the other's place
    assert (found.published, set(found.parked)) == (FIRST + 30, {name})
    assert topic.rows(".".join(one)) == [(1, "x", 1), (3, "x", 3)]
    with pytest.raises(TargetError, match=r"would both be .*/lake/a_b_c: choose names for the target"):
        plan(topic.spark, topic.frame([*first, *second]), "canal-json", state=str(topic.tmp / "other"), **more)


def test_a_table_is_not_renamed_into_the_place_of_another(topic: Topic) -> None:
    more = {"into": f"parquet:{topic.tmp}/lake/{{schema}}_{{table}}"}
    topic.sync(topic.frame([pair(1, 1, "a"), pair(3, 3, "a", "shop_b"), Watermark(FIRST + 10)]), **more).once()
    moved = [ddl(11, "a", "RENAME TABLE a TO b_a"), pair(12, 4, "b_a"), Watermark(FIRST + 20)]
    found = topic.sync(topic.frame(moved), **more).once()
    assert set(found.parked) == {"shop.b_a"}
    assert topic.rows("shop_b.a") == [(3, "x", 3)]
    assert topic.rows("shop.b_a") == [(1, "x", 1)]


@formats("parquet")
def test_a_table_has_the_name_of_one_that_was_dropped(topic: Topic, format: str) -> None:
    """A source may call a table as a dropped one is called: each goes on, and each old version is readable."""
    where = {"parquet": "parquet:{}/lake/{{schema}}/{{table}}", "delta": "delta:{}/lake/{{schema}}/{{table}}"}
    into = where.get(format, "iceberg:ice.aside_{{schema}}.{{table}}").format(topic.tmp)
    aside, later = (f"a__dropped_{FIRST + ts}" for ts in (11, 21))
    create = "CREATE TABLE a (a INT, b VARCHAR(9), n BIGINT, PRIMARY KEY (a, b))"
    batches: list[list[Event]] = [
        [pair(1, 1, "a"), pair(2, 5, aside), Watermark(FIRST + 10)],
        [ddl(11, "a", "DROP TABLE a"), ddl(12, "a", create), pair(13, 2, "a"), Watermark(FIRST + 20)],
        # the name of a dropped table is taken afterwards
        [ddl(21, "a", "DROP TABLE a"), ddl(22, "a", create), pair(23, 3, "a"), Watermark(FIRST + 30)],
        [pair(31, 6, later), pair(32, 7, aside), Watermark(FIRST + 40)],
    ]
    options = {"keepPublished": "40000d"}
    for events in batches:
        found = topic.sync(topic.frame(events), into=into, options=options).once()
        assert (found.parked, found.published) == ({}, events[-1].commit_ts)
    assert topic.rows(f"shop.{later}") == [(6, "x", 6)]
    assert topic.rows(f"shop.{aside}") == [(5, "x", 5), (7, "x", 7)]
    for ts, number in ((10, 1), (20, 2), (30, 3), (40, 3)):
        assert topic.rows("shop.a", FIRST + ts) == [(number, "x", number)]


@pytest.mark.parametrize("into", ["delta:case_{schema}.{table}", "iceberg:ice.case_{schema}.{table}"])
def test_a_table_gets_the_same_name_in_another_case(topic: Topic, into: str) -> None:
    """To some catalogs it is the same name, so that nothing is moved."""
    topic.sync(topic.frame([pair(1, 1, "a"), Watermark(FIRST + 10)]), into=into).once()
    moved = [ddl(11, "a", "RENAME TABLE a TO A"), pair(12, 2, "A"), Watermark(FIRST + 20)]
    assert topic.sync(topic.frame(moved), into=into).once().published == FIRST + 20
    found = topic.sync(topic.frame([pair(22, 3, "A"), Watermark(FIRST + 30)]), into=into).once()
    assert (found.parked, set(found.tables)) == ({}, {"shop.A"})
    assert topic.rows("shop.A") == [(n, "x", n) for n in (1, 2, 3)]


def test_a_table_that_got_a_name_which_is_kept_is_added_with_rows_of_its_old_name(topic: Topic) -> None:
    """As programs leave it that alter tables online."""
    events = [
        *(pair(1, 1, "t"), pair(2, 2, "_t_gho"), Watermark(FIRST + 10)),
        *(ddl(11, "t", "RENAME TABLE t TO _t_del, _t_gho TO t"), pair(12, 3, "t"), Watermark(FIRST + 20)),
    ]
    frame = topic.frame(events).persist()
    parked = topic.sync(frame, tables="shop.t").once().parked["shop.t"]
    assert parked.remedy == "tidewire sync add FILE shop.t makes it from the topic"
    running = topic.sync(frame.union(topic.frame([Watermark(FIRST + 30)])), tables="shop.t")
    running.ask("add", "shop.t")
    found = running.once()
    assert (found.parked, set(found.tables), found.published) == ({}, {"shop.t"}, FIRST + 30)
    assert topic.rows("shop.t") == [(2, "x", 2), (3, "x", 3)]
