"""Delta tables: rows are changed by MERGE with deletion vectors, columns by one commit with the new metadata.

The position is in transaction identifiers of the table's log, which Delta itself compares: `<owner>` has the commit ts,
`<owner>#<n>` the commit ts at which n actions of statements are done. Delta refuses a commit if another one wrote its
identifier since it was read, and skips one whose version is not newer.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from pyarrow import parquet
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from tidewire.spark.sync.changelog import Position
from tidewire.spark.sync.linked import Unfit, linked
from tidewire.spark.sync.storage import storage
from tidewire.spark.sync.targets import META, delta_log, delta_made, fenced, merged_columns
from tidewire.spark.sync.targets.confs import IN_ONE_TASK, java, set_for, view_of
from tidewire.spark.sync.targets.delta_columns import fields, widens
from tidewire.spark.sync.targets.delta_commits import at_version, lines_of, listed
from tidewire.spark.sync.targets.delta_log import OWNER, TWICE, lines_in, newest_in
from tidewire.spark.sync.targets.delta_made import MAPPING, VECTORS
from tidewire.spark.sync.targets.names import Template, plain_path
from tidewire.spark.sync.targets.owned import OwnedTable
from tidewire.spark.sync.targets.shapes import (
    Change,
    Column,
    Shape,
    TargetError,
    create,
    found,
    merge,
    quoted,
    reshaped,
)

ENDED = "tidewire.ended"
"""The property of a table that was dropped in the source: the commit ts of that."""
PROPERTIES = {VECTORS: "true", MAPPING: "name"}
"""The properties of new tables."""
_DEFAULTS = "spark.databricks.delta.properties.defaults."
"""Before settings of a session for new tables."""
_ODD = re.compile(r"[ ,;{}()\n\t=]")
"""Characters because of which a column's name in files differs from its name in the table."""
_LOOK_BACK = 20
"""Commits that are read, newest first, before the position is taken from the table's whole state."""
_CONFLICT = re.compile(r"Concurrent\w+Exception|MetadataChangedException|DELTA_CONCURRENT|DELTA_METADATA_CHANGED")
"""Errors of a writer that was slower than another one."""
_SMALL = 32 << 20
"""Size of a table in bytes up to which a single task does a merge."""


class DeltaTables:
    """The tables of a catalog or of a folder."""

    collects = False

    def __init__(self, spark: SparkSession, names: str, properties: Mapping[str, str] | None = None) -> None:
        """Args:
            spark: the session, with Delta's extension and catalog.
            names: the template of table names: `lake.{schema}.{table}`, or a path.
            properties: properties of new tables, in addition to `PROPERTIES`.
        """
        self.spark = spark
        self.names = Template(names)
        self.properties = {**PROPERTIES, **(properties or {})}

    @cached_property
    def in_folders(self) -> bool:
        """Whether the tables are in folders that this process reads as Spark does."""
        if not self.names.is_path or not self.names.text.startswith("/"):
            return False
        return str(self.spark._jsparkSession.sessionState().newHadoopConf().get("fs.defaultFS")).startswith("file:")

    @cached_property
    def defaults(self) -> bool:
        """Whether the session has settings for new tables, which Delta puts into them."""
        return any(name.startswith(_DEFAULTS) for name in self.spark.conf.getAll)

    def table(self, name: str, owner: str) -> DeltaTable:
        """The table of a name, existing or not."""
        return DeltaTable(self, name, owner)


class DeltaTable(OwnedTable[DeltaTables, Any]):
    """One Delta table."""

    def found_owner(self) -> str | None:
        """The owner of the table of that name."""
        return super().found_owner() if self._logged() is None else self.owner

    def position(self) -> Position | None:
        """The table's position."""
        here = self._logged()
        return super().position() if here is None else here

    def _logged(self) -> Position | None:
        """The position in the newest commits in its folder, if it is this owner's table: Delta reads the table's whole
        state, in a Spark job, before it tells anything.
        """
        if not self.tables.in_folders:
            return None
        files = storage(self.path)
        return delta_log.last_position(partial(lines_in, files), self.owner, newest_in(files), _LOOK_BACK)

    def apply(self, changes: DataFrame, keys: Sequence[str], at: Position, to: Position, few: bool = False) -> None:
        """Merges changes."""

        def write(snapshot: Any) -> None:
            columns = self._columns_of(snapshot)
            given = merged_columns(self, columns, changes)
            small = few and snapshot.sizeInBytes() <= _SMALL
            with view_of(changes) as view, set_for(self.spark, IN_ONE_TASK if small else {}):
                self.spark.sql(merge(self.ref, view, columns, given, keys))

        self._by_spark(write, at, to)

    def append(self, rows: DataFrame, at: Position, to: Position) -> None:
        """Adds rows."""

        def write(snapshot: Any) -> None:
            lacking = [one for one in rows.columns if found(self._columns_of(snapshot), one) is None]
            if lacking:
                raise TargetError(f"table {self.name} lacks the column {lacking[0]} of rows that are to be added to it")
            writer = rows.write.format("delta").mode("append")
            if self.tables.names.is_path:
                writer.save(self.path)
            else:
                writer.saveAsTable(self.ref)

        self._by_spark(write, at, to)

    def adopt(self, paths: Sequence[str], at: Position, to: Position) -> bool:
        """Adopts files, if the table's files use the names of its columns."""
        snapshot = self._begun(at, to)
        if snapshot is None:
            return True
        place = plain_path(snapshot.deltaLog().dataPath().toString())

        def add(snapshot: Any) -> None:
            if _mapped(snapshot) or not snapshot.metadata().partitionColumns().isEmpty():
                raise Unfit
            self._commit(at, to, added=added)

        try:
            with linked(paths, place, f"tidewire-{secrets.token_hex(8)}") as names:
                if names is None:
                    return False
                added = [self._added(name, path) for name, path in zip(names, paths, strict=True)]
                self._retried(add, at, to)
        except Unfit:
            return False
        return True

    def alter(self, changes: Sequence[Change], at: Position, to: Position) -> None:
        """Changes columns, or removes all rows."""

        def altered(snapshot: Any) -> None:
            shape = reshaped(self.name, self._columns_of(snapshot), changes, widens)
            odd = any(_ODD.search(one.name) for one in shape.columns)
            if not _mapped(snapshot) and (odd or (_frees(shape) and not shape.emptied and not shape.rewritten)):
                self._retried(lambda _: self._commit(at, at, properties={MAPPING: "name"}), at, at)
            self._commit(at, to, changes)

        self._retried(altered, at, to)

    def movable(self) -> bool:
        """Whether it can be renamed: always."""
        return True

    def version(self) -> int:
        """The newest version of the log."""
        snapshot = self._view()
        if snapshot is None:
            raise TargetError(f"table {self.name} does not exist as {self.ref}")
        return int(snapshot.version())

    def read(self, version: int) -> DataFrame:
        """The rows at a version of the log.

        Raises:
            TargetError: it was expired.
        """
        return at_version(self, self.ref, self._view(), int(version))

    def collect(self, first: int, last: int) -> None:
        """Nothing: files of old versions are removed by VACUUM."""

    def location(self) -> str:
        """Its folder, or its URL; empty if there is no table."""
        snapshot = self.current()
        return "" if snapshot is None else plain_path(snapshot.deltaLog().dataPath().toString())

    def _at(self, name: str) -> None:
        self.name = name
        if self.tables.names.is_path:
            self.path = self.tables.names.path(name)
            self.ref = f"spark_catalog.delta.{quoted(self.path)}"  # another catalog may be the session's default
        else:
            self.parts = self.tables.names.parts(name)
            self.ref = quoted(*self.parts)

    @property
    def _delta(self) -> Any:
        return java(self.spark).org.apache.spark.sql.delta

    def _log(self) -> Any:
        """The table's log; None where there is no table."""
        session = self.spark._jsparkSession
        if self.tables.names.is_path:
            if self.tables.in_folders and not delta_made.there(self.path):
                return None
            return self._delta.DeltaLog.forTable(session, self.path)
        if not self.spark.catalog.tableExists(self.ref):
            return None
        return java(self.spark).io.delta.tables.DeltaTable.forName(session, self.ref).deltaLog()

    def _view(self) -> Any:
        log = self._log()
        if log is None:
            return None
        snapshot = log.update(False, getattr(log, "update$default$2")(), getattr(log, "update$default$3")())
        return None if snapshot.version() < 0 else snapshot

    def _owner_of(self, view: Any) -> str:
        return _property(view, OWNER)

    def _columns_of(self, view: Any) -> tuple[Column, ...]:
        fields = StructType.fromJson(json.loads(view.metadata().schemaString())).fields
        return tuple(Column(one.name, one.dataType.simpleString()) for one in fields)

    def _ended_at(self, view: Any) -> int:
        return int(_property(view, ENDED) or 0)

    def _position_of(self, view: Any) -> Position | None:
        """The position in the newest commit that has one; if none of the commits read has one, that in the table's
        state.
        """
        lines = partial(lines_of, self.spark, view.deltaLog())
        here = delta_log.last_position(lines, self.owner, int(view.version()), _LOOK_BACK)
        if here is not None:
            return here
        of = listed(self.spark, view.setTransactions())
        found = [delta_log.position(self.owner, one.appId(), one.version()) for one in of]
        return max((one for one in found if one is not None), default=None)

    def _identifier(self, to: Position) -> str:
        return delta_log.identifier(self.owner, to)

    def _made(self, columns: Sequence[Column], to: Position) -> Any:
        properties = {**self.tables.properties, OWNER: self.owner}
        if {one.name for one in columns} > set(META) - {"_commit_timestamp"} and not any(
            _ODD.search(one.name) for one in columns
        ):
            del properties[MAPPING]  # columns of a history table are never renamed, so files can be adopted
        if not self.tables.names.is_path:
            self.spark.sql(f"create schema if not exists {quoted(*self.parts[:-1])}")
        elif self.tables.in_folders and not self.tables.defaults:
            step = self._identifier(to), to.ts
            if delta_made.create(self.path, columns, properties, step):
                return None
        self.spark.sql(create(self.ref, columns, "delta", properties))
        made = self.current()
        if made is None:
            raise TargetError(
                f"table {self.name} cannot be created as {self.ref}: the folder has files, and is no Delta table;"
                " remove them, or choose other names for the target"
            )
        return made

    def _mark(self, view: Any, at: Position | None, to: Position, ended: bool = False) -> None:
        self._commit(at, to, properties={ENDED: str(to.ts)} if ended else None)

    def _is_conflict(self, error: Exception) -> bool:
        return _CONFLICT.search(str(error)) is not None

    def _by_spark(self, write: Callable[[Any], None], at: Position, to: Position) -> None:
        """Runs a Spark statement whose commit records the position."""

        def step(snapshot: Any) -> None:
            again = at == to
            settings = {
                "spark.databricks.delta.write.txnAppId": self.owner + TWICE if again else self._identifier(to),
                "spark.databricks.delta.write.txnVersion": str(snapshot.version() if again else to.ts),
            }
            with set_for(self.spark, settings):
                write(snapshot)
            here = self.position()
            if here != to:
                raise fenced(self, here, at)

        self._retried(step, at, to)

    def _added(self, name: str, path: str) -> Any:
        """The log action that adds a file."""
        jvm = java(self.spark)
        nothing = jvm.scala.Option.empty()
        none = getattr(getattr(jvm.scala.collection.immutable, "Map$"), "MODULE$").empty()
        stats = json.dumps({"numRecords": parquet.read_metadata(path).num_rows})
        size, now = os.path.getsize(path), int(time.time() * 1000)
        return self._delta.actions.AddFile(name, none, size, now, True, stats, none, None, *[nothing] * 5)

    def _commit(
        self,
        at: Position | None,
        to: Position,
        changes: Sequence[Change] = (),
        properties: Mapping[str, str] | None = None,
        added: Sequence[Any] = (),
    ) -> None:
        """One commit with the position and, where they change, columns, rows of the table as it is, and properties."""
        option = java(self.spark).scala.Option
        tx = self._log().startTransaction(option.empty(), option.empty())
        for one in {self.owner, self._identifier(to)}:
            tx.txnVersion(one)  # what was read must not change until the commit
        here = self._position_of(tx.snapshot())
        if here != at:
            raise fenced(self, here, to if at is None else at)
        shape = reshaped(self.name, self._columns_of(tx.snapshot()), changes, widens)
        if changes or properties:
            self._describe(tx, shape, properties or {})
        made: list[Any] = list(added)
        if shape.emptied or shape.rewritten:
            made.extend(one.remove() for one in listed(self.spark, tx.filterFiles()))
        if shape.rewritten:
            rows = self.read(int(tx.snapshot().version())).selectExpr(*shape.select())
            made.extend(listed(self.spark, tx.writeFiles(rows._jdf)))
        if at != to:
            now = option.apply(int(time.time() * 1000))
            made.append(self._delta.actions.SetTransaction(self._identifier(to), to.ts, now))
        actions = java(self.spark).java.util.ArrayList()
        for one in made:
            actions.add(one)
        operation = getattr(getattr(self._delta, "DeltaOperations$ManualUpdate$"), "MODULE$")
        tx.commit(java(self.spark).scala.jdk.javaapi.CollectionConverters.asScala(actions).toSeq(), operation)

    def _describe(self, tx: Any, shape: Shape, properties: Mapping[str, str]) -> None:
        """Sets the table's columns and properties in a transaction."""
        before = tx.metadata()
        configuration = before.configuration()
        schema = json.loads(before.schemaString())
        schema["fields"] = fields(shape, {one["name"]: one for one in schema["fields"]})
        for name, value in properties.items():
            configuration = configuration.updated(name, value)
        same = before.id(), before.name(), before.description(), before.format()
        metadata = self._delta.actions.Metadata(
            *same, json.dumps(schema), before.partitionColumns(), configuration, before.createdTime()
        )
        tx.updateMetadata(metadata, False)

    def _move(self, name: str) -> None:
        old = self.ref
        if self.tables.names.is_path:
            path = java(self.spark).org.apache.hadoop.fs.Path
            source, target = path(self.path), path(self.tables.names.path(name))
            files = source.getFileSystem(self.spark._jsparkSession.sessionState().newHadoopConf())
            files.mkdirs(target.getParent())
            if not files.rename(source, target):
                raise TargetError(f"the folder {self.path} of table {self.name} cannot be renamed to {target}")
            self._delta.DeltaLog.clearCache()
        else:
            parts = self.tables.names.parts(name)
            self.spark.sql(f"create schema if not exists {quoted(*parts[:-1])}")
            self.spark.sql(f"alter table {old} rename to {quoted(*parts)}")
        self._at(name)


def _property(snapshot: Any, name: str) -> str:
    value = snapshot.metadata().configuration().get(name)
    return str(value.get()) if value.isDefined() else ""


def _frees(shape: Shape) -> bool:
    """Whether a name that files use may become another column's: then columns need separate names in files."""
    kept = {one.name for one in shape.columns if one.before == one.name}
    return any(one.name not in kept for one in shape.before)


def _mapped(snapshot: Any) -> bool:
    """Whether columns have separate names in files."""
    return _property(snapshot, MAPPING) not in ("", "none")
