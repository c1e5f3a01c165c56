"""The part common to all decoding tasks: messages to event columns, and facts about events as Spark columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from tidewire.reading.images import text_where_possible
from tidewire.reading.message_batch import MessageBatch, settle
from tidewire.reading.options import ReadOptions
from tidewire.reading.types import record_batch
from tidewire.runtime.batch import EventColumns
from tidewire.spark.known_tables import task_decoder
from tidewire.spark.registries import said_nothing
from tidewire.tables import TableStore


@dataclass(frozen=True)
class DecodeTask:
    """A function for `mapInArrow`. It is pickled to the executors and takes or creates its decoder there.

    Attributes:
        protocol: name of the protocol.
        options: how to decode.
        schema: of the returned batches.
        tables: descriptions of tables that arrive in other messages than the rows.
    """

    protocol: str
    options: ReadOptions
    schema: pa.Schema
    tables: TableStore | None = field(default=None, kw_only=True)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with task_decoder(self.protocol, self.options, self.tables) as (decoder, known):
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
        """Called after all messages of a task were read; logs warnings."""

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
        """The rows, after the mode was applied to partial rows and to messages that could not be decoded."""
        failed = [(int(error.message or 0), str(error)) for error in decoded.errors]
        if failed or reasons:
            names = self.options.corrupt_column, self.options.misfit_column
            columns, message = settle(self.options.mode, messages, columns, message, reasons, failed, *names)
        kept = {own: messages.kept(name, own, message) for name, own in self.options.keep}
        return record_batch(self.schema, {**columns, **kept}, len(message))
