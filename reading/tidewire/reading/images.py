"""The row images of some tables in a decoded batch: their order and metadata."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.events import KINDS
from tidewire.mysql import storage
from tidewire.reading.kernels.image_rows import RANKS, ImageRows
from tidewire.reading.types import MOST_MILLISECONDS, MOST_VERSION, TIMESTAMP
from tidewire.reading.whole import complete, shortfalls
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.arrow.storage import RAW_TEXT
from tidewire.runtime.batch import EventColumns, Layout
from tidewire.runtime.tso import TSO_SHIFT

METADATA = pa.schema(
    [
        pa.field("_change_type", pa.utf8()),
        pa.field("_commit_version", pa.int64()),
        pa.field("_commit_timestamp", TIMESTAMP),
        pa.field("_commit_rank", pa.int32()),
    ]
)
"""The columns that follow a table's columns in rows."""
_CHANGE_TYPES = column_of(RANKS, pa.utf8())


class TableImages:
    """One row for each row image, completed where the messages allow it.

    Attributes:
        decoded: the events, with partial old images completed if possible.
        parts: the layouts with the wanted rows.
        image: int32, for each row its number among the rows of all parts, one part after the other.
        message: for each row, the index of its message.
        metadata: `_change_type`, `_commit_version`, `_commit_timestamp`, `_commit_rank`.
        reasons: rows that are partial, or whose commit ts exceeds BIGINT, and why.
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


def text_where_possible(layouts: list[Layout]) -> None:
    """Converts text columns that a decoder returned as binary (invalidText=bytes) to utf8, if all values of the column
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
