"""The base class of tasks that make table rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tidewire.reading.images import TableImages
from tidewire.reading.message_batch import MessageBatch
from tidewire.runtime.batch import EventColumns
from tidewire.spark.decoding import DecodeTask
from tidewire.spark.sought import Sought


@dataclass(frozen=True)
class TableTask(DecodeTask):
    """A task that makes the rows of one table, or of all tables (None)."""

    table: tuple[str, str] | None

    @cached_property
    def _sought(self) -> Sought:
        return Sought(self.table)

    def images(self, messages: MessageBatch, decoded: EventColumns) -> TableImages:
        """The row images of the table in a batch."""
        return TableImages(decoded, self._sought.positions(decoded, messages.rows))

    def done(self) -> None:
        """Warns if there was no change of the table."""
        self._sought.report()
