"""Messages that have been written one behind the other, as an Arrow batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from tidewire.runtime.memory import Numbers

MOST_BYTES = 0x7FFFFFF0
"""What an Arrow binary array can hold: its offsets have 32 bits."""


def message_batch(data: bytearray, ends: Numbers, firsts: Numbers, counts: Numbers) -> pa.RecordBatch:
    """A batch of messages over this memory: key (null), value, first_event, events.

    Args:
        data: the messages.
        ends: where the first message starts, then where each ends.
        firsts: the first event of each message.
        counts: how many events each has.

    Raises:
        OverflowError: there are more bytes than an array can hold.
    """
    count = counts.size
    places = pa.Array.from_buffers(pa.int64(), count + 1, [None, pa.py_buffer(ends.data)])
    if places[count].as_py() > MOST_BYTES:
        raise OverflowError(f"{places[count].as_py()} bytes of messages: encode fewer events at once")
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
