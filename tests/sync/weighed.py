"""A task that stages many rows, in a process of its own, which is weighed: rows are made while they are read."""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from sync.staged_histories import START, account, batch_of, change, messages, staged, task
from tidewire.spark.sync import stage_task
from tidewire.spark.sync.stage_task import StageTask

FEW = 1_000
"""Messages of a record batch, as Spark gives them."""
_ID, _TS = "8888888", "9999999999"
"""What a message has in the place of what each has of its own."""


def batches(count: int, dead: str = "") -> Iterator[pa.RecordBatch]:
    """So many inserts, each of a key of its own, in record batches; `dead` is a balance that all have."""
    _, (value,) = messages([change("insert", int(_TS) - START, "accounts", account(int(_ID)))], "canal-json")
    text = (value or b"").decode()
    if dead:
        text = text.replace(f'"{_ID}.50"', f'"{dead}"')
    for first in range(0, count, FEW):
        numbers = range(first, min(count, first + FEW))
        values = [text.replace(_ID, str(one)).replace(_TS, str(START + 1 + one)).encode() for one in numbers]
        yield batch_of([None] * len(values), values)


def rows_of(one: StageTask, count: int) -> int:
    """How many rows a task stages of so many messages; what it says is not kept."""
    found = 0
    for out in one(batches(count)):
        for fact in out.to_pylist():
            if fact["kind"] == "rows":
                found += json.loads(fact["fact"])[2]
    return found


def main(state: str, count: int, batch: int, held: int) -> None:
    """Stages, and prints the rows, and the most MB that the process had before and after."""
    stage_task.HELD_BYTES = held
    one = task(Path(state), "canal-json", batch_bytes=batch)
    staged(one, *batches(FEW))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rows = rows_of(one, count)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"rows": rows, "before": before >> 10, "after": after >> 10}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
