"""From messages to tables: histories in messages of protocols are applied, and published tables equal the source."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tidewire.spark.sync.batches import BatchDone
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.native.engine import NativeEngine
from tidewire.spark.sync.publish import Published, snapshot
from tidewire.spark.sync.rehearsal.encoded import SCHEMA, START, Files
from tidewire.spark.sync.rehearsal.histories import History
from tidewire.spark.sync.rehearsal.kills import POINTS
from tidewire.spark.sync.rehearsal.source import Truth
from tidewire.spark.sync.run import Sync, sync
from tidewire.spark.sync.staged_files import FOLDER
from tidewire.spark.sync.state import identity
from tidewire.spark.sync.storage import Local
from tidewire.spark.sync.targets.confs import java
from tidewire.spark.sync.targets.iceberg import IcebergTable

_numbers: Iterator[int] = iter(range(1000))


def quiet(history: History) -> bool:
    """Whether all of it can be read and followed, and tables have primary keys."""
    if "u" in history.columns:
        return False
    return not (history.waits or history.parks or history.late or history.resets or history.grown)


def seeds(count: int, wanted: Callable[[History], bool], first: int = 0) -> list[int]:
    found: list[int] = []
    while len(found) < count:
        if quiet(history := History(first, 24)) and wanted(history):
            found.append(first)
        first += 1
    return found


def has_ddl(history: History) -> bool:
    kinds = {one.actions[0].kind for one in history.log if not hasattr(one, "changes")}
    return len(kinds) > 3 and not history.moves


class Case:
    """A history that is kept current."""

    def __init__(
        self, spark: SparkSession, tmp: Path, seed: int, protocol: str, format: str = "parquet", engine: str = "auto"
    ) -> None:
        self.spark = spark
        self.engine = engine
        self.history = History(seed, 24)
        self.files = Files(self.history, protocol, tmp / "topic")
        self.protocol = protocol
        self.tmp = tmp
        self.state = str(tmp / "state")
        self.into = f"{format}:{tmp}/lake/{{schema}}/{{table}}"
        if format == "iceberg":
            self.into = f"iceberg:ice.n{next(_numbers)}_{{schema}}.{{table}}"
        self.compared: set[int] = set()
        last = self.history.sent[-1][0]
        assert isinstance(last, int)
        self.last = START + last
        """The last watermark."""

    def sync(self, said: Callable[[BatchDone], None] | None = None, **options: Any) -> Sync:
        mode = "lenient" if self.history.lenient else "evolve"
        return sync(
            self.spark,
            lambda spark: (
                spark.readStream.schema(SCHEMA)
                .option("maxFilesPerTrigger", 1)
                .option("pathGlobFilter", "*.json")
                .json(str(self.files.folder))
            ),
            self.protocol,
            into=self.into,
            state=self.state,
            options={
                "schemaChanges": mode,
                "partitions": self.files.partitions,
                "threads": 2,
                "engine": self.engine,
                **options,
            },
            said=said,
        )

    def lose_last_commits(self) -> bool:
        """Takes the file of its last commit away from each table that the newest batch wrote, as a crash of the machine
        can; not of Iceberg, where the renaming of one file is the whole commit.
        """
        of = identity(self.state)
        newest = Manifests(self.state, of.source).newest()
        every = Published(self.state).resolved()
        tables = Published(self.state).read(every[-1]).tables if every else {}
        written = [name for name, one in tables.items() if one.position.ts == newest.resolved > newest.before]
        lost = False
        for name in written:
            folder = self.tmp / "lake" / name.replace(".", "/")
            delta = folder / "_delta_log"
            commits = delta if delta.exists() else folder / "commits"
            last = max((path.name for path in commits.glob("*.json")), default=None) if commits.exists() else None
            if last is not None and int(last.removesuffix(".json")) > 0:
                for path in commits.glob(f"*{last.removesuffix('.json')}*"):
                    path.unlink()
                lost = True
        java(self.spark).org.apache.spark.sql.delta.DeltaLog.clearCache()
        return lost

    def compare(self) -> None:
        """Every published version against the truth at its TSO."""
        truth = Truth(self.history.log, self.history.lenient, self.history.columns)
        for resolved in Published(self.state).resolved():
            truth.advance(resolved - START)
            if resolved not in self.compared:
                self.compared.add(resolved)
                self._compare(resolved, truth)

    def _compare(self, resolved: int, truth: Truth) -> None:
        found = snapshot(self.spark, self.state, resolved)
        assert (found.resolved, found.parked) == (resolved, {})
        for name, true in truth.tables.items():
            columns, rows = true.shown()
            if name not in found:
                assert not rows, f"{name} is not published at {resolved - START}"
                continue
            frame = found[name]
            if not self.history.lenient:
                assert set(frame.columns) == columns
            there = {row["id"]: {one: row[one] for one in columns} for row in frame.collect()}
            assert there == rows, f"{name} at {resolved - START}"
        assert all(name in truth.tables or not found[name].count() for name in found)


LONG = os.environ.get("HYPOTHESIS_PROFILE") == "exhaustive"
CASES = [
    (protocol, seed)
    for i, protocol in enumerate(("canal-json", "open-protocol", "craft", "simple", "debezium")[: 5 if LONG else 2])
    for seed in (seeds(10, has_ddl) if LONG else seeds(2, has_ddl)[i : i + 1])
]


@pytest.mark.parametrize(("protocol", "seed"), CASES)
def test_every_published_version_is_the_source(spark: SparkSession, tmp_path: Path, protocol: str, seed: int) -> None:
    case = Case(spark, tmp_path, seed, protocol)
    for number in range(len(case.history.batches)):
        case.files.write(number)
    case.sync().once()
    case.compare()
    assert case.compared
    assert max(case.compared) == case.last


def _shape(history: History) -> bool:
    """Statements, and a resolved ts in several batches."""
    return has_ddl(history) and not history.lenient and len(history.batches) == 3 and len(history.partitions) == 1


CRASHED = seeds(1, _shape)[0]


class CrashError(Exception):
    """The process died."""


def _once(patch: pytest.MonkeyPatch, of: Any, name: str, after: bool) -> None:
    """The next call of a function dies, before or after it does what it does."""
    was = getattr(of, name)
    calls = iter((True,))

    def dies(*args: Any, **named: Any) -> Any:
        if not next(calls, False):
            return was(*args, **named)
        if after:
            was(*args, **named)
        raise CrashError(name)

    patch.setattr(of, name, dies)


OF_WORKERS: dict[str, list[tuple[Any, str, bool]]] = {
    "iceberg": [(NativeEngine, "merge", False), (IcebergTable, "add", True)],
    "delta": [(NativeEngine, "merge", False), (NativeEngine, "merge", True)],
}
"""And where workers merge: before their job; with a table of which nothing was told."""


@pytest.mark.parametrize(
    ("format", "engine"),
    [("parquet", "merge"), ("iceberg", "merge"), ("iceberg", "native"), ("delta", "merge"), ("delta", "native")],
)
def test_it_goes_on_after_a_crash_at_any_point(
    spark: SparkSession, tmp_path: Path, format: str, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(spark, tmp_path, CRASHED, "canal-json", format, engine)
    died = 0
    base = [(one.owner(), one.call, one.after) for one in POINTS]
    every = [*base[:4], *(OF_WORKERS[format] if engine == "native" else ()), *base[4:]]
    points = list(every)
    for number in range(len(case.history.batches)):
        case.files.write(number)
        for of, name, after in list(points):
            with monkeypatch.context() as patch:
                _once(patch, of, name, after)
                try:
                    case.sync(threads=1).once()
                    break  # the batch is done without coming there
                except CrashError:
                    points.remove((of, name, after))
                    died += 1
        case.sync(threads=1).once()
        case.compare()
        if case.lose_last_commits():
            case.sync(threads=1).once()
            case.compared.clear()
            case.compare()
    assert case.compared
    assert died == len(every)
    assert max(case.compared) == case.last


def test_a_full_disk_ends_it_and_it_goes_on(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever there is no room: for staged files, or for each of the files that the driver creates."""
    case = Case(spark, tmp_path, CRASHED, "canal-json")
    for number in range(len(case.history.batches)):
        case.files.write(number)
    staged = tmp_path / "state" / FOLDER
    case.sync()
    staged.symlink_to("/dev/full")
    with pytest.raises(StateError, match=r"cannot be written \(.*\): make room or give access"):
        case.sync().once()
    staged.unlink()
    was, link = Local.create, os.link
    left, allowed = 0, 0
    ends = set()

    def create(self: Local, path: str, text: str) -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            # a device without room, in place of the file
            monkeypatch.setattr(os, "link", _no_room)
        return was(self, path, text)

    monkeypatch.setattr(Local, "create", create)
    said = "No space left on device"
    while said:
        left = allowed
        said = ""
        try:
            case.sync(threads=1).once()
        except StateError as error:
            said = str(error)
            allowed += 3
        monkeypatch.setattr(os, "link", link)
        case.compare()
        ends.add(said.partition(" cannot be written ")[2])
    assert ends == {"", _NO_ROOM}
    assert allowed > 3
    assert max(case.compared) == case.last


_NO_ROOM = (
    "(No space left on device): make room or give access, and start again; what was done counts, and the rest is done"
    " then"
)


def _no_room(*_: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
