"""A frame of Kafka messages: which of its columns are read, and where a message lay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import BinaryType, IntegerType, LongType, StringType

from tidewire.runtime.errors import TidewireError
from tidewire.spark.arrow_types import SchemaError, arrow_type
from tidewire.spark.options import Mode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

_COLUMNS = {
    "key": BinaryType(),
    "value": BinaryType(),
    "topic": StringType(),
    "partition": IntegerType(),
    "offset": LongType(),
}
CORRUPT = pa.struct(
    [
        pa.field("value", pa.binary()),
        pa.field("reason", pa.utf8()),
        pa.field("topic", pa.utf8()),
        pa.field("partition", pa.int32()),
        pa.field("offset", pa.int64()),
    ]
)


class MalformedError(TidewireError, ValueError):
    """A message or a value that could not be read, in mode FAILFAST; the text says where it lay and what is wrong."""


def kafka_columns(df: DataFrame, places: bool = True) -> DataFrame:
    """The columns that decoding reads, cast to the types of Spark's Kafka source; only `value` has to be there.

    Args:
        df: messages.
        places: whether `topic`, `partition` and `offset` are wanted; each column costs every message about 100 ns.

    Raises:
        SchemaError: there is no binary column `value`.
    """
    types = {field.name: field.dataType for field in df.schema}
    if not isinstance(types.get("value"), BinaryType):
        given = ", ".join(f"{name} {kind.simpleString().upper()}" for name, kind in types.items())
        raise SchemaError(
            f"a frame of messages has a column `value` BINARY, as Spark's Kafka source gives it; this one has {given}"
        )
    wanted = [name for name in _COLUMNS if name in types and (places or name in ("key", "value"))]
    return df.select(*[df[name].cast(_COLUMNS[name]).alias(name) for name in wanted])


class Messages:
    """One Arrow batch of messages."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self.rows: int = batch.num_rows
        self._columns = {name: batch.column(name) for name in batch.schema.names}
        self.values: pa.Array = self._columns["value"]
        self.keys: pa.Array | None = self._columns.get("key")

    def column(self, name: str, messages: pa.Array) -> pa.Array:
        """`topic`, `partition` or `offset` of these messages; null when the frame has no such column."""
        kind = arrow_type(_COLUMNS[name])
        column = self._columns.get(name)
        return pa.nulls(len(messages), kind) if column is None else column.cast(kind).take(messages)

    def corrupt(self, messages: pa.Array, reasons: pa.Array) -> pa.StructArray:
        """What the corrupt-record column keeps of these messages; null where there is no reason."""
        # bytes only where something is wrong
        kept = pc.if_else(pc.is_valid(reasons), messages, pa.scalar(None, messages.type))
        arrays = [
            self.values.cast(pa.binary()).take(kept),
            reasons,
            *(self.column(n, kept) for n in ("topic", "partition", "offset")),
        ]
        return pa.StructArray.from_arrays(arrays, fields=list(CORRUPT), mask=pc.is_null(reasons))

    def place(self, message: int) -> str:
        """Where a message lay, for an error."""
        at = pa.array([message], pa.int32())
        found = [(name, self.column(name, at)[0].as_py()) for name in ("topic", "partition", "offset")]
        known = [f"{name} {value}" for name, value in found if value is not None]
        return ", ".join(known) if known else f"message {message} of an Arrow batch"


def fail(messages: Messages, message: int, reason: str) -> None:
    """What mode FAILFAST does about the first trouble.

    Raises:
        MalformedError: always.
    """
    raise MalformedError(
        f"{messages.place(message)}: {reason}. Mode PERMISSIVE keeps such messages in a column of their own, "
        "DROPMALFORMED drops them"
    )


def merge(reasons: dict[int, str], rows: int) -> pa.Array | None:
    """Reasons by row as a column; None when there are none."""
    if not reasons:
        return None
    texts: list[str | None] = [None] * rows
    for row, reason in reasons.items():
        texts[row] = reason
    return pa.array(texts, pa.utf8())


def settle(
    mode: Mode,
    messages: Messages,
    columns: dict[str, pa.Array],
    message: pa.Array,
    reasons: dict[int, str],
    failed: Sequence[tuple[int, str]],
    corrupt_column: str,
) -> tuple[dict[str, pa.Array], int]:
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
        The rows that remain, by column, and their number. Columns that are null in all rows may be missing.

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
        return columns, rows
    why = merge(reasons, rows)
    if mode == "DROPMALFORMED":
        if why is not None:
            keep = pc.is_null(why)
            columns = {name: array.filter(keep) for name, array in columns.items()}
            rows = pc.sum(keep).as_py()
        return columns, rows
    if why is None and not failed:
        return columns, rows
    if why is not None:
        columns[corrupt_column] = messages.corrupt(message, why)
    else:
        columns[corrupt_column] = pa.nulls(rows, CORRUPT)
    if failed:
        bad = messages.corrupt(
            pa.array([at for at, _ in failed], pa.int32()), pa.array([text for _, text in failed], pa.utf8())
        )
        columns = {
            name: pa.concat_arrays([array, bad if name == corrupt_column else pa.nulls(len(failed), array.type)])
            for name, array in columns.items()
        }
    return columns, rows + len(failed)
