"""Iceberg tables: rows are changed by MERGE with delete files or deletion vectors, in a transaction of the step.

A step takes effect in one exchange of the table's metadata: schema, rows and position together, and only if the table
still has the metadata that the step began with; the same snapshot is not enough. The position is in the summary of the
snapshot, as TiCDC's own sink writes it; other writers' snapshots may follow, so the ancestors are searched, too.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from tidewire.spark.sync.changelog import Position
from tidewire.spark.sync.linked import Unfit, linked
from tidewire.spark.sync.native.iceberg import DataFiles, Written
from tidewire.spark.sync.native.work import AGAIN, Unsuited
from tidewire.spark.sync.targets import ONE_TASK, expired, merged_columns, new_rows
from tidewire.spark.sync.targets.confs import IN_ONE_TASK, java, set_for
from tidewire.spark.sync.targets.iceberg_files import append_of, takes_files
from tidewire.spark.sync.targets.iceberg_layout import STORED, reshape
from tidewire.spark.sync.targets.iceberg_rows import added, check_rows, data_files
from tidewire.spark.sync.targets.into_transaction import appended, merged, overwritten, rows_of
from tidewire.spark.sync.targets.names import Template, plain_path
from tidewire.spark.sync.targets.owned import OwnedTable
from tidewire.spark.sync.targets.shapes import (
    Change,
    Column,
    Shape,
    TargetError,
    create,
    decimal,
    merge,
    quoted,
    reshaped,
)

RESOLVED = "tidb.committed_resolved_ts"
"""In a snapshot's summary: up to where the table is complete. The name is that of TiCDC's Iceberg sink."""
DONE = "tidewire.done"
"""In a snapshot's summary: how many actions of statements at that commit ts are done."""
OWNER = "tidewire.table"
APPLIED = "tidewire.applied"
ENDED = "tidewire.ended"
"""Properties of a table. The position is there as well, since old snapshots are removed."""
_MODES = ("write.merge.mode", "write.update.mode", "write.delete.mode")
PROPERTIES = {
    "format-version": "2",
    **dict.fromkeys(_MODES, "merge-on-read"),
    "write.distribution-mode": "none",
    "write.parquet.compression-codec": "zstd",
}
"""The properties of new tables."""
_ONE_TASK = {**IN_ONE_TASK, "spark.sql.iceberg.distribution-mode": "none"}
_UNKNOWN = ONE_TASK + 1


class IcebergTables:
    """The tables of a catalog."""

    collects = False

    def __init__(self, spark: SparkSession, names: str, properties: Mapping[str, str] | None = None) -> None:
        """Args:
            spark: the session, which has the catalog.
            names: the template of table names: `lake.{schema}.{table}`.
            properties: of new tables, in addition to `PROPERTIES`.
        """
        self.spark = spark
        self.names = Template(names)
        self.properties = {**PROPERTIES, **(properties or {})}

    def table(self, name: str, owner: str) -> IcebergTable:
        """The table of a name, existing or not."""
        return IcebergTable(self, name, owner)


class IcebergTable(OwnedTable[IcebergTables, Any]):
    """One Iceberg table."""

    _seen: Any = None

    def found_owner(self) -> str | None:
        """The owner of the table of that name."""
        table = self._view()
        self._seen = table
        return None if table is None else self._owner_of(table)

    def columns(self) -> tuple[Column, ...] | None:
        """Its columns."""
        table = self._just_seen() or self.current()
        return None if table is None else self._columns_of(table)

    def apply(self, changes: DataFrame, keys: Sequence[str], at: Position, to: Position, few: bool = False) -> None:
        """Merges changes."""

        def write(table: Any) -> None:
            columns = self._columns_of(table)
            given = merged_columns(self, columns, changes)
            known = table.currentSnapshot().summary().get("total-records")
            rows = _UNKNOWN if known is None else int(known)
            with set_for(self.spark, _ONE_TASK if few and rows <= ONE_TASK else {}):
                if rows:
                    self._check_deletes(table)
                    merged(self.spark, table, changes, merge("t", "s", columns, given, keys))
                else:
                    appended(self.spark, table, new_rows(changes, columns, given))

        self._written(write, at, to)

    def _check_deletes(self, table: Any) -> None:
        """Refuses a MERGE that Iceberg cannot write: its format version 1 has no delete files."""
        mode = table.properties().get(_MODES[0])
        if mode != "copy-on-write" and table.operations().current().formatVersion() < 2:
            raise TargetError(
                f"table {self.name} is of Iceberg's format 1, in which no row goes without its file being written"
                " anew: ALTER TABLE … SET TBLPROPERTIES ('format-version' = '2'), or ('write.merge.mode' ="
                " 'copy-on-write')"
            )

    def check_rows(self) -> None:
        """Refuses a table whose rows only Spark can write.

        Raises:
            Unsuited: it is such a table.
        """
        if (table := self.current()) is not None:
            check_rows(table)

    def data_files(self, at: Position, to: Position) -> DataFiles | None:
        """What workers need to write the files of a step; None if the step was done before.

        Raises:
            Unsuited: only Spark can write rows of this table.
        """
        table = self._begun(at, to)
        return None if table is None else data_files(table, self._columns_of(table))

    def add(self, written: Written, at: Position, to: Position) -> int:
        """Adds the files that a worker wrote. Returns the id of the snapshot.

        Raises:
            Unsuited: the table has changed since its files were read.
        """

        def step(table: Any) -> None:
            if str(table.operations().current().metadataFileLocation()) != written.metadata:
                raise Unsuited("another program changed the table meanwhile", AGAIN)
            self._exchanged(table, to, fill)

        def fill(tx: Any) -> None:
            delta = added(java(self.spark).org.apache.iceberg, tx, written)
            for name, value in self._summary(to).items():
                delta.set(name, value)
            delta.commit()

        self._retried(step, at, to)
        return self.version()

    def append(self, rows: DataFrame, at: Position, to: Position) -> None:
        """Adds rows."""
        self._written(lambda table: appended(self.spark, table, rows), at, to)

    def adopt(self, paths: Sequence[str], at: Position, to: Position) -> bool:
        """Adopts files unchanged."""
        table = self._begun(at, to)
        if table is None:
            return True
        folder = f"{table.location()}/data"

        def add(table: Any) -> None:
            if not takes_files(table):
                raise Unfit
            self._exchanged(table, to, self._added(sizes, to))

        try:
            with linked(paths, plain_path(folder), f"tidewire-{secrets.token_hex(8)}") as names:
                if names is None:
                    return False
                sizes = {f"{folder}/{name}": os.path.getsize(path) for name, path in zip(names, paths, strict=True)}
                self._retried(add, at, to)
        except Unfit:
            return False
        return True

    def alter(self, changes: Sequence[Change], at: Position, to: Position) -> None:
        """Changes columns, or removes all rows."""

        def altered(table: Any) -> None:
            shape = reshaped(self.name, self._columns_of(table), changes, _widens)
            self._exchanged(table, to, self._shaped(table, shape, to))

        self._retried(altered, at, to)

    def movable(self) -> bool:
        """Whether it can be renamed: yes, except in a Hadoop catalog."""
        return str(self.spark.conf.get(f"spark.sql.catalog.{self.parts[0]}.type", "")).lower() != "hadoop"

    def version(self) -> int:
        """The id of the newest snapshot."""
        table = self._just_seen() or self._view()
        snapshot = None if table is None else table.currentSnapshot()
        if snapshot is None:
            raise TargetError(f"table {self.name} does not exist as {self.ref}, or has no snapshot")
        return int(snapshot.snapshotId())

    def read(self, version: int) -> DataFrame:
        """The rows at a snapshot.

        Raises:
            TargetError: it was expired.
        """
        table = self._view()
        if table is not None and table.snapshot(int(version)) is None:
            table.refresh()  # a catalog may have an older state of the table
            if table.snapshot(int(version)) is None:
                raise expired(self, f"snapshot {version}")
        return self.spark.sql(f"select * from {self.ref} version as of {int(version)}")

    def collect(self, first: int, last: int) -> None:
        """Nothing: snapshots are expired by Iceberg's own procedures."""

    def _at(self, name: str) -> None:
        self.name = name
        self.parts = self.tables.names.parts(name)
        self.ref = quoted(*self.parts)

    def _view(self) -> Any:
        self._seen = None
        util = java(self.spark).org.apache.iceberg.spark.Spark3Util
        try:
            return util.loadIcebergTable(self.spark._jsparkSession, self.ref)
        except AnalysisException as error:
            if (error.getCondition() or "") in ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND"):
                return None
            raise

    def _just_seen(self) -> Any:
        """The table loaded by `found_owner`, if it has this owner; only for the first call after that."""
        table, self._seen = self._seen, None
        return table if table is not None and table.properties().get(OWNER) == self.owner else None

    def _owner_of(self, view: Any) -> str:
        return str(view.properties().get(OWNER) or "")

    def _ended_at(self, view: Any) -> int:
        return int(view.properties().get(ENDED) or 0)

    def _position_of(self, view: Any) -> Position | None:
        snapshot = view.currentSnapshot()
        while snapshot is not None:
            summary = snapshot.summary()
            ts = summary.get(RESOLVED)
            if ts is not None:
                return Position(int(ts), int(summary.get(DONE) or 0))
            parent = snapshot.parentId()
            if parent is None:
                return None
            snapshot = view.snapshot(parent)
            if snapshot is None:  # it has expired
                ts, _, done = str(view.properties().get(APPLIED) or "").partition(",")
                return Position(int(ts), int(done)) if ts else None
        return None

    def _columns_of(self, view: Any) -> tuple[Column, ...]:
        schema = java(self.spark).org.apache.iceberg.spark.SparkSchemaUtil.convert(view.schema())
        fields = StructType.fromJson(json.loads(schema.json())).fields
        return tuple(Column(one.name, one.dataType.simpleString()) for one in fields)

    def _made(self, columns: Sequence[Column], to: Position) -> Any:
        self._make_namespace(self.parts[:-1])
        self.spark.sql(create(self.ref, columns, "iceberg", {**self.tables.properties, OWNER: self.owner}))
        return self.current()

    def _mark(self, view: Any, at: Position | None, to: Position, ended: bool = False) -> None:
        def fill(tx: Any) -> None:
            if ended:
                tx.updateProperties().set(ENDED, str(to.ts)).commit()
            self._marked(to)(tx)

        self._exchanged(view, to, fill)

    def _is_conflict(self, error: Exception) -> bool:
        if isinstance(error, Py4JJavaError):
            return "CommitFailedException" in str(error.java_exception.getClass().getName())
        return isinstance(error, _Moved)

    def _summary(self, to: Position) -> dict[str, str]:
        return {RESOLVED: str(to.ts), DONE: str(to.done)}

    def _marked(self, to: Position) -> Callable[[Any], None]:
        """Adds a snapshot without rows that records a position."""

        def fill(tx: Any) -> None:
            append = tx.newAppend()
            for name, value in self._summary(to).items():
                append.set(name, value)
            append.commit()

        return fill

    def _added(self, sizes: Mapping[str, int], to: Position) -> Callable[[Any], None]:
        """Adds a snapshot with these files. They have no column ids; columns are then found by name."""

        def fill(tx: Any) -> None:
            append = append_of(java(self.spark).org.apache.iceberg, tx, sizes)
            for name, value in self._summary(to).items():
                append.set(name, value)
            append.commit()

        return fill

    def _shaped(self, table: Any, shape: Shape, to: Position) -> Callable[[Any], None]:
        """Sets the columns of a shape, with values computed from the table's rows.

        A snapshot comes last: a version has the columns that existed when its snapshot was made.
        """

        def fill(tx: Any) -> None:
            reshape(java(self.spark), self.name, tx, self._columns_of(tx.table()), shape)
            if shape.rewritten:
                rows = rows_of(self.spark, table).selectExpr(*shape.select())
                self._filled(lambda made: overwritten(self.spark, made, rows), to)(tx)
                return
            if not shape.emptied:
                self._marked(to)(tx)
                return
            everything = java(self.spark).org.apache.iceberg.expressions.Expressions.alwaysTrue()
            delete = tx.newDelete().deleteFromRowFilter(everything)
            for name, value in self._summary(to).items():
                delete.set(name, value)
            delete.commit()

        return fill

    def _written(self, write: Callable[[Any], None], at: Position, to: Position) -> None:
        """Writes rows in a transaction, which takes effect if the table is still as it was at the start."""
        self._retried(lambda table: self._exchanged(table, to, self._filled(write, to)), at, to)

    def _filled(self, write: Callable[[Any], None], to: Position) -> Callable[[Any], None]:
        """Adds a snapshot with rows that Spark writes."""
        properties = {f"spark.sql.iceberg.snapshot-property.{name}": one for name, one in self._summary(to).items()}

        def fill(tx: Any) -> None:
            # a transaction's own table cannot be read
            table = java(self.spark).org.apache.iceberg.BaseTable(tx.table().operations(), self.ref)
            before = table.currentSnapshot().snapshotId()
            with set_for(self.spark, properties):
                write(table)
            if table.currentSnapshot().snapshotId() == before:
                self._marked(to)(tx)  # there was nothing to write

        return fill

    def _exchanged(self, table: Any, to: Position | None, fill: Callable[[Any], None]) -> None:
        """Commits all that `fill` does in one exchange of the table's metadata, if nobody else exchanged it in the
        meantime.
        """
        operations = table.operations()
        seen = operations.current()
        tx = table.newTransaction()
        base = tx.startMetadata()
        if not base.equals(seen):
            raise _Moved
        fill(tx)
        if to is not None:
            tx.updateProperties().set(APPLIED, f"{to.ts},{to.done}").commit()
        operations.commit(base, tx.currentMetadata())

    def _move(self, name: str) -> None:
        new = self.tables.names.parts(name)
        # a table stays in its catalog, and only some catalogs strip their own name from the new name
        inside = new[1:] if self.spark.conf.get(f"spark.sql.catalog.{new[0]}", None) is not None else new
        try:
            self._make_namespace(new[:-1])
            self.spark.sql(f"alter table {self.ref} rename to {quoted(*inside)}")
        except Exception as error:
            if "rename Hadoop tables" not in str(error):
                raise
            raise TargetError(
                f"table {self.name} cannot be renamed to {name}: a catalog of Hadoop's type renames no tables; use"
                " another type (jdbc, rest, hive), or drop it and build the table anew with tidewire sync reset FILE"
                f" {name}"
            ) from error
        self._at(name)

    def _make_namespace(self, parts: Sequence[str]) -> None:
        """Creates the namespace of a table; repeats if another thread created it at the same time."""
        text = f"create namespace if not exists {quoted(*parts)}"
        try:
            self.spark.sql(text)
        except Exception:
            self.spark.sql(text)


class _Moved(Exception):
    """The table has changed since the step began."""


def _widens(old: str, new: str) -> bool:
    """Whether Iceberg can widen a column's type in place."""
    if STORED.get(old, old) == STORED.get(new, new) or (STORED.get(old, old), new) in (
        ("int", "bigint"),
        ("float", "double"),
    ):
        return True
    before, after = decimal(old), decimal(new)
    return before is not None and after is not None and before[1] == after[1] and before[0] <= after[0]
