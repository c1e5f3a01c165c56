"""Tables as folders of Parquet files, without any jar: each commit writes the whole table anew, and then a record.

    data/<number>-<token>/part-*.parquet  what one commit wrote
    commits/<number>.json                 the record: which files, columns and position the table has with this commit

A record is created once, which is the fence: of two writers that start from one commit the second is refused. Files
that no record names are garbage. Readers read the files of the newest record, or of one whose number they know.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tidewire.spark.sync.changelog import Position
from tidewire.spark.sync.linked import linked
from tidewire.spark.sync.storage import Local, storage, synced
from tidewire.spark.sync.targets import fenced, merged_columns, new_rows
from tidewire.spark.sync.targets.confs import files_of
from tidewire.spark.sync.targets.names import Template
from tidewire.spark.sync.targets.owned import OwnedTable
from tidewire.spark.sync.targets.shapes import Change, Column, TargetError, quoted, reshaped

_COMMITS = "commits"
_DATA = "data"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class _Record:
    """One commit of a table."""

    number: int
    owner: str
    position: Position
    columns: tuple[Column, ...]
    files: tuple[str, ...]
    ended: int = 0

    def text(self) -> str:
        of = {
            "format": _FORMAT,
            "table": self.owner,
            "position": self.position,
            "columns": self.columns,
            "files": self.files,
            "ended": self.ended,
        }
        return json.dumps(of, indent=1, ensure_ascii=False)


class ParquetTables:
    """The tables of a folder."""

    collects = True

    def __init__(self, spark: SparkSession, place: str) -> None:
        """Args:
            spark: the session.
            place: the template of a table's folder: a path, or a URL that Spark and fsspec support.
        """
        self.spark = spark
        self.names = Template(place)

    def table(self, name: str, owner: str) -> ParquetTable:
        """The table of a name, existing or not."""
        return ParquetTable(self, name, owner)


class ParquetTable(OwnedTable[ParquetTables, _Record]):
    """One Parquet table."""

    def apply(self, changes: DataFrame, keys: Sequence[str], at: Position, to: Position, few: bool = False) -> None:
        """Merges changes."""
        record = self._begun(at, to)
        if record is None:
            return
        given = merged_columns(self, record.columns, changes)
        if record.files:
            changes = changes.persist()  # both sides of the union read them
            try:
                same = [F.col(f"t.{quoted(one)}").eqNullSafe(F.col(f"s.{quoted(one)}")) for one in keys]
                kept = self._rows(record).alias("t").join(changes.alias("s"), same, "left_anti")
                files = self._written(kept.union(new_rows(changes, record.columns, given)), record)
            finally:
                changes.unpersist()
        else:
            files = self._written(new_rows(changes, record.columns, given), record)
        self._record(replace(record, files=files, position=to), record)

    def append(self, rows: DataFrame, at: Position, to: Position) -> None:
        """Appends rows; existing files stay."""
        record = self._begun(at, to)
        if record is None:
            return
        given = {one.lower() for one in rows.columns}
        lacking = [one for one in rows.columns if one.lower() not in {name.lower() for name, _ in record.columns}]
        if lacking:
            raise TargetError(f"table {self.name} lacks the column {lacking[0]} of rows that are to be added to it")
        fresh = rows.select(
            *(
                F.expr(f"cast({quoted(name) if name.lower() in given else 'null'} as {type})").alias(name)
                for name, type in record.columns
            )
        )
        self._record(replace(record, files=record.files + self._written(fresh, record), position=to), record)

    def adopt(self, paths: Sequence[str], at: Position, to: Position) -> bool:
        """Adopts files unchanged."""
        record = self._begun(at, to)
        if record is None:
            return True
        folder = f"{_DATA}/{record.number + 1:012d}-{secrets.token_hex(8)}"
        with linked(paths, self.files.shown(folder), "part") as names:
            if names is None:
                return False
            files = tuple(f"{folder}/{one}" for one in names)
            self._record(replace(record, files=record.files + files, position=to), record)
        return True

    def alter(self, changes: Sequence[Change], at: Position, to: Position) -> None:
        """Changes columns, or removes all rows."""
        record = self._begun(at, to)
        if record is None:
            return
        shape = reshaped(self.name, record.columns, changes, lambda old, new: False)
        columns = tuple(Column(one.name, one.type) for one in shape.columns)
        files = record.files
        if shape.emptied:
            files = ()
        elif columns != record.columns or shape.rewritten:
            files = self._written(self._rows(record).selectExpr(*shape.select()), record)
        self._record(replace(record, columns=columns, files=files, position=to), record)

    def movable(self) -> bool:
        """Whether it can be renamed: yes, in a folder of this machine."""
        return isinstance(self.files, Local)

    def version(self) -> int:
        """The number of the newest commit."""
        record = self._view()
        if record is None:
            raise TargetError(f"table {self.name} does not exist in {self.folder}")
        return record.number

    def read(self, version: int) -> DataFrame:
        """The rows at a version."""
        return self._rows(self._read(version))

    def collect(self, first: int, last: int) -> None:
        """Removes commits before `first` and between `last` and the newest one, and files that only they have."""
        numbers = self._numbers()
        gone = [one for one in numbers[:-1] if one < first or one > last]
        if not gone:
            return
        # the commits with a file are consecutive: a file of a removed commit is needed if a kept neighbour has it
        removed = set(gone)
        beside = {numbers[max(0, at + step)] for at, one in enumerate(numbers) if one in removed for step in (-1, 1)}
        needed = {folder for one in {*beside - removed, numbers[-1]} for folder in _folders(self._read(one))}
        begun = {f"{one:012d}-" for one in (*gone, numbers[-1])}
        unused = {folder for one in gone for folder in _folders(self._read(one))}
        # files of a writer that crashed before its commit have the number of the commit that came instead
        unused |= {folder for folder in self.files.names(_DATA) if folder[:13] in begun}
        for number in gone:
            self.files.remove(_path(number))
        for folder in unused - needed:
            self.files.remove_folder(f"{_DATA}/{folder}")

    def _at(self, name: str) -> None:
        self.name = name
        self.folder = self.tables.names.path(name)
        self.files = storage(self.folder)

    def _move(self, name: str) -> None:
        """Renames the folder, atomically."""
        folder = self.tables.names.path(name)
        if not isinstance(self.files, Local):
            raise TargetError(
                f"table {self.name} cannot be renamed to {name}: {self.folder} is on a storage that renames no folder"
                " at once; build it anew with tidewire sync reset FILE TABLE, or use Iceberg or Delta"
            )
        new = Local(folder).folder
        os.makedirs(os.path.dirname(new), exist_ok=True)
        try:
            os.rename(self.files.folder, new)
        except OSError as error:
            raise TargetError(
                f"table {self.name} cannot be renamed to {name}: {new} is not to be had ({error.strerror}); move away"
                " what is there"
            ) from None
        synced(os.path.dirname(new))
        synced(os.path.dirname(self.files.folder))
        self._at(name)

    def _numbers(self) -> list[int]:
        names = (one.removesuffix(".json") for one in self.files.names(_COMMITS) if one.endswith(".json"))
        return sorted(int(one) for one in names if one.isdigit())

    def _view(self) -> _Record | None:
        numbers = self._numbers()
        return self._read(numbers[-1]) if numbers else None

    def _owner_of(self, view: _Record) -> str:
        return view.owner

    def _columns_of(self, view: _Record) -> tuple[Column, ...]:
        return view.columns

    def _position_of(self, view: _Record) -> Position:
        return view.position

    def _ended_at(self, view: _Record) -> int:
        return view.ended

    def _made(self, columns: Sequence[Column], to: Position) -> None:
        self._record(_Record(0, self.owner, to, tuple(columns), ()), None)

    def _mark(self, view: _Record, at: Position | None, to: Position, ended: bool = False) -> None:
        self._record(replace(view, position=to, ended=to.ts if ended else view.ended), view)

    def _read(self, number: int) -> _Record:
        path = _path(number)
        try:
            of: dict[str, Any] = json.loads(self.files.read(path))
            if of["format"] != _FORMAT:
                raise TargetError(
                    f"{self.files.shown(path)} is of format {of['format']}, and this version of Tidewire reads"
                    f" {_FORMAT}: run the version that wrote it"
                )
            return _Record(
                number,
                of["table"],
                Position(*of["position"]),
                tuple(Column(*one) for one in of["columns"]),
                tuple(of["files"]),
                of["ended"],
            )
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, TargetError):
                raise
            raise TargetError(f"{self.files.shown(path)} is damaged or missing: restore it from a copy") from error

    def _rows(self, record: _Record) -> DataFrame:
        schema = ", ".join(f"{quoted(one.name)} {one.type}" for one in record.columns)
        if not record.files:
            return self.spark.range(0).selectExpr(
                *(f"cast(null as {one.type}) as {quoted(one.name)}" for one in record.columns)
            )
        return files_of(self.spark, (f"{self.folder}/{one}" for one in record.files), schema)

    def _written(self, rows: DataFrame, base: _Record) -> tuple[str, ...]:
        """Writes files for the commit after another one, under new names."""
        folder = f"{_DATA}/{base.number + 1:012d}-{secrets.token_hex(8)}"
        rows.write.parquet(f"{self.folder}/{folder}")
        self.files.kept(folder)
        return tuple(f"{folder}/{one}" for one in sorted(self.files.names(folder)) if one.endswith(".parquet"))

    def _record(self, record: _Record, base: _Record | None) -> None:
        """Creates the next record, unless another writer was first."""
        number = 0 if base is None else base.number + 1
        if not self.files.create(_path(number), replace(record, number=number).text()):
            there = self._read(number)
            raise fenced(self, there.position, record.position if base is None else base.position)


def _folders(record: _Record) -> set[str]:
    """The data folders of a commit."""
    return {one.split("/")[1] for one in record.files}


def _path(number: int) -> str:
    return f"{_COMMITS}/{number:012d}.json"
