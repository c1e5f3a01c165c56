"""Small frames, created from Arrow, since a frame of Python rows starts Python workers, which takes a second of CPU
each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from tidewire.spark.arrow_types import arrow_schema


def frame_of(spark: SparkSession, rows: Sequence[Sequence[Any]], ddl: str) -> DataFrame:
    """The rows, in the columns of a declaration."""
    struct = cast(StructType, StructType.fromDDL(ddl))
    schema = arrow_schema(struct)
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema)
    arrays = [pa.array(list(values), field.type) for values, field in zip(columns, schema, strict=True)]
    table: Any = pa.Table.from_arrays(arrays, schema=schema)
    frame: DataFrame = spark.createDataFrame(table, struct)
    return frame
