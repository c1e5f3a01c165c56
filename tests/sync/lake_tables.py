"""Tables of one format, for tests of steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from sync.frames import frame_of
from tidewire.spark.sync.changelog import Position
from tidewire.spark.sync.targets import Column, Table, Tables
from tidewire.spark.sync.targets.delta import DeltaTables
from tidewire.spark.sync.targets.iceberg import IcebergTables
from tidewire.spark.sync.targets.parquet import ParquetTables

COLUMNS = (Column("id", "bigint"), Column("v", "int"), Column("note", "string"))
SCHEMA = "id bigint, v int, note string"
Rows = set[tuple[Any, ...]]
numbers: Iterator[int] = iter(range(1000))


class Lake:
    """The tables of one format, each test's own."""

    def __init__(self, spark: SparkSession, format: str, folder: Path, number: int) -> None:
        self.spark = spark
        self.format = format
        self.folder = folder
        self.few = False
        self.schema = f"s{number}"
        self.tables: Tables
        if format == "parquet":
            self.tables = ParquetTables(spark, f"{folder}/{{schema}}/{{table}}")
        elif format == "iceberg":
            self.tables = IcebergTables(spark, "ice.{schema}.{table}")
        else:
            self.tables = DeltaTables(spark, f"{folder}/{{schema}}/{{table}}")

    def table(self, name: str = "t", number: int = 1, sync: str = "shop") -> Table:
        return self.tables.table(f"{self.schema}.{name}", f"{sync}/{number}")

    def made(self, columns: Sequence[Column] = COLUMNS) -> Table:
        table = self.table()
        table.create(columns, Position(10))
        return table

    def filled(self) -> Table:
        """A table at 20 with (1, 1, a) and (2, 2, b)."""
        table = self.made()
        self.merge(table, [("insert", 1, 1, "a"), ("insert", 2, 2, "b")], 10, 20)
        return table

    def merge(
        self, table: Table, rows: Sequence[tuple[Any, ...]], at: int, to: int, schema: str = SCHEMA, *, key: str = "id"
    ) -> None:
        changes = frame_of(self.spark, rows, f"_change_type string, {schema}")
        table.apply(changes, [key], Position(at), Position(to), self.few)


def rows(table: Table, version: int | None = None) -> Rows:
    return {tuple(one) for one in table.read(table.version() if version is None else version).collect()}


def names(table: Table) -> list[tuple[str, str]]:
    return [(one.name, one.type) for one in table.columns() or ()]
