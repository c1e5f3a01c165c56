"""Batches of messages as Arrow columns, where each of them lay, and what becomes of those that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.reading.options import Mode
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.errors import TidewireError

COLUMNS = {
    "key": pa.binary(),
    "value": pa.binary(),
    "topic": pa.utf8(),
    "partition": pa.int32(),
    "offset": pa.int64(),
}
"""The columns of messages that decoding reads, as Kafka has them."""
KEPT = "kept "
"""Prefix of the columns that rows keep, because they may have the names of columns that decoding reads."""
ORIGINS = ("partition", "offset", "topic")
"""Where a message lay, as a packed origin says it: the topic last, which may be any text."""
PACKED = "origin"
"""The column of packed origins."""
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


def _part(packed: bytes | None, name: str) -> str | None:
    """`topic`, `partition` or `offset` of a packed origin, as text; None where it is not known."""
    found = dict(zip(ORIGINS, (packed or b"").split(b" ", 2), strict=False)).get(name)
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
        kind = COLUMNS[name]
        packed = self._columns.get(PACKED)
        if packed is not None:
            texts = packed.cast(pa.binary()).take(messages).to_pylist()
            return column_of([_part(text, name) for text in texts], pa.utf8()).cast(kind)
        column = self._columns.get(name)
        return pa.nulls(len(messages), kind) if column is None else column.cast(kind).take(messages)

    def has(self, own: str) -> bool:
        """Whether rows keep a column under that name."""
        return KEPT + own in self._columns

    def kept(self, name: str, own: str, messages: pa.Array) -> pa.Array:
        """A column that rows of these messages keep: its name, and that among the rows."""
        column = self._columns.get(KEPT + own)
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
    misfit_column: str | None = None,
) -> tuple[dict[str, pa.Array], pa.Array]:
    """Applies the mode to rows that could be made and messages that could not.

    Args:
        mode: what to do about both kinds of trouble.
        columns: the rows, by column.
        message: int32, the message that each row comes from.
        reasons: rows with a value that could not be converted (null in its column), and why.
        failed: messages that could not be decoded, and why.
        corrupt_column: its name, used in mode PERMISSIVE.
        misfit_column: where there is one for them, the name of the column of `reasons`, used likewise.

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
    if misfit_column is not None and why is not None:
        columns[misfit_column], why = why, None
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
