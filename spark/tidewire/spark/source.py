"""A frame of Kafka messages: which columns are read, and where each message is in its topic."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Literal

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, StringType, StructField

from tidewire.reading.message_batch import COLUMNS, KEPT, ORIGINS, PACKED
from tidewire.reading.options import KeptFields
from tidewire.reading.table_names import quoted
from tidewire.reading.types import SchemaError
from tidewire.spark.arrow_types import spark_type
from tidewire.spark.headers import HEADERS, NAMES, are_headers, with_schema_id
from tidewire.spark.options import load

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import Column

_COLUMNS = {name: spark_type(kind) for name, kind in COLUMNS.items()}
Origins = Literal["columns", "packed", "none"]
"""How a task gets `topic`, `partition` and `offset`: as columns; packed into one text, for a task that needs them only
for errors, because each column costs 100 to 300 ns a message; or not at all.
"""


def check_frame(df: object, of: str = "messages") -> None:
    """Refuses anything but a DataFrame.

    Raises:
        SchemaError: it is not a DataFrame.
    """
    if not isinstance(df, DataFrame):
        source = "spark.read.format('kafka')….load()" if of == "messages" else "from_ticdc"
        raise SchemaError(f"{of} are a Spark DataFrame such as {source} gives, not {type(df).__name__}")


def kafka_columns(df: DataFrame, protocol: str, origins: Origins = "columns", keep: KeptFields = ()) -> DataFrame:
    """The columns that decoding reads, cast to the types of Spark's Kafka source, and those that rows keep, unchanged.
    Only `value` is required, and `key` where the protocol reads it. If a registry has the schemas of records and the
    frame has `headers`, keys and values are prefixed with the schema ids from the headers.

    Args:
        df: messages.
        origins: how tasks get `topic`, `partition` and `offset`.
        keep: names of columns that rows keep, with their names in the rows.

    Raises:
        SchemaError: there is no binary column `value`, no `key` where it is needed, or no column that rows are to keep.
    """
    types = {field.name.lower(): field.dataType for field in df.schema}
    if not isinstance(types.get("value"), BinaryType):
        hint = "; cast it: cast(value AS BINARY)" if isinstance(types.get("value"), StringType) else ""
        raise SchemaError(
            f"a frame of messages has a column `value` BINARY, as Spark's Kafka source gives it; this one has "
            f"{_listed(df)}{hint}"
        )
    facts = load(protocol).FACTS
    if facts.keyed and not isinstance(types.get("key"), BinaryType):
        raise SchemaError(
            f"messages of {protocol} are read with their keys: select `key` BINARY beside `value`, as Spark's Kafka "
            f"source gives it; this frame has {_listed(df)}"
        )
    wanted = [name for name in _COLUMNS if name in types and (origins == "columns" or name not in ORIGINS)]
    headed = NAMES if facts.registry is not None and are_headers(types.get(HEADERS)) else ()
    columns = [
        with_schema_id(df, name) if name in headed else df[name].cast(_COLUMNS[name]).alias(name) for name in wanted
    ]
    for field, (name, own) in zip(kept_fields(df, keep), keep, strict=True):
        if name.lower() not in wanted or name.lower() in headed or field.dataType != _COLUMNS[name.lower()]:
            columns.append(df[quoted(name)].alias(KEPT + own))
    if origins == "packed" and not types.keys().isdisjoint(ORIGINS):
        columns.append(_packed(df, types.keys()).alias(PACKED))
    return df.select(*columns)


def _packed(df: DataFrame, names: Iterable[str]) -> Column:
    """Partition, offset and topic of a message as one text separated by spaces. An unknown number is empty; an unknown
    topic is omitted with the space before it.
    """
    empty, missing = F.lit(""), F.lit(None).cast(StringType())
    found = [df[name].cast(_COLUMNS[name]).cast(StringType()) if name in names else missing for name in ORIGINS]
    return F.concat_ws(" ", *(F.coalesce(number, empty) for number in found[:2]), found[2])


def kept_fields(df: DataFrame, keep: KeptFields) -> list[StructField]:
    """The message columns that rows keep, under their names in the rows.

    Raises:
        SchemaError: the frame has no such column.
    """
    types = {field.name.lower(): field.dataType for field in df.schema}
    for name, _ in keep:
        if name.lower() not in types:
            near = difflib.get_close_matches(name.lower(), types, n=1)
            hint = f". Did you mean {near[0]}?" if near else ""
            if name.lower() == "headers":
                hint = "; Spark's Kafka source gives it with the option includeHeaders=true"
            raise SchemaError(f"keep: the messages have no column {name!r}; they have {_listed(df)}{hint}")
    return [StructField(own, types[name.lower()], True) for name, own in keep]


def _listed(df: DataFrame) -> str:
    return ", ".join(f"{field.name} {field.dataType.simpleString().upper()}" for field in df.schema)
