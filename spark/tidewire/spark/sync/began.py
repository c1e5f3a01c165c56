"""The first message read of each partition. Messages that a topic has dropped since then cannot be read again."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.reading.message_batch import PACKED
from tidewire.spark.sync.changelog import Manifest, Staged, StateError

Began = Mapping[str, Mapping[int, int]]
"""By topic and partition, the offset of the first message that was read."""
_ORIGIN = r"(?s)^(?P<partition>\d*) (?P<offset>\d+)(?: (?P<topic>.*))?$"
"""The packed origin of a message in a `MessageBatch`."""


def first_offsets(batch: pa.RecordBatch) -> list[tuple[str, int, int]]:
    """Topic, partition and smallest offset of the messages of a batch; empty if offsets are unknown."""
    if PACKED not in batch.schema.names:
        return []
    found = pc.extract_regex(batch.column(PACKED).cast(pa.utf8()), _ORIGIN)
    topic, partition, offset = (pc.struct_field(found, name) for name in ("topic", "partition", "offset"))
    known = pa.table({"topic": topic, "partition": partition, "offset": offset.cast(pa.int64())})
    least = known.filter(pc.is_valid(known["offset"])).group_by(["topic", "partition"]).aggregate([("offset", "min")])
    return [(one["topic"] or "", int(one["partition"] or 0), one["offset_min"]) for one in least.to_pylist()]


def began(previous: Manifest, staged: Staged) -> Began:
    """The first offsets that were read, after a batch that may have new partitions was staged."""
    found = {topic: dict(each) for topic, each in previous.began.items()}
    for topic, each in staged.offsets.items():
        for partition, end in each.items():
            if partition not in previous.offsets.get(topic, {}):
                found.setdefault(topic, {})[partition] = staged.first.get(topic, {}).get(partition, end)
    return found


def check_whole(before: Manifest, staged: Staged, table: str) -> None:
    """Refuses to build a table from only part of the messages read so far: rows would be missing.

    Raises:
        StateError: the topic has dropped messages.
    """
    for topic, each in before.offsets.items():
        for partition, end in sorted(each.items()):
            begin = before.began.get(topic, {}).get(partition, 0)
            first = staged.first.get(topic, {}).get(partition)
            if begin < end and (first is None or first > begin):
                there = "none of them is there" if first is None else f"the first that is there now has {first}"
                raise StateError(
                    f"table {table} cannot be made from the topic: partition {partition} of {topic or 'the frame'} was"
                    f" read from offset {begin} on, and {there}, so that rows would be missing; it stays as it is. Have"
                    " all rows sent again, and begin anew with another folder as state"
                )
