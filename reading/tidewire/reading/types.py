"""The column types of tables, in Arrow and by Spark's names, and record batches with these types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa

from tidewire.runtime.errors import TidewireError

TIMESTAMP = pa.timestamp("us", tz="UTC")
INTERVAL = pa.duration("us")
MOST_DIGITS = 38
"""The most digits of a decimal; a DECIMAL column with more becomes STRING."""
MOST_VERSION = (1 << 63) - 1
"""The greatest commit ts that BIGINT holds."""
MOST_MILLISECONDS = 253_402_300_799_999
"""The end of the year 9999, the last time that TIMESTAMP holds; commit times in messages are not checked."""
VARIANT = pa.struct(
    [
        pa.field("value", pa.binary(), nullable=False),
        pa.field("metadata", pa.binary(), nullable=False, metadata={"variant": "true"}),
    ]
)
"""The Arrow form of Spark's VARIANT columns."""
ANY = pa.null()
"""In a schema for `record_batch`: any type."""
_NAMES: dict[pa.DataType, str] = {
    pa.bool_(): "BOOLEAN",
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.int32(): "INT",
    pa.int64(): "BIGINT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.decimal128(MOST_DIGITS, 0): f"DECIMAL({MOST_DIGITS},0)",
    pa.date32(): "DATE",
    TIMESTAMP: "TIMESTAMP",
    pa.timestamp("us"): "TIMESTAMP_NTZ",
    INTERVAL: "INTERVAL DAY TO SECOND",
    pa.binary(): "BINARY",
    pa.utf8(): "STRING",
}
"""The types by name in Spark's SQL, in the order of suggestions."""


class SchemaError(TidewireError, TypeError):
    """The schema is not possible for messages or rows; the text names the column, the reason, and what is possible."""


class TargetType(NamedTuple):
    """The target type of a column."""

    arrow: pa.DataType
    name: str
    """Name of the type in Spark's SQL."""
    unit: int = 1
    """For an interval: microseconds of its smallest unit; 1 if that is seconds, which have fractions."""


class Wanted(NamedTuple):
    """A requested column of rows."""

    name: str
    target: TargetType
    labels: tuple[str, ...] = ()
    """For ENUM or SET columns to be read as labels, if messages do not contain them: the labels."""


def sql_name(kind: pa.DataType) -> str:
    """The name of a type in Spark's SQL.

    Raises:
        KeyError: the type is not supported.
    """
    if pa.types.is_decimal128(kind):
        return f"DECIMAL({kind.precision},{kind.scale})"
    return "VARIANT" if kind == VARIANT else _NAMES[kind]


def target_type(kind: pa.DataType) -> TargetType:
    """A type as the target of a conversion.

    Raises:
        KeyError: the type is not supported.
    """
    return TargetType(kind, sql_name(kind))


CANDIDATES = tuple(TargetType(kind, name) for kind, name in _NAMES.items())
"""The possible types of a column, by kind."""


def record_batch(schema: pa.Schema, columns: Mapping[str, pa.Array], rows: int) -> pa.RecordBatch:
    """A record batch with the columns in order and types of the schema; missing columns are null.

    Raises:
        SchemaError: a column has another type: a bug here, for which Spark's own error would be obscure.
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
