"""Rows without types or a description: the user's schema gives the types of their columns, and rows without a table
name are assigned to the table that the user names.
"""

from __future__ import annotations

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

from tidewire.reading.options import ReadOptions, of_table
from tidewire.spark.known_tables import GivenTables
from tidewire.spark.options import load
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
"""The column types for schema types; all other schema types stand for texts."""
TEXT = "longtext"
FRACTION = 6
"""Fractional digits of seconds."""


def told(
    protocol: str, options: ReadOptions, table: tuple[str, str], columns: StructType, tables: TableStore | None
) -> tuple[ReadOptions, TableStore | None]:
    """The options and descriptions to read rows whose table or types are given by nothing else.

    Args:
        protocol: its name.
        options: of the reader; a table in them takes precedence.
        table: schema and name.
        columns: the schema.
        tables: descriptions known so far.
    """
    module = load(protocol)
    options = of_table(module, options, table)
    facts = module.FACTS
    if facts.unnamed is None or not facts.described or facts.registry is not None:  # schemas have the types
        return options, tables
    described = [_column(one.name, one.dataType) for one in columns.fields]
    known = GivenTables(tables or ())
    known.by_schema = TableDescription(*table, described) if described else None
    return options, known


def _column(name: str, wanted: DataType) -> ColumnDescription:
    """The column description for a column of a schema."""
    if isinstance(wanted, DecimalType):
        return ColumnDescription(name, "decimal", length=wanted.precision, scale=wanted.scale)
    fraction = FRACTION if isinstance(wanted, TimestampNTZType | TimestampType) else None
    return ColumnDescription(name, TYPES.get(type(wanted), TEXT), scale=fraction)
