"""A frame of Kafka messages: which of its columns are read, and where a message lay."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, IntegerType, LongType, StringType, StructField

from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.errors import TidewireError
from tidewire.spark.arrow_types import SchemaError, arrow_type
from tidewire.spark.headers import HEADERS, NAMES, are_headers, with_schema_id
from tidewire.spark.options import KeptFields, Mode, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import Column

_COLUMNS = {
    "key": BinaryType(),
    "value": BinaryType(),
    "topic": StringType(),
    "partition": IntegerType(),
    "offset": LongType(),
}
_KEPT = "kept "
"""Prefix of the columns that rows keep, because they may have the names of columns that decoding reads."""
_ORIGINS = ("partition", "offset", "topic")
"""Where a message lay, as a packed origin says it: the topic last, which may be any text."""
_PACKED = "origin"
"""The column of packed origins."""
Origins = Literal["columns", "packed", "none"]
"""How a task gets `topic`, `partition` and `offset`: in columns of their own; as one text, for a task that needs them
for errors alone, because each column costs every message 100 to 300 ns; or not at all.
"""
CORRUPT = pa.struct(
    [
        pa.field("value", pa.binary()),
        pa.field("reason", pa.utf8()),
        pa.field("topic", pa.utf8()),
        pa.field("partition", pa.int32()),
        pa.field("offset", pa.int64()),
        pa.field("key", pa.binary()),
    ]
)


class MalformedError(TidewireError, ValueError):
    """A message or a value that could not be read, in mode FAILFAST; the text says where it lay and what is wrong."""


def check_frame(df: object, of: str = "messages") -> None:
    """Refuses what is no DataFrame.

    Raises:
        SchemaError: it is none.
    """
    if not isinstance(df, DataFrame):
        source = "spark.read.format('kafka')….load()" if of == "messages" else "from_ticdc"
        raise SchemaError(f"{of} are a Spark DataFrame such as {source} gives, not {type(df).__name__}")


def kafka_columns(df: DataFrame, protocol: str, origins: Origins = "columns", keep: KeptFields = ()) -> DataFrame:
    """The columns that decoding reads, cast to the types of Spark's Kafka source, and those that rows keep, as they
    are; only `value` has to be there, and `key` where the protocol reads it. Where a registry has the schemas of
    records, and the frame has `headers`, keys and values get the ids that these have.

    Args:
        df: messages.
        protocol: their protocol.
        origins: how `topic`, `partition` and `offset` are wanted.
        keep: names of columns that rows keep, and what they are called there.

    Raises:
        SchemaError: there is no binary column `value`, or `key` where it is needed, or none of a name that rows are to
            keep.
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
    wanted = [name for name in _COLUMNS if name in types and (origins == "columns" or name not in _ORIGINS)]
    headed = NAMES if facts.registry is not None and are_headers(types.get(HEADERS)) else ()
    columns = [
        with_schema_id(df, name) if name in headed else df[name].cast(_COLUMNS[name]).alias(name) for name in wanted
    ]
    for field, (name, own) in zip(kept_fields(df, keep), keep, strict=True):
        if name.lower() not in wanted or name.lower() in headed or field.dataType != _COLUMNS[name.lower()]:
            columns.append(df[quoted(name)].alias(_KEPT + own))
    if origins == "packed" and not types.keys().isdisjoint(_ORIGINS):
        columns.append(_packed(df, types.keys()).alias(_PACKED))
    return df.select(*columns)


def _packed(df: DataFrame, names: Iterable[str]) -> Column:
    """Partition, offset and topic of a message as one text, a space between them: a number that is not known is empty,
    a topic that is not known is left out with the space before it.
    """
    empty, missing = F.lit(""), F.lit(None).cast(StringType())
    found = [df[name].cast(_COLUMNS[name]).cast(StringType()) if name in names else missing for name in _ORIGINS]
    return F.concat_ws(" ", *(F.coalesce(number, empty) for number in found[:2]), found[2])


def kept_fields(df: DataFrame, keep: KeptFields) -> list[StructField]:
    """The columns of messages that rows keep, under their names there.

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


def quoted(name: str) -> str:
    """A column's name in backquotes."""
    return "`" + name.replace("`", "``") + "`"


def _part(packed: bytes | None, name: str) -> str | None:
    """`topic`, `partition` or `offset` of a packed origin, as text; None where it is not known."""
    found = dict(zip(_ORIGINS, (packed or b"").split(b" ", 2), strict=False)).get(name)
    if found is None or (not found and name != "topic"):
        return None
    return found.decode("utf-8", "replace")


class MessageBatch:
    """One Arrow batch of messages."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self.rows: int = batch.num_rows
        self._columns = {name: batch.column(name) for name in batch.schema.names}
        self.values: pa.Array = self._columns["value"]
        self.keys: pa.Array | None = self._columns.get("key")

    def column(self, name: str, messages: pa.Array) -> pa.Array:
        """`topic`, `partition` or `offset` of these messages; null when the frame has no such column."""
        kind = arrow_type(_COLUMNS[name])
        packed = self._columns.get(_PACKED)
        if packed is not None:
            texts = packed.cast(pa.binary()).take(messages).to_pylist()
            return column_of([_part(text, name) for text in texts], pa.utf8()).cast(kind)
        column = self._columns.get(name)
        return pa.nulls(len(messages), kind) if column is None else column.cast(kind).take(messages)

    def kept(self, name: str, own: str, messages: pa.Array) -> pa.Array:
        """A column that rows of these messages keep: its name, and that among the rows."""
        column = self._columns.get(_KEPT + own)
        return (self._columns[name.lower()] if column is None else column).take(messages)

    def corrupt(self, messages: pa.Array, reasons: pa.Array) -> pa.StructArray:
        """What the corrupt-record column keeps of these messages; null where there is no reason."""
        # bytes only where something is wrong
        kept = pc.if_else(pc.is_valid(reasons), messages, constant(None, messages.type))
        keys = pa.nulls(len(kept), pa.binary()) if self.keys is None else self.keys.cast(pa.binary()).take(kept)
        arrays = [
            self.values.cast(pa.binary()).take(kept),
            reasons,
            *(self.column(n, kept) for n in ("topic", "partition", "offset")),
            keys,
        ]
        return pa.StructArray.from_arrays(arrays, fields=list(CORRUPT), mask=pc.is_null(reasons))

    def place(self, message: int) -> tuple[str, int, int]:
        """Topic, partition and offset of a message; empty and 0 where the frame does not say them."""
        at = column_of([message], pa.int32())
        topic, partition, offset = (self.column(name, at)[0].as_py() for name in ("topic", "partition", "offset"))
        return topic or "", partition or 0, offset or 0

    def taken(self, messages: pa.Array) -> dict[str, pa.Array]:
        """These messages, in the columns that a task is given."""
        return {name: column.take(messages) for name, column in self._columns.items()}

    def origin(self, message: int) -> str:
        """Where a message lay, for an error."""
        at = column_of([message], pa.int32())
        found = [(name, self.column(name, at)[0].as_py()) for name in ("topic", "partition", "offset")]
        known = [f"{name} {value}" for name, value in found if value is not None]
        return ", ".join(known) if known else f"message {message} of an Arrow batch"


def fail(messages: MessageBatch, message: int, reason: str) -> None:
    """Raises the error of mode FAILFAST.

    Raises:
        MalformedError: always.
    """
    raise MalformedError(
        f"{messages.origin(message)}: {reason}. Mode PERMISSIVE keeps such messages in a column of their own, "
        "DROPMALFORMED drops them"
    )


def merge(reasons: dict[int, str], rows: int) -> pa.Array | None:
    """Reasons by row as a column; None when there are none."""
    if not reasons:
        return None
    texts: list[str | None] = [None] * rows
    for row, reason in reasons.items():
        texts[row] = reason
    return column_of(texts, pa.utf8())


def settle(
    mode: Mode,
    messages: MessageBatch,
    columns: dict[str, pa.Array],
    message: pa.Array,
    reasons: dict[int, str],
    failed: Sequence[tuple[int, str]],
    corrupt_column: str,
) -> tuple[dict[str, pa.Array], pa.Array]:
    """Applies the mode to rows that could be made and messages that could not.

    Args:
        mode: what to do about both kinds of trouble.
        messages: the batch.
        columns: the rows, by column.
        message: int32, the message that each row comes from.
        reasons: rows with a value that could not be converted (null in its column), and why.
        failed: messages that could not be decoded, and why.
        corrupt_column: its name, used in mode PERMISSIVE.

    Returns:
        The rows that remain, by column, and the message that each comes from. Columns that are null in all rows may be
        missing.

    Raises:
        MalformedError: the mode is FAILFAST and there is trouble.
    """
    rows = len(message)
    if mode == "FAILFAST":
        first = min(
            [(at, why) for at, why in failed] + [(message[row].as_py(), why) for row, why in reasons.items()],
            default=None,
        )
        if first is not None:
            fail(messages, *first)
        return columns, message
    why = merge(reasons, rows)
    if mode == "DROPMALFORMED":
        if why is not None:
            whole = pc.is_null(why)
            columns = {name: array.filter(whole) for name, array in columns.items()}
            message = message.filter(whole)
        return columns, message
    if why is None and not failed:
        return columns, message
    if why is not None:
        columns[corrupt_column] = messages.corrupt(message, why)
    else:
        columns[corrupt_column] = pa.nulls(rows, CORRUPT)
    if failed:
        undecoded = column_of([at for at, _ in failed], pa.int32())
        bad = messages.corrupt(undecoded, column_of([text for _, text in failed], pa.utf8()))
        columns = {
            name: pa.concat_arrays([array, bad if name == corrupt_column else pa.nulls(len(failed), array.type)])
            for name, array in columns.items()
        }
        message = pa.concat_arrays([message.cast(pa.int32()), undecoded])
    return columns, message
