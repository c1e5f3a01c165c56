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
        decoded: the events, with old images completed where the messages have a part of them.
        parts: the layouts with the wanted rows.
        image: int32, of each row the number among the rows of all parts, one part after the other.
        message: of each row, the message it comes from.
        metadata: `_change_type`, `_commit_version`, `_commit_timestamp`, `_commit_rank`.
        reasons: rows that are not whole, or whose commit ts BIGINT cannot hold, and why.
    """

    def __init__(self, decoded: EventColumns, wanted: Collection[int]) -> None:
        """The images of these tables, by their index into `EventColumns.tables`."""
        found = ImageRows(decoded)
        if found.mixed():
            decoded = complete(decoded, wanted)
            found = ImageRows(decoded)
        bases, rows = [], 0
        self.parts: list[Layout] = []
        for layout in decoded.layouts:
            use = layout.table in wanted and layout.num_rows > 0
            bases.append(rows if use else -1)
            if use:
                self.parts.append(layout)
                rows += layout.num_rows
        images = found.select(bases, KINDS["insert"], KINDS["delete"])
        self.image, self.message = images.image, images.message
        self.reasons: dict[int, str] = {}
        if found.partial() or any(layout.lacks for layout in decoded.layouts):
            self.reasons = shortfalls(decoded, images.event)
        version, time = images.version, images.time
        if images.odd:
            version, time = versions(decoded.events.select(["commit_ts", "commit_ms"]).take(images.event), self.reasons)
        self.metadata = {
            "_change_type": _CHANGE_TYPES.take(images.rank),
            "_commit_version": version,
            "_commit_timestamp": time,
            "_commit_rank": images.rank,
        }
        self.decoded, self._event = decoded, images.event

    def table(self) -> pa.Array:
        """Of each row, the index of its table into `EventColumns.tables`."""
        return self.decoded.events.column("table").take(self._event)


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
