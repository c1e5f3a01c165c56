"""Decodes messages into typed rows of one table, one for each row image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.errors import ParseException
from pyspark.sql.types import DataType, StructType

from tidewire.reading.options import check_timezone, of_table
from tidewire.reading.tables import Table, dotted, parse_table
from tidewire.reading.types import SchemaError
from tidewire.reading.undeclared import with_binary
from tidewire.runtime.errors import OptionError
from tidewire.spark.arrow_types import arrow_schema, wanted
from tidewire.spark.infer import schema_by
from tidewire.spark.known_tables import known_tables
from tidewire.spark.options import codec_names, load, read_options
from tidewire.spark.outputs import as_promised, as_sent, for_reasons, row_schema
from tidewire.spark.source import Origins, check_frame, kafka_columns, kept_fields
from tidewire.spark.table_rows import RowsTask
from tidewire.spark.told_by_schema import told
from tidewire.spark.variant_rows import VARIANT_COLUMNS, VariantRowsTask, variant_schema
from tidewire.spark.workers import run_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

VARIANT = "variant"
"""The value of `schema` for rows with a single VARIANT column in place of the table's columns."""


def rows_from_ticdc(
    df: DataFrame,
    protocol: str,
    table: Table | None,
    schema: StructType | str | None = None,
    options: Mapping[str, Any] | None = None,
) -> DataFrame:
    """Decodes the rows of one table, one for each row image, with typed columns.

    The table's columns are followed by `_change_type` (insert, update_preimage, update_postimage, delete),
    `_commit_version` (the commit ts; null if the protocol has milliseconds only), `_commit_timestamp` and
    `_commit_rank`. Ordered by timestamp, version and rank, the old image of a row precedes the new one, even if a
    transaction deletes a key and inserts it again. If an old image contains only the columns that changed, the others
    are taken from the new image.

    In mode PERMISSIVE the corrupt-record column is last. It has the message and the reason if a message could not be
    decoded (all other columns are null, since its row is unknown), if a value does not fit its column (that column is
    null), and if a message contains only a row's handle key because the whole row was too large (the other columns are
    null).

    Batch and streaming; stateless.

    For protocols that describe tables in separate messages, a job of its own first collects the descriptions in a
    batch; a stream needs option schemaLocation, unless its messages describe their columns themselves. For protocols
    with a schema registry, each Python process of the executors requests a schema when a message needs it; if it is
    unavailable, the reason is in the corrupt-record column. There a message with a key and no value is a delete, and
    one with neither has no row. In other protocols a message without a value has none.

    Args:
        df: messages in the format of Spark's Kafka source: `value`; `key` if the protocol reads keys; optionally
            `topic`, `partition`, `offset`; and `headers` if they contain schema ids.
        protocol: name of the protocol, one of `tidewire.protocols()`.
        table: ``schema.table``, with names that contain a dot or a backquote in backquotes, as in SQL; or a pair
            ``(schema, table)`` of literal names. Names match as in TiDB, ignoring case. None, with schema "variant":
            all tables. If a task finds only changes of other tables, it logs that once per process.
        schema: the table's columns as a StructType or DDL text; None derives it with `table_schema`, which reads the
            whole frame. Columns that a change lacks are null; columns that the schema lacks are ignored; names match as
            in TiDB, ignoring case. With option rescuedDataColumn, that column contains what the schema lacks or cannot
            hold. Without it, a column that is added or dropped while a task reads is logged once, and a value whose
            type does not fit its column is handled by `mode`. A VARIANT column takes text that is JSON. Rows whose
            messages name no table belong to this one, unless the protocol's option `table` names another. For Debezium
            rows without a schema block and without a table description, it also gives the column types, and then must
            list all of their columns. "variant": the table's columns are replaced by `schema`, `table`, `row` (an
            object from column name to value, for which the table need not be known) and `key` (the names of the handle
            key's columns).
        options: see `tidewire.spark.options.ReadOptions`, and the protocol's own.

    Raises:
        OptionError: an option is unknown or invalid, or a stream lacks schemaLocation.
        SchemaError: the frame has no `value`, or the schema has a type that no change is decoded to.
    """
    check_frame(df)
    chosen = read_options(protocol, options, str(df.sparkSession.conf.get("spark.sql.session.timeZone")))
    check_timezone(chosen.timezone, "timezone" if chosen.zoned else "spark.sql.session.timeZone")
    name = None if table is None else parse_table(table)
    kept = kept_fields(df, chosen.keep)
    any_type = [field.name for field in kept]
    origins: Origins = "none" if chosen.mode == "DROPMALFORMED" else "packed"
    if isinstance(schema, str) and schema.strip().lower() == VARIANT:
        for option, given in (("rescuedDataColumn", chosen.rescued_column), ("json", chosen.json == "variant")):
            if given:
                raise OptionError(f"option {option} is for typed rows: a VARIANT row has all columns, and JSON as text")
        full = row_schema(VARIANT_COLUMNS, chosen, kept)
        known = known_tables(df, protocol, chosen)
        chosen = chosen if name is None else of_table(load(protocol), chosen, name)
        every = VariantRowsTask(protocol, chosen, variant_schema(full, any_type), name, tables=known)
        return run_on(kafka_columns(df, protocol, origins, chosen.keep), every, full)
    if name is None or table is None:
        raise SchemaError('rows of all tables have no columns in common: name a table, or give the schema "variant"')
    known = known_tables(df, protocol, chosen)
    if schema is None:
        schema = schema_by(df, protocol, table, options, known)
    columns = as_struct(schema)
    full = row_schema(columns, chosen, kept)
    sent, table_sent = as_sent(full, columns, chosen)
    until_then = for_reasons(df, full, columns, chosen)
    chosen = replace(chosen, keep=chosen.keep + until_then)
    sent = StructType(sent.fields + kept_fields(df, until_then))
    chosen = with_binary(chosen, codec_names(protocol), name, wanted(table_sent))
    chosen, known = told(protocol, chosen, name, table_sent, known)
    task = RowsTask(
        protocol, chosen, arrow_schema(sent, [own for _, own in chosen.keep]), name, table_sent, tables=known
    )
    rows = run_on(kafka_columns(df, protocol, origins, chosen.keep), task, sent)
    return rows if sent == full else as_promised(rows, full, columns, chosen, dotted(name), until_then)


def as_struct(schema: StructType | str) -> StructType:
    """A schema given as a StructType or as DDL text.

    Raises:
        SchemaError: it is neither.
    """
    try:
        parsed = DataType.fromDDL(schema) if isinstance(schema, str) else schema
    except ParseException as error:
        first = str(error).strip().splitlines()[0]
        raise SchemaError(
            f"{schema!r} is no schema in DDL text such as 'id BIGINT, name STRING', nor \"variant\": {first}"
        ) from None
    if not isinstance(parsed, StructType):
        raise SchemaError(
            f"a table's schema is a StructType or DDL text such as 'id BIGINT, name STRING', not {schema!r}"
        )
    return parsed
