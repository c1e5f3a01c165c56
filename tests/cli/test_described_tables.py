"""Descriptions of tables in files: saved and loaded."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables.described import simple_descriptions, tables

from tidewire.cli.eventjson import EventJsonError, to_json
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
