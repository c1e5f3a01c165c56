"""Messages that have been written one behind the other, as an Arrow batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from tidewire.runtime import given

if TYPE_CHECKING:
    from tidewire.runtime.memory import Numbers


def message_batch(
    protocol: str, data: bytearray, count: int, ends: Numbers, firsts: Numbers, counts: Numbers
) -> pa.RecordBatch:
    """A batch of messages over this memory: key (null), value, first_event, events.

    Args:
        protocol: for errors.
        data: the messages.
        count: how many there are.
        ends: where the first message starts, then where each ends.
        firsts: the first event of each message.
        counts: how many events each has.

    Raises:
        EncodeError: there are more bytes than an array can hold.
    """
    size = memoryview(ends.data)[8 * count : 8 * count + 8].cast("q")[0]
    if size > given.MOST_BYTES:
        stops = memoryview(ends.data)[8 : 8 * count + 8].cast("q").tolist()
        raise given.too_many_bytes(protocol, size, stops, memoryview(firsts.data)[: 8 * count].cast("q").tolist())
    places = pa.Array.from_buffers(pa.int64(), count + 1, [None, pa.py_buffer(ends.data)])
    offsets = places.cast(pa.int32())
    values = pa.Array.from_buffers(
        pa.binary(), count, [None, offsets.buffers()[1], pa.py_buffer(data)], 0, offsets.offset
    )
    return pa.RecordBatch.from_arrays(
        [
            pa.nulls(count, pa.binary()),
            values,
            pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(firsts.data)]),
            pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(counts.data)]),
        ],
        ["key", "value", "first_event", "events"],
    )
