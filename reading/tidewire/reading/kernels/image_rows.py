"""Selects the wanted row images of a batch of events, their order, and their rank.

Events are read where the decoder put them: for batches of some hundred messages, as in streams of large messages,
making an Arrow batch and calling Arrow's functions takes as long as decoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from tidewire.reading.types import MOST_MILLISECONDS, MOST_VERSION, TIMESTAMP
from tidewire.runtime import cython
from tidewire.runtime.arrow.bitmaps import bitmap_of, count_nulls
from tidewire.runtime.arrow.memory import Memory, Numbers
from tidewire.runtime.arrow.storage import INT, TEXT, UINT
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.tso import TSO_SHIFT

_KIND = 0
_NEW_LAYOUT = 1
_NEW_ROW = 2
_OLD_LAYOUT = 3
_OLD_ROW = 4
_MESSAGE = 5
_COMMIT_TS = 6
_COMMIT_MS = 7
_KEY_ONLY = 8
_CLAIM = 9
_COLUMNS = (
    *("kind", "new_layout", "new_row", "old_layout", "old_row", "message", "commit_ts", "commit_ms"),
    *("handle_key_only", "claim_check"),
)
_STORAGES = (INT, INT, INT, INT, INT, INT, UINT, INT, INT, TEXT)
# C numbers when compiled
_BITS: cython.int = TSO_SHIFT
_MOST_VERSION: cython.ulonglong = MOST_VERSION
_MOST_TIME: cython.longlong = MOST_MILLISECONDS

RANKS = ("delete", "update_preimage", "update_postimage", "insert")
"""The kinds of row images, by rank: within a transaction old images precede new ones, whatever the row's key."""


class Images(NamedTuple):
    """One entry for each row image, those of an event in the order of their ranks."""

    event: pa.Array
    """int32: row in `EventColumns.events`."""
    image: pa.Array
    """int32: row among the rows of all wanted layouts, one layout after the other."""
    rank: pa.Array
    """int32: index into `RANKS`: the kind of the image."""
    message: pa.Array
    """int32: the index of the event's message."""
    version: pa.Array
    """int64: the commit ts; null where the event has none."""
    time: pa.Array
    """timestamp in microseconds, UTC: of the commit ts, or of the milliseconds that the event has instead, or null."""
    odd: bool
    """Whether a commit ts exceeds BIGINT, or milliseconds exceed TIMESTAMP: these entries are null."""


class ImageRows:
    """The row images of events, one after the other."""

    def __init__(self, events: EventColumns) -> None:
        self.source = events.source(_COLUMNS, _STORAGES)
        self.bases = Numbers()
        self.count = 0

    def mixed(self) -> cython.bint:
        """Whether an event has two row images that are in different layouts."""
        i: cython.Py_ssize_t
        new_layouts: cython.p_longlong = self.source.ints(_NEW_LAYOUT)
        old_layouts: cython.p_longlong = self.source.ints(_OLD_LAYOUT)
        for i in range(self.source.rows):
            if new_layouts[i] != old_layouts[i] and new_layouts[i] >= 0 and old_layouts[i] >= 0:
                return True
        return False

    def partial(self) -> cython.bint:
        """Whether an event is marked as having only its row's handle key, or a location of the whole row."""
        i: cython.Py_ssize_t
        if self.source.has_values(_CLAIM):
            return True
        if self.source.has_values(_KEY_ONLY):
            for i in range(self.source.rows):
                if not self.source.null_at(_KEY_ONLY, i) and self.source.int_at(_KEY_ONLY, i) != 0:
                    return True
        return False

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
        self.put_facts()
        event, image, rank, message = (
            pa.Array.from_buffers(pa.int32(), self.count, [None, pa.py_buffer(part.data)])
            for part in (self.event, self.image, self.rank, self.message)
        )
        version = _nullable(self.version, self.versioned, self.count, pa.int64())
        time = _nullable(self.time, self.timed, self.count, TIMESTAMP)
        return Images(event, image, rank, message, version, time, self.odd)

    def put(self, event: cython.Py_ssize_t, image: cython.longlong, rank: cython.int) -> cython.int:
        """Appends an image; there is room for two for each event."""
        self.event.i32[self.count] = event
        self.image.i32[self.count] = image
        self.rank.i32[self.count] = rank
        self.count += 1
        return 0

    def put_facts(self) -> cython.int:
        """Appends facts about the images' events: the message, and the commit time."""
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        version: cython.ulonglong
        milliseconds: cython.longlong
        said: cython.bint = self.source.has_values(_COMMIT_MS)
        self.message = Memory(4 * self.count)
        self.version = Memory(8 * self.count)
        self.time = Memory(8 * self.count)
        self.versioned = Memory(self.count)
        self.timed = Memory(self.count)
        self.odd = False
        for k in range(self.count):
            i = self.event.i32[k]
            self.message.i32[k] = self.source.int_at(_MESSAGE, i)
            self.version.i64[k] = self.time.i64[k] = 0
            self.versioned.u8[k] = self.timed.u8[k] = 0
            if not self.source.null_at(_COMMIT_TS, i):
                version = self.source.uint_at(_COMMIT_TS, i)
                if version <= _MOST_VERSION:
                    self.version.i64[k] = version
                    self.time.i64[k] = (version >> _BITS) * 1000
                    self.versioned.u8[k] = self.timed.u8[k] = 1
                    continue
                self.odd = True
            if said and not self.source.null_at(_COMMIT_MS, i):
                milliseconds = self.source.int_at(_COMMIT_MS, i)
                if -_MOST_TIME <= milliseconds <= _MOST_TIME:
                    self.time.i64[k] = milliseconds * 1000
                    self.timed.u8[k] = 1
                else:
                    self.odd = True
        return 0


def _nullable(values: Memory, valid: Memory, rows: cython.Py_ssize_t, kind: pa.DataType) -> pa.Array:
    """Values of 8 bytes; null where the byte in `valid` is 0."""
    nulls = count_nulls(valid.u8, rows)
    bitmap = pa.py_buffer(bitmap_of(valid.u8, rows)) if nulls else None
    return pa.Array.from_buffers(kind, rows, [bitmap, pa.py_buffer(values.data)], nulls)
