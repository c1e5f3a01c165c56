"""Spark's types as the Arrow types that Spark takes from Python, and batches cast to them by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

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

from tidewire.runtime.errors import TidewireError
from tidewire.spark.kernels.variant import ARROW_TYPE as VARIANT

TIMESTAMP = pa.timestamp("us", tz="UTC")
MOST_VERSION = (1 << 63) - 1
"""The last commit ts that BIGINT holds."""
MOST_MILLISECONDS = 253_402_300_799_999
"""The end of the year 9999, the last that TIMESTAMP holds: commit times in messages are not checked."""
_SIMPLE: dict[type[DataType], pa.DataType] = {
    BinaryType: pa.binary(),
    BooleanType: pa.bool_(),
    ByteType: pa.int8(),
    DateType: pa.date32(),
    DayTimeIntervalType: pa.duration("us"),
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


class SchemaError(TidewireError, TypeError):
    """A schema that messages or rows cannot have; the text says which column, why, and what is possible."""


ANY = pa.null()
"""In a schema for `record_batch`: whatever type the column has."""


def arrow_type(kind: DataType) -> pa.DataType | None:
    """The Arrow type of a Spark type, None when no column of ours can have it."""
    if isinstance(kind, DecimalType):
        return pa.decimal128(kind.precision, kind.scale)
    if isinstance(kind, StructType):
        return pa.struct([pa.field(one.name, _member_type(one.dataType), one.nullable) for one in kind])
    return _SIMPLE.get(type(kind))


def _member_type(kind: DataType) -> pa.DataType:
    """The Arrow type of a member of a struct, which can be a list; columns cannot.

    Raises:
        SchemaError: no member of ours has that type.
    """
    if isinstance(kind, ArrayType):
        return pa.list_(pa.field("element", _member_type(kind.elementType)))
    found = arrow_type(kind)
    if found is None:
        raise SchemaError(f"{kind.simpleString()} is not a type that changes are decoded to")
    return found


def arrow_schema(schema: StructType, kept: Collection[str] = ()) -> pa.Schema:
    """The Arrow schema of batches that Spark takes for frames of this schema.

    Args:
        schema: of the frame.
        kept: columns that are handed on as they came, in whatever type: `ANY` here.

    Raises:
        SchemaError: a column has a type that none of ours has.
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


def record_batch(schema: pa.Schema, columns: Mapping[str, pa.Array], rows: int) -> pa.RecordBatch:
    """The columns in the order and the types of the schema; those not given are null.

    Raises:
        SchemaError: a column has another type; a mistake of ours, which Spark would answer with a riddle.
    """
    arrays = []
    for field in schema:
        array = columns.get(field.name)
        if array is None:
            array = pa.nulls(rows, field.type)
        if array.type != field.type and field.type != ANY:
            raise SchemaError(f"column {field.name!r} was built as {array.type}, declared as {field.type}")
        arrays.append(array)
    if ANY in schema.types:
        schema = pa.schema([field.with_type(array.type) for field, array in zip(schema, arrays, strict=True)])
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
