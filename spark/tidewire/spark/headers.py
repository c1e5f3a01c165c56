"""Schema ids in Kafka record headers, which Spark's Kafka source returns with `includeHeaders`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BinaryType, StringType, StructType

from tidewire.messages.registry.headers import KEY_HEADER, UUID_HEAD, UUID_HEADER, UUID_MARK, VALUE_HEADER

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

HEADERS = "headers"
"""The headers column of Spark's Kafka source."""
NAMES = {"key": KEY_HEADER, "value": VALUE_HEADER}
"""The columns that are records, each with the header that holds its schema id."""


def are_headers(kind: DataType | None) -> bool:
    """Whether a column has the type of Spark's Kafka headers: an array of `key` STRING and `value` BINARY."""
    if not isinstance(kind, ArrayType) or not isinstance(kind.elementType, StructType):
        return False
    found = [(field.name, type(field.dataType)) for field in kind.elementType]
    return found == [("key", StringType), ("value", BinaryType)]


def with_schema_id(df: DataFrame, name: str) -> Column:
    """A column `key` or `value`, prefixed with the schema id from the header if there is one, as in
    `tidewire.messages.registry.headers.framed`. Spark itself adds the prefix: Python tasks receive no headers, and
    a message that cannot be read is kept in a form that is readable without them.
    """
    found = F.filter(F.col(HEADERS), lambda header: header["key"] == NAMES[name])
    header = F.try_element_at(found, F.lit(-1))["value"]
    with_uuid = (F.length(header) == UUID_HEADER) & (F.substring(header, 1, 1) == F.lit(UUID_MARK))
    head = F.when(with_uuid, F.concat(F.lit(UUID_HEAD), F.substring(header, 2, UUID_HEADER))).otherwise(header)
    return F.when(header.isNull(), df[name]).otherwise(F.concat(head, df[name])).alias(name)
