"""Descriptions of tables on the command line and in files: saved, loaded, printed as SQL."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables.described import simple_descriptions, tables
from typer.testing import CliRunner

from tidewire.cli.eventjson import EventJsonError, to_json
from tidewire.cli.main import app
from tidewire.cli.tables import load_tables, save_tables
from tidewire.events import Bootstrap, Ddl, Event, RowChange
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import ContradictionError
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

ID = ColumnDescription("id", "int", length=11, nullable=False, charset="binary")
FIRST = TableDescription("shop", "orders", [ID], [IndexDescription("primary", ("id",), True, True, False)], 8, 5)
SECOND = FIRST.replaced(columns=(ID, ColumnDescription("it's", "varchar", length=9, charset="utf8mb4")), version=6)
ROW = RowChange("insert", 1, "shop", "orders", {"id": 1}, columns=[Column("id", 3, 11)])
BOTH = Ddl(2, "shop", "orders", 5, "alter", table_after=SECOND, table_before=FIRST)


def event_file(path: Path, *events: Event) -> Path:
    path.write_text("".join(json.dumps(to_json(one)) + "\n" for one in events), "utf-8")
    return path


def bootstrap(table: TableDescription) -> Bootstrap:
    return Bootstrap(0, "shop", "orders", table_after=table)


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["schema", *arguments], env={"COLUMNS": "60"})
    return result.exit_code, result.stdout, result.stderr


def test_a_store_is_saved_and_loaded(tmp_path: Path) -> None:
    store = TableStore(one for _, one in simple_descriptions())
    path = tmp_path / "tables.jsonl"
    path.write_text("replaced")
    save_tables(store, path)
    assert [found.name for found in tmp_path.iterdir()] == ["tables.jsonl"]
    assert load_tables(path) == store
    packed = tmp_path / "tables.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert load_tables(packed, TableStore([FIRST])) == TableStore([FIRST, *store])


@given(st.lists(tables(), max_size=3, unique_by=lambda one: (one.schema, one.table, one.version)))
def test_whatever_is_described_survives_a_file(
    tmp_path_factory: pytest.TempPathFactory, found: list[TableDescription]
) -> None:
    path = tmp_path_factory.mktemp("store") / "tables.jsonl"
    save_tables(TableStore(found), path)
    assert list(load_tables(path)) == found


def test_other_events_of_a_file_are_passed_over(tmp_path: Path) -> None:
    path = event_file(tmp_path / "events.jsonl", ROW, BOTH, ROW)
    assert list(load_tables(path)) == [FIRST, SECOND]
    path.write_text("\n" + json.dumps({"kind": "ddl"}) + "\n")
    with pytest.raises(EventJsonError, match=r"events.jsonl:2: commit_ts is missing"):
        load_tables(path)
    other = FIRST.replaced(columns=(ColumnDescription("id", "bigint"),))
    event_file(path, bootstrap(FIRST), bootstrap(other))
    with pytest.raises(ContradictionError, match="there it is 'int', here 'bigint'"):
        load_tables(path)


def test_a_file_of_messages_is_no_file_of_events(tmp_path: Path) -> None:
    path = tmp_path / "messages.jsonl"
    path.write_text('{"version":1,"type":"WATERMARK","commitTs":5,"buildTs":6}\n')
    with pytest.raises(EventJsonError, match=r"messages.jsonl:1: this object has no `kind`, and is no event"):
        load_tables(path)
    code, out, err = run("sql", str(path))
    assert (code, out) == (2, "")
    assert err.endswith("as decode --exact prints it; of a file of messages, name the protocol with -p\n")


def test_schema_sql_prints_every_version(tmp_path: Path) -> None:
    path = event_file(tmp_path / "events.jsonl", BOTH)
    code, out, err = run("sql", str(path))
    assert (code, err) == (0, "")
    assert (
        out
        == """-- version 5, id 8
CREATE TABLE `shop`.`orders` (
  `id` int(11) NOT NULL,
  PRIMARY KEY (`id`) /*T![clustered_index] CLUSTERED */
);

-- version 6, id 8
CREATE TABLE `shop`.`orders` (
  `id` int(11) NOT NULL,
  `it's` varchar(9) CHARACTER SET utf8mb4,
  PRIMARY KEY (`id`) /*T![clustered_index] CLUSTERED */
);
"""
    )
    assert len(TableStore().add_sql(out.replace("`orders`", "x", 1))) == 2
    code, out, _ = run("sql", str(path), "--json")
    assert [TableDescription.from_json(one) for one in json.loads(out)] == [FIRST, SECOND]


def test_hostile_names_are_escaped_and_said_to_be(tmp_path: Path) -> None:
    hostile = TableDescription(None, "a`\x1b[31m;--", [ColumnDescription("b\u202e", "int")])
    path = event_file(tmp_path / "events.jsonl", bootstrap(hostile))
    code, out, _ = run("sql", str(path))
    assert code == 0
    assert out.startswith("-- escaped to be seen: --json has its names as they are\nCREATE TABLE `a``")
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert max(map(len, out.splitlines())) <= 60
    assert TableDescription.from_json(json.loads(run("sql", str(path), "--json")[1])[0]) == hostile


def test_views_and_sequences_are_said_to_be_no_tables(tmp_path: Path) -> None:
    view = TableDescription("shop", "v", [ColumnDescription("a", "unspecified")], version=1)
    sequence = TableDescription("shop", "a\x1b", [], version=2)
    events = [bootstrap(one) for one in (view, sequence, FIRST)]
    code, out, err = run("sql", str(event_file(tmp_path / "events.jsonl", *events)))
    assert (code, err) == (0, "")
    first, table, last = out.removesuffix("\n").split("\n\n")
    assert first == "-- version 2, shop.a\\u001b has no columns, as sequences have none"
    assert table.startswith("-- version 5, id 8\nCREATE TABLE `shop`.`orders` (\n")
    assert last == "-- version 1, shop.v is a view: its columns have no types"


def test_what_no_statement_declares_is_said(tmp_path: Path) -> None:
    columns = [ColumnDescription("id", "int"), ColumnDescription("a", "unspecified")]
    other = TableDescription("shop", "half", columns, version=1)
    code, out, err = run("sql", str(event_file(tmp_path / "events.jsonl", bootstrap(other), bootstrap(FIRST))))
    assert code == 1
    assert out.startswith("-- version 5, id 8\n")
    assert "no statement declares a column of type 'unspecified'" in " ".join(err.split())


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (None, "schema sql needs a file with events that describe tables"),
        ([], "no event describes a table"),
        ([to_json(ROW)], "no event describes a table"),
        ([{"kind": "ddl"}], "commit_ts is missing"),
        (["x"], "a line is a JSON object: an event"),
    ],
)
def test_files_without_descriptions_are_said_to_be(tmp_path: Path, lines: list[object] | None, sentence: str) -> None:
    path = tmp_path / "e.jsonl"
    if lines is not None:
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    code, _, err = run("sql", *([] if lines is None else [str(path)]))
    assert code != 0
    assert sentence in " ".join(err.split())


def test_messages_of_protocols_without_descriptions_have_none(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text('{"id":0,"database":"s","table":"t","isDdl":true,"type":"QUERY","es":1,"ts":1,"sql":"x"}\n')
    code, _, err = run("sql", str(path), "--protocol", "canal-json")
    assert code != 0
    assert "no event describes a table" in " ".join(err.split())
