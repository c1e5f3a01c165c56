"""Kafka's ids of a state's topics. A topic that is deleted and created again has another id, and its offsets begin at 0
again; without the id its first messages would be mistaken for those already read.
"""

from __future__ import annotations

from collections.abc import Sequence

from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.kafka import Brokers
from tidewire.spark.sync.storage import storage

_FOLDER = "topics"
"""The folder with a file for each topic, named like the topic, that contains its id."""


class TopicIds:
    """The ids of the topics of a state."""

    def __init__(self, state: str, brokers: Brokers) -> None:
        self._state = state
        self._brokers = brokers
        self._same: dict[str, str] = {}

    def check(self, topics: Sequence[str]) -> None:
        """Stores the ids of topics that are new to the state, and refuses a known topic with another id.

        Args:
            topics: names; one that does not exist, or whose id the brokers do not give, is not checked.

        Raises:
            StateError: a topic was deleted and created again.
            SourceError: no broker answers.
        """
        for topic, id in sorted(self._brokers.ids(topics).items()):
            if self._same.get(topic) != id:
                self._compare(topic, id)
                self._same[topic] = id

    def _compare(self, topic: str, id: str) -> None:
        files = storage(self._state)
        path = f"{_FOLDER}/{topic}"
        if topic not in files.names(_FOLDER) and files.create(path, id):
            return
        before = files.read(path)
        if before != id:
            raise StateError(
                f"topic {topic} was deleted and created again since it was read: Kafka's id of it was {before} and is"
                f" {id}, so that offsets that were read are of other messages now. Have all rows sent again, and begin"
                " anew with another folder as state"
            )

    def close(self) -> None:
        """Disconnects from the brokers."""
        self._brokers.close()
