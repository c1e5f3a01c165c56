"""Transcoding between Simple and protocols whose rows describe their columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from every_protocol.test_transcoding import rows
from recorded import craft_messages, messages, scenarios, streams
from typer.testing import CliRunner

import tidewire
from tidewire import canal_json, craft, simple
from tidewire.cli.main import app
from tidewire.cli.tables import save_tables
from tidewire.events import Bootstrap, Ddl, Events, RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import ContradictionError, MissingTableError
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

pytestmark = pytest.mark.codec

TS = 470607536966860800
KEY = int(ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY | ColumnFlag.BINARY)
ID = Column("id", ColumnType.BIGINT, KEY)
NAME = Column("name", ColumnType.VARCHAR, int(ColumnFlag.NULLABLE))
STATE = Column("state", ColumnType.ENUM, int(ColumnFlag.NULLABLE))


@pytest.mark.parametrize("scenario", scenarios())
def test_a_scenario_comes_out_of_simple_as_craft_recorded_it(scenario: str) -> None:
    """TiCDC's own Simple and Craft of the same statements say the same rows, and so do ours made of the other."""
    found = [one for one in streams("simple", own=False) if one.parts[-3:-1] == ("tiflow", scenario)]
    (path,) = (one for one in found if one.name == "simple.json.jsonl")
    theirs = [one.value for one in messages(path)]
    batch, report = tidewire.transcode(theirs, "simple", "craft")
    assert {one.kind for one in report.refused} <= {"bootstrap"}
    # of FLOATs the encoder that has its known defect mended
    crafted = list(craft_messages(scenario, "default-float8")) or list(craft_messages(scenario, "default"))
    recorded_rows = rows(craft, [one.value for one in crafted], None)
    assert recorded_rows
    assert rows(craft, batch.column("value"), None) == recorded_rows
    again, report = tidewire.transcode([one.value for one in crafted], "craft", "simple")
    assert not report.refused
    assert rows(simple, again.column("value"), None) == recorded_rows


# --- where descriptions are from ------------------------------------------------------------------------------------


def insert(image: dict[str, Any], columns: list[Column], ts: int = TS, **more: Any) -> RowChange:
    return RowChange("insert", ts, "s", "t", image, columns=columns, **more)


def test_rows_describe_their_table_once() -> None:
    events = [insert({"id": k, "name": "a"}, [ID, NAME], TS + k) for k in range(3)]
    wider = [insert({"id": 1, "name": "a", "state": 2}, [ID, NAME, STATE], TS + 9)]
    made = tidewire.transcoder("craft", "simple")
    batch, report = made.encode(Events.of(events + wider + events[:1]).columns)
    assert batch.column("first_event").to_pylist() == [0, 0, 1, 2, 3, 3, 4]
    assert batch.column("events").to_pylist() == [0, 1, 1, 1, 0, 1, 1]
    assert report.derived == {("table_version", "s.t, described by the columns of its rows"): 5}
    assert not report.losses
    found = list(simple.decode_batch(batch.column("value")))
    tables = [one.table_after for one in found if isinstance(one, Bootstrap)]
    assert [one.version for one in tables if one is not None] == [TS, TS + 9]
    assert tables[0] == TableDescription(
        "s",
        "t",
        [
            ColumnDescription("id", "bigint", charset="binary", collation="binary", nullable=False),
            ColumnDescription("name", "varchar", charset="", collation="", nullable=True),
        ],
        [IndexDescription("PRIMARY", ("id",), True, True, False)],
        0,
        TS,
    )
    assert [one.table_version for one in found if isinstance(one, RowChange)] == [TS, TS, TS, TS + 9, TS]
    again, _ = made.encode(Events.of(events).columns)
    assert again.num_rows == 3


def test_another_table_of_one_commit_gets_another_version() -> None:
    events = [insert({"id": 1}, [ID]), insert({"id": 1, "name": "a"}, [ID, NAME]), insert({"name": "a"}, [NAME])]
    batch, report = tidewire.transcode(Events.of(events).columns, "craft", "simple")
    found = list(simple.decode_batch(batch.column("value")))
    assert [one.table_version for one in found if isinstance(one, RowChange)] == [TS, TS + 1, TS + 2]
    last = insert({"id": 1}, [ID], 2**64 - 1)
    batch, report = tidewire.transcode(
        Events.of([last, insert({"name": "a"}, [NAME], 2**64 - 1)]).columns, "craft", "simple"
    )
    found = list(simple.decode_batch(batch.column("value")))
    assert [one.table_version for one in found if isinstance(one, RowChange)] == [2**64 - 1, 0]
    assert not report.refused


def test_a_part_of_a_row_is_read_by_the_whole_table() -> None:
    """Handle keys describe no table; a delete of the key only belongs to what is known."""
    whole = insert({"id": 1, "name": "a"}, [ID, NAME])
    part = insert({"id": 2}, [ID], handle_key_only=True)
    deleted = RowChange("delete", TS + 5, "s", "t", None, {"id": 1}, columns=[ID])
    batch, report = tidewire.transcode(Events.of([part, whole, part, deleted]).columns, "canal-json", "simple")
    assert [(one.event, one.reason) for one in report.refused] == [
        (0, "only a part of its columns is here, and no description of its table is known that has the others")
    ]
    assert batch.column("first_event").to_pylist() == [1, 1, 2, 3]
    found = [one for one in simple.decode_batch(batch.column("value")) if isinstance(one, RowChange)]
    assert [one.table_version for one in found] == [TS] * 3
    assert found[1].handle_key_only
    _, report = tidewire.transcode(Events.of([deleted]).columns, "craft", "simple")
    assert not report.refused


@pytest.mark.parametrize("code", [int(ColumnType.UNSPECIFIED), 100])
def test_a_column_without_a_type_describes_nothing(code: int) -> None:
    column = Column("x", code, int(ColumnFlag.NULLABLE))
    events = [insert({"x": None}, [column]), insert({"id": 1}, [ID])]
    batch, report = tidewire.transcode(Events.of(events).columns, "craft", "simple")
    assert batch.num_rows == 2
    assert [one.reason for one in report.refused] == [
        "its table cannot be described by its columns: rows tell no type that TiDB has of the column 'x', and "
        "a description has to"
    ]


def test_declared_types_are_described_in_full() -> None:
    columns = [
        Column("e", ColumnType.ENUM, int(ColumnFlag.NULLABLE), "enum('a','b')"),
        Column("d", ColumnType.DECIMAL, int(ColumnFlag.NULLABLE), "decimal(10,2)"),
        Column("b", ColumnType.BLOB, int(ColumnFlag.NULLABLE | ColumnFlag.BINARY), "blob"),
        Column("u", ColumnType.INT, int(ColumnFlag.NULLABLE | ColumnFlag.UNSIGNED), "int(10) unsigned zerofill"),
    ]
    events = [insert({"e": 2, "d": "1.20", "b": b"\xff", "u": 7}, columns)]
    batch, report = tidewire.transcode(Events.of(events).columns, "canal-json", "simple")
    assert not report.losses.keys() - {("columns", "new", "are in another order")}
    table = next(one.table_after for one in simple.decode_batch(batch.column("value")) if isinstance(one, Bootstrap))
    assert table is not None
    assert [one.mysql_type for one in table.row_columns()] == [one.mysql_type for one in columns]
    assert table.handle_key == ()


def test_a_unique_key_identifies_rows() -> None:
    columns = [Column("u", ColumnType.INT, int(ColumnFlag.HANDLE_KEY | ColumnFlag.UNIQUE_KEY)), NAME]
    batch, report = tidewire.transcode(Events.of([insert({"u": 1, "name": "a"}, columns)]).columns, "craft", "simple")
    assert not report.losses.keys() - {("columns", "new", "are in another order")}
    table = next(one.table_after for one in simple.decode_batch(batch.column("value")) if isinstance(one, Bootstrap))
    assert table is not None
    assert (table.primary_key, table.handle_key) == ((), ("u",))


SQL = "create table s.t (id bigint primary key, name varchar(20), state enum('new','paid'))"
FULL = [ID, NAME, STATE]
FULL_ROW = {"id": 1, "name": "a", "state": 2}


def test_given_tables_come_first() -> None:
    """The latest of them that is not younger than the row, and has just its columns."""
    store = TableStore()
    for version in (TS - 10, TS + 10):
        store.add_sql(SQL.replace("paid", f"paid{version - TS}"), version=version)
    events = [insert(FULL_ROW, FULL, TS + k) for k in (-11, 0, 9, 10, 11)]
    events.append(insert({"id": 1}, [ID], TS + 12))
    events.append(insert({"id": 1}, [ID], TS + 13, handle_key_only=True))
    batch, report = tidewire.transcode(Events.of(events).columns, "craft", "simple", tables=store)
    assert not report.refused
    found = list(simple.decode_batch(batch.column("value")))
    versions = [one.table_version for one in found if isinstance(one, RowChange)]
    assert versions == [TS - 11, TS - 10, TS - 10, TS + 10, TS + 10, TS + 12, TS + 10]
    assert report.derived == {
        ("table_version", "s.t, described by the columns of its rows"): 2,
        ("table_version", "s.t, described by the tables that were given"): 5,
    }
    tables = [one.table_after for one in found if isinstance(one, Bootstrap)]
    assert [one.columns[-1].labels for one in tables if one is not None] == [
        (),
        ("new", "paid-10"),
        ("new", "paid10"),
        (),
    ]


def test_a_given_table_without_a_version_gets_one() -> None:
    store = TableStore()
    store.add_sql(SQL)
    batch, _ = tidewire.transcode(
        Events.of([insert(FULL_ROW, FULL), insert(FULL_ROW, FULL, TS + 1)]).columns, "craft", "simple", tables=store
    )
    found = list(simple.decode_batch(batch.column("value")))
    assert [one.kind for one in found] == ["bootstrap", "insert", "insert"]
    assert [one.table_version for one in found if isinstance(one, RowChange)] == [TS, TS]


def test_given_tables_are_what_simple_is_read_by() -> None:
    store = TableStore()
    (table,) = store.add_sql(SQL, version=7)
    rows_only = [insert(FULL_ROW, table.row_columns(), table_version=7)]
    values = [one.value for one in simple.encode(rows_only)]
    _, report = tidewire.transcode(values, "simple", "craft")
    assert [type(one) for one in report.errors] == [MissingTableError]
    for target in ("craft", "simple"):
        batch, report = tidewire.transcode(values, "simple", target, tables=store)
        assert (batch.num_rows, report.errors, report.derived) == (1, [], {})
    assert report.whole
    other = table.replaced(comment="other"), table.replaced(comment="another")
    with pytest.raises(ContradictionError):
        tidewire.transcoder("craft", "simple", tables=other)


def test_statements_and_watermarks_need_no_table() -> None:
    events = [Watermark(TS), Ddl(TS, "s", "t", None, "create table t (id int)", ddl_class="CREATE")]
    batch, report = tidewire.transcode(Events.of(events).columns, "canal-json", "simple")
    assert batch.num_rows == 2
    assert {tuple(loss)[:2] for loss in report.losses} == {("table", "s.t")}


@pytest.mark.once
@pytest.mark.parametrize("count", [20_000])
def test_many_layouts_of_one_table(count: int) -> None:
    """Whoever sends such rows costs no more than their number."""
    events = [insert({f"c{k}": 1}, [Column(f"c{k}", ColumnType.INT, 0)]) for k in range(count)]
    batch, report = tidewire.transcode(Events.of(events).columns, "craft", "simple")
    assert (batch.num_rows, report.refused) == (2 * count, [])


# --- the command ----------------------------------------------------------------------------------------------------


def test_the_command_takes_tables(tmp_path: Path) -> None:
    store = TableStore()
    store.add_sql(SQL, version=TS)
    save_tables(store, tmp_path / "tables.jsonl")
    (message,) = craft.encode([insert(FULL_ROW, FULL)])
    assert message.value is not None
    run = ["transcode", "craft", "simple", "--hex", message.value.hex(), "--tables", str(tmp_path / "tables.jsonl")]
    result = CliRunner().invoke(app, run, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    assert "described by the tables that were given" in result.stderr
    assert len([json.loads(line) for line in result.stdout.splitlines()]) == 2
    (tmp_path / "bad.jsonl").write_text('{"kind":"bootstrap"}\n')
    result = CliRunner().invoke(app, [*run[:-1], str(tmp_path / "bad.jsonl")], env={"COLUMNS": "160"})
    assert result.exit_code == 2
    assert "bad.jsonl:1" in result.stderr


def test_canal_json_reads_what_was_simple() -> None:
    """With labels and lengths, which Simple's descriptions have."""
    store = TableStore()
    (table,) = store.add_sql(SQL, version=7)
    events = [Bootstrap(0, "s", "t", table_after=table), insert(FULL_ROW, table.row_columns(), table_version=7)]
    values = [one.value for one in simple.encode(events)]
    full = {"enable-tidb-extension": "true", "content-compatible": "true"}
    batch, _ = tidewire.transcode(values, "simple", "canal-json", target_options=full)
    (event,) = canal_json.decode(batch.column("value")[0].as_py(), None, canal_json.Options(content_compatible=True))
    assert isinstance(event, RowChange)
    assert [column.mysql_type for column in event.columns or ()] == [one.mysql_type for one in table.row_columns()]
