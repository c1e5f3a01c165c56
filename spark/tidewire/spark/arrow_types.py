"""Conversion between Spark types and the Arrow types that Spark accepts from Python."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

from tidewire.reading.types import ANY, INTERVAL, TIMESTAMP, VARIANT, SchemaError, TargetType, Wanted

_SIMPLE: dict[type[DataType], pa.DataType] = {
    BinaryType: pa.binary(),
    BooleanType: pa.bool_(),
    ByteType: pa.int8(),
    DateType: pa.date32(),
    DayTimeIntervalType: INTERVAL,
    DoubleType: pa.float64(),
    FloatType: pa.float32(),
    IntegerType: pa.int32(),
    LongType: pa.int64(),
    ShortType: pa.int16(),
    StringType: pa.utf8(),
    TimestampNTZType: pa.timestamp("us"),
    TimestampType: TIMESTAMP,
    VariantType: VARIANT,
}
_UNITS = {
    DayTimeIntervalType.DAY: 86_400_000_000,
    DayTimeIntervalType.HOUR: 3_600_000_000,
    DayTimeIntervalType.MINUTE: 60_000_000,
}
"""For interval types that do not end with seconds: microseconds of their smallest unit."""


def arrow_type(kind: DataType) -> pa.DataType | None:
    """The Arrow type of a Spark type; None if it is not a type for columns."""
    if isinstance(kind, DecimalType):
        return pa.decimal128(kind.precision, kind.scale)
    if isinstance(kind, StructType):
        return pa.struct([pa.field(one.name, _member_type(one.dataType), one.nullable) for one in kind])
    return _SIMPLE.get(type(kind))


def _member_type(kind: DataType) -> pa.DataType:
    """The Arrow type of a struct member. Members may be lists; columns may not.

    Raises:
        SchemaError: the type is not supported in structs.
    """
    if isinstance(kind, ArrayType):
        return pa.list_(pa.field("element", _member_type(kind.elementType)))
    found = arrow_type(kind)
    if found is None:
        raise SchemaError(f"{kind.simpleString()} is not a type that changes are decoded to")
    return found


def arrow_schema(schema: StructType, kept: Collection[str] = ()) -> pa.Schema:
    """The Arrow schema of the batches that Spark expects for a frame of this schema.

    Args:
        kept: columns that are passed through unchanged in any type: `ANY` here.

    Raises:
        SchemaError: a column has an unsupported type.
    """
    fields = []
    for field in schema:
        kind = ANY if field.name in kept else arrow_type(field.dataType)
        if kind is None:
            raise SchemaError(
                f"column {field.name!r}: {field.dataType.simpleString()} is not a type that changes are decoded to"
            )
        fields.append(pa.field(field.name, kind, field.nullable))
    return pa.schema(fields)


def spark_type(kind: pa.DataType) -> DataType:
    """The Spark type that corresponds to an Arrow type.

    Raises:
        KeyError: the type is not supported.
    """
    if pa.types.is_decimal128(kind):
        return DecimalType(kind.precision, kind.scale)
    return {arrow: spark for spark, arrow in _SIMPLE.items()}[kind]()


def wanted(columns: StructType) -> list[Wanted]:
    """The columns of a schema, as targets for decoded rows.

    Raises:
        SchemaError: a column has an unsupported type.
    """
    kinds = arrow_schema(columns).types
    found = []
    for field, kind in zip(columns, kinds, strict=True):
        labels = tuple(map(str, (field.metadata or {}).get("members", ())))
        found.append(Wanted(field.name, TargetType(kind, sql_name(field.dataType), _unit(field.dataType)), labels))
    return found


def target_of(kind: DataType) -> TargetType:
    """A Spark type as a target for decoded values.

    Raises:
        SchemaError: the type is not supported for columns.
    """
    found = arrow_type(kind)
    if found is None:
        raise SchemaError(f"{kind.simpleString()} is not a type that changes are decoded to")
    return TargetType(found, sql_name(kind), _unit(kind))


def sql_name(kind: DataType) -> str:
    """A Spark type in SQL syntax."""
    return kind.simpleString().upper()


def _unit(kind: DataType) -> int:
    """For an interval type: microseconds of its smallest unit."""
    return _UNITS.get(kind.endField, 1) if isinstance(kind, DayTimeIntervalType) else 1
