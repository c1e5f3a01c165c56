"""Derives a table's Spark schema from the columns that its changes carry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DecimalType,
    IntegerType,
    LongType,
    Row,
    StringType,
    StructField,
    StructType,
)

from tidewire.reading.infer import SeenColumn, columns_seen, common, latest_first, merge
from tidewire.reading.message_batch import MessageBatch, fail
from tidewire.reading.options import ReadOptions, of_table
from tidewire.reading.tables import MOST_KEPT, MOST_LETTERS, Table, absent, dotted, parse_table, positions, same
from tidewire.reading.types import SchemaError, record_batch
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.batch import EventColumns, TableName
from tidewire.spark.arrow_types import arrow_schema, arrow_type, spark_type
from tidewire.spark.decoding import DecodeTask
from tidewire.spark.known_tables import known_tables
from tidewire.spark.options import load, read_options
from tidewire.spark.source import Origins, check_frame, kafka_columns
from tidewire.spark.workers import collected, run_on
from tidewire.tables import TableStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FOUND = StructType(
    [
        StructField("schema", StringType()),
        StructField("table", StringType()),
        StructField("version", LongType()),
        StructField("whole", BooleanType()),
        StructField("position", IntegerType()),
        StructField("name", StringType()),
        StructField("type", IntegerType()),
        StructField("flags", DecimalType(20, 0)),
        StructField("mysql_type", StringType()),
        StructField("digits", IntegerType()),
        StructField("scale", IntegerType()),
        StructField("text", BooleanType()),
        StructField("messages", LongType()),
        StructField("failed", LongType()),
        StructField("reason", StringType()),
    ]
)
"""One row of what a batch shows about a column. For other tables only schema and table are set. A row without a table
counts the messages and the failed ones, with the first error.
"""
_ARROW = {"flags": pa.uint64()}


def table_schema(df: DataFrame, protocol: str, table: Table, options: Mapping[str, Any] | None = None) -> StructType:
    """The Spark schema of a table, from all of its changes in the frame: all columns that existed at any time.

    Columns are in the order of the latest change, followed by columns that it lacks. Types are those of
    `tidewire.mysql.spark_type`; if a column had several, the one that holds the values of all. A DECIMAL whose messages
    carry the full type (``decimal(10,2)``) has that precision and scale; another becomes decimal(38, s) with the
    largest scale seen, or STRING if 38 digits are not enough. A BIT is binary without leading zero bytes. The metadata
    of a field has `tidb_type`, `unsigned`, and `handle_key` (whether the column is part of the row's key); if the
    messages carry them, also `mysql_type`, the declared type, and `members`, the labels of ENUM and SET.

    Args:
        df: messages as for `rows_from_ticdc`; not streaming. They are read by one job, preceded by another if table
            descriptions are in separate messages.
        protocol: name of the protocol.
        table: ``schema.table`` or a pair of both, as for `rows_from_ticdc`.
        options: as for `rows_from_ticdc`; zeroDate=string makes columns of dates and times STRING, time=interval makes
            TIME an interval.

    Raises:
        SchemaError: there is no change of the table in the frame (the text lists the tables in it), or no type holds
            all types that a column had.
        MalformedError: mode is FAILFAST and a message cannot be decoded.
        OptionError: an option is unknown or invalid.
    """
    return schema_by(df, protocol, table, options, None)


def schema_by(
    df: DataFrame, protocol: str, table: Table, options: Mapping[str, Any] | None, tables: TableStore | None
) -> StructType:
    """`table_schema`, given the descriptions that a job already found (`known_tables`), or None."""
    wanted = parse_table(table)
    seen, chosen = _look(df, protocol, options, wanted, tables)
    found = schemas_of(seen, chosen)
    if not found:
        others = {(row.schema, row.table) for row in seen if row.table is not None}
        raise SchemaError(f"{absent(wanted, others, 'these messages')} {undecoded(seen)}".rstrip())
    return next(iter(found.values()))


def table_schemas(
    df: DataFrame, protocol: str, options: Mapping[str, Any] | None = None
) -> dict[tuple[str, str], StructType]:
    """`table_schema` of every table with row changes in the frame, by schema and table, with one job. A table whose
    name occurs in several spellings is listed once, under the latest.

    Args:
        df: messages; not streaming.
        protocol: name of the protocol.
        options: as for `rows_from_ticdc`.
    """
    seen, chosen = _look(df, protocol, options, None)
    return schemas_of(seen, chosen)


def _look(
    df: DataFrame,
    protocol: str,
    options: Mapping[str, Any] | None,
    only: tuple[str, str] | None,
    tables: TableStore | None = None,
) -> tuple[list[Row], ReadOptions]:
    """Rows of `FOUND`, and the options that they were read with."""
    check_frame(df)
    if df.isStreaming:
        raise SchemaError(
            "a stream has no end to derive a schema from: derive it from a batch of the same messages, or give it"
        )
    chosen = read_options(protocol, options, "UTC")
    if tables is None:
        tables = known_tables(df, protocol, chosen)
    chosen = chosen if only is None else of_table(load(protocol), chosen, only)
    task = ColumnsTask(protocol, chosen, arrow_schema(FOUND), only, tables=tables)
    origins: Origins = "packed" if chosen.mode == "FAILFAST" else "none"
    return collected(run_on(kafka_columns(df, protocol, origins), task, FOUND)), chosen


def undecoded(seen: Iterable[Row]) -> str:
    """A sentence with how many messages could not be decoded and the first reason; empty if all could."""
    counts = [row for row in seen if row.messages is not None]
    failed = sum(row.failed for row in counts)
    if not failed:
        return ""
    reason = next(row.reason for row in counts if row.reason is not None)
    return f"({failed:,} of {sum(row.messages for row in counts):,} messages could not be decoded, the first: {reason})"


def schemas_of(found: Iterable[Row], options: ReadOptions) -> dict[tuple[str, str], StructType]:
    """The schema of every table, from rows of `FOUND`."""
    seen: dict[TableName, list[Row]] = {}
    for row in found:
        if row.name is not None:
            seen.setdefault(same((row.schema, row.table)), []).append(row)
    schemas = {}
    for rows in seen.values():
        rows.sort(key=latest_first)
        schemas[rows[0].schema, rows[0].table] = merged(rows, options)
    return dict(sorted(schemas.items()))


def merged(seen: Sequence[SeenColumn], options: ReadOptions) -> StructType:
    """A schema from the columns seen; see `tidewire.reading.infer.merge`."""
    return StructType([StructField(one.name, spark_type(one.type), True, one.facts) for one in merge(seen, options)])


def common_type(name: str, one: DataType, other: DataType) -> DataType:
    """The type that holds the values of both types."""
    return spark_type(common(name, arrow_type(one), arrow_type(other)))


@dataclass(frozen=True)
class ColumnsTask(DecodeTask):
    """`mapInArrow`: messages -> a row for each column that the table has or had in a batch."""

    table: tuple[str, str] | None

    @cached_property
    def _others(self) -> set[TableName]:
        """Other tables that were met; each is reported once."""
        return set()

    def process(self, messages: MessageBatch, decoded: EventColumns) -> pa.RecordBatch | None:
        rows = self.rows_of(messages, decoded)
        columns = {
            field.name: column_of([row.get(field.name) for row in rows], _ARROW.get(field.name, field.type)).cast(
                field.type
            )
            for field in self.schema
        }
        return record_batch(self.schema, columns, len(rows))

    def rows_of(self, messages: MessageBatch, decoded: EventColumns) -> list[dict[str, Any]]:
        """The rows of `FOUND` for a batch, as dicts; members without a value are omitted."""
        if decoded.errors and self.options.mode == "FAILFAST":
            fail(messages, int(decoded.errors[0].message or 0), str(decoded.errors[0]))
        wanted = positions(decoded.tables, self.table)
        found = columns_seen(decoded, wanted)
        rows: list[dict[str, Any]] = [
            {**_named(decoded.tables[table]), **column._asdict(), **seen} for (table, column), seen in found.items()
        ]
        for at in {layout.table for layout in decoded.layouts} - wanted:
            name = decoded.tables[at]
            if name not in self._others and len(self._others) < MOST_KEPT and len(dotted(name)) <= MOST_LETTERS:
                self._others.add(name)
                rows.append(_named(name))
        failed = len(decoded.errors)
        reason = str(decoded.errors[0]) if failed else None
        rows.append({"messages": messages.rows, "failed": failed, "reason": reason})
        return rows


def _named(table: TableName) -> dict[str, Any]:
    """Schema and table, as a batch reports them."""
    schema, name = table
    return {"schema": schema or "", "table": name or ""}
