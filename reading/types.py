"""The types that columns of tables can have, in Arrow and by Spark's names, and batches of columns by these types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa

from tidewire.runtime.errors import TidewireError

TIMESTAMP = pa.timestamp("us", tz="UTC")
INTERVAL = pa.duration("us")
MOST_DIGITS = 38
"""Of a decimal; a DECIMAL column with more becomes STRING."""
MOST_VERSION = (1 << 63) - 1
"""The last commit ts that BIGINT holds."""
MOST_MILLISECONDS = 253_402_300_799_999
"""The end of the year 9999, the last that TIMESTAMP holds: commit times in messages are not checked."""
VARIANT = pa.struct(
    [
        pa.field("value", pa.binary(), nullable=False),
        pa.field("metadata", pa.binary(), nullable=False, metadata={"variant": "true"}),
    ]
)
"""What Spark takes for a VARIANT column."""
ANY = pa.null()
"""In a schema for `record_batch`: whatever type the column has."""
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
"""The types by their names in Spark's SQL, in the order in which people are offered them."""


class SchemaError(TidewireError, TypeError):
    """A schema that messages or rows cannot have; the text says which column, why, and what is possible."""


class TargetType(NamedTuple):
    """A type that a column is to have."""

    arrow: pa.DataType
    name: str
    """What Spark's SQL calls it."""
    unit: int = 1
    """Of an interval: microseconds of its last unit; one that ends with seconds has them all."""


class Wanted(NamedTuple):
    """A column that a table of rows is to have."""

    name: str
    target: TargetType
    labels: tuple[str, ...] = ()
    """Of an ENUM or a SET, where it is to have labels and the messages do not say them."""


def sql_name(kind: pa.DataType) -> str:
    """What Spark's SQL calls a type, of those that columns can have.

    Raises:
        KeyError: none of ours is of that type.
    """
    if pa.types.is_decimal128(kind):
        return f"DECIMAL({kind.precision},{kind.scale})"
    return _NAMES[kind]


def target_type(kind: pa.DataType) -> TargetType:
    """A type as a target.

    Raises:
        KeyError: none of ours is of that type.
    """
    return TargetType(kind, sql_name(kind))


CANDIDATES = tuple(TargetType(kind, name) for kind, name in _NAMES.items())
"""The types that a column of some kind can have."""


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
