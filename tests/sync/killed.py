"""A synchronisation in its own process, which is killed at a given point, so that nothing is closed."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from tidewire.spark import local_session
from tidewire.spark.sync import staging
from tidewire.spark.sync.native import delta, iceberg
from tidewire.spark.sync.rehearsal.encoded import SCHEMA
from tidewire.spark.sync.rehearsal.kills import EVERY, arm
from tidewire.spark.sync.run import sync
from tidewire.spark.sync.stage_task import StageTask
from tidewire.spark.sync.steps import Steps


def run(asked: str) -> None:
    """Runs until its process is killed: a batch is staged and has no manifest, one of its tables is done, or workers
    have merged its tables. Where a worker is killed, or nothing is, it runs to the end. Where two processes meet, both
    write their first table then.
    """
    of = json.loads(asked)
    spark = local_session("tidewire tests of a killed process", cores="2,4", memory="768m", conf=of["conf"])
    if of["point"] == "in a worker":
        setattr(staging, "StageTask", DyingTask)  # noqa: B010
    elif of["point"] == "in a merge":
        setattr(delta, "merge", partial(dying, of["state"], "delta"))  # noqa: B010
        setattr(iceberg, "write", partial(dying, of["state"], "iceberg"))  # noqa: B010
    elif of["point"]:
        name = "table" if of["point"] == "between tables" else of["point"]
        arm(EVERY[name], lambda: os.kill(os.getpid(), signal.SIGKILL))
    if of["meet"]:
        _meet(Path(of["meet"]))
    stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).option("pathGlobFilter", "*.json")
    options = {"schemaChanges": of["mode"], "partitions": of["partitions"], "threads": 1, "engine": of["engine"]}
    frame = stream.json(of["files"])
    sync(spark, frame, of["protocol"], into=of["into"], state=of["state"], options=options).once()


def _meet(place: Path) -> None:
    """Has the first table be written when another process is about to write its first one."""
    was = Steps.do
    here = iter((place / str(os.getpid()),))

    def do(*args: Any, **named: Any) -> Any:
        for one in here:
            one.touch()
            for _ in range(60_000):  # a process that never comes is not waited for forever
                if len(list(place.iterdir())) > 1:
                    break
                time.sleep(0.01)
        return was(*args, **named)

    setattr(Steps, "do", do)  # noqa: B010


def dying(state: str, format: str, *given: Any) -> Any:
    """What a worker does for a table; the first that has done it is killed before anybody hears of it."""
    done = delta.merge(*given) if format == "delta" else iceberg.write(*given)
    died = Path(state, "died")
    if not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return done


class DyingTask(StageTask):
    """Of the first batch the task whose process is killed when its files are there and nothing is told of them."""

    def __call__(self, messages: Any) -> Iterator[pa.RecordBatch]:
        for facts in super().__call__(messages):
            died = Path(self.state, "died")
            if not died.exists():
                died.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield facts
