"""The store of descriptions: what it finds and refuses, what it takes up, and that threads keep it whole."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.described import debezium_descriptions, simple_descriptions, tables
from tidewire.events import Bootstrap, Ddl, Event, Events, RowChange
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import ContradictionError, DecodeError, MissingTableError
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

ID = ColumnDescription("id", "int", length=11, nullable=False, charset="binary")
NAME = ColumnDescription("name", "varchar", length=20, charset="utf8mb4", nullable=True)
KEY = IndexDescription("primary", ("id",), True, True, False)
FIRST = TableDescription("shop", "orders", [ID], [KEY], 8, 5)
SECOND = FIRST.replaced(columns=(ID, NAME), version=6)


def test_versions_stand_beside_each_other() -> None:
    store = TableStore([SECOND, FIRST])
    assert store.find("shop", "orders", 5) is FIRST
    assert store.find("shop", "orders", 6) is SECOND
    assert store.latest("shop", "orders") is SECOND
    assert list(store) == [SECOND, FIRST]
    assert len(store) == 2
    assert ("shop", "orders", 5) in store
    assert not store.add(FIRST)
    assert repr(store) == f"<TableStore: 2 descriptions of 1 table, {store.memory:,} bytes>"
    with pytest.raises(TypeError, match="a TableDescription is expected, not 5"):
        store.add(5)  # type: ignore[arg-type]


def test_what_holds_from_one_time_on_stands_in_turn() -> None:
    store, lengths = (
        TableStore(),
        [ColumnDescription("name", "varchar", length=k, charset="utf8mb4") for k in range(99)],
    )
    others = [FIRST.replaced(table="t", columns=(ID, one)) for one in lengths]
    for _ in range(2):
        assert [store.add_in_turn(one, 7).version for one in others] == list(range(7, 106))
    assert len(store) == 99
    said = others[5].replaced(comment="more")
    assert store.add_in_turn(said, 7).version == 12
    assert store.find("shop", "t", 12) == others[5].replaced(version=12)
    # before any of them, and at the end of all times
    assert store.add_in_turn(others[98], 6).version == 6
    assert store.add_in_turn(others[1], 2**64 - 1).version == 2**64 - 1
    with pytest.raises(ContradictionError):
        store.add_in_turn(others[2], 2**64 - 1)
    nameless = FIRST.replaced(version=None)
    assert store.add_in_turn(nameless, None) is nameless
    with pytest.raises(ContradictionError):
        store.add_in_turn(SECOND.replaced(version=None), None)


@pytest.mark.parametrize(
    "key", [("shop", "orders", 7), ("shop", "orders", None), (None, "orders", 5), ("shop", "x", 5)]
)
def test_what_nobody_described_is_missing(key: tuple[str | None, str, int | None]) -> None:
    store = TableStore([FIRST, SECOND])
    with pytest.raises(MissingTableError) as caught:
        store.find(*key)
    error = caught.value
    assert (error.schema, error.table, error.version) == key
    assert isinstance(error, DecodeError)
    assert isinstance(error, LookupError)
    assert error.code == "undescribed_table"
    state = f"is not described in version {key[2]} of its columns:"
    if key[2] is None:
        state = "has no description without a version:"
    assert f"`{key[1]}` {state}" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.version, again.message) == (str(error), error.version, None)
    with pytest.raises(MissingTableError):
        store.latest("shop", "customers")


def test_a_description_without_a_version_is_for_rows_without_one() -> None:
    plain = FIRST.replaced(version=None)
    store = TableStore([FIRST, plain])
    assert store.find("shop", "orders", None) is plain
    assert store.latest("shop", "orders") is FIRST
    assert TableStore([plain]).latest("shop", "orders") is plain
    assert TableStore([plain, FIRST.replaced(version=0)]).latest("shop", "orders").version == 0
    with pytest.raises(MissingTableError):
        TableStore([plain]).find("shop", "orders", 5)


@pytest.mark.parametrize(
    ("given", "path", "known", "other"),
    [
        (FIRST.replaced(columns=(ID, NAME)), "columns/name", None, NAME),
        (FIRST.replaced(columns=(NAME,), indexes=()), "columns/id", ID, None),
        (
            FIRST.replaced(columns=(ColumnDescription("id", "int", length=10, unsigned=True),)),
            "columns/id/unsigned",
            False,
            True,
        ),
        (FIRST.replaced(columns=(ColumnDescription("id", "int", length=10),)), "columns/id/length", 11, 10),
        (FIRST.replaced(columns=(ColumnDescription("id", "bigint"),)), "columns/id/mysql_type", "int", "bigint"),
        (FIRST.replaced(columns=(ColumnDescription("id", "int", nullable=True),)), "columns/id/nullable", False, True),
        (FIRST.replaced(indexes=()), "indexes/primary", KEY, None),
        (
            FIRST.replaced(indexes=(KEY, IndexDescription("k", ("id",)))),
            "indexes/k",
            None,
            IndexDescription("k", ("id",)),
        ),
    ],
)
def test_a_contradiction_is_refused_and_the_first_stays(
    given: TableDescription, path: str, known: Any, other: Any
) -> None:
    store = TableStore([FIRST])
    memory = store.memory
    with pytest.raises(ContradictionError) as caught:
        store.add(given)
    error = caught.value
    assert (error.path, error.known, error.given, error.version) == (path, known, other, 5)
    assert "version 5 is described already" in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert list(store) == [FIRST]
    assert store.memory == memory


def test_what_does_not_contradict() -> None:
    store = TableStore([SECOND])
    nullable = IndexDescription("PRIMARY", ("ID",), True, True, True)
    for other in (
        SECOND.replaced(id=9),
        SECOND.replaced(indexes=(nullable,)),
        SECOND.replaced(columns=(NAME, ID)),
        SECOND.replaced(comment="said by one only", charset="utf8mb4"),
        SECOND.replaced(columns=(ColumnDescription("ID", "int"), ColumnDescription("name", "varchar", default="x"))),
    ):
        assert not store.add(other)
    assert list(store) == [SECOND]


def test_events_fill_it() -> None:
    column = Column("id", 3, 11, "int(11)")
    row = RowChange("insert", 1, "shop", "orders", {"id": 1}, columns=[column], table_version=5)
    events: list[Event] = [Bootstrap(0, "shop", "orders", table_after=FIRST), row]
    events.append(Ddl(2, "shop", "orders", 5, "alter", table_after=SECOND, table_before=FIRST))
    for form in (events, Events.of(events), Events.of(events).columns, iter(events)):
        store = TableStore()
        assert store.add_events(form) == 2
        assert store.add_events([row]) == 0
        assert set(store) == {FIRST, SECOND}
    some = Events.of(events).columns.take([0, 1])
    store = TableStore()
    store.add_events(some)
    assert list(store) == [FIRST]  # what no event says any more is not taken


def test_it_becomes_events_again() -> None:
    store = TableStore([FIRST, SECOND])
    found = store.to_events()
    assert [event.kind for event in found] == ["bootstrap", "bootstrap"]
    assert (found[1].schema, found[1].table, found[1].table_id, found[1].commit_ts) == ("shop", "orders", 8, 0)
    again = TableStore()
    again.add_events(found)
    assert again == store
    assert pickle.loads(pickle.dumps(store)) == store


def test_memory_grows_with_what_is_described_and_not_with_rows() -> None:
    store = TableStore()
    assert store.memory == 0
    sizes = []
    for version in range(40):
        columns = [ID, *(ColumnDescription(f"c{at}", "varchar", comment="x" * 100) for at in range(version))]
        store.add(FIRST.replaced(columns=tuple(columns), version=version))
        sizes.append(store.memory)
    steps = [later - earlier for earlier, later in pairwise(sizes)]
    assert min(steps) > 100
    assert all(150 < later - earlier < 1000 for earlier, later in pairwise(steps))
    column = Column("id", 3, 11, "int(11)")
    rows = [
        RowChange("insert", at, "shop", "orders", {"id": at}, columns=[column], table_version=5) for at in range(2000)
    ]
    described: list[Event] = [Bootstrap(0, "shop", "orders", table_after=FIRST.replaced(version=39))]
    with pytest.raises(ContradictionError):
        store.add_events([*described, *rows])
    store.add_events(Events.of(rows))
    for _ in range(100):
        store.add(FIRST.replaced(columns=(ID,), version=0))
    assert store.memory == sizes[-1]


def test_threads_share_it() -> None:
    store = TableStore()
    versions = [FIRST.replaced(version=version) for version in range(300)]

    def add(one: TableDescription) -> bool:
        new = store.add(one)
        assert store.find("shop", "orders", one.version) == one
        return new

    with ThreadPoolExecutor(8) as pool:
        new = list(pool.map(add, versions * 4))
    assert sum(new) == len(store) == 300
    assert store.latest("shop", "orders").version == 299
    assert store.memory == TableStore(versions).memory


def test_recordings_fill_it() -> None:
    store = TableStore()
    for _, one in simple_descriptions():
        # scenarios were recorded one after the other, with a version of its own for each table
        store.add(one)
    assert len(store) > 60
    assert {one.version for one in store} == {one.version for _, one in simple_descriptions()}
    named = TableStore()
    refused: list[str] = []
    for one in debezium_descriptions():
        try:
            named.add(one)
        except ContradictionError as error:
            refused.append(error.path)
    # without versions a table that changed contradicts itself
    assert {path.partition("/")[0] for path in refused} == {"columns", "indexes"}
    assert {one.version for one in named} == {None}


@given(st.lists(tables(), max_size=4))
def test_it_finds_what_was_added(found: list[TableDescription]) -> None:
    store = TableStore()
    for one in found:
        try:
            store.add(one)
        except ContradictionError:
            continue
        kept = store.find(one.schema, one.table, one.version)
        assert kept in found
    again = TableStore()
    again.add_events(store.to_events())
    assert again == store


def test_what_is_looked_for_without_a_message_is_no_trouble_of_one() -> None:
    store = TableStore([FIRST])
    with pytest.raises(MissingTableError) as caught:
        store.find("shop", "orders", 7)
    assert str(caught.value) == (
        "the table `shop`.`orders` is not described in version 7 of its columns: decode the message that describes it "
        "first, or add its CREATE TABLE to the TableStore with add_sql"
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(
        MissingTableError,
        match=r"`shop`\.`x` is not described: decode the message that describes it first",
    ):
        store.latest("shop", "x")
    with pytest.raises(MissingTableError) as caught:
        store.find("shop", "x" * 1_000_000, 7)
    assert len(str(caught.value)) < 500
    with pytest.raises(TypeError, match="a version is a number or None, not '5'"):
        store.find("shop", "orders", "5")  # type: ignore[arg-type]


def test_what_is_no_description_is_refused_in_words() -> None:
    store = TableStore()
    event: Any = Bootstrap(0, "shop", "orders", table_after=FIRST)
    for add, wrong, sentence in (
        (TableStore, FIRST, r"a list of TableDescription is expected, not TableDescription\("),
        (TableStore, None, "a list of TableDescription is expected, not None"),
        (store.add, {"table": "t"}, r"a TableDescription is expected, not \{'table': 't'\}"),
        (store.add_events, None, "several events are expected, a list or what decoding gave, not None"),
        (store.add_events, event, r"several events are expected, .* not Bootstrap\("),
        (store.add_events, b"{}", "an event is expected, not 123"),
        (store.add_events, [FIRST], r"an event is expected, not TableDescription\("),
        (store.add_sql, b"create table t (a int)", "SQL is text, not bytes"),
        (store.add_sql, None, "SQL is text, not NoneType"),
    ):
        call: Any = add
        with pytest.raises(TypeError, match=sentence) as caught:
            call(wrong)
        assert len(str(caught.value)) < 400
    assert len(store) == 0


def test_a_contradiction_shows_long_values_in_part() -> None:
    plain = FIRST.replaced(version=None, columns=(ID, NAME))
    long = plain.replaced(columns=(ID, ColumnDescription("name", "varchar", default="x" * 1_000_000)))
    other = plain.replaced(columns=(ID, ColumnDescription("name", "varchar", default="y")))
    with pytest.raises(ContradictionError) as caught:
        TableStore([other, long])
    assert str(caught.value).startswith(
        "table shop.orders columns/name/default: the table without a version is described already, and there it is 'y'"
    )
    assert len(str(caught.value)) < 600
    assert caught.value.given == "x" * 1_000_000


@given(st.lists(st.integers(0, 40), max_size=8, unique=True), st.integers(0, 45))
def test_rows_are_read_alike_between_the_times_that_it_tells(versions: list[int], time: int) -> None:
    store = TableStore()
    for version in versions:
        before = store.changes
        assert store.add(FIRST.replaced(version=version))
        assert not store.add(FIRST.replaced(version=version))
        assert store.changes == before + 1
    assert store.may_find("shop", "orders") == bool(versions)
    first, last = store.times("shop", "orders", time)
    assert 0 <= first <= time <= last < 1 << 64
    if not versions:
        assert (first, last) == (0, (1 << 64) - 1)
        return
    found = store.at("shop", "orders", time)
    for other in range(46):
        assert (store.at("shop", "orders", other) is found) == (first <= other <= last)
