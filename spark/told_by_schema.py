"""Rows that neither say their types nor are described: the schema that a user gives says what their columns are, and
the table that he names is theirs where they name none.
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
    module = load(protocol)
    options = of_table(module, options, table)
    facts = module.FACTS
    if facts.unnamed is None or not facts.described or facts.registry is not None:  # a schema in it tells the types
        return options, tables
    described = [_column(one.name, one.dataType) for one in columns.fields]
    known = GivenTables(tables or ())
    known.by_schema = TableDescription(*table, described) if described else None
    return options, known


def _column(name: str, wanted: DataType) -> ColumnDescription:
    """The column that one of a schema stands for."""
    if isinstance(wanted, DecimalType):
        return ColumnDescription(name, "decimal", length=wanted.precision, scale=wanted.scale)
    fraction = FRACTION if isinstance(wanted, TimestampNTZType | TimestampType) else None
    return ColumnDescription(name, TYPES.get(type(wanted), TEXT), scale=fraction)
