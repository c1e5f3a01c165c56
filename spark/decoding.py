"""What every decoding task does: messages in, columns of events out, and the facts of their events as Spark columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.mysql import storage
from tidewire.runtime.arrow.literals import constant
from tidewire.runtime.arrow.storage import RAW_TEXT
from tidewire.runtime.batch import EventColumns, Layout
from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.arrow_types import MOST_MILLISECONDS, MOST_VERSION, TIMESTAMP, record_batch
from tidewire.spark.known_tables import decoder_of
from tidewire.spark.options import ReadOptions
from tidewire.spark.registries import said_nothing
from tidewire.spark.source import MessageBatch, settle
from tidewire.tables import TableStore


@dataclass(frozen=True)
class DecodeTask:
    """A function for `mapInArrow`: sent to executors, where it makes its decoder.

    Attributes:
        protocol: name of the protocol.
        options: how to decode.
        schema: of the batches it gives.
        tables: what is known of tables that are described apart from their rows.
    """

    protocol: str
    options: ReadOptions
    schema: pa.Schema
    tables: TableStore | None = field(default=None, kw_only=True)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        decoder, known = decoder_of(self.protocol, self.options, self.tables)
        lost = 0
        for batch in batches:
            messages = MessageBatch(batch)
            for decoded in decoder.parts(messages.values, messages.keys):
                lost += len(decoded.tombstones)
                text_where_possible(decoded.layouts)
                out = self.process(messages, decoded)
                if out is not None and out.num_rows:
                    yield out
            if known is not None:
                known.batch_done()
        said_nothing(decoder.FACTS, lost)
        self.done()

    def done(self) -> None:
        """Called when all messages of a task are read, for warnings."""

    def process(self, messages: MessageBatch, decoded: EventColumns) -> pa.RecordBatch | None:
        """The rows of one batch of messages."""
        raise NotImplementedError

    def finish(
        self,
        messages: MessageBatch,
        decoded: EventColumns,
        columns: dict[str, pa.Array],
        message: pa.Array,
        reasons: dict[int, str],
    ) -> pa.RecordBatch:
        """Rows, with the mode applied to partial rows and to messages that could not be decoded."""
        failed = [(int(error.message or 0), str(error)) for error in decoded.errors]
        if failed or reasons:
            columns, message = settle(
                self.options.mode, messages, columns, message, reasons, failed, self.options.corrupt_column
            )
        kept = {own: messages.kept(name, own, message) for name, own in self.options.keep}
        return record_batch(self.schema, {**columns, **kept}, len(message))


def text_where_possible(layouts: list[Layout]) -> None:
    """Makes utf8 of text columns that a decoder gave as binary (invalidText=bytes), where all values of the column
    are UTF-8.
    """
    for layout in layouts:
        if layout.laid() and not layout.holds(RAW_TEXT):
            continue  # all of its text was checked
        for at, (column, array) in enumerate(zip(layout.columns, layout.arrays, strict=True)):
            if array.type == pa.binary() and storage(column.type, column.flags) == "text":
                with suppress(pa.ArrowInvalid):
                    layout.arrays[at] = array.cast(pa.utf8())


def versions(events: pa.RecordBatch, reasons: dict[int, str]) -> tuple[pa.Array, pa.Array]:
    """`_commit_version` and `_commit_timestamp` of events: of their commit ts; where there is none, the timestamp is
    that of their milliseconds.

    A version that BIGINT cannot hold is null, a time beyond the year 9999 too; `reasons` gets an entry for the row.
    """
    commit_ts, commit_ms = events.column("commit_ts"), events.column("commit_ms")
    try:
        version = commit_ts.cast(pa.int64())
    except pa.ArrowInvalid:
        fits = pc.less_equal(commit_ts, constant(MOST_VERSION, pa.uint64()))
        for row in pc.indices_nonzero(pc.invert(fits)).to_pylist():
            add(reasons, row, f"commit ts {commit_ts[row]} is more than BIGINT holds")
        version = pc.if_else(fits, commit_ts, constant(None, pa.uint64())).cast(pa.int64())
    milliseconds = pc.shift_right(version, constant(TSO_SHIFT, pa.int64()))
    if commit_ms.null_count < len(commit_ms):
        fits = pc.less_equal(pc.abs(commit_ms), constant(MOST_MILLISECONDS, pa.int64()))
        for row in pc.indices_nonzero(pc.invert(fits)).to_pylist():
            add(reasons, row, f"commit time {commit_ms[row]} is no number of milliseconds since 1970")
        milliseconds = pc.coalesce(milliseconds, pc.if_else(fits, commit_ms, constant(None, pa.int64())))
    return version, pc.multiply(milliseconds, constant(1000, pa.int64())).cast(TIMESTAMP)


def add(reasons: dict[int, str], row: int, reason: str) -> None:
    """Adds a reason for a row."""
    reasons[row] = f"{reasons[row]}; {reason}" if row in reasons else reason
