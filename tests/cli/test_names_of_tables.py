"""The meaning of a table name is the same everywhere: events, counts, rows in a file, rows in Python."""

from __future__ import annotations

import os
import threading
import warnings
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from commands import events, tidewire

from tidewire import craft, read_table
from tidewire.events import Column, RowChange
from tidewire.mysql import ColumnFlag, ColumnType


def twins(folder: Path) -> Path:
    """A file of two tables that differ in case only, another of that name, and one with a dot."""
    columns = [Column("id", ColumnType.BIGINT, ColumnFlag.HANDLE_KEY)]
    named = ["shop Orders", "shop orders", "test b.1", "shop b1", "test b1", "shop orders"]
    changes = []
    for at, (schema, table) in enumerate(name.split() for name in named):
        changes.append(RowChange("insert", at << 18, schema, table, new={"id": at}, columns=columns))
    path = folder / "twins.hex"
    path.write_text(
        "".join(f"{(one.value or b'').hex()}\n" for one in craft.encode(changes, craft.Options(max_batch_size=1)))
    )
    return path


def ids(result: Any) -> list[int]:
    return [one["new"]["id"] for one in events(result)]


@pytest.mark.parametrize(
    ("name", "found"),
    [("shop.orders", [1, 5]), ("shop.Orders", [0]), ("orders", [1, 5]), ("`shop`.`Orders`", [0]), ("test.`b.1`", [2])],
)
def test_one_rule_for_names_of_tables(name: str, found: list[int], tmp_path: Path) -> None:
    path, out = twins(tmp_path), tmp_path / "rows.parquet"
    shown = tidewire("decode", "craft", path, "--table", name)
    assert (shown.exit_code, ids(shown)) == (0, found)
    counted = tidewire("decode", "craft", path, "--table", name, "--summary")
    assert f"{len(found)} event" in counted.stdout
    rows = tidewire("decode", "craft", path, "--table", name, "--to", "parquet", "--out", out)
    assert rows.exit_code == 0, rows.stderr
    assert pq.read_table(out)["id"].to_pylist() == found
    with warnings.catch_warnings(action="ignore"):
        assert read_table(path, name, "craft")["id"].to_pylist() == found
    for result in (shown, counted, rows):
        assert ("differs in case only" in result.stderr) == ("rders" in name)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("shop.ORDERS", "table shop.ORDERS: there are 2 that differ in case only, shop.Orders, shop.orders: name the"),
        ("B1", "table B1: there are 2 of that name, shop.b1, test.b1: name the one that is meant as it is spelled"),
        ("test.b.1", "a name with a dot stands in backquotes, shop.`weird.name`"),
    ],
)
def test_a_name_that_can_mean_several_tables(name: str, sentence: str, tmp_path: Path) -> None:
    path, out = twins(tmp_path), tmp_path / "rows.parquet"
    for more in ([], ["--summary"], ["--to", "parquet", "--out", out]):
        result = tidewire("decode", "craft", path, "--table", name, *more)
        assert (result.exit_code, result.stdout) == (2, "")
        assert sentence in result.stderr
        assert "(" not in result.stderr


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("tset.b1", "shop.b1"),
        ("shop.ordres", "shop.orders"),
        ("ordres", "shop.orders"),
        ("b.1", None),
        ("tset.`b.1`", "test.`b.1`"),
    ],
)
def test_what_was_probably_meant(name: str, meant: str | None, tmp_path: Path) -> None:
    path, out = twins(tmp_path), tmp_path / "rows.parquet"
    for more in ([], ["--to", "parquet", "--out", out]):
        result = tidewire("decode", "craft", path, "--table", name, *more)
        assert ("id you mean" in result.stderr) == (meant is not None)
        assert meant is None or f"id you mean {meant}?" in result.stderr
        assert result.exit_code == (2 if more else 1)


def test_of_a_pipe_all_that_a_name_can_mean(tmp_path: Path) -> None:
    text = twins(tmp_path).read_text()
    result = tidewire("decode", "craft", "-", "--table", "shop.orders", stdin=text)
    assert ids(result) == [0, 1, 5]
    assert "what is read once shows all that have this name, shop.Orders and shop.orders" in result.stderr


def test_no_more_is_looked_through_than_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tidewire.cli import decode as command

    asked: list[int] = []
    real = command.tables_of

    def counted(*given: Any) -> Any:
        for one in real(*given):
            asked.append(1)
            yield one

    monkeypatch.setattr(command, "tables_of", counted)
    monkeypatch.setattr("tidewire.reading.files.arrivals.BATCH_MESSAGES", 1)
    path = twins(tmp_path)
    assert ids(tidewire("decode", "craft", path, "--table", "shop.orders", "--limit", "1")) == [1]
    assert len(asked) < 6


def test_rows_of_a_named_pipe(tmp_path: Path) -> None:
    text, pipe, out = twins(tmp_path).read_bytes(), tmp_path / "pipe", tmp_path / "rows.parquet"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(text,))
    writer.start()
    result = tidewire("decode", "craft", pipe, "--table", "shop.orders", "--to", "parquet", "--out", out)
    writer.join()
    assert result.exit_code == 0, result.stderr
    assert pq.read_table(out)["id"].to_pylist() == [1, 5]


@pytest.mark.parametrize("name", ["shop.*", "shop.ord%", "shop.order?"])
def test_a_pattern_is_no_name(name: str, tmp_path: Path) -> None:
    path = twins(tmp_path)
    sentence = "; a name has no pattern here (only live tables are chosen by one): name one table"
    for done in (
        tidewire("decode", "craft", path, "--table", name),
        tidewire("decode", "craft", path, "--table", name, "--to", "parquet", "--out", tmp_path / "out"),
    ):
        assert sentence in done.stderr
        assert "id you mean" not in done.stderr


@pytest.mark.parametrize(
    ("name", "guess"),
    [("shop.order", "shop.orders"), ("shp.orders", "shop.orders"), ("orderz", "shop.orders"), ("shop.nosuch", "")],
)
def test_only_a_name_that_is_alike_is_guessed(name: str, guess: str, tmp_path: Path) -> None:
    done = tidewire("decode", "craft", twins(tmp_path), "--table", name)
    assert done.exit_code == 1
    assert ("id you mean" in done.stderr) == bool(guess)
    assert not guess or "Did you mean shop.orders? " in done.stderr or "Did you mean shop.Orders? " in done.stderr
