"""The Spark job in which workers merge changes into all tables, and what the driver does before and after it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pyspark.errors import PySparkException

from tidewire.spark.sync.changelog import Manifest, SourceError, StagedRows
from tidewire.spark.sync.choices import Chosen
from tidewire.spark.sync.declared import key_said
from tidewire.spark.sync.failures import sentence_of
from tidewire.spark.sync.native import delta, iceberg
from tidewire.spark.sync.native.iceberg import Written
from tidewire.spark.sync.native.unfit import unfit
from tidewire.spark.sync.native.work import (
    AGAIN,
    COLUMNS,
    FAILED,
    PLACE,
    POSITION,
    SOURCE,
    Decoding,
    Left,
    Merged,
    Unsuited,
    Work,
)
from tidewire.spark.sync.plan import Apply, Repair, Step
from tidewire.spark.sync.s3 import is_s3
from tidewire.spark.sync.shapes import Shape
from tidewire.spark.sync.staged_files import MESSAGES, ROWS, full, holds
from tidewire.spark.sync.state import Identity
from tidewire.spark.sync.steps import Steps
from tidewire.spark.sync.targets import TRIES, FenceError, Table, begins
from tidewire.spark.sync.targets.delta import DeltaTable
from tidewire.spark.sync.targets.iceberg import IcebergTable
from tidewire.spark.sync.targets.names import Template, plain_path

_log = logging.getLogger("tidewire.spark")
Task = Callable[[], Any]
ToMerge = Apply | Repair


class NativeEngine:
    """Merges by workers, for one synchronisation; `rounds.Workers` documents the methods."""

    def __init__(self, steps: Steps, identity: Identity, chosen: Chosen) -> None:
        self.only = chosen.engine == "native"
        self.beside = bool(identity.history)
        self._steps = steps
        self._format, _, names = identity.into.partition(":")
        self._names = Template(names)
        self._manifest = Manifest(identity.source)
        self._merge = chosen.engine == "merge"
        self._unfit = unfit(identity.into, steps.state, chosen)
        self._there: dict[str, tuple[str, str, str]] = {}
        """By id, of each Delta table that was looked for: the name of its step, its own name, and its folder."""

    def of(self, manifest: Manifest) -> NativeEngine:
        """The same for the tables of a manifest."""
        self._manifest = manifest
        return self

    def why_not(self, step: Step) -> str:
        """Why MERGE applies a step."""
        return self._unfit if isinstance(step, ToMerge) and not self._merge else ""

    def takes(self, step: Step) -> bool:
        """Whether workers may merge a step."""
        return not self._merge and not self._unfit and isinstance(step, ToMerge) and bool(_files(step))

    def merge(self, steps: Mapping[str, ToMerge]) -> dict[str, Merged | Left]:
        """Has workers take a step of each table. What another program interfered with is tried again.

        Raises:
            FenceError: another writer was faster.
            SourceError: a registry does not answer.
        """
        found: dict[str, Merged | Left] = {}
        todo = steps = dict(steps)
        known: dict[str, int] = {}
        widened: set[str] = set()
        for _ in range(TRIES):
            results = self._tried(todo, known)
            found |= results
            known.clear()
            again = {}
            for number, result in results.items():
                if isinstance(result, Merged):
                    continue
                if result.mend == COLUMNS and number not in widened:
                    widened.add(number)
                    steps[number] = step = self._widened(steps[number])
                    if step.files:
                        again[number] = step
                        known[number] = -1
                    elif (table := self._table(step)) is not None:
                        found[number] = Merged(number, table.name, table.version(), 0.0)
                    continue
                mended = self._mended(steps[number], result)
                if isinstance(mended, Merged):
                    found[number] = mended
                elif mended is not None:
                    again[number] = steps[number]
                    known[number] = mended
            if not again:
                break
            todo = again
        return found

    def failure(self, step: Step, left: Left) -> str:
        """Why a table has to wait whose changes only MERGE could apply.

        Raises:
            StateError: a disk is full, or a staged file is missing.
        """
        if left.mend == FAILED:
            return sentence_of(PySparkException(left.reason), step.name)
        return f"engine: native was chosen, and workers do not merge its changes: {left.reason}"

    def _tried(self, steps: Mapping[str, ToMerge], known: Mapping[str, int]) -> dict[str, Merged | Left]:
        """The results of one job."""
        found: dict[str, Merged | Left] = {}
        tasks: list[Task] = []
        for number, step in steps.items():
            try:
                tasks.append(self._task(number, step, known.get(number, -1)))
            except Unsuited as error:
                found[number] = Left(number, str(error), error.mend)
            except FenceError:
                raise
            except Exception as error:
                found[number] = Left(number, sentence_of(error, step.name))
        if not tasks:
            return found
        context = self._steps.spark.sparkContext
        slices = min(len(tasks), 4 * context.defaultParallelism)
        try:
            results = context.parallelize(tasks, slices).map(_done).collect()
        except Exception as error:
            if self.only:
                raise
            _log.warning("the job of workers that merge failed, and MERGE does what it left: %s", error)
            return found | {number: Left(number, "the job of workers failed") for number in steps.keys() - found.keys()}
        for result in results:
            step = steps[result.number]
            if isinstance(result, Written):
                found[result.number] = self._added(step, result)
            elif isinstance(result, Merged):
                found[result.number] = result._replace(name=self._there.get(result.number, ("", step.name))[1])
            else:
                found[result.number] = result
        return found

    def _mended(self, step: ToMerge, left: Left) -> Merged | int | None:
        """Prepares a table for another try: the result if it is done, the version at which its position is known (-1
        for none), or None if nothing can be done.
        """
        if left.mend == SOURCE:
            raise SourceError(left.reason)
        if left.mend == AGAIN:
            return -1
        if left.mend not in (PLACE, POSITION):
            return None
        table = self._table(step)
        if table is None:
            return None
        if left.mend == PLACE and isinstance(table, DeltaTable):
            before = self._there.get(left.number)
            self._there[left.number] = step.name, table.name, table.location()
            return -1 if self._there[left.number] != before else None
        version = table.version()
        if begins(table, table.position(), step.at, step.to):
            return version
        return Merged(left.number, table.name, table.version(), 0.0)

    def _widened(self, step: ToMerge) -> ToMerge:
        """The step once the table has the columns of its rows; unchanged if that cannot be: MERGE says why."""
        try:
            return self._steps.widened(step, self._manifest)
        except FenceError:
            raise
        except Exception:
            return step

    def _table(self, step: ToMerge) -> Table | None:
        return self._steps.table(step.table, self._manifest.tables[step.table])

    def _task(self, number: str, step: ToMerge, known: int) -> Task:
        """What a worker does."""
        if reason := _why_not(_files(step)):
            raise Unsuited(reason)
        if self._format == "delta":
            return partial(delta.merge, self._work(number, step, self._place(number, step), known))
        table = self._table(step)
        if not isinstance(table, IcebergTable):
            raise Unsuited("there is no such table")
        files = table.data_files(step.at, step.to)
        if files is None:
            raise Unsuited("it is done", POSITION)
        return partial(iceberg.write, self._work(number, step, "", -1), files)

    def _place(self, number: str, step: ToMerge) -> str:
        """The folder of a Delta table: where it should be, or where it was found."""
        asked, _, place = self._there.get(number, ("", "", ""))
        if asked != step.name:  # it was renamed, or is looked for the first time
            self._there.pop(number, None)
            place = self._names.path(step.name) if self._names.is_path else ""
        if not place:
            table = self._table(step)
            if not isinstance(table, DeltaTable):
                raise Unsuited("there is no such table")
            place = table.location()
            self._there[number] = step.name, table.name, place
        if not (place.startswith("/") or is_s3(place)):
            raise Unsuited(f"the table is at {place}, and workers merge tables in folders or in S3")
        return place

    def _added(self, step: ToMerge, written: Written) -> Merged | Left:
        """Commits the files that a worker wrote; they are removed where that was refused."""
        try:
            table = self._table(step)
            if not isinstance(table, IcebergTable):
                raise Unsuited("there is no such table")
            version = table.add(written, step.at, step.to)
        except Unsuited as error:
            written.discard()
            return Left(written.number, str(error), error.mend)
        except FenceError:
            written.discard()
            raise
        except Exception as error:  # whether it was committed is unknown
            return Left(written.number, sentence_of(error, step.name), POSITION)
        return Merged(written.number, table.name, version, written.seconds)

    def _work(self, number: str, step: ToMerge, place: str, known: int) -> Work:
        files = _files(step)
        newest = max(files, key=lambda one: one.hi)
        shapes = [Shape.parse(text) for text in {one.shape for one in files}]
        steps = self._steps
        return Work(
            number,
            place,
            f"{steps.owner}/{number}",
            _paths(steps.state, files, ROWS),
            _paths(steps.state, files, MESSAGES),
            Decoding(steps.protocol, steps.options, step.name, self._manifest.descriptions),
            _lo(step),
            step.hi,
            tuple(sorted({column.name for shape in shapes for column in shape.columns})),
            tuple(column.name for column in Shape.parse(newest.shape).keys),
            step.at,
            step.to,
            steps.rules.mode(step.name) == "ignore",
            step.leave if isinstance(step, Apply) else {},
            step.keys if isinstance(step, Repair) else None,
            known,
        )


def _done(task: Task) -> Any:
    return task()


def _lo(step: ToMerge) -> int:
    return min(step.keys.values()) if isinstance(step, Repair) else step.lo


def _files(step: ToMerge) -> list[StagedRows]:
    return [one for one in step.files if one.hi >= _lo(step) and one.lo < step.hi]


def _paths(state: str, files: Sequence[StagedRows], kind: str) -> tuple[str, ...]:
    return tuple(sorted({full(plain_path(state), one.path) for one in files if holds(one.path) == kind}))


def _why_not(files: Sequence[StagedRows]) -> str:
    """Why MERGE applies the changes in some files; empty if workers may."""
    for text in {one.shape for one in files}:
        shape = Shape.parse(text)
        if shape.lacks or not shape.keys:
            return shape.lacks or "its rows have no handle key"
    if len({key for one in files if (key := key_said(one.shape))}) > 1:
        return "its handle key was changed"
    return ""
