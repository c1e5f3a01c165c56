"""Messages that have been written one behind the other: as an Arrow batch, or, of a few, as plain values."""

from __future__ import annotations

import pyarrow as pa

from tidewire.runtime import given

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
    from cython.cimports.tidewire.runtime.memory import Numbers
else:
    from tidewire.runtime.memory import Numbers


class WrittenMessages:
    """Messages that have been written."""

    def __init__(self, protocol: str, data: bytearray, ends: Numbers, firsts: Numbers, counts: Numbers) -> None:
        """
        Args:
            protocol: for errors.
            data: the messages.
            ends: where the first message starts, then where each ends.
            firsts: the first event of each message.
            counts: how many events each has.

        Raises:
            EncodeError: there are more bytes than an Arrow array can hold.
        """
        self.data = data
        self.ends = ends
        self.firsts = firsts
        self.counts = counts
        self.size = firsts.size
        if ends.i64[self.size] > given.MOST_BYTES:
            stops = memoryview(ends.data)[8 : 8 * self.size + 8].cast("q").tolist()
            starts = memoryview(firsts.data)[: 8 * self.size].cast("q").tolist()
            raise given.too_many_bytes(protocol, ends.i64[self.size], stops, starts)

    def batch(self) -> pa.RecordBatch:
        """A batch over this memory: key (null), value, first_event, events."""
        count = self.size
        places = pa.Array.from_buffers(pa.int64(), count + 1, [None, pa.py_buffer(self.ends.data)])
        offsets = places.cast(pa.int32())
        values = pa.Array.from_buffers(
            pa.binary(), count, [None, offsets.buffers()[1], pa.py_buffer(self.data)], 0, offsets.offset
        )
        return pa.RecordBatch.from_arrays(
            [
                pa.nulls(count, pa.binary()),
                values,
                pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(self.firsts.data)]),
                pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(self.counts.data)]),
            ],
            ["key", "value", "first_event", "events"],
        )

    def rows(self) -> list[tuple[bytes | None, bytes | None, int, int]]:
        """The same as a list, which costs less for a few."""
        k: cython.Py_ssize_t
        found: list[tuple[bytes | None, bytes | None, int, int]] = []
        for k in range(self.size):
            found.append((None, self.value(k), self.firsts.i64[k], self.counts.i64[k]))
        return found

    def value(self, k: cython.Py_ssize_t) -> bytes:
        """The bytes of a message."""
        start: cython.Py_ssize_t = self.ends.i64[k]
        stop: cython.Py_ssize_t = self.ends.i64[k + 1]
        if cython.compiled:
            return PyBytes_FromStringAndSize(PyByteArray_AS_STRING(self.data) + start, stop - start)
        return bytes(memoryview(self.data)[start:stop])

    def longest(self) -> cython.Py_ssize_t:
        """The bytes of the longest message."""
        k: cython.Py_ssize_t
        most: cython.Py_ssize_t = 0
        for k in range(self.size):
            most = max(most, self.ends.i64[k + 1] - self.ends.i64[k])
        return most
