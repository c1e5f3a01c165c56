"""Messages that an encoder has written to one buffer, as an Arrow batch or as Python objects."""

from __future__ import annotations

import pyarrow as pa

from tidewire.runtime import cython
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.encoding import checks

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize


NULL_KEY = 1
NULL_VALUE = 2
"""Bits: which parts of a message are null."""


class WrittenMessages:
    """The messages in a buffer that an encoder has filled."""

    def __init__(
        self,
        protocol: str,
        data: bytearray,
        ends: Numbers,
        firsts: Numbers,
        counts: Numbers,
        keys: bytearray | None = None,
        key_ends: Numbers | None = None,
        longest_event: cython.Py_ssize_t = 0,
        nulls: bytearray | None = None,
    ) -> None:
        """
        Args:
            protocol: name of the protocol, for errors.
            data: values of the messages.
            ends: start offset of the first value, then the end of each.
            firsts: first event of each message.
            counts: number of events in each message.
            keys: keys of the messages; None: they have none.
            key_ends: start offset of the first key, then the end of each; with `keys`.
            longest_event: if messages hold several events, bytes of key and value of the longest event with a row in a
                message of its own; 0: none.
            nulls: for each message, which parts are null: `NULL_KEY`, `NULL_VALUE`, both or 0; None: no part is null.

        Raises:
            EncodeError: there are more bytes than an Arrow array can hold.
        """
        self.data = data
        self.ends = ends
        self.firsts = firsts
        self.counts = counts
        self.keys = keys
        self.key_ends = ends if key_ends is None else key_ends
        self.longest_event = longest_event
        self.nulls = nulls
        self.size = firsts.size
        self.check(protocol, ends)
        if keys is not None:
            self.check(protocol, self.key_ends)

    def check(self, protocol: str, ends: Numbers) -> cython.int:
        """Checks that the messages fit an Arrow array.

        Raises:
            EncodeError: they do not.
        """
        if ends.i64[self.size] > checks.MOST_BYTES:
            stops = memoryview(ends.data)[8 : 8 * self.size + 8].cast("q").tolist()
            starts = memoryview(self.firsts.data)[: 8 * self.size].cast("q").tolist()
            raise checks.too_many_bytes(protocol, ends.i64[self.size], stops, starts)
        return 0

    def batch(self) -> pa.RecordBatch:
        """A batch over this memory: key (null if messages have none), value, first_event, events."""
        count = self.size
        return pa.RecordBatch.from_arrays(
            [
                pa.nulls(count, pa.binary())
                if self.keys is None
                else _binary(self.keys, self.key_ends, count, self.valid(NULL_KEY)),
                _binary(self.data, self.ends, count, self.valid(NULL_VALUE)),
                pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(self.firsts.data)]),
                pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(self.counts.data)]),
            ],
            ["key", "value", "first_event", "events"],
        )

    def valid(self, null: int) -> pa.Buffer | None:
        """A validity bitmap of keys or values; None: all are valid.

        Args:
            null: `NULL_KEY` or `NULL_VALUE`.
        """
        if self.nulls is None or self.nulls.count(0) == len(self.nulls):
            return None
        return column_of([not one & null for one in self.nulls], pa.bool_()).buffers()[1]

    def rows(self) -> list[tuple[bytes | None, bytes | None, int, int]]:
        """The messages as a list of tuples, which is faster for a few."""
        k: cython.Py_ssize_t
        key: bytes | None = None
        found: list[tuple[bytes | None, bytes | None, int, int]] = []
        for k in range(self.size):
            value: bytes | None = self.part(self.data, self.ends, k)
            if self.keys is not None:
                key = self.part(self.keys, self.key_ends, k)
            if self.nulls is not None and self.nulls[k]:
                key = None if self.nulls[k] & NULL_KEY else key
                value = None if self.nulls[k] & NULL_VALUE else value
            found.append((key, value, self.firsts.i64[k], self.counts.i64[k]))
        return found

    def part(self, data: bytearray, ends: Numbers, k: cython.Py_ssize_t) -> bytes:
        """The key or the value of a message."""
        start: cython.Py_ssize_t = ends.i64[k]
        stop: cython.Py_ssize_t = ends.i64[k + 1]
        if cython.compiled:
            return PyBytes_FromStringAndSize(PyByteArray_AS_STRING(data) + start, stop - start)
        return bytes(memoryview(data)[start:stop])

    def longest(self) -> cython.Py_ssize_t:
        """Bytes of the longest message, key and value."""
        k: cython.Py_ssize_t
        size: cython.Py_ssize_t
        most: cython.Py_ssize_t = 0
        for k in range(self.size):
            size = self.ends.i64[k + 1] - self.ends.i64[k]
            if self.keys is not None:
                size += self.key_ends.i64[k + 1] - self.key_ends.i64[k]
            most = max(most, size)
        return most


def _binary(
    data: bytearray, ends: Numbers, count: cython.Py_ssize_t, valid: pa.Buffer | None
) -> pa.Array:
    """A binary array over this memory.

    Args:
        data: bytes of all values.
        ends: start offset of the first value, then the end of each.
        count: number of values.
        valid: validity bitmap; None: all are valid.
    """
    positions = pa.Array.from_buffers(pa.int64(), count + 1, [None, pa.py_buffer(ends.data)])
    offsets = positions.cast(pa.int32())
    return pa.Array.from_buffers(
        pa.binary(), count, [valid, offsets.buffers()[1], pa.py_buffer(data)], -1 if valid else 0, offsets.offset
    )
