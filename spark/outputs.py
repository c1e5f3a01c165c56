"""The schemas of frames that are made of messages: what was asked for, then ours."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql.types import StringType, StructField, StructType

from tidewire.schemas import CORRUPT_RECORD, EVENTS, ROW_METADATA
from tidewire.spark.arrow_types import SchemaError
from tidewire.spark.options import ReadOptions

_RESCUED = "What the schema lacks or cannot hold, by name, and the columns that the row does not have; JSON."


def row_schema(columns: StructType, options: ReadOptions, kept: Iterable[StructField] = ()) -> StructType:
    """The schema of a table's rows: its columns, `ROW_METADATA`, what rows keep of their messages, the rescued-data
    column and the corrupt-record column.

    Raises:
        SchemaError: two of them have the same name.
    """
    # whatever is declared NOT NULL can be missing: in a delete that carries its key only, in a row that is corrupt
    fields = [StructField(f.name, f.dataType, True, f.metadata) for f in columns]
    ours = [*ROW_METADATA, *kept]
    if options.rescued_column is not None:
        ours.append(StructField(options.rescued_column, StringType(), True, {"comment": _RESCUED}))
    return _closed(fields, ours, options)


def event_schema(options: ReadOptions, kept: Iterable[StructField] = ()) -> StructType:
    """The schema of events: `EVENTS`, what they keep of their messages, and the corrupt-record column.

    Raises:
        SchemaError: two of them have the same name.
    """
    return _closed(list(EVENTS), list(kept), options)


def _closed(fields: list[StructField], ours: list[StructField], options: ReadOptions) -> StructType:
    if options.mode == "PERMISSIVE":
        ours = [*ours, StructField(options.corrupt_column, CORRUPT_RECORD)]
    names = ", ".join(field.name for field in ours)
    seen: set[str] = set()
    for field in [*fields, *ours]:
        if field.name.lower() in seen:
            raise SchemaError(
                f"column {field.name!r} is there twice: behind the other columns come {names}. Leave it out of the "
                "schema, or give ours another name: keep takes 'offset AS kafka_offset', columnNameOfCorruptRecord and "
                "rescuedDataColumn are names"
            )
        seen.add(field.name.lower())
    return StructType(fields + ours)
