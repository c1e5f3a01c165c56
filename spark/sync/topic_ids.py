"""Kafka's ids of a state's topics. A topic that is deleted and created again has another id, and its offsets begin at 0
again; without the id its first messages would be mistaken for those already read.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.storage import storage

_FOLDER = "topics"
"""The folder with a file for each topic, named like the topic, that contains its id."""


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
