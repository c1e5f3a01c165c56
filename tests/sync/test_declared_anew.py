"""Columns redeclared with the same Spark type, and defaults that are times: the values of existing rows."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from sync.staged_histories import START as FIRST
from sync.staged_histories import change
from sync.topic import Topic, formats
from tidewire.events import Column, Ddl, Event, Watermark
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.reading.options import ReadOptions
from tidewire.spark.sync.altering import changes_of
from tidewire.spark.sync.declared import BEFORE
from tidewire.spark.sync.facts import SeenStatement
from tidewire.spark.sync.publish import snapshot
from tidewire.spark.sync.steps import apart
from tidewire.spark.sync.targets import Change, TargetError
from tidewire.spark.sync.targets import Column as TableColumn

COLUMNS = (
    Column("id", ColumnType.INT, ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY, "int"),
    Column("moment", ColumnType.DATETIME, ColumnFlag.NULLABLE, "datetime(6)"),
    Column("clock", ColumnType.TIME, ColumnFlag.NULLABLE, "time(3)"),
    Column("name", ColumnType.VARCHAR, ColumnFlag.NULLABLE, "varchar(10)"),
    Column("kind", ColumnType.ENUM, ColumnFlag.NULLABLE, "enum('a','b')"),
)


def row(ts: int, number: int, moment: str, clock: str, name: str) -> Event:
    values = {"id": number, "moment": moment, "clock": clock, "name": name, "kind": 2}
    return change("insert", ts, "things", values, columns=COLUMNS)


def altered(ts: int, what: str) -> Ddl:
    return Ddl(FIRST + ts, "shop", "things", 5, f"ALTER TABLE shop.things {what}")


def rows(topic: Topic, as_of: Any = None) -> list[dict[str, Any]]:
    found = snapshot(topic.spark, topic.state, as_of)["shop.things"].orderBy("id").collect()
    return [one.asDict() for one in found]


@formats("iceberg")
def test_values_are_those_that_the_database_made_of_them(topic: Topic, format: str) -> None:
    into = f"{format}:{topic.tmp}/lake/{{schema}}/{{table}}"
    if format == "iceberg":
        into = "iceberg:ice.anew_{schema}.{table}"
    events = [
        row(1, 1, "2024-12-31 23:59:59.500000", "-838:59:59.000", "a  "),
        row(2, 2, "2024-01-01 00:00:00.499999", "01:02:03.000", "b"),
        Watermark(FIRST + 10),
        altered(20, "CHANGE moment at datetime, MODIFY clock time, MODIFY name char(10)"),
        Watermark(FIRST + 30),
    ]
    options = {"schemaChanges": "evolve"}
    assert topic.sync(topic.frame(events), into=into, options=options).once().parked == {}
    assert [(one["at"], one["clock"], one["name"]) for one in rows(topic)] == [
        (datetime(2025, 1, 1), "-838:59:59", "a"),
        (datetime(2024, 1, 1), "01:02:03", "b"),
    ]


def test_a_table_whose_values_stay_is_not_written_anew(topic: Topic) -> None:
    topic.sync(topic.frame([row(1, 1, "2024-01-01 00:00:00.5", "00:00:01.000", "a"), Watermark(FIRST + 10)])).once()
    folder = topic.tmp / "lake" / "shop" / "things" / "data"
    before = {path.name for path in folder.iterdir()}
    events = [
        altered(20, "MODIFY moment datetime(1), MODIFY name char(10), MODIFY kind enum('a','b','c')"),
        Watermark(FIRST + 30),
    ]
    assert topic.sync(topic.frame(events)).once().parked == {}
    assert {path.name for path in folder.iterdir()} == before


def typed(type: ColumnType, declared: str, flags: int = 0) -> Column:
    return Column("c", type, ColumnFlag.NULLABLE | flags, declared)


INT = typed(ColumnType.INT, "int")
ENUM = typed(ColumnType.ENUM, "enum('x','y{0}','1')")
SET = typed(ColumnType.SET, "set('x','y','z')")
NAME = typed(ColumnType.VARCHAR, "varchar(20)")
LONG = typed(ColumnType.DECIMAL, "decimal(65,30)")
BYTES = typed(ColumnType.CHAR, "binary(4)", ColumnFlag.BINARY)
TIME = typed(ColumnType.TIME, "time(3)")
FIRST_COLUMN = COLUMNS[0]

TOLD: dict[str, tuple[Column, Any, str, Any]] = {
    "enum_relabelled": (ENUM, 1, "enum('1','y{0}','x')", 3),
    "enum_more": (ENUM, 2, "enum('x','y{0}','1','z')", 2),
    "enum_name": (ENUM, 2, "varchar(5)", "y{0}"),
    "enum_number": (ENUM, 3, "int", 3),
    "set_relabelled": (SET, 5, "set('z','y','x')", 5),
    "set_relabelled_once": (SET, 3, "set('z','x','y')", 6),
    "set_name": (SET, 5, "varchar(5)", "x,z"),
    "name_enum": (NAME, "2", "enum('2','1')", 1),
    "name_set": (NAME, "b,a", "set('a','b','c')", 3),
    "name_bytes": (NAME, "ab", "binary(4)", b"ab\0\0"),
    "bytes_longer": (BYTES, b"abcd", "binary(8)", b"abcd\0\0\0\0"),
    "long_rounded": (LONG, "-1.555000000000000000000000000000", "decimal(65,2)", "-1.56"),
    "long_same": (LONG, "12345678901.555000000000000000000000000000", "decimal(65,30)", None),
    "decimal_long": (typed(ColumnType.DECIMAL, "decimal(10,4)"), "1.5000", "decimal(65,30)", f"1.5{'0' * 29}"),
    "int_long": (INT, -7, "decimal(65,2)", "-7.00"),
    "int_name": (INT, -7, "varchar(9)", "-7"),
    "year_name": (typed(ColumnType.YEAR, "year"), 0, "varchar(4)", "0000"),
    "double_same": (typed(ColumnType.DOUBLE, "double"), 1.25, "double(10,2)", 1.25),
    "json_json": (typed(ColumnType.JSON, "json"), '{"a": 1}', "json NOT NULL", '{"a": 1}'),
    "json_name": (typed(ColumnType.JSON, "json"), '{"a": 1}', "text", '{"a": 1}'),
    "time_more": (TIME, "01:02:03.500", "time(6)", "01:02:03.500000"),
    "name_day": (NAME, "2024-02-29", "date", date(2024, 2, 29)),
}
WAITS: dict[str, tuple[Column, Any, str]] = {
    "label_gone": (ENUM, 2, "enum('x','1')"),
    "name_json": (NAME, '{"b":1,"a":2}', "json"),
    "double_rounded": (typed(ColumnType.DOUBLE, "double"), 1.256, "double(10,2)"),
    "name_beyond": (NAME, "é", "varbinary(9)"),
    "name_year": (NAME, "24", "year"),
    "name_bit": (NAME, "1", "bit(8)"),
    "name_other": (NAME, "X", "enum('x')"),
}


@pytest.mark.parametrize("format", ["parquet", "iceberg"])
def test_values_of_every_kind_become_what_the_database_made_of_them_or_wait(topic: Topic, format: str) -> None:
    into = f"{format}:{topic.tmp}/lake/{{schema}}/{{table}}"
    if format == "iceberg":
        into = "iceberg:ice.kinds_{schema}.{table}"
    every = {**TOLD, **{name: (*of, None) for name, of in WAITS.items()}}
    if format == "iceberg":
        every = {name: every[name] for name in ("enum_relabelled", "set_name", "bytes_longer", "name_json")}
    first: list[Event] = []
    later: list[Event] = []
    for number, (name, (column, value, becomes, _)) in enumerate(every.items()):
        if number % 2:  # the others have been there since before all messages, and their rows say what they are
            made = f"CREATE TABLE shop.{name} (id int PRIMARY KEY, c {column.mysql_type})"
            first.append(Ddl(FIRST + 1, "shop", name, 3, made))
        columns = (FIRST_COLUMN, column)
        first.append(change("insert", 5, name, {"id": 1, "c": value}, columns=columns))
        first.append(change("insert", 5, name, {"id": 2, "c": None}, columns=columns))
        statement = f"ALTER TABLE shop.{name} MODIFY COLUMN c {becomes}"
        later.append(Ddl(FIRST + 20, "shop", name, 5, statement))
    topic.sync(topic.frame([*first, Watermark(FIRST + 10)]), into=into).once()
    found = topic.sync(topic.frame([*later, Watermark(FIRST + 30)]), into=into).once()
    assert {name.removeprefix("shop.") for name in found.parked} == every.keys() & WAITS.keys()
    for parked in found.parked.values():
        assert (parked.ts, parked.by) == (FIRST + 20, "statement")
    tables = snapshot(topic.spark, topic.state)
    for name, (_, value, _, then) in every.items():
        expected = value if name in WAITS or then is None else then
        assert [one["c"] for one in tables[f"shop.{name}"].orderBy("id").collect()] == [expected, None], name


def test_what_cannot_be_told_waits(topic: Topic) -> None:
    first = row(1, 1, "2024-01-01 00:00:00", "00:00:01.500", "a")
    events = [first, altered(20, "MODIFY clock time"), Watermark(FIRST + 30)]
    found = topic.sync(topic.frame(events)).once()
    parked = found.parked["shop.things"]
    assert "'clock' became as 'time' is not known for the value 00:00:01.500" in parked.reason
    assert (parked.ts, parked.by) == (FIRST + 20, "statement")
    assert "change the table by hand and run tidewire sync resume FILE shop.things" in parked.remedy
    assert [one["clock"] for one in rows(topic)] == ["00:00:01.500"]


def test_defaults_that_are_times(topic: Topic) -> None:
    """Which no message tells: the statement's commit ts, and the time zone of the changefeed, and both are said."""
    made = "TIMESTAMP DEFAULT '2024-06-01 08:00:00'"
    events = [
        row(1, 1, "2024-01-01 00:00:00", "00:00:01", "a"),
        altered(20, f"ADD COLUMN seen {made}, ADD COLUMN at TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP(3)"),
        altered(21, "ADD COLUMN local DATETIME DEFAULT CURRENT_TIMESTAMP"),
        Watermark(FIRST + 30),
    ]
    options = {"timezone": "Asia/Shanghai"}
    said: list[str] = []
    running = topic.sync(topic.frame(events), options=options, said=lambda batch: said.extend(batch.notes))
    assert running.once().parked == {}
    assert [note.split(": ", 2)[1].split(" was added")[0] for note in said] == [
        "column 'seen'",
        "column 'at'",
        "column 'local'",
    ]
    assert "was read in the time zone Asia/Shanghai" in said[0]
    assert "that of its commit ts" in said[1]
    (one,) = rows(topic)
    at = datetime.fromtimestamp((FIRST >> 18) / 1000, UTC)
    assert one["seen"].astimezone(UTC) == datetime(2024, 6, 1, tzinfo=UTC)
    assert one["at"].astimezone(UTC) == at
    assert str(one["local"]) == f"{at.replace(hour=at.hour + 8):%Y-%m-%d %H:%M:%S}"


def changed(statement: str, columns: str, before: str | None = None, **options: Any) -> list[Change]:
    """What a statement changes in a table with such columns, of which one was declared so."""
    seen = SeenStatement(1, "s", "t", f"ALTER TABLE s.t {statement}", None, None, "t", 0, 0)
    actions = [one._replace(facts=(*one.facts, (BEFORE, before))) for one in apart(seen)]
    there = [TableColumn(*one.rsplit(" ", 1)) for one in columns.split(", ")]
    return changes_of("s.t", actions, ReadOptions(**options), 1, there).changes


@pytest.mark.parametrize(
    "statement",
    [
        "RENAME COLUMN a TO b, RENAME COLUMN b TO a",
        "RENAME COLUMN a TO b, RENAME COLUMN B TO c",
        "CHANGE a b INT, CHANGE b a INT",
        "RENAME COLUMN a TO b, DROP COLUMN b",
        "ADD COLUMN a INT, RENAME COLUMN a TO d",
        "ADD COLUMN a INT, DROP COLUMN a",
    ],
)
def test_names_that_a_statement_makes_and_means_have_the_table_wait(statement: str) -> None:
    with pytest.raises(TargetError, match=r"one statement gives the name '.' to a column and means the one before"):
        changed(statement, "a int, b int, c int", "int")


@pytest.mark.parametrize(
    "statement",
    [
        "RENAME COLUMN b TO d, RENAME COLUMN a TO b",
        "DROP COLUMN b, RENAME COLUMN a TO b",
        "CHANGE a d BIGINT, CHANGE b B BIGINT",
        "DROP COLUMN a, ADD COLUMN a INT",
    ],
)
def test_names_of_one_statement_that_can_be_done_one_after_the_other(statement: str) -> None:
    assert changed(statement, "a int, b int, c int", "int")


@pytest.mark.parametrize(
    ("old", "declared", "before", "options"),
    [
        ("int", "varchar(9)", None, {}),
        ("int", "varchar(9)", "int(5) zerofill", {}),
        ("decimal(10,2)", "varchar(9)", None, {}),
        ("int", "enum('a','b')", None, {}),
        ("int", "enum('a','b')", "enum", {}),
        ("int", "varchar(9)", "enum", {}),
        ("int", "set('a')", "enum('a')", {}),
        ("int", "enum('a')", "year", {}),
        ("double", "enum('a')", "double", {}),
        ("string", "int", None, {"enum": "label"}),
        ("string", "json", None, {}),
        ("string", "json", "varchar(9)", {}),
        ("string", "bit(8)", "varchar(9)", {}),
        ("int", "bit(8)", "int", {}),
        ("binary", "varbinary(9)", None, {}),
        ("binary", "varbinary(9)", "bit(9)", {}),
        ("binary", "bigint", "bit(9)", {}),
        ("int", "json", "int", {}),
        ("int", "time", "int", {}),
        ("int", "varbinary(9)", "enum('a')", {}),
        ("double", "decimal(65,30)", "double", {}),
        ("string", "timestamp", "varchar(20)", {}),
    ],
)
def test_what_no_declaration_tells_has_the_table_wait(
    old: str, declared: str, before: str | None, options: dict[str, Any]
) -> None:
    with pytest.raises(TargetError, match=r"of its column 'c'|its column 'c' is .* now"):
        changed(f"MODIFY c {declared}", f"c {old}", before, **options)
