"""Changes that workers merge: the tables are those that MERGE makes, it is said what merged, and what is refused."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sync.staged_histories import START as FIRST
from sync.staged_histories import account, change
from sync.topic import Topic
from tidewire.cli.sync_status import lines_of, object_of
from tidewire.events import Ddl, Event, Watermark
from tidewire.runtime.errors import OptionError
from tidewire.spark.sync.changelog import Position, StateError
from tidewire.spark.sync.how_far import Status
from tidewire.spark.sync.native import unfit
from tidewire.spark.sync.native.engine import NativeEngine
from tidewire.spark.sync.native.work import AGAIN, Left, Merged
from tidewire.spark.sync.planned import PlannedTable
from tidewire.spark.sync.publish import Published, snapshot
from tidewire.spark.sync.run import plan
from tidewire.spark.sync.targets.iceberg import IcebergTable
from tidewire.spark.sync.targets.opened import tables_of

LAKE = ["iceberg", "delta"]
Rows = list[tuple[Any, ...]]


def into(topic: Topic, format: str, engine: str) -> str:
    place = f"{topic.tmp.name.lower().replace('[', '_').replace(']', '')}_{engine}"
    if format == "iceberg":
        return f"iceberg:ice.{place}_{{schema}}.{{table}}"
    return f"delta:{topic.tmp}/{engine}/{{schema}}/{{table}}"


def pair(kind: str, ts: int, key: tuple[int, str], n: int, old: tuple[int, str] | None = None) -> Event:
    row = None if kind == "delete" else {"a": key[0], "b": key[1], "n": n}
    before = old or (key if kind != "insert" else None)
    return change(kind, ts, "pairs", row, None if before is None else {"a": before[0], "b": before[1], "n": 0})


def merged(
    topic: Topic, format: str, engine: str, batches: Sequence[Sequence[Event]], **options: Any
) -> tuple[dict[int, dict[str, Rows]], Status]:
    """What is published, by TSO and table, and the status at the end."""
    topic.state = f"{topic.tmp}/state-{engine}"
    more: dict[str, Any] = {"into": into(topic, format, engine), "options": {"engine": engine, **options}}
    published = {}
    for batch in batches:
        found = topic.sync(topic.frame(batch), **more).once()
        at = snapshot(topic.spark, topic.state)
        published[at.resolved] = {name: sorted(map(tuple, at[name].collect())) for name in at}
    return published, found


HISTORY: list[list[Event]] = [
    [
        *(pair("insert", 1 + n, (n % 3, f"k{n} 'ä"), n) for n in range(9)),
        *(change("insert", 10 + n, "accounts", account(n)) for n in range(5)),
        pair("update", 15, (0, "k0 'ä"), 15),
        Watermark(FIRST + 20),
    ],
    [
        # a key changes, two keys swap, one goes and comes back; and all of it comes again
        pair("update", 21, (7, "moved"), 21, (1, "k1 'ä")),
        pair("update", 22, (0, "k3 'ä"), 22, (0, "k6 'ä")),
        pair("update", 22, (0, "k6 'ä"), 23, (0, "k3 'ä")),
        pair("delete", 24, (2, "k2 'ä"), 0),
        pair("insert", 25, (2, "k2 'ä"), 25),
        pair("delete", 26, (2, "k5 'ä"), 0),
        *(pair("update", 27 + n, (1, "k4 'ä"), n) for n in range(3)),
        change("update", 30, "accounts", account(3, balance="30.00"), account(3)),
        change("delete", 31, "accounts", None, account(4)),
        pair("update", 27, (1, "k4 'ä"), 0),
        Watermark(FIRST + 40),
    ],
    [
        pair("update", 21, (7, "moved"), 21, (1, "k1 'ä")),
        pair("delete", 41, (7, "moved"), 0),
        pair("delete", 42, (9, "never"), 0),
        Watermark(FIRST + 50),
    ],
]


@pytest.mark.parametrize(("format", "few"), [("iceberg", "0"), ("iceberg", "200"), ("delta", "0"), ("delta", "200")])
def test_keys_of_every_kind_are_merged_as_by_merge(topic: Topic, format: str, few: str) -> None:
    """Of several columns and of text, keys that change, and rows that are kept as messages."""
    native, found = merged(topic, format, "native", HISTORY, few=few)
    merge, other = merged(topic, format, "merge", HISTORY, few=few)
    assert native == merge
    assert [len(one["shop.pairs"]) for one in native.values()] == [9, 8, 7]
    assert found.engines == dict.fromkeys(("shop.pairs", "shop.accounts"), ("native", ""))
    assert other.engines == dict.fromkeys(("shop.pairs", "shop.accounts"), ("merge", ""))
    assert any(line.endswith(", merged by workers") for line in lines_of(found, "", False))
    assert object_of(found)["engines"]["shop.pairs"] == {"name": "native", "why": ""}


def _planned(topic: Topic, **more: Any) -> PlannedTable:
    events = [pair("insert", 1, (1, "x"), 1), Watermark(FIRST + 10)]
    (found,) = plan(topic.spark, topic.frame(events), "canal-json", state=topic.state, **more)
    return found


@pytest.mark.parametrize("format", LAKE)
def test_a_table_that_only_spark_writes_is_merged_by_spark_and_it_is_said(topic: Topic, format: str) -> None:
    """Or it waits, where only workers may merge."""
    more: dict[str, Any] = {"into": into(topic, format, "auto")}
    cdf = "it has features that workers do not write: changeDataFeed"
    reason = "the table is partitioned" if format == "iceberg" else cdf
    assert (_planned(topic, **more).engine, _planned(topic, **more).not_native) == (
        {"iceberg": "workers, position deletes", "delta": "workers, delta-rs"}[format],
        "",
    )
    found = topic.sync(topic.frame([pair("insert", 1, (1, "x"), 1), Watermark(FIRST + 10)]), **more).once()
    assert found.engines == {"shop.pairs": ("native", "")}
    there: Any = tables_of(topic.spark, more["into"]).table("shop.pairs", "")
    change_it = {
        "iceberg": f"alter table {there.ref} add partition field bucket(2, a)",
        "delta": f"alter table {there.ref} set tblproperties ('delta.enableChangeDataFeed' = 'true')",
    }
    topic.spark.sql(change_it[format])
    at = _planned(topic, **more)
    assert at.engine.startswith("MERGE")
    assert (at.not_native, at.waits) == (reason, "")
    found = topic.sync(topic.frame([pair("update", 11, (1, "x"), 2), Watermark(FIRST + 20)]), **more).once()
    assert found.engines == {"shop.pairs": ("merge", reason)}
    assert any(line.endswith(f", merged by MERGE: {reason}") for line in lines_of(found, "", False))
    assert topic.rows("shop.pairs") == [(1, "x", 2)]
    # only workers may
    more["options"] = {"engine": "native"}
    assert _planned(topic, **more).waits == f"{reason}, and engine: native was chosen"
    found = topic.sync(topic.frame([pair("update", 21, (1, "x"), 3), Watermark(FIRST + 30)]), **more).once()
    waits = found.parked["shop.pairs"]
    assert waits.reason == f"engine: native was chosen, and workers do not merge its changes: {reason}"
    assert topic.rows("shop.pairs") == [(1, "x", 2)]
    more["options"] = {"engine": "auto"}
    running = topic.sync(topic.frame([Watermark(FIRST + 40)]), **more)
    running.ask("resume", "shop.pairs")
    assert running.once().parked == {}
    assert topic.rows("shop.pairs") == [(1, "x", 3)]


def test_workers_alone_are_refused_where_they_merge_nothing(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = topic.frame([pair("insert", 1, (1, "x"), 1), Watermark(FIRST + 10)])
    native: dict[str, Any] = {"options": {"engine": "native"}}
    with pytest.raises(OptionError, match="engine=native: tables of Parquet are written anew"):
        topic.sync(frame, **native)
    with pytest.raises(OptionError, match="consistency: key MERGE compares"):
        topic.sync(frame, into=into(topic, "iceberg", "k"), options={"engine": "native", "consistency": "key"})
    with pytest.raises(OptionError, match="tables in folders or in S3, and these are elsewhere"):
        topic.sync(frame, into="delta:gs://lake/{schema}/{table}", **native)
    monkeypatch.setattr(unfit, "find_spec", lambda name: None)
    delta = into(topic, "delta", "auto")
    with pytest.raises(OptionError, match=r"pip install 'tidewire\[native\]'"):
        topic.sync(frame, into=delta, **native)
    with pytest.raises(OptionError, match=r"pip install 'tidewire\[native\]'"):
        plan(topic.spark, frame, "canal-json", into=delta, state=topic.state, **native)
    assert not Path(topic.state).exists()
    found = topic.sync(frame, into=delta).once()
    assert found.engines == {"shop.pairs": ("merge", "for Delta deltalake is needed: pip install 'tidewire[native]'")}


def _files(table: IcebergTable) -> tuple[set[str], set[str]]:
    """The files of a table: those that are there, and those that its snapshots name."""
    rows = table.spark.sql(f"select file_path from {table.ref}.all_files").collect()
    named = {one[0].removeprefix("file:") for one in rows}
    folder = Path(str(table._view().location()).removeprefix("file:"), "data")
    return {str(one) for one in folder.rglob("*.parquet")}, named


def test_what_another_program_commits_meanwhile_is_kept_and_nothing_is_left(
    topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step is done once more, by workers; files that no commit names are gone."""
    more: dict[str, Any] = {"into": into(topic, "iceberg", "native"), "options": {"engine": "native"}}
    topic.sync(topic.frame([pair("insert", 1, (1, "x"), 1), Watermark(FIRST + 10)]), **more).once()
    real = IcebergTable.add
    tries = []

    def late(self: IcebergTable, *given: Any) -> int:
        tries.append(_files(self))
        if len(tries) == 1:
            self.spark.sql(f"insert into {self.ref} values (5, 'theirs', 5)")
        return real(self, *given)

    monkeypatch.setattr(IcebergTable, "add", late)
    found = topic.sync(topic.frame([pair("update", 11, (1, "x"), 2), Watermark(FIRST + 20)]), **more).once()
    assert (found.parked, found.engines) == ({}, {"shop.pairs": ("native", "")})
    assert topic.rows("shop.pairs") == [(1, "x", 2), (5, "theirs", 5)]
    there = tables_of(topic.spark, more["into"]).table("shop.pairs", "")
    assert isinstance(there, IcebergTable)
    files, named = _files(there)
    assert files == named
    assert len(tries) == 2


def test_a_row_that_changes_often_is_deleted_once_each_time(topic: Topic) -> None:
    more: dict[str, Any] = {"into": into(topic, "iceberg", "native"), "options": {"engine": "native"}}
    for n in range(4):
        kind = "update" if n else "insert"
        events = [pair(kind, 10 * n + 1 + k, (k, "x"), n) for k in range(2)]
        topic.sync(topic.frame([*events, Watermark(FIRST + 10 * n + 9)]), **more).once()
    there = tables_of(topic.spark, more["into"]).table("shop.pairs", "")
    assert isinstance(there, IcebergTable)
    counts = topic.spark.sql(f"select record_count from {there.ref}.delete_files").collect()
    assert [one[0] for one in counts] == [2, 2, 2]


@pytest.mark.parametrize("format", LAKE)
def test_what_was_done_meanwhile_is_done_and_what_interfered_is_tried_again(
    topic: Topic, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a task is run twice, and its first run had committed."""
    more: dict[str, Any] = {"into": into(topic, format, "native"), "options": {"engine": "native"}}
    topic.sync(topic.frame([pair("insert", 1, (1, "x"), 1), Watermark(FIRST + 10)]), **more).once()
    real = NativeEngine._tried
    tries: list[dict[str, Merged | Left]] = []

    def lost(self: NativeEngine, steps: Any, known: Any) -> dict[str, Merged | Left]:
        found = real(self, steps, known)
        tries.append(found)
        return found if len(tries) > 1 else {number: Left(number, "nobody heard", AGAIN) for number in found}

    monkeypatch.setattr(NativeEngine, "_tried", lost)
    found = topic.sync(topic.frame([pair("update", 11, (1, "x"), 2), Watermark(FIRST + 20)]), **more).once()
    assert (found.parked, found.engines) == ({}, {"shop.pairs": ("native", "")})
    assert topic.rows("shop.pairs") == [(1, "x", 2)]
    first = next(iter(tries[0].values()))
    assert isinstance(first, Merged)
    (published,) = Published(topic.state).read(FIRST + 20).tables.values()
    assert (published.version, published.position) == (first.version, Position(FIRST + 20))


def test_a_delta_table_of_a_catalog_is_merged_where_the_catalog_has_it(topic: Topic) -> None:
    """Also after it was renamed, which moves its folder."""
    name = topic.tmp.name.lower().strip("_0123456789")[:20]
    more: dict[str, Any] = {"into": f"delta:{name}_{{schema}}.{{table}}", "options": {"engine": "native"}}
    topic.sync(topic.frame([pair("insert", 1, (1, "x"), 1), Watermark(FIRST + 10)]), **more).once()
    columns = change("insert", 1, "pairs", {}).columns
    events = [
        pair("update", 11, (1, "x"), 2),
        Ddl(FIRST + 12, "shop", "pairs", 14, "RENAME TABLE shop.pairs TO shop.couples"),
        change("update", 13, "couples", {"a": 1, "b": "x", "n": 3}, {"a": 1, "b": "x", "n": 2}, columns=columns),
        Watermark(FIRST + 20),
    ]
    found = topic.sync(topic.frame(events), **more).once()
    assert (found.parked, found.engines) == ({}, {"shop.couples": ("native", "")})
    assert topic.rows("shop.couples") == [(1, "x", 3)]
    assert topic.rows("shop.pairs", FIRST + 10) == [(1, "x", 1)]


@pytest.mark.parametrize("format", LAKE)
def test_a_history_beside_and_columns_that_come_with_rows(topic: Topic, format: str) -> None:
    place = into(topic, format, "native")
    more: dict[str, Any] = {"into": place, "history": place + "_changes", "options": {"engine": "native"}}
    topic.sync(topic.frame([pair("insert", 1, (1, "x"), 1), Watermark(FIRST + 10)]), **more).once()
    columns = (*change("insert", 40, "pairs", {}).columns, *change("insert", 40, "accounts", account(1)).columns[1:2])
    wide = {"a": 2, "b": "y", "n": 2, "owner": "new"}
    events = [
        pair("update", 11, (1, "x"), 5),
        pair("update", 12, (1, "x"), 6),
        change("insert", 13, "pairs", wide, columns=columns),
        Watermark(FIRST + 20),
    ]
    found = topic.sync(topic.frame(events), **more).once()
    assert (found.parked, found.engines) == ({}, {"shop.pairs": ("native", "")})
    assert topic.rows("shop.pairs") == [(1, "x", 6, None), (2, "y", 2, "new")]
    there = tables_of(topic.spark, more["history"]).table("shop.pairs", "any/0")
    kinds = [one["_change_type"] for one in there.read(there.version()).orderBy("_commit_version").collect()]
    assert kinds == ["insert", "update_postimage", "update_postimage", "insert"]


def test_a_file_of_the_state_that_is_gone_ends_it(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    """With workers alone it is not their table that has to wait."""
    more: dict[str, Any] = {"into": into(topic, "delta", "native"), "options": {"engine": "native", "few": "0"}}
    topic.sync(topic.frame([pair("insert", 1, (1, "x"), 1), Watermark(FIRST + 10)]), **more).once()
    real = NativeEngine._tried

    def lost(self: NativeEngine, *given: Any) -> dict[str, Merged | Left]:
        for path in Path(topic.state, "staged").rglob("rows-*.parquet"):
            os.unlink(path)
        return real(self, *given)

    monkeypatch.setattr(NativeEngine, "_tried", lost)
    running = topic.sync(topic.frame([pair("update", 11, (1, "x"), 2), Watermark(FIRST + 20)]), **more)
    with pytest.raises(StateError, match=r"is missing: it belongs to the state"):
        running.once()


def test_spark_reads_and_alters_a_partitioned_table_of_delta_from_checkpoints_of_workers(topic: Topic) -> None:
    """Rows go from partition to partition, and commits before the newest checkpoint are gone."""
    more: dict[str, Any] = {"into": into(topic, "delta", "native"), "options": {"engine": "native"}}
    texts = ["x", "ä=/%' {}", "y"]
    events = [pair("insert", 1 + n, (n, text), n) for n, text in enumerate(texts)]
    topic.sync(topic.frame([*events, Watermark(FIRST + 10)]), **more).once()
    there: Any = tables_of(topic.spark, more["into"]).table("shop.pairs", "")
    properties: dict[str, str] = dict(topic.spark.sql(f"show tblproperties {there.ref}").collect())
    kept = ("tidewire.table", "delta.enableDeletionVectors", "delta.columnMapping.mode")
    of = {**{name: properties[name] for name in kept}, "delta.checkpointInterval": "3"}
    given = ", ".join(f"'{name}' = '{value}'" for name, value in of.items())
    parts = f"using delta partitioned by (b, n) tblproperties ({given})"
    topic.spark.sql(f"replace table {there.ref} {parts} as select * from {there.ref}")
    want = {n: (n, text, n) for n, text in enumerate(texts)}
    for at in range(11, 61, 10):
        key, new = at // 10 % 3, at
        events = [pair("update", at, (key, texts[key]), new), pair("insert", at + 1, (at, texts[1]), 1)]
        want |= {key: (key, texts[key], new), at: (at, texts[1], 1)}
        found = topic.sync(topic.frame([*events, Watermark(FIRST + at + 9)]), **more).once()
        assert (found.parked, found.engines) == ({}, {"shop.pairs": ("native", "")})
    log = Path(there.path, "_delta_log")
    newest = max(log.glob("*.checkpoint.parquet")).name
    for old in [one for one in log.iterdir() if one.suffix in (".json", ".crc") and one.name < newest]:
        old.unlink()
    there._delta.DeltaLog.clearCache()
    assert topic.rows("shop.pairs") == sorted(want.values())
    columns = (*change("insert", 70, "pairs", {}).columns, *change("insert", 70, "accounts", account(1)).columns[1:2])
    events = [
        Ddl(FIRST + 61, "shop", "pairs", 3, "ALTER TABLE shop.pairs ADD COLUMN owner VARCHAR(20)"),
        change("insert", 62, "pairs", {"a": 99, "b": "z", "n": 9, "owner": "new"}, columns=columns),
        pair("delete", 63, (0, texts[0]), 0),
        Watermark(FIRST + 70),
    ]
    found = topic.sync(topic.frame(events), **more).once()
    assert (found.parked, found.engines) == ({}, {"shop.pairs": ("native", "")})
    del want[0]
    assert topic.rows("shop.pairs") == sorted([*((*one, None) for one in want.values()), (99, "z", 9, "new")])
