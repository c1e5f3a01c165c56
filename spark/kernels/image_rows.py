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
    from cython.cimports.tidewire.runtime.arrow.column_reader import ColumnReader
    from cython.cimports.tidewire.runtime.arrow.memory import Memory, Numbers
    from cython.cimports.tidewire.runtime.arrow.storage_numbers import INT
else:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.memory import Memory, Numbers
    from tidewire.runtime.arrow.storage import INT

_KIND = 0
_NEW_LAYOUT = 1
_NEW_ROW = 2
_OLD_LAYOUT = 3
_OLD_ROW = 4
_COLUMNS = ("kind", "new_layout", "new_row", "old_layout", "old_row")

RANKS = ("delete", "update_preimage", "update_postimage", "insert")
"""What a row image is, by its rank: within a transaction old images come before new ones, whatever the row's key.
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
        columns = [events.column(name).cast(pa.int64()) for name in _COLUMNS]
        self.source = ColumnReader(columns, [INT] * len(columns))
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
        # local pointers: those of a struct in memory would be loaded again after each value that is stored
        kinds: cython.p_longlong = self.source.ints(_KIND)
        new_layouts: cython.p_longlong = self.source.ints(_NEW_LAYOUT)
        new_rows: cython.p_longlong = self.source.ints(_NEW_ROW)
        old_layouts: cython.p_longlong = self.source.ints(_OLD_LAYOUT)
        old_rows: cython.p_longlong = self.source.ints(_OLD_ROW)
        layout: cython.longlong
        rows: cython.Py_ssize_t = self.source.rows
        for base in bases:
            self.bases.append(base)
        self.event = Memory(8 * rows)
        self.image = Memory(8 * rows)
        self.rank = Memory(8 * rows)
        for i in range(rows):
            layout = old_layouts[i]
            if layout >= 0 and self.bases.i64[layout] >= 0 and old_rows[i] >= 0:
                self.put(i, self.bases.i64[layout] + old_rows[i], 0 if kinds[i] == delete else 1)
            layout = new_layouts[i]
            if layout >= 0 and self.bases.i64[layout] >= 0 and new_rows[i] >= 0:
                self.put(i, self.bases.i64[layout] + new_rows[i], 3 if kinds[i] == insert else 2)
        return Images(*(_int32(part.data, self.count) for part in (self.event, self.image, self.rank)))

    def put(self, event: cython.Py_ssize_t, image: cython.longlong, rank: cython.int) -> cython.int:
        """Appends an image; there is room for two for each event."""
        self.event.i32[self.count] = event
        self.image.i32[self.count] = image
        self.rank.i32[self.count] = rank
        self.count += 1
        return 0


def _int32(data: bytearray, count: int) -> pa.Array:
    return pa.Array.from_buffers(pa.int32(), count, [None, pa.py_buffer(data)])
