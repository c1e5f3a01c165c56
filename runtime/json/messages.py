"""Messages that have been written one behind the other, as an Arrow batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.memory import Numbers

MOST_BYTES = 0x7FFFFFF0
"""What an Arrow binary array can hold: its offsets have 32 bits."""


def named_columns(batch: pa.RecordBatch, names: Sequence[str]) -> list[pa.Array]:
    """Columns of a batch by name: faster than asking for one after the other."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    return [columns[name] for name in names]


def message_batch(data: bytearray, count: int, ends: Numbers, firsts: Numbers, counts: Numbers) -> pa.RecordBatch:
    """A batch of messages over this memory: key (null), value, first_event, events.

    Args:
        data: the messages.
        count: how many there are.
        ends: where the first message starts, then where each ends.
        firsts: the first event of each message.
        counts: how many events each has.

    Raises:
        OverflowError: there are more bytes than an array can hold.
    """
    size = memoryview(ends.data)[8 * count : 8 * count + 8].cast("q")[0]
    if size > MOST_BYTES:
        raise OverflowError(f"{size} bytes of messages: encode fewer events at once")
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
