"""Messages of another protocol than the state's: the changefeed was changed, or another one writes the topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tidewire
from tidewire.messages.detecting.reading import MOST_MESSAGES
from tidewire.spark.sync.changelog import Staged
from tidewire.spark.sync.staged_files import full
from tidewire.spark.sync.targets.confs import files_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def changed_protocol(spark: SparkSession, state: str, protocol: str, staged: Staged) -> str:
    """Why a batch of which no message can be read ends the synchronisation; empty if it need not.

    Args:
        spark: the session.
        state: the folder of the state.
        protocol: of the state.
        staged: what the batch gave.
    """
    count = sum(staged.letters.values())
    if not count or count < staged.messages:
        return ""
    paths = [full(state, path) for path in staged.letters]
    rows = files_of(spark, paths).select("value", "key").limit(MOST_MESSAGES).collect()
    found = tidewire.detect([row.value for row in rows], [row.key for row in rows], options=False)
    if not found.sure or found.protocol in (None, protocol):
        return ""
    topics = ", ".join(sorted({one.topic or "the frame" for one in staged.dead}))
    first = min((one.offset for one in staged.dead), default=0)
    return (
        f"all {count:,} messages of this batch of {topics}, from offset {first} on, are {found.protocol}, and the state"
        f" is of {protocol}: one state has one protocol. Have the changefeed write {protocol} again; or have it write"
        f" {found.protocol} into another topic and begin anew with another folder as state, with tables that begin with"
        " a dump where that topic lacks rows (tidewire sync add FILE TABLE --dump DIR)"
    )
