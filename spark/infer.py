"""A table's Spark schema, from the columns that its changes carry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

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
    VariantType,
)

from tidewire.mysql import ColumnFlag, ColumnType, Declared, declared, spark_type, type_text
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.batch import Column, EventColumns, TableName
from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.arrow_types import SchemaError, arrow_schema, record_batch
from tidewire.spark.decoding import DecodeTask
from tidewire.spark.known_tables import known_tables
from tidewire.spark.labels import LABELLED, labels_of
from tidewire.spark.options import ReadOptions, read_options
from tidewire.spark.source import MessageBatch, Origins, check_frame, fail, kafka_columns
from tidewire.spark.tables import (
    MOST_KEPT,
    MOST_LETTERS,
    Table,
    absent,
    alike_in_case,
    dotted,
    parse_table,
    positions,
    same,
)
from tidewire.spark.told_by_schema import named
from tidewire.spark.typed import CANDIDATES, sql_name
from tidewire.spark.whole import incomplete
from tidewire.spark.workers import collected, run_on
from tidewire.tables import TableStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_DIGITS = 38
"""Of a decimal in Spark; a DECIMAL column with more becomes STRING."""
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
"""What a batch reveals about a column. For a table that is not wanted only schema and table are set. A row without a
table counts messages and those that could not be decoded, with the error of the first.
"""
_TYPES = {sql_name(kind).lower(): kind for kind in (*CANDIDATES, DecimalType(20, 0))}
_ARROW = {"flags": pa.uint64()}
_DATED = (ColumnType.DATE, ColumnType.NEWDATE, ColumnType.DATETIME, ColumnType.TIMESTAMP)
_INTEGERS: tuple[DataType, ...] = (ByteType(), ShortType(), IntegerType(), LongType(), DecimalType(20, 0))


def table_schema(df: DataFrame, protocol: str, table: Table, options: Mapping[str, Any] | None = None) -> StructType:
    """The Spark schema of a table, from every change of it in the frame: the columns that were there at any time.

    Columns are in the order of the latest change, followed by columns that it lacks. Types are those of
    `tidewire.mysql.spark_type`; where a column had several, the one that holds the values of all. A DECIMAL whose full
    type the wire says (``decimal(10,2)``) has that precision and scale; another becomes decimal(38, s) with the largest
    scale seen. STRING where 38 digits are not enough. A BIT is binary without leading zero bytes. The metadata of a
    field says `tidb_type`, `unsigned`, and `handle_key`: whether the column is part of the row's key; `mysql_type`, the
    type as it was declared, and `members` of ENUM and SET, where the wire says them.

    Args:
        df: messages as for `rows_from_ticdc`; not streaming. They are read with the job that this starts, and before
            with another one where other messages describe the tables.
        protocol: name of the protocol.
        table: ``schema.table`` or a pair of both, as for `rows_from_ticdc`.
        options: as for `rows_from_ticdc`; zeroDate=string makes columns of dates and times STRING, time=interval
            makes TIME an interval.

    Raises:
        SchemaError: there is no change of the table in the frame (the text names the tables that are there), or a
            column had types that no type holds both.
        MalformedError: mode is FAILFAST and a message cannot be decoded.
        OptionError: an option is unknown or has a value that it cannot have.
    """
    return schema_by(df, protocol, table, options, None)


def schema_by(
    df: DataFrame, protocol: str, table: Table, options: Mapping[str, Any] | None, tables: TableStore | None
) -> StructType:
    """`table_schema`, where a job has already found what the messages describe (`known_tables`); None: none has."""
    wanted = parse_table(table)
    seen, chosen = _look(df, protocol, options, wanted, tables)
    found = schemas_of(seen, chosen)
    if not found:
        others = {(row.schema, row.table) for row in seen if row.table is not None}
        raise SchemaError(f"{absent(wanted, others, 'these messages')} {_undecoded(seen)}".rstrip())
    return next(iter(found.values()))


def table_schemas(
    df: DataFrame, protocol: str, options: Mapping[str, Any] | None = None
) -> dict[tuple[str, str], StructType]:
    """`table_schema` of every table of which the frame has row changes, by schema and table, with one job. A table
    whose name was spelled in several ways is there once, under the latest.

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
    """Rows of `FOUND`, and how they were read."""
    check_frame(df)
    if df.isStreaming:
        raise SchemaError(
            "a stream has no end to derive a schema from: derive it from a batch of the same messages, or give it"
        )
    chosen = read_options(protocol, options, "UTC")
    if tables is None:
        tables = known_tables(df, protocol, chosen)
    chosen = chosen if only is None else named(protocol, chosen, only)
    task = ColumnsTask(protocol, chosen, arrow_schema(FOUND), only, tables=tables)
    origins: Origins = "packed" if chosen.mode == "FAILFAST" else "none"
    return collected(run_on(kafka_columns(df, protocol, origins), task, FOUND)), chosen


def _undecoded(seen: Iterable[Row]) -> str:
    """How many messages could not be decoded and why the first; empty when all could."""
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
        rows.sort(key=lambda row: (not row.whole, -row.version, row.position))
        schemas[rows[0].schema, rows[0].table] = merge(rows, options)
    return dict(sorted(schemas.items()))


def merge(seen: list[Row], options: ReadOptions) -> StructType:
    """A schema from what was seen: whole rows before partial ones, then the latest first.

    Raises:
        SchemaError: a column had types that no type holds both, or rows had two whose names differ in case only.
    """
    names: dict[str, str] = {}
    at: dict[tuple[str, int], str] = {}
    facts: dict[str, dict[str, Any]] = {}
    types: dict[str, DataType] = {}
    digits: dict[str, list[Digits]] = {}
    for row in seen:
        key = row.name.lower()
        names.setdefault(key, row.name)
        # rows of one time have one name for a column; those of another may have it spelled anew
        other = at.setdefault((key, row.version), row.name)
        if other != row.name:
            raise SchemaError(alike_in_case(other, row.name))
        facts.setdefault(key, _facts(row))
        kind = _type(row, options)
        digits.setdefault(key, []).append(_digits_of(row, kind))
        types[key] = kind if key not in types else common(row.name, types[key], kind)
    for key, kind in types.items():
        if isinstance(kind, DecimalType) and kind not in _INTEGERS:
            types[key] = _decimal(digits[key])
    return StructType([StructField(names[key], kind, True, facts[key]) for key, kind in types.items()])


class Digits(NamedTuple):
    """Digits of a number before and after the point."""

    whole: int
    scale: int
    exact: bool
    """Whether they were declared; if not, they are the most that were seen."""


def _digits_of(row: Row, kind: DataType) -> Digits:
    """The digits of a column of one layout; of an integer column that became a decimal one, or the reverse, 20."""
    full = _full(row)
    if row.type == ColumnType.DECIMAL and full is not None and full.length is not None:
        scale = full.decimals or 0
        return Digits(full.length - scale, scale, True)
    if row.digits is None:
        return Digits(20 if kind in _INTEGERS else 0, 0, True)
    return Digits(row.digits, row.scale, False)


def _decimal(seen: list[Digits]) -> DataType:
    """The decimal type that holds them all; as wide as possible where the width was not declared."""
    whole, scale = max(one.whole for one in seen), max(one.scale for one in seen)
    if whole + scale > MOST_DIGITS:
        return StringType()
    return DecimalType(whole + scale if all(one.exact for one in seen) else MOST_DIGITS, scale)


def _full(row: Row) -> Declared | None:
    """The declared type of a column, taken apart; None where the wire does not say it."""
    return full_type(row.mysql_type)


def full_type(mysql_type: str | None) -> Declared | None:
    """A declared type, taken apart; None where it is not said or cannot be read."""
    if mysql_type is None:
        return None
    try:
        return declared(mysql_type)
    except ValueError:
        return None


def _facts(row: Row) -> dict[str, Any]:
    """What is kept of a column beside its type, as the metadata of its field."""
    flags = ColumnFlag(int(row.flags) & 0xFF)
    found: dict[str, Any]
    try:
        kind = type_text(row.type, flags & ColumnFlag.BINARY)
    except ValueError:
        kind = str(row.type)
    found = {"tidb_type": kind, "handle_key": ColumnFlag.HANDLE_KEY in flags, "unsigned": ColumnFlag.UNSIGNED in flags}
    full = _full(row)
    if full is not None:
        found["mysql_type"] = row.mysql_type
        if full.members:
            found["members"] = list(full.members)
    return found


def _type(row: Row, options: ReadOptions) -> DataType:
    """The Spark type of a column of one layout."""
    if row.type == ColumnType.DECIMAL:
        return DecimalType(MOST_DIGITS, row.scale or 0)
    if row.type in _DATED and options.zero_date == "string":
        return StringType()
    if row.type == ColumnType.TIME and options.time == "interval":
        return DayTimeIntervalType()
    if row.type == ColumnType.JSON and options.json == "variant":
        return VariantType()
    if row.type in LABELLED and options.enum == "label":
        if not labels_of(row.mysql_type):
            raise SchemaError(
                f"column {row.name!r}: the messages do not say the labels of this {ColumnType(row.type).name}, for "
                "which option enum=label asks; leave the option out, or give a schema with STRING for it and the "
                "labels as `members` in the field's metadata"
            )
        return StringType()
    text = spark_type(row.type, int(row.flags))
    if text == "string" and not row.text:
        text = "binary"
    return _TYPES[text]


def common(name: str, one: DataType, other: DataType) -> DataType:
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
    """`mapInArrow`: messages -> a row for each column that the table has, or has had, in a batch."""

    table: tuple[str, str] | None

    @cached_property
    def _others(self) -> set[TableName]:
        """Tables that were met and are not wanted; each is reported once."""
        return set()

    def process(self, messages: MessageBatch, decoded: EventColumns) -> pa.RecordBatch | None:
        if decoded.errors and self.options.mode == "FAILFAST":
            fail(messages, int(decoded.errors[0].message or 0), str(decoded.errors[0]))
        wanted = positions(decoded.tables, self.table)
        # layouts of a table have most columns in common: with old images of changed columns only there are many
        found: dict[tuple[int, Column], dict[str, Any]] = {}
        for at, layout in enumerate(decoded.layouts):
            if layout.table in wanted:
                version, whole = _use(decoded, at)
                for position, (column, array) in enumerate(zip(layout.columns, layout.arrays, strict=True)):
                    seen = {"version": version, "whole": whole, "position": position, **_seen(column, array)}
                    before = found.get((layout.table, column))
                    found[layout.table, column] = seen if before is None else _both(before, seen)
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
        columns = {
            field.name: column_of([row.get(field.name) for row in rows], _ARROW.get(field.name, field.type)).cast(
                field.type
            )
            for field in self.schema
        }
        return record_batch(self.schema, columns, len(rows))


def _named(table: TableName) -> dict[str, Any]:
    """Schema and table, as a batch reports them."""
    schema, name = table
    return {"schema": schema or "", "table": name or ""}


def _use(decoded: EventColumns, layout: int) -> tuple[int, bool]:
    """The last commit ts at which a layout was used, and whether its rows are whole: neither handle keys only, also
    those of deletes, nor old images whose new images have another layout.
    """
    events = decoded.events
    number = constant(layout, pa.int64())
    new, old = (pc.equal(events.column(name), number) for name in ("new_layout", "old_layout"))
    used = events.filter(pc.or_(new, old))
    physical = pc.max(used.column("commit_ms")).as_py() or 0
    version = pc.max(used.column("commit_ts")).as_py() or physical << TSO_SHIFT
    alone = pc.less(events.column("new_layout"), constant(0, pa.int64()))
    only_keys = all(column.flags & ColumnFlag.HANDLE_KEY for column in decoded.layouts[layout].columns)
    whole = pc.and_not(new if only_keys else pc.or_(new, pc.and_(old, alone)), incomplete(decoded))
    return max(0, min(version, (1 << 63) - 1)), bool(pc.any(whole).as_py())


def _seen(column: Column, array: pa.Array) -> dict[str, Any]:
    """What the values of a column reveal about it."""
    whole, scale = digits_seen(array) if column.type == ColumnType.DECIMAL else (None, None)
    return {"digits": whole, "scale": scale, "text": array.type != pa.binary()}


def _both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """What two layouts reveal about a column: its position in the preferred one, and the most digits of both."""
    first = max(one, other, key=lambda seen: (seen["whole"], seen["version"]))
    most = {name: None if one[name] is None else max(one[name], other[name]) for name in ("digits", "scale")}
    return {**first, **most, "text": one["text"] and other["text"]}


def digits_seen(array: pa.Array) -> tuple[int, int]:
    """The most digits before and after the point in a column of decimals."""
    plain = pc.replace_substring_regex(array, "^-?0*", "")
    point = pc.find_substring(plain, ".")
    length = pc.binary_length(plain)
    zero, one = constant(0, length.type), constant(1, length.type)
    whole = pc.if_else(pc.less(point, zero), length, point)
    scale = pc.if_else(pc.less(point, zero), zero, pc.subtract(pc.subtract(length, point), one))
    return pc.max(whole).as_py() or 0, pc.max(scale).as_py() or 0
