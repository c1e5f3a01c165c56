"""The row images of some tables in a decoded batch: their order and metadata."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from tidewire.events import KINDS
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.batch import EventColumns, Layout
from tidewire.spark.decoding import DecodeTask, versions
from tidewire.spark.kernels.image_rows import RANKS, ImageRows
from tidewire.spark.source import MessageBatch
from tidewire.spark.tables import Sought
from tidewire.spark.whole import complete, shortfalls

_CHANGE_TYPES = column_of(RANKS, pa.utf8())


class TableImages:
    """One row for each row image, whole where the messages say enough.

    Attributes:
        parts: the layouts with the wanted rows.
        image: int32, of each row the number among the rows of all parts, one part after the other.
        message: of each row, the message it comes from.
        table: of each row, index into `EventColumns.tables`.
        metadata: `_change_type`, `_commit_version`, `_commit_timestamp`, `_commit_rank`.
        reasons: rows that are not whole, or whose commit ts BIGINT cannot hold, and why.
    """

    def __init__(self, decoded: EventColumns, wanted: Collection[int]) -> None:
        """The images of these tables, by their index into `EventColumns.tables`."""
        decoded = complete(decoded, wanted)
        events = decoded.events
        bases, rows = [], 0
        self.parts: list[Layout] = []
        for layout in decoded.layouts:
            use = layout.table in wanted and layout.num_rows > 0
            bases.append(rows if use else -1)
            if use:
                self.parts.append(layout)
                rows += layout.num_rows
        event, self.image, rank = ImageRows(events).select(bases, KINDS["insert"], KINDS["delete"])
        self.message = events.column("message").take(event)
        self.table = events.column("table").take(event)
        self.reasons = shortfalls(decoded, event)
        version, time = versions(events.select(["commit_ts", "commit_ms"]).take(event), self.reasons)
        self.metadata = {
            "_change_type": _CHANGE_TYPES.take(rank),
            "_commit_version": version,
            "_commit_timestamp": time,
            "_commit_rank": rank,
        }


@dataclass(frozen=True)
class TableTask(DecodeTask):
    """A task that makes rows of one table, or of all (None)."""

    table: tuple[str, str] | None

    @cached_property
    def _sought(self) -> Sought:
        return Sought(self.table)

    def images(self, messages: MessageBatch, decoded: EventColumns) -> TableImages:
        """The row images of the table in a batch."""
        return TableImages(decoded, self._sought.positions(decoded, messages.rows))

    def done(self) -> None:
        """Warns when there was no change of the table."""
        self._sought.report()
