"""Rows that neither say their types nor are described: the schema that a user gives says what their columns are, and
the table that he names is theirs where they name none.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from tidewire.spark.known_tables import GivenTables
from tidewire.spark.options import ReadOptions, load
from tidewire.tables import ColumnDescription, TableDescription, TableStore

TYPES: dict[type[DataType], str] = {
    BinaryType: "longblob",
    BooleanType: "tinyint(1)",
    ByteType: "tinyint",
    ShortType: "smallint",
    IntegerType: "int",
    LongType: "bigint",
    FloatType: "float",
    DoubleType: "double",
    DateType: "date",
    TimestampNTZType: "datetime",
    TimestampType: "timestamp",
}
"""The columns that the types of a schema stand for; all others are texts."""
TEXT = "longtext"
FRACTION = 6
"""Digits of fractions of seconds."""


def told(
    protocol: str, options: ReadOptions, table: tuple[str, str], columns: StructType, tables: TableStore | None
) -> tuple[ReadOptions, TableStore | None]:
    """Options and descriptions with which rows are read of which nothing else says the table or the types.

    Args:
        protocol: its name.
        options: of the reader; what they say of the table counts before the one that is asked for.
        table: schema and name.
        columns: the schema.
        tables: what is described already.
    """
    options = named(protocol, options, table)
    facts = load(protocol).FACTS
    if facts.unnamed is None or not facts.described or facts.registry is not None:  # a schema in it tells the types
        return options, tables
    described = [_column(one.name, one.dataType) for one in columns.fields]
    known = GivenTables(tables or ())
    known.by_schema = TableDescription(*table, described) if described else None
    return options, known


def named(protocol: str, options: ReadOptions, table: tuple[str, str]) -> ReadOptions:
    """Options with which rows that name no table are of the one that is asked for, unless they say another one."""
    unnamed = load(protocol).FACTS.unnamed
    if unnamed is None:
        return options
    codec = dict(options.codec)
    codec.setdefault(unnamed, ".".join("`" + one.replace("`", "``") + "`" for one in table))
    return replace(options, codec=tuple(sorted(codec.items())))


def _column(name: str, wanted: DataType) -> ColumnDescription:
    """The column that one of a schema stands for."""
    if isinstance(wanted, DecimalType):
        return ColumnDescription(name, "decimal", length=wanted.precision, scale=wanted.scale)
    fraction = FRACTION if isinstance(wanted, TimestampNTZType | TimestampType) else None
    return ColumnDescription(name, TYPES.get(type(wanted), TEXT), scale=fraction)
