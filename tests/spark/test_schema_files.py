"""The files of option schemaLocation: names, contents, and concurrent writers."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables.described import tables

from tidewire import simple
from tidewire.cli.tables import load_tables, save_tables
from tidewire.events import Bootstrap
from tidewire.runtime.errors import ContradictionError, MissingTableError, OptionError
from tidewire.spark.known_tables import DescriptionsTask, FileTables
from tidewire.spark.options import read_options
from tidewire.spark.schema_files import SchemaFiles, UnreadSchemaError, description, file_name, line
from tidewire.tables import ColumnDescription, TableDescription, TableStore

TEXTS = st.one_of(st.text(), st.text("./\\%~-*?[]{}:\0\n aA_é"), st.text("é", min_size=100))
HOSTILE = (
    ("..", ".."),
    ("../../etc", "passwd"),
    ("/etc", "/passwd"),
    ("a.b", "c"),
    ("a", "b.c"),
    ("%2E%2E", "con"),
    ("s", "T"),
    ("s", "t"),
    ("s" * 64, "表" * 64),
    ("s" * 64, "表" * 63 + "x"),
    ("*", "[a]?{b}"),
    ("s\n", "t\0"),
    ("", "t"),
    (None, "t"),
    ("-", "t"),
    ("c:\\", "~"),
)


def table(schema: str | None = "s", name: str = "t", version: int | None = 5, kind: str = "int") -> TableDescription:
    return TableDescription(schema, name, [ColumnDescription("id", kind)], version=version)


@given(st.none() | TEXTS, TEXTS, st.none() | st.integers(0, 2**64 - 1))
def test_no_name_leaves_the_place(schema: str | None, name: str, version: int | None) -> None:
    found = file_name(schema, name, version)
    assert len(found) < 255
    assert set(found) <= set("abcdefghijklmnopqrstuvwxyz0123456789_ABCDEF%~-.")
    assert not found.startswith(".")
    assert found.count(".") == 3


@given(*[st.tuples(st.none() | TEXTS, TEXTS, st.none() | st.integers(0, 9))] * 2)
def test_no_two_tables_share_a_file(one: Any, other: Any) -> None:
    assert (file_name(*one).lower() == file_name(*other).lower()) == (one == other)


def test_hostile_names_are_files_of_the_place(tmp_path: Path) -> None:
    place = tmp_path / "place"
    files = SchemaFiles(str(place))
    for schema, name in HOSTILE:
        files.write(table(schema, name))
    assert [path.name for path in tmp_path.iterdir()] == ["place"]
    assert all(path.is_file() for path in place.iterdir())
    assert len(list(place.iterdir())) == len(HOSTILE)
    for schema, name in HOSTILE:
        assert SchemaFiles(str(place)).read(schema, name, 5) == table(schema, name)
        assert files.read(schema, name, 6) is None


@given(tables())
def test_a_line_is_a_description(one: TableDescription) -> None:
    assert description(line(one)) == one


def test_a_file_is_an_event_file_of_the_command_line(tmp_path: Path) -> None:
    one = table()
    SchemaFiles(str(tmp_path / "place")).write(one)
    (path,) = (tmp_path / "place").iterdir()
    assert path.name == "s.t.5.json"
    assert list(load_tables(path)) == [one]
    save_tables(TableStore([one]), tmp_path / "saved.jsonl")
    assert path.read_bytes() == (tmp_path / "saved.jsonl").read_bytes()


@pytest.mark.parametrize("url", ["{}", "memory://{}"])
def test_one_of_many_writers_wins(tmp_path: Path, url: str) -> None:
    place = url.format(tmp_path / "place")
    ones = [table(kind=kind) for kind in ("int", "bigint") * 8]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda one: SchemaFiles(place).write(one), ones))
    assert len({*found}) == 1
    assert SchemaFiles(place).read("s", "t", 5) == found[0]
    if "://" not in url:
        assert [path.name for path in (tmp_path / "place").iterdir()] == ["s.t.5.json"]


def test_tasks_that_describe_a_version_otherwise_are_told_of_both(tmp_path: Path) -> None:
    one, other = (FileTables(SchemaFiles(str(tmp_path))) for _ in range(2))
    assert one.add(table())
    assert not other.add(table())
    with pytest.raises(ContradictionError, match="there it is 'int', here 'bigint'"):
        other.add(table(kind="bigint"))
    late = FileTables(SchemaFiles(str(tmp_path)))
    with pytest.raises(ContradictionError, match="there it is 'int', here 'bigint'"):
        late.add(table(kind="bigint"))
    assert late.find("s", "t", 5) == table()


def test_what_was_missed_is_looked_for_once_in_a_batch_and_again_in_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    read = SchemaFiles.read

    def counted(self: SchemaFiles, *key: Any) -> TableDescription | None:
        asked.append(key)
        return read(self, *key)

    monkeypatch.setattr(SchemaFiles, "read", counted)
    known = FileTables(SchemaFiles(str(tmp_path)))
    for _ in range(3):
        with pytest.raises(MissingTableError, match=f"nor a file below {tmp_path}"):
            known.find("s", "t", 5)
    assert len(asked) == 1
    SchemaFiles(str(tmp_path)).write(table())
    known.batch_done()
    for _ in range(3):
        assert known.find("s", "t", 5) == table()
    assert len(asked) == 2


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"table_after":{}}', '{"table_after":5}', "\xff", "[" * 100_000]
)
def test_a_damaged_file_is_said_and_not_replaced(tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "s.t.5.json").write_bytes(text.encode("latin-1"))
    files = SchemaFiles(str(tmp_path))
    with pytest.raises(UnreadSchemaError, match=r"s\.t\.5\.json holds no description of a table: .*delete it"):
        files.read("s", "t", 5)
    known = FileTables(files)
    with pytest.raises(MissingTableError, match="holds no description of a table"):
        known.find("s", "t", 5)
    # who brings the description does not need the file
    assert known.add(table())
    assert known.find("s", "t", 5) == table()
    assert not known.add(table())
    assert [one.getMessage().count("holds no description of a table") for one in caplog.records] == [1]
    assert "delete it" in caplog.records[0].getMessage()
    again = FileTables(files)
    assert again.add(table())
    assert (tmp_path / "s.t.5.json").read_bytes() == text.encode("latin-1")


def test_a_file_of_another_table_is_said(tmp_path: Path) -> None:
    (tmp_path / "s.t.5.json").write_bytes(line(table(name="u")))
    with pytest.raises(UnreadSchemaError, match=r"describes version 5 of 's'\.'u', and has the name of another one"):
        SchemaFiles(str(tmp_path)).read("s", "t", 5)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match=r"schemaLocation: .*/file/s\.t\.5\.json cannot be written: \w+"):
        SchemaFiles(str(tmp_path / "file")).write(table())


def test_secrets_of_a_url_are_in_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    files = SchemaFiles("memory://me:hush@host/place")

    class Refusing:
        def __getattr__(self, name: str) -> Any:
            raise PermissionError("403 for memory://me:hush@host/place, password hush")

    monkeypatch.setattr(files, "_storage", Refusing())
    calls: list[Callable[[], object]] = [lambda: files.read("s", "t", 5), lambda: files.write(table())]
    for call in calls:
        with pytest.raises((UnreadSchemaError, OptionError), match=r"memory://host/place/s\.t\.5\.json") as caught:
            call()
        assert "hush" not in str(caught.value)
        assert "403 for" in str(caught.value)


def test_a_first_look_reads_what_may_describe_a_table_only() -> None:
    options = read_options("simple", {}, "UTC")
    task = DescriptionsTask("simple", options, pa.schema([("line", pa.binary())]))
    event = Bootstrap(None, "s", "t", 1, table_after=table())
    (message,) = simple.encode([event])
    assert message.value is not None
    escaped = message.value.replace(b'"tableSchema"', rb'"table\u0053chema"')
    rows = [b'{"version":1,"type":"INSERT","data":{"x":"a tableSchema"}}', b"\xff", None, b""]
    for values, described in (([*rows, message.value], 1), ([*rows, escaped], 1), (rows, 0)):
        batch = pa.record_batch([pa.array(values, pa.binary())], ["value"])
        assert sum(found.num_rows for found in task([batch])) == described
        assert task._may_describe(batch.column("value")).to_pylist() == [False] * 4 + [True] * described
    packed = replace(options, codec=(("large-message-handle-compression", "snappy"),))
    taken = DescriptionsTask("simple", packed, task.schema)._may_describe(pa.array(rows, pa.binary()))
    assert taken.to_pylist() == [True, True, False, True]
