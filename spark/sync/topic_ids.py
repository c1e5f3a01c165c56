"""The ids that Kafka gave the topics of a state. A topic that is deleted and created again has another id, and offsets
that begin at 0 again: its first messages would be taken for those that were read.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.storage import storage

_FOLDER = "topics"
"""The folder in which each topic has a file with its id. Names of topics are names of files."""


def check_ids(state: str, found: Mapping[str, str]) -> None:
    """Stores the ids of topics that are new to a state, and refuses a known topic with another id.

    Args:
        state: the folder.
        found: the ids by topic; a topic whose id the brokers do not give is absent.

    Raises:
        StateError: a topic was deleted and created again.
    """
    files = storage(state)
    known = set(files.names(_FOLDER))
    for topic, id in sorted(found.items()):
        path = f"{_FOLDER}/{topic}"
        if topic not in known and files.create(path, id):
            continue
        before = files.read(path)
        if before != id:
            raise StateError(
                f"topic {topic} was deleted and created again since it was read: Kafka's id of it was {before} and is"
                f" {id}, so that offsets that were read are of other messages now. Have all rows sent again, and begin"
                " anew with another folder as state"
            )
