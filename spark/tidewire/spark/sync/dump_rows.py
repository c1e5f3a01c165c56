"""The rows of a dump as rows of a table. Spark's workers read its files, a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F

from tidewire.reading.database.dump import Dump, TableName
from tidewire.reading.database.dumped_text import DumpError
from tidewire.reading.database.stored_values import StoredValues
from tidewire.reading.kernels.image_rows import RANKS
from tidewire.reading.options import ReadOptions
from tidewire.reading.types import SchemaError
from tidewire.spark.arrow_types import wanted
from tidewire.spark.sync.by_key import ORDER
from tidewire.spark.sync.dumped import named
from tidewire.spark.sync.shapes import Shape, declared_shape
from tidewire.spark.sync.targets import CHANGE_TYPE
from tidewire.spark.workers import run_on
from tidewire.tables import TableDescription

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MOST_TASKS = 4096
_HINT = "; choose zeroDate: null to have NULL in its place"


@dataclass(frozen=True)
class DumpedTable:
    """One table of a dump.

    Attributes:
        dump: the dump, with this table alone.
        name: schema and table.
        description: of the table.
        shape: of its rows, as they would come from the topic.
        options: as for the rows of the topic.
    """

    dump: Dump
    name: TableName
    description: TableDescription
    shape: Shape
    options: ReadOptions

    def values(self) -> StoredValues:
        """The converter of the dump's values to the types of the table."""
        columns = self.description.row_columns()
        return StoredValues(columns, wanted(self.shape.struct()), self.options, self.dump.timezone)


def table_of(dump: Dump, table: str, options: ReadOptions) -> DumpedTable:
    """A table of a dump.

    Args:
        dump: the dump.
        table: its name.
        options: as for the rows of the topic.

    Raises:
        DumpError: the dump has no such table, or its values cannot be read.
    """
    name = named(dump, table)
    description = dump.describe(name)
    try:
        found = DumpedTable(
            dump.only(name), name, description, declared_shape(description.row_columns(), options), options
        )
        found.values()
    except SchemaError as error:
        raise DumpError(f"table {table} of the dump in {dump.place}: {error}") from None
    return found


def rows_of(spark: SparkSession, table: DumpedTable, history: bool) -> DataFrame:
    """The rows of a table. A worker reads a file at a time; rows that cannot be read fail the job.

    Args:
        spark: the session.
        table: the table.
        history: whether they are rows of a history table: inserts at the dump's TSO.
    """
    files = table.dump.tables[table.name].data
    struct = table.shape.struct()
    numbers = spark.range(0, len(files), 1, max(1, min(len(files), _MOST_TASKS)))
    rows = run_on(numbers, LoadTask(table), struct)
    if not history:
        return rows
    values = {CHANGE_TYPE: "insert", ORDER[0].name: table.dump.tso, ORDER[1].name: RANKS.index("insert")}
    types = {CHANGE_TYPE: "string", **dict(ORDER)}
    return rows.select("*", *(F.lit(value).cast(types[name]).alias(name) for name, value in values.items()))


@dataclass(frozen=True)
class LoadTask:
    """`mapInArrow`: numbers of files -> their rows, in batches that are bounded by rows and bytes
    (`dumped_text.BATCH_ROWS`, `BATCH_BYTES`).
    """

    table: DumpedTable

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        files = self.table.dump.tables[self.table.name].data
        values = self.table.values()
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from self._rows(files[number], values)

    def _rows(self, file: str, values: StoredValues) -> Iterator[pa.RecordBatch]:
        dump = self.table.dump
        try:
            for rows in dump.rows(self.table.name, self.table.description, [file]):
                typed = values.batch(rows)
                if typed.unfit:
                    one = typed.unfit[0]
                    raise SchemaError(
                        f"{dump.place}/{file}, row {one.row + 1:,} from line {rows.line:,} on: column {one.column!r}:"
                        f" {one.reason}{_HINT if 'does not exist' in one.reason else ''}"
                    )
                yield typed.batch
        except FileNotFoundError:
            raise SchemaError(
                f"{dump.place}/{file} is not there: Spark's workers read the dump; keep it until it is loaded, where"
                " they reach it"
            ) from None
        except DumpError as error:
            raise SchemaError(str(error)) from None
