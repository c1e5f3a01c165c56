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
"""What is null of a message."""


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
            protocol: for errors.
            data: the values of the messages.
            ends: where the first value starts, then where each ends.
            firsts: the first event of each message.
            counts: how many events each has.
            keys: the keys of the messages; None: they have none.
            key_ends: where the first key starts, then where each ends; with `keys`.
            longest_event: bytes of key and value that the longest event with a row takes in a message of its own, where
                messages hold several; 0: there is none.
            nulls: for each message what is null of it: `NULL_KEY`, `NULL_VALUE`, both or nothing; None: what has
                no bytes is empty.

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
        """Refuses what no Arrow array can hold.

        Raises:
            EncodeError: so many bytes there are.
        """
        if ends.i64[self.size] > checks.MOST_BYTES:
            stops = memoryview(ends.data)[8 : 8 * self.size + 8].cast("q").tolist()
            starts = memoryview(self.firsts.data)[: 8 * self.size].cast("q").tolist()
            raise checks.too_many_bytes(protocol, ends.i64[self.size], stops, starts)
        return 0

    def batch(self) -> pa.RecordBatch:
        """A batch over this memory: key (null where messages have none), value, first_event, events."""
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
        """Which messages have a key, or a value, as a bitmap; None: all have.

        Args:
            null: `NULL_KEY` or `NULL_VALUE`.
        """
        if self.nulls is None or self.nulls.count(0) == len(self.nulls):
            return None
        return column_of([not one & null for one in self.nulls], pa.bool_()).buffers()[1]

    def rows(self) -> list[tuple[bytes | None, bytes | None, int, int]]:
        """The messages as a list of tuples, which costs less for a few."""
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
        """The bytes of the longest message, key and value."""
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
        data: the bytes of all values.
        ends: where the first starts, then where each ends.
        count: how many there are.
        valid: which of them are not null, as a bitmap; None: all are.
    """
    positions = pa.Array.from_buffers(pa.int64(), count + 1, [None, pa.py_buffer(ends.data)])
    offsets = positions.cast(pa.int32())
    return pa.Array.from_buffers(
        pa.binary(), count, [valid, offsets.buffers()[1], pa.py_buffer(data)], -1 if valid else 0, offsets.offset
    )
