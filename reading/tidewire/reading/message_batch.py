"""Batches of messages as Arrow columns, with their origins, and the handling of messages that cannot be read."""

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
"""The columns of messages that decoding needs, named as in Kafka."""
KEPT = "kept "
"""Prefix of the internal names of columns that rows keep, which may be called like columns that decoding needs."""
ORIGINS = ("partition", "offset", "topic")
"""The parts of a packed origin; the topic is last, since it may contain any character."""
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
    """A message or a value could not be read in mode FAILFAST; the text tells where it is and what is wrong."""


def _part(packed: bytes | None, name: str) -> str | None:
    """`topic`, `partition` or `offset` of a packed origin, as text; None if unknown."""
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
        """Whether rows keep a column with this name in the rows."""
        return KEPT + own in self._columns

    def kept(self, name: str, own: str, messages: pa.Array) -> pa.Array:
        """The values of a column that rows keep, given its name in messages and its name in the rows."""
        column = self._columns.get(KEPT + own)
        return (self._columns[name.lower()] if column is None else column).take(messages)

    def corrupt(self, messages: pa.Array, reasons: pa.Array) -> pa.StructArray:
        """The values of the corrupt-record column; null for messages without a reason."""
        # the bytes are included only if there is a reason
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
        """Topic, partition and offset of a message; empty and 0 if the frame has no such columns."""
        at = column_of([message], pa.int32())
        topic, partition, offset = (self.column(name, at)[0].as_py() for name in ("topic", "partition", "offset"))
        return topic or "", partition or 0, offset or 0

    def taken(self, messages: pa.Array) -> dict[str, pa.Array]:
        """A selection of the messages, as input columns of a Spark task."""
        return {name: column.take(messages) for name, column in self._columns.items()}

    def origin(self, message: int) -> str:
        """The origin of a message, for an error."""
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
    """The reasons as a column with one value per row; None if there are none."""
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
    """Applies the mode to decoded rows and to messages that could not be decoded.

    Args:
        mode: handling of errors.
        columns: the rows.
        message: the number of the message of each row (int32).
        reasons: why a value of a row could not be converted (it is null in its column), by row.
        failed: messages that could not be decoded, with the reason.
        corrupt_column: name of the corrupt-record column of mode PERMISSIVE.
        misfit_column: name of the column for `reasons` in mode PERMISSIVE; None: they go to the corrupt-record column.

    Returns:
        The remaining rows, and the message number of each. Columns that would be null in all rows may be absent.

    Raises:
        MalformedError: the mode is FAILFAST and there is an error.
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
