"""User requests: reading dead letters again, rebuilding, adding and resuming tables."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from pyspark.sql import DataFrame

from sync.frames import frame_of
from sync.staged_histories import START as FIRST
from sync.staged_histories import account, change
from sync.topic import LONG, OF_KAFKA, Topic
from tidewire.events import Ddl, Event, Watermark
from tidewire.spark.sync import walk
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.how_far import status
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.publish import snapshot
from tidewire.spark.sync.requests import Asked
from tidewire.spark.sync.state import identity

NO_DAY = "0000-00-00 00:00:00"


def balances(topic: Topic) -> dict[int, str]:
    return {row[0]: str(row[2]) for row in topic.rows("shop.accounts")}


WAITING = [("parquet", "0"), ("parquet", "200"), ("iceberg", "0"), ("delta", "200")]


@pytest.mark.parametrize(("format", "few"), WAITING if LONG else WAITING[1:3])
def test_a_later_row_ends_the_wait_of_its_key(topic: Topic, format: str, few: str) -> None:
    """Also behind a statement, and when the process died that applied it; what is read again then changes nothing."""
    strict, mild = {"few": few}, {"few": few, "zeroDate": "null"}
    if format != "parquet":
        where = (
            "iceberg:ice.wait_{schema}.{table}" if format == "iceberg" else f"delta:{topic.tmp}/d/{{schema}}/{{table}}"
        )
        topic.sync = partial(topic.sync, into=where)  # type: ignore[method-assign]

    def unread(ts: int, number: int) -> Event:
        return change("update", ts, "accounts", account(number, balance=f"{ts}.00", opened=NO_DAY), account(number))

    first = [*(change("insert", 1 + n, "accounts", account(n)) for n in range(5)), unread(10, 1), unread(11, 2)]
    # of one transaction the delete can be read, and the insert cannot
    swap = [
        change("delete", 12, "accounts", None, account(3)),
        change("insert", 12, "accounts", account(3, balance="12.00", opened=NO_DAY)),
        unread(13, 4),
        change("update", 14, "accounts", account(4, balance="14.00"), account(4)),
    ]
    found = topic.sync(topic.frame([*first, *swap, Watermark(FIRST + 30)]), options=strict).once()
    assert balances(topic) == {0: "0.50", 1: "1.50", 2: "2.50", 3: "3.50", 4: "14.00"}
    more = [
        change("update", 40, "accounts", account(1, balance="40.00"), account(1)),
        change("delete", 42, "accounts", None, account(2)),
        unread(43, 4),
        Watermark(FIRST + 50),
    ]
    found = topic.sync(topic.frame(more), options=strict).once()
    assert (found.dead, found.parked) == (5, {})
    assert balances(topic) == {0: "0.50", 1: "40.00", 3: "3.50", 4: "14.00"}
    found = topic.sync(
        topic.frame([Watermark(FIRST + 60)]), options=strict
    ).once()  # another process, which was not told
    assert found.keys == {"shop.accounts": 2}
    running = topic.sync(topic.frame([Watermark(FIRST + 70)]), options=mild)
    running.ask("replay")
    found = running.once()
    assert (found.dead, found.parked, found.notes, found.keys) == (0, {}, (), {})
    assert balances(topic) == {0: "0.50", 1: "40.00", 3: "12.00", 4: "43.00"}


def test_a_table_with_more_unread_keys_than_it_waits_for_goes_on_when_they_are_read(
    topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MOST_KEYS", 3)
    rows: list[Event] = [change("insert", 1, "accounts", account(0))]
    rows += [change("insert", 2 + n, "accounts", account(1 + n, opened=NO_DAY)) for n in range(3)]
    topic.sync(topic.frame([*rows, Watermark(FIRST + 30)])).once()
    rows = [change("insert", 32 + n, "accounts", account(4 + n, opened=NO_DAY)) for n in range(3)]
    found = topic.sync(topic.frame([*rows, Watermark(FIRST + 40)])).once()
    parked = found.parked["shop.accounts"]
    assert "rows of more than 3 keys cannot be read" in parked.reason
    assert "zeroDate" in found.letters[0].reason
    assert parked.remedy.endswith("run tidewire sync replay FILE")
    mild = topic.sync(topic.frame([Watermark(FIRST + 50)]), options={"zeroDate": "null"})
    mild.ask("replay")
    found = mild.once()
    assert (found.parked, found.dead, found.keys, found.published) == ({}, 0, {}, FIRST + 50)
    assert balances(topic) == {n: f"{n}.50" for n in range(7)}


@pytest.mark.parametrize("few", ["0", "200"])
def test_dead_letters_are_read_again_at_their_place(topic: Topic, few: str) -> None:
    """A key whose row cannot be read waits, with all that comes for it; others go on. Then it is as the source is."""
    strict, mild = {"few": few}, {"few": few, "zeroDate": "null"}
    first: list[Event] = [change("insert", 1 + n, "accounts", account(n)) for n in range(4)]
    bad = change("update", 10, "accounts", account(1, balance="10.00", opened=NO_DAY), account(1))
    deleted = change("update", 11, "accounts", account(2, balance="11.00", opened=NO_DAY), account(2))
    topic.sync(topic.frame([*first, bad, deleted, Watermark(FIRST + 30)]), options=strict).once()
    more = [
        change("update", 41, "accounts", account(3, balance="41.00"), account(3)),
        Watermark(FIRST + 50),
    ]
    found = topic.sync(topic.frame(more), options=strict).once()
    assert (found.dead, found.parked, found.published) == (2, {}, FIRST + 50)
    assert found.keys == {"shop.accounts": 2}
    assert {(one.table, one.key, one.offset) for one in found.letters} == {
        ("shop.accounts", '["1"]', 4),
        ("shop.accounts", '["2"]', 5),
    }
    assert all("opened" in one.reason for one in found.letters)
    assert snapshot(topic.spark, topic.state).dead == 2
    assert balances(topic) == {0: "0.50", 1: "1.50", 2: "2.50", 3: "41.00"}
    # nothing changes while they cannot be read
    running = topic.sync(topic.frame([Watermark(FIRST + 60)]), options=strict)
    running.ask("replay")
    assert running.once().dead == 2
    assert balances(topic) == {0: "0.50", 1: "1.50", 2: "2.50", 3: "41.00"}
    running = topic.sync(topic.frame([Watermark(FIRST + 70)]), options=mild)
    running.ask("replay")
    found = running.once()
    assert (found.dead, found.parked, found.notes, found.published) == (0, {}, (), FIRST + 70)
    assert balances(topic) == {0: "0.50", 1: "10.00", 2: "11.00", 3: "41.00"}
    of = identity(topic.state)
    newest = Manifests(topic.state, of.source).newest()
    assert Asked(topic.state).pending(newest) == []
    assert all(not table.keys and not table.repair for table in newest.tables.values())
    with pytest.raises(StateError, match="there are no messages that could not be read"):
        running.ask("replay")


def test_what_was_no_message_is_no_message_again(topic: Topic) -> None:
    frame = topic.frame([change("insert", 1, "accounts", account(1)), Watermark(FIRST + 30)])
    broken = frame_of(topic.spark, [(None, b"{", "t", 0, 100)], OF_KAFKA)
    topic.sync(frame.union(broken)).once()
    running = topic.sync(topic.frame([Watermark(FIRST + 40)]))
    running.ask("replay")
    found = running.once()
    assert (found.dead, found.published, found.parked) == (1, FIRST + 40, {})
    assert balances(topic) == {1: "1.50"}


def test_tables_are_made_anew_and_added_from_the_topic(topic: Topic) -> None:
    events = [
        *(change("insert", 1 + n, "accounts", account(n)) for n in range(3)),
        change("insert", 10, "pairs", {"a": 1, "b": "x", "n": 1}),
        Ddl(FIRST + 11, "shop", "pairs", 11, "TRUNCATE TABLE shop.pairs"),
        change("insert", 12, "pairs", {"a": 2, "b": "x", "n": 2}),
        Watermark(FIRST + 30),
    ]
    frame = topic.frame(events).persist()
    topic.sync(frame, tables="shop.accounts").once()
    assert set(status(topic.state).tables) == {"shop.accounts"}
    running = topic.sync(frame.union(topic.frame([Watermark(FIRST + 40)])))
    with pytest.raises(StateError, match=r"there is no table shop.other to reset"):
        running.ask("reset", "shop.other")
    with pytest.raises(StateError, match=r"kept already: tidewire sync reset FILE shop.accounts"):
        running.ask("add", "shop.accounts")
    with pytest.raises(StateError, match=r"table other.t matches no pattern of tables"):
        topic.sync(frame, tables="shop.*").ask("add", "other.t")
    running.ask("add", "shop.pairs")
    running.ask("reset", "shop.accounts")
    found = running.once()
    assert (found.notes, found.parked) == ((), {})
    assert topic.rows("shop.pairs") == [(2, "x", 2)]
    assert balances(topic) == {0: "0.50", 1: "1.50", 2: "2.50"}
    more = topic.frame([change("delete", 40, "accounts", None, account(0)), Watermark(FIRST + 50)])
    assert topic.sync(more).once().published == FIRST + 50
    assert balances(topic) == {1: "1.50", 2: "2.50"}


def test_a_request_that_cannot_be_done_is_said_and_forgotten(topic: Topic) -> None:
    frame = topic.frame([change("insert", 1, "accounts", account(1)), Watermark(FIRST + 30)])
    topic.sync(frame).once()
    Asked(topic.state).ask("reset", "shop.accounts")
    without_offsets = topic.frame([Watermark(FIRST + 40)]).drop("offset")
    seen: list[tuple[str, ...]] = []
    topic.sync(without_offsets, said=lambda batch: seen.append(batch.manifest.notes)).once()
    # what was there before is looked at once more, then comes what was asked for, then the batch
    assert [len(notes) for notes in seen] == [0, 1, 0]
    assert "reset shop.accounts was not done: this source gives each message once" in seen[1][0]
    assert balances(topic) == {1: "1.50"}


@pytest.mark.parametrize("kind", ["reset", "add"] if LONG else ["reset"])
def test_a_table_is_not_made_of_what_a_topic_has_left(topic: Topic, kind: str) -> None:
    """Rows would be missing that only older messages have, and the table would be published as the source."""
    first = topic.frame([change("insert", 1, "accounts", account(1)), Watermark(FIRST + 10)]).persist()
    topic.sync(first, tables="shop.accounts").once()
    second = topic.frame([change("insert", 11, "accounts", account(2)), Watermark(FIRST + 20)]).persist()
    topic.sync(second, tables="shop.accounts").once()
    third = topic.frame([change("insert", 21, "pairs", {"a": 1, "b": "x", "n": 1}), Watermark(FIRST + 30)]).persist()
    topic.sync(third).once()
    table = {"reset": "shop.accounts", "add": "shop.pairs"}[kind]
    seen: list[tuple[str, ...]] = []

    def asked(frame: DataFrame) -> None:
        seen.clear()
        running = topic.sync(frame, said=lambda batch: seen.append(batch.manifest.notes))
        running.ask(kind, table)
        running.once()

    last = topic.frame([Watermark(FIRST + 40)]).persist()
    for frame, there in (
        (last, "none of them is there"),
        (second.union(third).union(last), "the first that is there now has 2"),
    ):
        asked(frame)
        (note,) = (note for notes in seen for note in notes)
        assert note.startswith(f"{kind} {table} was not done: table {table} cannot be made from the topic: partition 0")
        assert f"of t was read from offset 0 on, and {there}, so that rows would be missing" in note
        assert balances(topic) == {1: "1.50", 2: "2.50"}
    asked(first.union(second).union(third).union(last).union(topic.frame([Watermark(FIRST + 50)])))
    assert [note for notes in seen for note in notes] == []
    assert table not in status(topic.state).parked
    assert balances(topic) == {1: "1.50", 2: "2.50"}
    assert kind == "reset" or topic.rows("shop.pairs") == [(1, "x", 1)]


def test_what_was_not_there_from_the_beginning_is_not_asked_for(topic: Topic) -> None:
    """Retention had removed the first messages before this state was made; nor is a table made of nothing."""
    gone = topic.frame([change("insert", 1, "accounts", account(1))])
    assert gone.count() == 1
    frame = topic.frame([change("insert", 2, "accounts", account(2)), Watermark(FIRST + 10)]).persist()
    topic.sync(frame).once()
    seen: list[tuple[str, ...]] = []
    running = topic.sync(frame, said=lambda batch: seen.append(batch.manifest.notes))
    running.ask("reset", "shop.accounts")
    running.ask("add", "shop.nothing")
    found = running.once()
    assert (set(found.tables), found.parked) == ({"shop.accounts"}, {})
    assert balances(topic) == {2: "2.50"}
    assert [note for notes in seen for note in notes] == [
        "add shop.nothing was not done: table shop.nothing cannot be made from the topic: no message that is there is"
        " of it"
    ]


def test_a_table_goes_on_when_a_person_says_so(topic: Topic) -> None:
    wide = change("insert", 40, "pairs", {"a": 7, "b": "x", "n": 7})
    columns = (*wide.columns, *change("insert", 40, "accounts", account(1)).columns[1:2])
    tables = {"shop.*": {"schema_changes": "park"}}
    first = [change("insert", 1, "pairs", {"a": 1, "b": "x", "n": 1}), Watermark(FIRST + 30)]
    topic.sync(topic.frame(first), tables=tables).once()
    wide = change("insert", 40, "pairs", {**(wide.new or {}), "owner": "new"}, columns=columns)
    assert topic.sync(topic.frame([wide, Watermark(FIRST + 50)]), tables=tables).once().parked
    running = topic.sync(topic.frame([Watermark(FIRST + 60)]))  # now lenient
    running.ask("resume", "shop.pairs")
    assert running.once().parked == {}
    assert topic.rows("shop.pairs") == [(1, "x", 1, None), (7, "x", 7, "new")]


def test_a_table_of_a_catalog_that_renames_none_is_dropped_by_hand(topic: Topic) -> None:
    into = "iceberg:old.again_{schema}.{table}"
    events = [*(change("insert", 1 + n, "accounts", account(n)) for n in range(3)), Watermark(FIRST + 30)]
    frame = topic.frame(events).persist()
    topic.sync(frame, into=into).once()
    running = topic.sync(frame, into=into)
    running.ask("reset", "shop.accounts")
    batches: list[Any] = []
    topic.sync(frame, into=into, said=batches.append).once()
    (note,) = (note for batch in batches for note in batch.notes)
    assert "renames no tables, so that the one that is there cannot be kept aside: drop shop.accounts from" in note
    assert len(balances(topic)) == 3
    topic.spark.sql("drop table old.again_shop.accounts")
    running.ask("reset", "shop.accounts")
    found = topic.sync(frame.union(topic.frame([Watermark(FIRST + 40)])), into=into).once()
    assert (found.parked, found.published) == ({}, FIRST + 40)
    assert balances(topic) == {0: "0.50", 1: "1.50", 2: "2.50"}
