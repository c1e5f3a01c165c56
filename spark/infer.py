"""A table's Spark schema, from the columns that its changes carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    Row,
    ShortType,
    StringType,
    StructField,
    StructType,
)

from tidewire.mysql import ColumnFlag, ColumnType, declared, spark_type
from tidewire.runtime.batch import Column, EventColumns, Layout
from tidewire.spark.arrow_types import SchemaError, arrow_schema, record_batch
from tidewire.spark.decoding import DecodeTask
from tidewire.spark.options import ReadOptions, read_options
from tidewire.spark.rows import parse_table
from tidewire.spark.source import Messages, fail, kafka_columns
from tidewire.spark.typed import CANDIDATES, sql_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_DIGITS = 38
"""Of a decimal in Spark; a DECIMAL column with more becomes STRING."""
_FOUND = StructType(
    [
        StructField("schema", StringType()),
        StructField("table", StringType()),
        StructField("version", LongType()),
        StructField("place", IntegerType()),
        StructField("name", StringType()),
        StructField("type", IntegerType()),
        StructField("flags", DecimalType(20, 0)),
        StructField("mysql_type", StringType()),
        StructField("digits", IntegerType()),
        StructField("scale", IntegerType()),
        StructField("text", BooleanType()),
    ]
)
_TYPES = {sql_name(kind).lower(): kind for kind in (*CANDIDATES, DecimalType(20, 0))}
_ARROW = {"flags": pa.uint64()}
_DATED = (ColumnType.DATE, ColumnType.NEWDATE, ColumnType.DATETIME, ColumnType.TIMESTAMP)
_INTEGERS: tuple[DataType, ...] = (ByteType(), ShortType(), IntegerType(), LongType(), DecimalType(20, 0))


def table_schema(df: DataFrame, protocol: str, table: str, options: Mapping[str, Any] | None = None) -> StructType:
    """The Spark schema of a table, from every change of it in the frame: the columns that were there at any time.

    Columns are in the order of the latest change, those that it has not behind. Types are those of
    `tidewire.mysql.spark_type`; where a column had several, the one that holds the values of all. Where the messages
    do not say how a DECIMAL was declared it becomes decimal(38, s) with the largest scale seen, and STRING where 38
    digits are not enough. A BIT is binary without leading zero bytes. The metadata of a field says `tidb_type`,
    `unsigned`, `handle_key` (whether the column is part of the row's key), and `mysql_type` (the declared type) where
    the messages say it.

    Args:
        df: messages as for `rows_from_ticdc`; not streaming. They are read once, with the job that this starts.
        protocol: name of the protocol.
        table: ``schema.table``.
        options: as for `rows_from_ticdc`; zeroDate=string makes columns of dates and times STRING, time=interval
            makes TIME an interval.

    Raises:
        SchemaError: there is no change of the table in the frame, or a column had types that no type holds both.
        OptionError: an option is unknown or has a value that it cannot have.
    """
    found = table_schemas(df, protocol, options, parse_table(table))
    if not found:
        raise SchemaError(f"no change of table {table} is in these messages; its schema has to be given")
    return next(iter(found.values()))


def table_schemas(
    df: DataFrame,
    protocol: str,
    options: Mapping[str, Any] | None = None,
    only: tuple[str, str] | None = None,
) -> dict[tuple[str, str], StructType]:
    """`table_schema` of every table of which the frame has row changes, by schema and table, with one job.

    Args:
        df: messages; not streaming.
        protocol: name of the protocol.
        options: as for `rows_from_ticdc`.
        only: schema and name of the one table that is wanted.
    """
    if df.isStreaming:
        raise SchemaError(
            "a stream has no end to derive a schema from: derive it from a batch of the same messages, or give it"
        )
    chosen = read_options(protocol, options, "UTC")
    task = ColumnsTask(protocol, chosen, arrow_schema(_FOUND), only)
    seen: dict[tuple[str, str], list[Row]] = {}
    for row in kafka_columns(df, chosen.mode == "FAILFAST").mapInArrow(task, _FOUND).collect():
        seen.setdefault((row.schema, row.table), []).append(row)
    return {
        name: merge(sorted(rows, key=lambda row: (-row.version, row.place)), chosen)
        for name, rows in sorted(seen.items())
    }


def merge(seen: list[Row], options: ReadOptions) -> StructType:
    """A schema from what was seen, the latest first.

    Raises:
        SchemaError: a column had types that no type holds both.
    """
    names: dict[str, str] = {}
    facts: dict[str, dict[str, Any]] = {}
    types: dict[str, DataType] = {}
    digits: dict[str, tuple[int, int]] = {}
    for row in seen:
        key = row.name.lower()
        names.setdefault(key, row.name)
        facts.setdefault(key, _facts(row))
        kind = _declared(row, options)
        # an integer column that became a decimal one, or the reverse
        whole, scale = (row.digits, row.scale) if row.digits is not None else (20 if kind in _INTEGERS else 0, 0)
        most = digits.get(key, (0, 0))
        digits[key] = max(whole, most[0]), max(scale, most[1])
        types[key] = kind if key not in types else _common(row.name, types[key], kind)
    for key, kind in types.items():
        if isinstance(kind, DecimalType) and kind not in _INTEGERS and sum(digits[key]) > MOST_DIGITS:
            types[key] = StringType()
    return StructType([StructField(names[key], kind, True, facts[key]) for key, kind in types.items()])


def _facts(row: Row) -> dict[str, Any]:
    """What is kept of a column beside its type, as the metadata of its field."""
    flags = ColumnFlag(int(row.flags) & 0xFF)
    try:
        kind = ColumnType(row.type).name.lower()
    except ValueError:
        kind = str(row.type)
    facts = {"tidb_type": kind, "handle_key": ColumnFlag.HANDLE_KEY in flags, "unsigned": ColumnFlag.UNSIGNED in flags}
    return facts if row.mysql_type is None else {**facts, "mysql_type": row.mysql_type}


def _declared(row: Row, options: ReadOptions) -> DataType:
    """The Spark type of a column of one layout."""
    if row.type == ColumnType.DECIMAL:
        said = None if row.mysql_type is None else declared(row.mysql_type)
        if said is None or said.length is None:
            return DecimalType(MOST_DIGITS, row.scale or 0)
        return StringType() if said.length > MOST_DIGITS else DecimalType(said.length, said.decimals or 0)
    if row.type in _DATED and options.zero_date == "string":
        return StringType()
    if row.type == ColumnType.TIME and options.time == "interval":
        return DayTimeIntervalType()
    text = spark_type(row.type, int(row.flags))
    if text == "string" and not row.text:
        text = "binary"
    return _TYPES[text]


def _common(name: str, one: DataType, other: DataType) -> DataType:
    """The type that holds the values of both."""
    if one == other:
        return one
    if one in _INTEGERS and other in _INTEGERS:
        return _INTEGERS[max(_INTEGERS.index(one), _INTEGERS.index(other))]
    exact = [kind for kind in (one, other) if isinstance(kind, DecimalType)]
    if exact and all(kind in exact or kind in _INTEGERS for kind in (one, other)):
        return DecimalType(MOST_DIGITS, max(kind.scale for kind in exact))
    if {type(one), type(other)} == {FloatType, DoubleType}:
        return DoubleType()
    if {type(one), type(other)} == {StringType, BinaryType}:
        return BinaryType()
    if isinstance(one, StringType) or isinstance(other, StringType):
        return StringType()
    raise SchemaError(
        f"column {name!r} was {sql_name(other)} and became {sql_name(one)}: no type holds both; give the schema, with "
        "STRING for it, or read the messages before and after the change apart"
    )


@dataclass(frozen=True)
class ColumnsTask(DecodeTask):
    """`mapInArrow`: messages -> a row for each column of each layout of the table."""

    table: tuple[str, str] | None

    def process(self, messages: Messages, decoded: EventColumns) -> pa.RecordBatch | None:
        if decoded.errors and self.options.mode == "FAILFAST":
            fail(messages, int(decoded.errors[0].message or 0), str(decoded.errors[0]))
        wanted = {at for at, name in enumerate(decoded.tables) if self.table in (None, name)}
        found = [
            row
            for at, layout in enumerate(decoded.layouts)
            if layout.table in wanted
            for row in self.describe(decoded, at, layout)
        ]
        columns = {
            field.name: pa.array([row[field.name] for row in found], _ARROW.get(field.name, field.type)).cast(
                field.type
            )
            for field in self.schema
        }
        return record_batch(self.schema, columns, len(found))

    def describe(self, decoded: EventColumns, at: int, layout: Layout) -> Iterator[dict[str, Any]]:
        """What is known of each column of one layout, with the last commit ts at which it was seen."""
        events = decoded.events
        number = pa.scalar(at, pa.int64())
        uses = pc.or_(pc.equal(events.column("new_layout"), number), pc.equal(events.column("old_layout"), number))
        physical = pc.max(events.column("commit_ms").filter(uses)).as_py() or 0
        version = pc.max(events.column("commit_ts").filter(uses)).as_py() or physical << 18
        for place, (column, array) in enumerate(zip(layout.columns, layout.arrays, strict=True)):
            whole, scale = _digits(array) if column.type == ColumnType.DECIMAL else (None, None)
            schema, table = decoded.tables[layout.table]
            yield {
                "schema": schema or "",
                "table": table or "",
                "version": min(version, (1 << 63) - 1),
                "place": place,
                **Column(*column)._asdict(),
                "digits": whole,
                "scale": scale,
                "text": array.type != pa.binary(),
            }


def _digits(array: pa.Array) -> tuple[int, int]:
    """The most digits before and after the point in a column of decimals."""
    plain = pc.replace_substring_regex(array, "^-?0*", "")
    point = pc.find_substring(plain, ".")
    length = pc.binary_length(plain)
    whole = pc.if_else(pc.less(point, 0), length, point)
    scale = pc.if_else(pc.less(point, 0), 0, pc.subtract(pc.subtract(length, point), 1))
    return pc.max(whole).as_py() or 0, pc.max(scale).as_py() or 0
