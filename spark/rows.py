"""The rows of one table, typed: one for each row image."""

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
"""As a schema: one VARIANT column."""


def rows_from_ticdc(
    df: DataFrame,
    protocol: str,
    table: Table | None,
    schema: StructType | str | None = None,
    options: Mapping[str, Any] | None = None,
) -> DataFrame:
    """The rows of one table, one for each row image, with the table's columns in their types.

    Behind the table's columns come `_change_type` (insert, update_preimage, update_postimage, delete),
    `_commit_version` (the commit ts; null where the protocol says milliseconds only), `_commit_timestamp` and
    `_commit_rank`: ordered by timestamp, version and rank, what a row was precedes what it is, also when a transaction
    deletes a key and inserts it again. Where an old image has only the columns that changed, the others are those of
    the new one.

    In mode PERMISSIVE the corrupt-record column is last: it holds the message and the reason where a message could not
    be decoded (all else is null: whose row it would have been is not known), where a value does not fit its column
    (that column is null), and where a message has a row's handle key only, because the whole was too large for it (the
    other columns are null).

    Batch and streaming; stateless.

    Rows whose tables other messages describe: the messages of a batch are looked through for descriptions first, with a
    job that this starts; a stream needs option schemaLocation, unless its messages say themselves what columns are.
    Where a registry has the schemas of rows, each Python process of the executors asks for one when a message needs it;
    one that cannot be had is a reason in the corrupt-record column. There a message with a key and no value is a
    delete, and one with neither has no row. In other protocols a message without a value has none.

    Args:
        df: messages as Spark's Kafka source gives them: `value`, `key` where the protocol reads keys, and `topic`,
            `partition`, `offset` where there are such; `headers` where these have the ids of schemas.
        protocol: name of the protocol, one of `tidewire.protocols()`.
        table: ``schema.table``, a name with a dot or a backquote in backquotes, as in SQL; or a pair ``(schema,
            table)`` of names as they are. Names match as in TiDB, in any case. None, with schema "variant": all tables.
            A task that meets changes of other tables only says so in the executor's log, once in a process.
        schema: of the table's columns, a StructType or DDL text; None derives it with `table_schema`, which reads the
            whole frame. Columns that a change does not carry are null, columns that are not in the schema are passed
            over; names match as in TiDB, in any case. What the schema lacks or cannot hold is in the column that option
            rescuedDataColumn names. Without it, a column that comes or goes while a task reads is said once in the
            executor's log, and a value of a type that its column cannot have is treated as `mode` says. A VARIANT
            column takes text that is JSON. Rows whose messages name no table are of this one, unless the protocol's
            option `table` names another. Of rows of Debezium that have no schema block, and whose table nothing
            describes, it says the types, too, and then it names every column that they have. "variant": instead of the
            table's columns there are `schema`, `table`, `row`, an object of column names and values, for which
            nothing has to be known of the table, and `key`, the names of the columns of its handle key.
        options: see `tidewire.spark.options.ReadOptions`, and the protocol's own.

    Raises:
        OptionError: an option is unknown or has a value that it cannot have, or a stream lacks schemaLocation.
        SchemaError: the frame has no `value`, or the schema a type that no change is decoded to.
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
