"""Published tables against a dump and against a database at the same TSO, through Spark, for each format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sync import snapshots
from sync.dumpling import Cell, Dumped, write_dump
from sync.staged_histories import START, change
from sync.topic import Topic
from sync.verified_types import TYPES, describe
from tidewire.events import Watermark
from tidewire.reading.database.connection import Address
from tidewire.reading.database.dump import Dump
from tidewire.reading.files.streams import InputError
from tidewire.runtime.errors import OptionError
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.verifying.tables import TableVerdict, Verification, verify_database, verify_dump

FAKE = Address("sync.snapshots", {"user": "me", "password": "secret"})
NAMES = {f"c{at}": type for at, type in enumerate(TYPES)}
COLUMNS = ", ".join(f"`{one}` {of} NULL" for one, of in NAMES.items())
EVERY = f"CREATE TABLE `every` (`id` int NOT NULL, {COLUMNS}, PRIMARY KEY (`id`))"
PAIRS = "CREATE TABLE `pairs` (`a` varchar(9) NOT NULL, `b` varbinary(9) NOT NULL, `n` int, PRIMARY KEY (`a`, `b`))"
ROWS = 4


def every_row(at: int) -> tuple[list[Cell], dict[str, Any]]:
    """A row of all types: as it is printed, and as an event has it. The last one is NULL but for its key."""
    printed: list[Cell] = [str(at).encode()]
    event: dict[str, Any] = {"id": at}
    for name, type in NAMES.items():
        values = TYPES[type]
        cell, value = values[at % len(values)] if at < ROWS - 1 else (None, None)
        printed.append(cell)
        event[name] = value
    return printed, event


PAIR_ROWS = [("a", b"", 1), ("a", b"\0", 2), ("A'\"\\\n\0\\N", b"\r\n,\xff", None)]


def source() -> dict[str, Dumped]:
    """What the database has."""
    pairs: list[list[Cell]] = [[a.encode(), b, None if n is None else str(n).encode()] for a, b, n in PAIR_ROWS]
    none = describe("CREATE TABLE none_yet (id int PRIMARY KEY)").to_sql()
    return {
        "shop.every": Dumped(EVERY, {"id": "int", **NAMES}, [every_row(at)[0] for at in range(ROWS)]),
        "shop.pairs": Dumped(PAIRS, {"a": "varchar", "b": "varbinary", "n": "int"}, pairs),
        "shop.none_yet": Dumped(none.replace("`shop`.", ""), {"id": "int"}, []),
        "other.left_out": Dumped("CREATE TABLE `left_out` (id int PRIMARY KEY)", {"id": "int"}, [[b"1"]]),
    }


IN_ALL = pytest.mark.parametrize("topic", ["iceberg", "delta", "parquet"], indirect=True)
IN_ONE = pytest.mark.parametrize("topic", ["parquet"], indirect=True)


@pytest.fixture(scope="module")
def topic(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Topic:
    """A state with two publications: of a part of the rows, and of all."""
    tmp = tmp_path_factory.mktemp(request.param)
    topic = Topic(spark, tmp)
    lake = {"iceberg": "ice.verified_{schema}.{table}"}.get(request.param, f"{tmp}/lake/{{schema}}/{{table}}")
    into = f"{request.param}:{lake}"
    every, pairs = describe(EVERY).row_columns(), describe(PAIRS).row_columns()
    first = [change("insert", 1, "every", every_row(0)[1], columns=every), Watermark(START + 10)]
    then = [change("insert", 11, "every", every_row(at)[1], columns=every) for at in range(1, ROWS)]
    then += [change("insert", 12, "pairs", {"a": a, "b": b, "n": n}, columns=pairs) for a, b, n in PAIR_ROWS]
    more = [*then, Watermark(START + 20)]
    for events in (first, more):
        options = {"timezone": "UTC"}
        topic.sync(topic.frame(events), into=into, tables="shop.*", options=options).once()
    return topic


def verdicts(of: Verification) -> dict[str, TableVerdict]:
    return {one.table: one for one in of.tables()}


def by_dump(topic: Topic, tables: dict[str, Dumped], tmp: Path, tso: int = START + 19, **more: Any) -> Verification:
    dump = Dump(str(write_dump(tmp / "dump", tso, tables, **more)), timezone="UTC")
    return verify_dump(topic.spark, topic.state, dump, tables="shop.*", options={"timezone": "UTC"})


@IN_ALL
@pytest.mark.parametrize(("kind", "how"), [("csv", ""), ("sql", "zst")])
def test_published_tables_equal_a_dump_of_the_same_tso(topic: Topic, tmp_path: Path, kind: str, how: str) -> None:
    found = verdicts(by_dump(topic, source(), tmp_path, kind=kind, how=how))
    assert {name: (one.verdict, one.reason) for name, one in found.items()} == {
        "shop.every": ("equal", ""),
        "shop.none_yet": ("equal", ""),
        "shop.pairs": ("equal", ""),
    }
    assert [one.compared.table for one in found.values() if one.compared is not None] == [ROWS, 0, len(PAIR_ROWS)]


@IN_ALL
def test_each_row_that_differs_is_named(topic: Topic, tmp_path: Path) -> None:
    tables = source()
    every = [list(row) for row in tables["shop.every"].rows]
    for at in range(1, len(every[0])):  # each column of a row has the value of another row
        every[0][at] = every[1][at]
    tables["shop.every"] = tables["shop.every"]._replace(rows=[*every[:2], every[3], [b"9", *every[2][1:]]])
    tables["shop.pairs"] = tables["shop.pairs"]._replace(rows=tables["shop.pairs"].rows[1:])
    found = verdicts(by_dump(topic, tables, tmp_path))
    compared = found["shop.every"].compared
    assert compared is not None
    assert [(one.kind, one.key) for one in compared.differences] == [
        ("missing", {"id": "9"}),
        ("extra", {"id": "2"}),
        ("different", {"id": "0"}),
    ]
    assert list(compared.differences[2].columns) == list(NAMES)
    pairs = found["shop.pairs"].compared
    assert pairs is not None
    assert [(one.kind, one.key) for one in pairs.differences] == [("extra", {"a": "a", "b": "0x"})]
    assert found["shop.none_yet"].verdict == "equal"


@IN_ONE
def test_a_table_that_one_side_lacks_is_a_difference(topic: Topic, tmp_path: Path) -> None:
    tables = source()
    del tables["shop.pairs"]
    tables["shop.none_yet"] = tables["shop.none_yet"]._replace(rows=[[b"1"], [b"2"]])
    found = verdicts(by_dump(topic, tables, tmp_path))
    assert found["shop.pairs"].reason.startswith("it is published, and the source has no such table")
    assert found["shop.none_yet"].verdict == "different"
    assert found["shop.none_yet"].compared is not None
    assert found["shop.none_yet"].compared.counts == {"missing": 2}
    assert "shop.every" in found
    assert "other.left_out" not in found


@IN_ONE
def test_a_dump_of_another_tso_is_refused_with_what_to_do(topic: Topic, tmp_path: Path) -> None:
    with pytest.raises(StateError) as raised:
        by_dump(topic, source(), tmp_path, tso=START + 15)
    assert "nothing is published at that TSO: the nearest is" in str(raised.value)
    assert f"dumpling --snapshot {START + 19}" in str(raised.value)
    assert "tidb_gc_life_time" in str(raised.value)
    # tables of R lack what was committed just at R: a dump of R is compared, and a difference comes with a note
    found = verdicts(by_dump(topic, source(), tmp_path / "r", tso=START + 20))
    assert {one.verdict for one in found.values()} == {"equal"}
    tables = source()
    tables["shop.pairs"] = tables["shop.pairs"]._replace(rows=[])
    one = verdicts(by_dump(topic, tables, tmp_path / "s", tso=START + 20))["shop.pairs"]
    assert f"dump with --snapshot {START + 19}" in one.notes[-1]


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> dict[str, Dumped]:
    """A database that had one row before, and has other ones since."""
    tables, before, later = source(), source(), source()
    before = {"shop.every": before["shop.every"]._replace(rows=before["shop.every"].rows[:1])}
    later["shop.pairs"] = later["shop.pairs"]._replace(rows=[])
    versions = {START: before, START + 10: tables, START + 20: later}
    monkeypatch.setattr(snapshots, "VERSIONS", versions)
    monkeypatch.setattr(snapshots, "ASKED", [])
    return tables


def by_database(topic: Topic, **more: Any) -> Verification:
    return verify_database(topic.spark, topic.state, FAKE, tables="shop.*", options={"timezone": "UTC"}, **more)


@IN_ALL
def test_published_tables_equal_a_database_at_the_same_tso(topic: Topic, database: dict[str, Dumped]) -> None:
    found = verdicts(by_database(topic))
    assert {name: one.verdict for name, one in found.items()} == dict.fromkeys(found, "equal")
    assert [one for one in snapshots.ASKED if one.startswith("SET")] == [
        f"SET tidb_snapshot = '{START + 19}'",
        "SET time_zone = '+00:00'",
    ]
    # an earlier publication is compared with the database of that time
    earlier = verdicts(by_database(topic, as_of=START + 11))
    assert {name: (one.verdict, one.compared and one.compared.table) for name, one in earlier.items()} == {
        "shop.every": ("equal", 1)
    }
    # a copy that nothing changes is read as it is
    frozen = verdicts(by_database(topic, frozen=True))
    assert frozen["shop.pairs"].verdict == "different"


@IN_ONE
def test_only_named_tables_are_compared(topic: Topic, database: dict[str, Dumped]) -> None:
    assert list(verdicts(by_database(topic, only=["SHOP.pairs"]))) == ["shop.pairs"]
    with pytest.raises(OptionError, match=r"table shop\.pears is neither published nor in the source: there are"):
        verdicts(by_database(topic, only=["shop.pears"]))


@IN_ONE
def test_what_tidb_does_not_keep_any_more_is_told(
    topic: Topic, database: dict[str, Dumped], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "OLDEST", START + 100)
    with pytest.raises(InputError, match="tidb_gc_life_time"):
        by_database(topic)
