"""The rows of one table, typed: one for each row image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import ParseException
from pyspark.sql.types import DataType, StructField, StructType

from tidewire.runtime.batch import EventColumns, Layout
from tidewire.runtime.convert import Converted, State
from tidewire.runtime.literals import column_of, constant
from tidewire.spark.arrow_types import SchemaError, arrow_schema
from tidewire.spark.decoding import DecodeTask, add
from tidewire.spark.images import TableImages, TableTask
from tidewire.spark.options import check_timezone, read_options
from tidewire.spark.outputs import row_schema
from tidewire.spark.source import Messages, check_frame, kafka_columns, kept_fields
from tidewire.spark.tables import Table, dotted, parse_table
from tidewire.spark.typed import Convert, converter, sql_name
from tidewire.spark.variant_rows import VARIANT_COLUMNS, VariantRowsTask
from tidewire.spark.workers import run_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

VARIANT = "variant"
"""The schema that stands for: one VARIANT column."""


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

    Args:
        df: messages as Spark's Kafka source gives them: `value`, and `key`, `topic`, `partition`, `offset` where there
            are such.
        protocol: name of the protocol, one of `tidewire.protocols()`.
        table: ``schema.table``, a name with a dot or a backquote in backquotes, as in SQL; or a pair ``(schema,
            table)`` of names as they are. Names match as in TiDB, in any case. None, with schema "variant": all tables.
            A task that meets changes of other tables only says so in the executor's log, once in a process.
        schema: of the table's columns, a StructType or DDL text; None derives it with `table_schema`, which reads the
            whole frame. Columns that a change does not carry are null, columns that are not in the schema are passed
            over; names match as in TiDB, in any case. A column of a type that it cannot have fails the query in
            every mode. "variant": instead of the table's columns there are `schema`, `table` and `row`, an object of
            column names and values, for which nothing has to be known of the table.
        options: see `tidewire.spark.options.ReadOptions`, and the protocol's own.

    Raises:
        OptionError: an option is unknown or has a value that it cannot have.
        SchemaError: the frame has no `value`, or the schema a type that no change is decoded to.
    """
    check_frame(df)
    chosen = read_options(protocol, options, str(df.sparkSession.conf.get("spark.sql.session.timeZone")))
    check_timezone(chosen.timezone)
    name = None if table is None else parse_table(table)
    kept = kept_fields(df, chosen.keep)
    any_type = [field.name for field in kept]
    task: DecodeTask
    if isinstance(schema, str) and schema.strip().lower() == VARIANT:
        full = row_schema(VARIANT_COLUMNS, chosen, kept)
        task = VariantRowsTask(protocol, chosen, arrow_schema(full, any_type), name)
    elif name is None or table is None:
        raise SchemaError('rows of all tables have no columns in common: name a table, or give the schema "variant"')
    else:
        if schema is None:
            from tidewire.spark.infer import table_schema

            schema = table_schema(df, protocol, table, options)
        columns = as_struct(schema)
        full = row_schema(columns, chosen, kept)
        task = RowsTask(protocol, chosen, arrow_schema(full, any_type), name, columns)
    return run_on(kafka_columns(df, chosen.mode != "DROPMALFORMED", chosen.keep), task, full)


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


@dataclass(frozen=True)
class RowsTask(TableTask):
    """`mapInArrow`: messages -> rows of one table."""

    table: tuple[str, str]
    columns: StructType
    plans: dict[Any, list[tuple[int, Convert] | None]] = field(default_factory=dict, compare=False)

    def process(self, messages: Messages, decoded: EventColumns) -> pa.RecordBatch | None:
        images = self.images(messages, decoded)
        parts = images.parts
        if not parts and not decoded.errors:
            return None
        columns: dict[str, pa.Array] = {}
        if parts:
            plans = [self.plan(layout) for layout in parts]
            for at, declared in enumerate(self.columns):
                made = [
                    self.convert(plan[at], layout, self.schema.field(at).type)
                    for plan, layout in zip(plans, parts, strict=True)
                ]
                columns[declared.name] = _joined([one.array for one in made]).take(images.image)
                if any(one.states is not None for one in made):
                    self.explain(declared, [plan[at] for plan in plans], parts, made, images)
        return self.finish(messages, decoded, {**columns, **images.metadata}, images.message, images.reasons)

    def plan(self, layout: Layout) -> list[tuple[int, Convert] | None]:
        """For each declared column: where it is in the layout and how it is converted, None when it is not there."""
        # a column of text is binary in a batch where it is not UTF-8
        key = layout.columns, tuple(array.type for array in layout.arrays)
        found = self.plans.get(key)
        if found is None:
            places = {column.name.lower(): at for at, column in enumerate(layout.columns)}
            found = []
            for declared in self.columns:
                at = places.get(declared.name.lower())
                if at is None:
                    found.append(None)
                    continue
                stored = layout.arrays[at].type
                found.append((at, converter(layout.columns[at], stored, declared.dataType, self.options.timezone)))
            self.plans[key] = found
        return found

    def convert(self, step: tuple[int, Convert] | None, layout: Layout, target: pa.DataType) -> Converted:
        """One declared column of one layout."""
        if step is None:
            return Converted(pa.nulls(layout.num_rows, target), None)
        return step[1](layout.arrays[step[0]])

    def explain(
        self,
        declared: StructField,
        steps: list[tuple[int, Convert] | None],
        parts: list[Layout],
        made: list[Converted],
        images: TableImages,
    ) -> None:
        """Says why values of a column were not converted, by row of the output."""
        filled, texts = [], []
        for step, layout, one in zip(steps, parts, made, strict=True):
            if one.states is None or step is None:
                filled.append(pa.repeat(constant(State.VALUE, pa.uint8()), layout.num_rows))
                texts.append(pa.nulls(layout.num_rows, pa.utf8()))
            else:
                filled.append(one.states)
                texts.append(_readable(layout.arrays[step[0]]))
        states = _joined(filled).take(images.image)
        text = _joined(texts).take(images.image)
        bad = pc.greater(
            states, constant(State.NO_DAY if self.options.zero_date == "null" else State.VALUE, pa.uint8())
        )
        for row in pc.indices_nonzero(bad).to_pylist():
            add(images.reasons, row, self.reason(declared, State(states[row].as_py()), text[row].as_py()))

    def reason(self, declared: StructField, state: State, text: str) -> str:
        """A sentence about a value that was not converted."""
        kind = sql_name(declared.dataType)
        place = f"{dotted(self.table)}, column {declared.name!r}: "
        if state == State.NO_DAY:
            return (
                place
                + f"{text!r} is not a day of the calendar; option zeroDate=null makes it null, a STRING column keeps it"
            )
        if state == State.NO_ROOM:
            return place + f"{text!r} does not fit {kind}; declare a wider type, or STRING"
        return place + f"{text!r} is not a value that {kind} can hold; declare STRING or BINARY"


def _joined(arrays: list[pa.Array]) -> pa.Array:
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


def _readable(array: pa.Array) -> pa.Array:
    if array.type == pa.binary():
        return column_of([None if value is None else value.hex() for value in array.to_pylist()], pa.utf8())
    return array.cast(pa.utf8())
