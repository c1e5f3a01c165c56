"""Which row images of a batch of events are wanted, in which order, and what each of them is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.tidewire.runtime.arrow.array_view import ArrayView
    from cython.cimports.tidewire.runtime.arrow.memory import Memory, Numbers
else:
    from tidewire.runtime.arrow.array_view import ArrayView
    from tidewire.runtime.arrow.memory import Memory, Numbers

RANKS = ("delete", "update_preimage", "update_postimage", "insert")
"""What a row image is, by its rank: within a transaction what a row was goes before what a row is, whatever the row's
key.
"""


class Images(NamedTuple):
    """One entry for each row image, those of an event in the order of their ranks."""

    event: pa.Array
    """int32: row in `EventColumns.events`."""
    image: pa.Array
    """int32: row among the rows of all wanted layouts, one layout after the other."""
    rank: pa.Array
    """int32: index into `RANKS`."""


class ImageRows:
    """The row images of events, one after the other."""

    def __init__(self, events: pa.RecordBatch) -> None:
        """Events as in `tidewire.runtime.batch.EventColumns.events`."""
        self.kind = _int64(events, "kind")
        self.new_layout = _int64(events, "new_layout")
        self.new_row = _int64(events, "new_row")
        self.old_layout = _int64(events, "old_layout")
        self.old_row = _int64(events, "old_row")
        self.bases = Numbers()
        self.count = 0

    def select(self, bases: Sequence[int], insert: cython.int, delete: cython.int) -> Images:
        """The images whose layout is wanted.

        Args:
            bases: for each layout the number of rows in the wanted layouts before it, or -1 when it is not wanted.
            insert: the code of that kind of event.
            delete: likewise.
        """
        i: cython.Py_ssize_t
        base: cython.longlong
        layout: cython.Py_ssize_t
        rows: cython.Py_ssize_t = self.kind.rows
        for base in bases:
            self.bases.append(base)
        self.event = Memory(8 * rows)
        self.image = Memory(8 * rows)
        self.rank = Memory(8 * rows)
        for i in range(rows):
            layout = self.old_layout.i64[i]
            if layout >= 0 and self.bases.i64[layout] >= 0 and self.old_row.i64[i] >= 0:
                self.put(i, self.bases.i64[layout] + self.old_row.i64[i], 0 if self.kind.i64[i] == delete else 1)
            layout = self.new_layout.i64[i]
            if layout >= 0 and self.bases.i64[layout] >= 0 and self.new_row.i64[i] >= 0:
                self.put(i, self.bases.i64[layout] + self.new_row.i64[i], 3 if self.kind.i64[i] == insert else 2)
        return Images(*(_int32(part.data, self.count) for part in (self.event, self.image, self.rank)))

    def put(self, event: cython.Py_ssize_t, image: cython.longlong, rank: cython.int) -> cython.int:
        """One image more; there is room for two an event."""
        self.event.i32[self.count] = event
        self.image.i32[self.count] = image
        self.rank.i32[self.count] = rank
        self.count += 1
        return 0


def _int64(events: pa.RecordBatch, name: str) -> ArrayView:
    return ArrayView(events.column(name).cast(pa.int64()))


def _int32(data: bytearray, count: int) -> pa.Array:
    return pa.Array.from_buffers(pa.int32(), count, [None, pa.py_buffer(data)])
