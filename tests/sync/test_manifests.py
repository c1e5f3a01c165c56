"""The folder of manifests: each is created once, the newest is the state, and its size depends on what is pending."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from sync.driver import Driver
from tidewire.spark.sync.changelog import (
    DeadLetter,
    Manifest,
    Outcome,
    Position,
    Request,
    Source,
    Staged,
    StagedRows,
    StateError,
    Statement,
    action_of,
    table_name,
)
from tidewire.spark.sync.file_lists import MOST, listed, needed, to_merge
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.rehearsal.histories import History
from tidewire.spark.sync.resolved import advance
from tidewire.spark.sync.rules import DEFAULT
from tidewire.spark.sync.written import read, read_list, written, written_list

SOURCE = Source("shop", "canal-json")
Opened = Callable[[], Manifests]


@pytest.fixture(params=["folder", "memory"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Opens one state, on this machine or elsewhere."""
    state = str(tmp_path / "state") if request.param == "folder" else f"memory://{tmp_path.name}"
    return lambda: Manifests(state, SOURCE)


def test_a_state_begins_empty(opened: Opened) -> None:
    assert opened().newest() == Manifest(SOURCE)


def test_of_two_writers_one_has_lost(opened: Opened) -> None:
    one, two = opened(), opened()
    first = replace(one.newest(), number=1, resolved=7)
    assert one.create(first)
    assert not two.create(replace(first, resolved=9))
    assert two.newest() == first
    assert two.create(replace(first, number=2))
    assert [one.read(number).number for number in (1, 2)] == [1, 2]


def test_a_manifest_follows_the_one_before(opened: Opened) -> None:
    of = opened()
    assert of.create(Manifest(SOURCE, 1))
    with pytest.raises(StateError, match="manifest 3 was to be written after 1: files of the state are missing"):
        of.create(Manifest(SOURCE, 3))


def test_lists_are_merged_and_garbage_is_removed(opened: Opened) -> None:
    of = opened()
    manifest = of.newest()
    for number in range(100):
        merged, without = of.merged(manifest, DEFAULT)
        rows = [StagedRows("s.a", f"f{number}", 1, 100 + number, 100 + number)]
        staged = Staged(number, tuple(rows), of.listed(rows, manifest), merged, without, {"t": {0: 50}})
        manifest = advance(manifest, staged, {"t": [0]})
        assert of.create(manifest)
        assert len(manifest.lists) < 2 * MOST
    assert [one.path for one in sorted(of.rows(manifest))] == sorted(f"f{number}" for number in range(100))
    of.collect(manifest)
    assert of.needed(manifest, DEFAULT) == {f"f{number}" for number in range(100)}
    assert opened().newest() == manifest
    assert len(of.files.names("manifests")) == 16
    assert len(of.files.names("lists")) == len(manifest.lists)
    with pytest.raises(StateError, match=r"manifests/000000000001[.]json is missing"):
        of.read(1)


def test_what_another_writer_stages_is_no_garbage(opened: Opened) -> None:
    one, two = opened(), opened()
    manifest = replace(one.newest(), number=1)
    assert one.create(manifest)
    rows = [StagedRows("s.a", "f1", 1, 100, 100)]
    listed = two.listed(rows, manifest)
    one.collect(manifest)
    assert one.needed(manifest, DEFAULT) == set()
    newer = advance(manifest, Staged(1, tuple(rows), listed), {"t": [0]})
    assert two.create(newer)
    assert two.rows(newer) == rows
    with pytest.raises(StateError, match=r"manifest 1 is not the newest of .*: another writer is at work"):
        one.collect(manifest)


class Overwriting(MemoryFileSystem):  # type: ignore[misc]
    protocol = "overwriting"

    def pipe_file(self, path: str, value: bytes, mode: str = "create", **options: object) -> None:
        super().pipe_file(path, value, mode="overwrite")


def test_a_storage_that_overwrites_is_refused() -> None:
    fsspec.register_implementation("overwriting", Overwriting, clobber=True)
    of = Manifests("overwriting://state", SOURCE)
    with pytest.raises(StateError, match="cannot create a file only if it is absent"):
        of.create(Manifest(SOURCE, 1))
    assert of.newest() == Manifest(SOURCE)


def test_a_writer_that_died_leaves_nothing_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = Manifests(str(tmp_path), SOURCE)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        of.create(Manifest(SOURCE, 1))
    assert list((tmp_path / "manifests").iterdir()) == []
    assert of.newest() == Manifest(SOURCE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no manifest: the file is damaged"),
        ("[]", "is no manifest"),
        ('{"format": 3}', "is of format 3, and this version of Tidewire reads 1 and 2:"),
        (
            '{"format": 1, "source": {"topics": "bank", "protocol": "craft"}}',
            r"is of bank \(craft\), and shop \(canal-json\) was asked for",
        ),
        ('{"format": 1, "source": {"topics": "shop", "protocol": "canal-json"}}', "is damaged"),
    ],
)
def test_a_state_of_something_else_is_refused(text: str, said: str) -> None:
    with pytest.raises(StateError, match=said):
        read(text, SOURCE, "state/manifests/000000000001.json")


@pytest.mark.parametrize("text", ["", "[]", '{"format": 1, "tables": {"s.a": [[1]]}}', '{"format": 2}'])
def test_a_damaged_list_is_refused(text: str) -> None:
    with pytest.raises(StateError, match="state/lists/1"):
        read_list(text, "state/lists/1")


def test_what_is_written_is_read() -> None:
    """For manifests of histories with everything in them, and their lists."""
    for seed in range(400):
        history = History(seed)
        history.texts = False
        driver = Driver(history).run()
        for one in driver.manifests:
            assert isinstance(one, Manifest)
            assert read(written(one), one.source, "") == one
            # a version that applies each batch at once refuses one with tables that wait
            assert json.loads(written(one))["format"] == (2 if one.hold else 1)
        for rows in driver.lists.values():
            assert isinstance(rows, list)
            assert sorted(read_list(written_list(rows), "")) == sorted(rows)


def test_two_tables_have_no_name_in_common() -> None:
    pairs = [("a", "b.c"), ("a.b", "c"), ("a", "`b.c`"), ("a`.`b", "c"), ("a", "b"), ("", "a.b"), ("a.b", "")]
    assert len({table_name(*one) for one in pairs}) == len(pairs)
    assert table_name("shop", "orders") == "shop.orders"


class Name(NamedTuple):
    schema: str
    table: str


@dataclass(frozen=True)
class Column:
    name: str
    table: Name | None = None


@dataclass(frozen=True)
class RenameTable:
    old: Name
    new: Name


@dataclass(frozen=True)
class CreateTable:
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()


def test_actions_of_statements_are_kept() -> None:
    renamed = action_of(RenameTable(Name("s", "a"), Name("s", "b.c")))
    assert (renamed.kind, renamed.get("old"), renamed.get("new")) == ("RenameTable", "s.a", "s.`b.c`")
    created = action_of(CreateTable((Column("id"),), ("a", "b")))
    assert created.get("columns") == ((("name", "id"), ("table", None)),)
    manifest = replace(Manifest(SOURCE), statements=(Statement(5, "s.a", (renamed, created), "text"),))
    assert read(written(manifest), SOURCE, "") == manifest
    assert len({renamed, created}) == 2


# ---- sizes


def grow(batches: int, tables: int, silent: bool, parked: bool = False) -> tuple[list[int], float, list[int]]:
    """Bytes of manifests, how often what is staged was written again in merged lists, and how many lists there were."""
    manifest = Manifest(SOURCE)
    lists: dict[str, list[StagedRows]] = {}
    names = [f"shop.table_{i:04d}" for i in range(tables)]
    sizes, counts = [], []
    own = again = 0
    outcomes: dict[str, Outcome] = {}
    for number in range(batches):
        ts = 1000 * (number + 1)
        many = to_merge(manifest)
        merged = None
        if many:
            kept = needed(manifest, [row for one in many for row in lists.pop(one.path)], DEFAULT)
            merged = listed(f"m{number}", kept, many[0].tier + 1)
            lists[f"m{number}"] = kept
            again += len(kept)
        rows = [StagedRows(name, f"stage/{number:08d}-{i % 3}.parquet", 10, ts, ts + 9) for i, name in enumerate(names)]
        lists[f"b{number}"] = rows
        own += len(rows)
        dead = (DeadLetter("d", "no schema", "t", 0, 1, names[0], "", 1001),) if parked and number == 0 else ()
        staged = Staged(
            number,
            tuple(rows),
            listed(f"b{number}", rows),
            merged,
            tuple(one.path for one in many),
            {"t": {0: ts + 5} if silent else {0: ts + 5, 1: ts + 5}},
            dead=dead,
            outcomes=outcomes,
        )
        manifest = advance(manifest, staged, {"t": [0, 1]})
        outcomes = {
            number: Outcome(Position(table.parked.ts if table.parked else manifest.resolved), None)
            for number, table in manifest.tables.items()
        }
        if number % 20 == 19:
            sizes.append(len(written(manifest)))
            counts.append(len(manifest.lists))
    return sizes, again / own, counts


def test_manifests_do_not_grow_with_history() -> None:
    sizes, _, counts = grow(400, 10, silent=False)
    assert max(sizes[2:]) < 1.05 * min(sizes[2:])
    assert max(counts) <= 2


def test_manifests_grow_with_the_logarithm_while_a_partition_is_silent() -> None:
    sizes, again, counts = grow(1200, 3, silent=True)
    assert max(counts) < 3 * MOST
    assert max(sizes) < 12_000
    assert again < 2


def test_a_parked_table_costs_its_own_files_alone() -> None:
    sizes, again, counts = grow(1200, 10, silent=False, parked=True)
    assert again < 0.5
    assert max(counts) < 3 * MOST
    assert max(sizes) < 12_000


def test_a_manifest_of_a_thousand_tables_is_small() -> None:
    (size,), _, _ = grow(20, 1000, silent=False)
    assert size < 150 * 1000
    assert json.loads(written(Manifest(SOURCE)))["format"] == 1


def test_requests_that_cannot_be_are_not_done_and_told() -> None:
    manifest = advance(Manifest(SOURCE), Staged(0, watermarks={"t": {0: 50}}), {"t": [0]})
    manifest = advance(
        manifest,
        Staged(1, requests=(Request("1", "resume", "s.a"), Request("2", "restart", "s.a"))),
        {"t": [0]},
    )
    assert manifest.done == ("1", "2")
    assert manifest.notes == (
        "resume s.a was not done: there is no table s.a to resume: tidewire sync status FILE names all tables",
        "restart s.a was not done: request 2 is 'restart'; there are load, resume and replay",
    )
