"""The process that a rehearsal kills: keeps the tables of a scratch folder current, and compares what it published.

    python -m tidewire.cli.rehearsal_process FOLDER

It reads `asked.json` in the folder, and adds lines to `told.jsonl`.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidewire.cli.shell import CommandError
from tidewire.cli.sync_session import session, told
from tidewire.cli.sync_values import SyncFile
from tidewire.runtime.errors import TidewireError

if TYPE_CHECKING:
    from tidewire.spark.sync.batches import BatchDone

ASKED, TOLD = "asked.json", "told.jsonl"


def main(folder: str) -> None:
    """Runs to the end, unless it is killed."""
    asked = json.loads(Path(folder, ASKED).read_text())
    with Path(folder, TOLD).open("a", encoding="utf-8") as out:

        def tell(**facts: Any) -> None:
            out.write(json.dumps(facts) + "\n")
            out.flush()

        try:
            with told():
                _run(asked, tell)
        except (TidewireError, CommandError) as error:
            tell(ended=str(error), kind=type(error).__name__)


def _run(asked: dict[str, Any], tell: Any) -> None:
    of = SyncFile(**asked["file"])
    from tidewire.spark.sync.choices import chosen
    from tidewire.spark.sync.rehearsal.compared import compare
    from tidewire.spark.sync.rehearsal.encoded import SCHEMA
    from tidewire.spark.sync.rehearsal.hostile import Hostile
    from tidewire.spark.sync.rehearsal.hurried import SPARED
    from tidewire.spark.sync.rehearsal.kills import BATCHES, EVERY, arm, kill
    from tidewire.spark.sync.run import sync

    choice = chosen(of.tables, of.options)
    hostile = Hostile(asked["seed"], asked["events"], of.protocol or "", choice)
    spark = session(of)
    seen = {*asked["seen"]}

    def compared() -> None:
        if choice.maintain_every:
            seen.clear()  # what is kept must be as it was when tables are maintained
        try:
            for one in compare(spark, of.state, hostile, choice.rules, seen):
                tell(compared=one._asdict())
        except TidewireError as error:  # no reason of the user's for which the synchronisation stops
            raise CommandError(f"a published version cannot be read: {error}") from error

    def done(batch: BatchDone) -> None:
        manifest = batch.manifest
        tell(batch=manifest.batch, messages=manifest.messages, resolved=manifest.resolved, published=batch.published)
        if choice.maintain_every:
            compared()  # older records go with the next batches

    tell(started=True)
    compared()  # what was published before a kill is as right as it was
    if asked["kill"] is not None:
        name, skip, when = asked["kill"]
        arm(EVERY[name], partial(_die, tell, name, kill), skip, when)
        arm(BATCHES, partial(_die, tell, BATCHES.name, kill), 1)  # where its batches never come to the point
    stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).option("pathGlobFilter", "*.json")
    partitions = {topic: len(each) for topic, each in hostile.history.partitions.items()}
    options = {**of.options, "partitions": partitions}
    running = sync(
        spark,
        stream.json(of.files or ""),
        of.protocol,
        into=of.into,
        history=of.history,
        tables=of.tables,
        state=of.state,
        options=options,
        said=done,
    )
    running.spare(SPARED)
    try:
        running.once()
    finally:
        compared()
    tell(ended="", kind="")


def _die(tell: Any, name: str, kill: Any) -> None:
    tell(killed=name)
    kill()


if __name__ == "__main__":
    main(sys.argv[1])
