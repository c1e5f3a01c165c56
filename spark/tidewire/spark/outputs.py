"""The schemas of frames made from messages: the requested columns, then those that Tidewire adds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType, VariantType

from tidewire.reading.options import KeptFields, ReadOptions
from tidewire.reading.table_names import quoted
from tidewire.reading.table_rows import MOST_SHOWN
from tidewire.reading.types import SchemaError
from tidewire.schemas import CORRUPT_RECORD, EVENTS, ROW_METADATA

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_MISFIT = "Why a value of the row is null that does not fit its column, or why the row is not whole."
_RESCUED = "What the schema lacks or cannot hold, by name, and the columns that the row does not have; JSON."


def row_schema(columns: StructType, options: ReadOptions, kept: Iterable[StructField] = ()) -> StructType:
    """The schema of a table's rows: its columns, `ROW_METADATA`, the kept message columns, the rescued-data column and
    the corrupt-record column.

    Raises:
        SchemaError: two of them have the same name.
    """
    # even NOT NULL columns can be missing: in a delete that carries only its key, or in a corrupt row
    fields = [StructField(f.name, f.dataType, True, f.metadata) for f in columns]
    ours = [*ROW_METADATA, *kept]
    if options.rescued_column is not None:
        ours.append(StructField(options.rescued_column, StringType(), True, {"comment": _RESCUED}))
    if options.misfit_column is not None and options.mode == "PERMISSIVE":
        ours.append(StructField(options.misfit_column, StringType(), True, {"comment": _MISFIT}))
    return _closed(fields, ours, options)


def event_schema(options: ReadOptions, kept: Iterable[StructField] = ()) -> StructType:
    """The schema of events: `EVENTS`, the kept message columns, and the corrupt-record column.

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
                "schema, or give ours another name: keep takes 'offset AS kafka_offset', columnNameOfCorruptRecord, "
                "misfitColumn and rescuedDataColumn are names"
            )
        seen.add(field.name.lower())
    return StructType(fields + ours)


def as_sent(full: StructType, columns: StructType, options: ReadOptions) -> tuple[StructType, StructType]:
    """The schema in which Python workers send a frame, and a table's columns in it. VARIANT columns are sent as text,
    which the JVM parses; rescued data is sent as VARIANT, which the JVM prints.
    """
    variants = {f.name for f in columns if isinstance(f.dataType, VariantType)}

    def sent(field: StructField) -> StructField:
        if field.name == options.rescued_column:
            return StructField(field.name, VariantType(), True, field.metadata)
        if field.name in variants:
            return StructField(field.name, StringType(), True, field.metadata)
        return field

    return StructType([sent(field) for field in full]), StructType([sent(field) for field in columns])


def for_reasons(df: DataFrame, full: StructType, columns: StructType, options: ReadOptions) -> KeptFields:
    """The message columns that rows need until `as_promised`, which may move a row to the corrupt-record column."""
    told = options.mode == "PERMISSIVE" and options.misfit_column is None
    if not told or not any(isinstance(f.dataType, VariantType) for f in columns):
        return ()
    there = {name.lower() for name in df.columns}
    return tuple((name, _unused(f"message {name}", full)) for name in CORRUPT_RECORD.names if name in there)


def as_promised(
    sent: DataFrame, full: StructType, columns: StructType, options: ReadOptions, table: str, kept: KeptFields
) -> DataFrame:
    """The frame for the user, from what Python workers sent. Text that is not JSON is handled by the mode.

    Args:
        sent: a frame of the schema from `as_sent`.
        full: the schema of the result.
        columns: the table's.
        options: the mode, and the names of added columns.
        table: its name, for reasons.
        kept: the result of `for_reasons`.
    """
    variants = [f.name for f in columns if isinstance(f.dataType, VariantType)]
    parsed = {name: _unused(f"parsed {at}", full) for at, name in enumerate(variants)}
    frame = sent
    if parsed:
        # in a select of its own: each is used twice, and computed once
        made = [F.try_parse_json(F.col(quoted(name))).alias(own) for name, own in parsed.items()]
        frame = sent.select("*", *made)
    wrong = {name: F.col(quoted(own)).isNull() & F.col(quoted(name)).isNotNull() for name, own in parsed.items()}
    reasons = {name: F.when(bad, _no_json(table, name)) for name, bad in wrong.items()}
    permissive = options.mode == "PERMISSIVE"
    if parsed and options.mode == "DROPMALFORMED":
        frame = frame.where(~reduce(or_, wrong.values()))
    out = []
    for field in full:
        column = F.col(quoted(field.name))
        if field.name in parsed:
            column = F.col(quoted(parsed[field.name]))
            if options.mode == "FAILFAST":
                column = F.when(wrong[field.name], F.raise_error(_no_json(table, field.name))).otherwise(column)
        elif field.name == options.rescued_column:
            column = F.to_json(column)
        elif parsed and field.name == options.misfit_column:
            said = F.concat_ws("; ", column, *reasons.values())
            column = F.when(reduce(or_, wrong.values()), said).otherwise(column)
        elif parsed and field.name == options.corrupt_column and permissive and options.misfit_column is None:
            there = dict(kept)
            parts = {
                part.name: (F.col(quoted(there[part.name])) if part.name in there else F.lit(None)).cast(part.dataType)
                for part in CORRUPT_RECORD
            }
            parts["reason"] = F.concat_ws("; ", column["reason"], *reasons.values())
            record = F.struct(*(part.alias(name) for name, part in parts.items()))
            column = F.when(reduce(or_, wrong.values()), record).otherwise(column)
        out.append(column.alias(field.name, metadata=field.metadata))
    return frame.select(*out)


def _unused(name: str, schema: StructType) -> str:
    """A column name based on this one that is not in use."""
    taken = {field.name.lower() for field in schema}
    while name in taken:
        name += "_"
    return name


def _no_json(table: str, column: str) -> Column:
    subject, end = f"{table}, column {column!r}: ", " is no JSON that VARIANT can hold; declare STRING"
    return F.concat(F.lit(subject + "'"), F.substring(F.col(quoted(column)), 1, MOST_SHOWN), F.lit("'" + end))
