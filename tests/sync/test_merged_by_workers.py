"""What a worker does with the changes of one Delta table, without Spark."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from pyarrow import parquet

from tidewire.spark.options import read_options
from tidewire.spark.sync.changelog import DELETE_RANK, UPSERT_RANK, Position
from tidewire.spark.sync.native import delta
from tidewire.spark.sync.native import last_changes as last_changes_module
from tidewire.spark.sync.native.delta import merge
from tidewire.spark.sync.native.iceberg import FIELD_ID, DataFile, DataFiles, write
from tidewire.spark.sync.native.last_changes import last_changes
from tidewire.spark.sync.native.work import MOST_CHANGES, Decoding, Left, Merged, Unsuited, Work
from tidewire.spark.sync.shapes import METADATA

OWNER = "shop/1"
COLUMNS = pa.schema([("id", pa.int64()), ("v", pa.int32()), ("note", pa.utf8())])
Changes = Sequence[tuple[Any, ...]]


def staged(folder: Path, name: str, changes: Changes, columns: pa.Schema = COLUMNS) -> str:
    """A staged file: changes of (change type, commit ts, values)."""
    path = str(folder / f"{name}.parquet")
    given = {field.name: [one[2 + at] for one in changes] for at, field in enumerate(columns)}
    ranks = [DELETE_RANK if one[0] == "delete" else UPSERT_RANK for one in changes]
    table = pa.table(given, schema=columns)
    table = table.append_column("_change_type", pa.array([one[0] for one in changes], pa.utf8()))
    table = table.append_column("_commit_version", pa.array([one[1] for one in changes], pa.int64()))
    parquet.write_table(table.append_column("_commit_rank", pa.array(ranks, pa.int32())), path)
    return path


def made(place: Path, rows: pa.Table) -> str:
    """A table of the synchronisation at 20. delta-rs writes no properties of others, and keeps those that are there."""
    write_deltalake(place, rows, commit_properties=CommitProperties(app_transactions=[Transaction(OWNER, 20)]))
    log = place / "_delta_log" / f"{0:020d}.json"
    log.write_text(log.read_text().replace('"configuration":{}', '"configuration":{"tidewire.table":"shop/1"}'))
    return str(place)


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A table at 20 with (1, 1, a) and (2, 2, b)."""
    return made(
        tmp_path / "table", pa.table({"id": [1, 2], "v": [1, 2], "note": ["a", "b"]}, schema=COLUMNS)
    )


def work(place: str, *paths: str, at: int = 20, to: int = 30, keys: Sequence[str] = ("id",)) -> Work:
    names = [name for path in paths for name in parquet.read_schema(path).names if name not in METADATA]
    decoding = Decoding("canal-json", read_options("canal-json", {}, "UTC"), "shop.t", {})
    given = tuple(dict.fromkeys(names)), tuple(keys)
    return Work("1", place, OWNER, paths, (), decoding, at, to, *given, Position(at), Position(to))


def rows(place: str) -> list[tuple[Any, ...]]:
    found = pa.table(DeltaTable(place).to_pyarrow_table())
    return sorted(tuple(one.values()) for one in found.to_pylist())


def test_the_last_change_of_each_key_is_merged(table: str, tmp_path: Path) -> None:
    first = staged(
        tmp_path, "a", [("insert", 21, 3, 1, "c"), ("update", 22, 1, 5, "x"), ("delete", 23, 2, None, None)]
    )
    # the transaction at 23 deletes and inserts the key; a replay; a change that is not resolved yet
    second = staged(
        tmp_path, "b", [("insert", 23, 2, 9, "n"), ("update", 22, 1, 5, "x"), ("update", 30, 3, 7, "late")]
    )
    third = staged(tmp_path, "c", [("delete", 25, 4, None, None), ("update", 24, 3, 2, None)])
    done = merge(work(table, third, second, first))
    assert isinstance(done, Merged)
    assert rows(table) == [(1, 5, "x"), (2, 9, "n"), (3, 2, None)]
    assert DeltaTable(table).version() == done.version == 1
    assert DeltaTable(table).transaction_version(OWNER) == 30


def test_a_step_that_is_done_is_not_done_again(table: str, tmp_path: Path) -> None:
    path = staged(tmp_path, "a", [("insert", 21, 3, 1, "c")])
    first, again = merge(work(table, path)), merge(work(table, path))
    assert isinstance(first, Merged)
    assert isinstance(again, Merged)
    assert first.version == again.version


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"at": Position(19)}, "the table is at another position"),
        ({"at": Position(20, 1)}, "the table is at another position"),
        ({"owner": "shop/2"}, "the table there has another owner"),
        ({"place": "/nowhere"}, "there is no such table"),
    ],
)
def test_what_is_not_as_planned_is_left(table: str, tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    path = staged(tmp_path, "a", [("insert", 21, 3, 1, "c")])
    found = merge(work(table, path)._replace(**change))
    assert isinstance(found, Left)
    assert reason in found.reason
    assert DeltaTable(table).version() == 0


def test_a_faster_writer_is_not_overwritten(table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = staged(tmp_path, "a", [("insert", 21, 3, 1, "c")])

    def meanwhile(*of: Any) -> Any:
        DeltaTable(table).delete("id = 1")
        return last_changes(*of)

    monkeypatch.setattr(delta, "last_changes", meanwhile)
    found = merge(work(table, path))
    assert isinstance(found, Left)
    assert rows(table) == [(2, 2, "b")]
    assert DeltaTable(table).transaction_version(OWNER) == 20


def test_names_and_keys_of_any_kind(tmp_path: Path) -> None:
    names = ['a "b"', "s.c0", "T`x`", "deleted", "_commit_rank_", "at", "k0"]
    kinds = [pa.binary(), pa.decimal128(20, 4), pa.timestamp("us", "UTC"), pa.utf8(), pa.date32(), pa.int8(), pa.utf8()]
    columns = pa.schema(list(zip(names, kinds, strict=True)))
    old = [b"\0\xff", Decimal("1.5000"), 5, "ä'", 3, -1, "o"]
    place = made(
        tmp_path / "table",
        pa.table({name: pa.array([value], kind) for name, value, kind in zip(names, old, kinds, strict=True)}),
    )
    path = staged(
        tmp_path, "a", [("update", 21, *old[:6], "n"), ("insert", 22, b"", *old[1:6], None)], columns
    )
    assert isinstance(merge(work(place, path, keys=names[:6])), Merged)
    assert [(one[0], one[6]) for one in rows(place)] == [(b"", None), (b"\0\xff", "n")]


def test_columns_are_those_of_the_table(tmp_path: Path) -> None:
    files = [
        staged(tmp_path, "a", [("insert", 21, 1, "x")], pa.schema([("ID", pa.int32()), ("note", pa.utf8())])),
        staged(tmp_path, "b", [("insert", 22, 2, 300)], pa.schema([("id", pa.int64()), ("v", pa.int16())])),
    ]
    found = last_changes(work("", *files), ["id"], COLUMNS)
    assert found.select(COLUMNS.names).to_pylist() == [
        {"id": 1, "v": None, "note": "x"},
        {"id": 2, "v": 300, "note": None},
    ]


@pytest.mark.parametrize(
    ("columns", "values", "reason"),
    [
        ({"id": pa.int64(), "v": pa.int64()}, (1, 1 << 40), "column v: Integer value"),
        ({"id": pa.int64(), "v": pa.utf8()}, (1, "1"), "column v is int32, and rows have string"),
        ({"id": pa.int64(), "w": pa.int32()}, (1, 1), "the table has no column w"),
        ({"id": pa.int64(), "v": pa.int32()}, (None, 1), "key column id has null in it"),
    ],
)
def test_what_only_spark_converts_is_left(
    tmp_path: Path, columns: dict[str, pa.DataType], values: tuple[Any, ...], reason: str
) -> None:
    path = staged(tmp_path, "a", [("insert", 21, *values)], pa.schema(columns))
    with pytest.raises(Unsuited, match=reason):
        last_changes(work("", path), ["id"], COLUMNS)


MOST_HELD = 768
"""MiB that a worker takes at most, as docs/limits.md says."""
WIDE = pa.schema(
    [pa.field("id", pa.int64(), True, {FIELD_ID: b"1"}), pa.field("v", pa.binary(), True, {FIELD_ID: b"2"})]
)


def _wide(ids: range) -> pa.Table:
    """Rows of 1 KiB that nothing packs."""
    data = numpy.random.default_rng(1).bytes(1024 * len(ids))
    offsets = numpy.arange(0, len(data) + 1, 1024, dtype=numpy.int32)
    values = pa.BinaryArray.from_buffers(pa.binary(), len(ids), [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    return pa.table([pa.array(ids, pa.int64()), values], schema=WIDE)


@pytest.mark.parametrize("format", ["iceberg", "delta"])
def test_a_worker_holds_no_more_than_a_page_says(tmp_path: Path, format: str) -> None:
    """With as many changes as it takes, all over a table that is as large as it takes."""
    table = _wide(range(delta.MOST_TABLE // 1100))
    place = made(tmp_path / "table", pa.table(table.columns, WIDE.names)) if format == "delta" else ""
    changes = _wide(range(0, 2 * (MOST_CHANGES // 1100), 2))
    for name, value in zip(METADATA, ("update", 21, UPSERT_RANK), strict=True):
        changes = changes.append_column(name, pa.repeat(pa.scalar(value), changes.num_rows))
    staged = tmp_path / "rows-1.parquet"
    parquet.write_table(changes, staged)
    one = work(place, str(staged))
    task: partial[Any] = partial(merge, one)
    if format == "iceberg":
        parquet.write_table(table, tmp_path / "data.parquet")
        files = (DataFile(str(tmp_path / "data.parquet"), ()),)
        task = partial(write, one, DataFiles("", str(tmp_path / "data/new"), WIDE, "zstd", files))
    (tmp_path / "task").write_bytes(pickle.dumps(task))
    del table, changes
    paths = os.pathsep.join(one for one in sys.path if one)
    command = [sys.executable, "-m", "sync.weighed_merges", str(tmp_path / "task")]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=True)
    kind, reason, before, after = done.stdout.strip("\n").split("\t")
    assert kind in ("Merged", "Written"), reason
    assert int(after) - int(before) <= MOST_HELD, (before, after)
    page = " ".join((Path(__file__).parents[2] / "docs" / "limits.md").read_text(encoding="utf-8").split())
    assert (
        f"A worker that merges takes up to {MOST_HELD} MiB: of changes {MOST_CHANGES >> 20} MiB at most, of a Delta"
        f" table {delta.MOST_TABLE >> 20} MiB."
    ) in page


def test_more_than_a_worker_takes_is_left(table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = staged(tmp_path, "a", [("insert", 21, 3, 1, "c")])
    monkeypatch.setattr(last_changes_module, "MOST_CHANGES", 10)
    found = merge(work(table, path))
    assert isinstance(found, Left)
    assert "a worker takes up to 0 at once; fewer come in a micro-batch with maxOffsetsPerTrigger" in found.reason
    monkeypatch.setattr(delta, "MOST_TABLE", 10)
    found = merge(work(table, path))
    assert isinstance(found, Left)
    assert "workers, which write files anew, take up to 0" in found.reason
