"""Stands in for the client of that name in snippets of pages: there is no broker here. A captured topic is what its
consumer finds; then there is nothing for a while, and then somebody presses Ctrl-C.
"""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any


class Message:
    """A message, as the client hands it out."""

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found

    def error(self) -> None:
        """None: it is a message."""

    def key(self) -> bytes | None:
        """Its key."""
        return self._bytes("key")

    def value(self) -> bytes | None:
        """Its value."""
        return self._bytes("value")

    def topic(self) -> str:
        """Where it lay."""
        return str(self._found["topic"])

    def partition(self) -> int:
        """The same."""
        return int(self._found["partition"])

    def offset(self) -> int:
        """The same."""
        return int(self._found["offset"])

    def timestamp(self) -> tuple[int, int]:
        """What kind of time, and when in milliseconds."""
        return 1, 0

    def _bytes(self, name: str) -> bytes | None:
        held = self._found.get(name)
        return None if held is None else base64.b64decode(held)


class Consumer:
    """Hands out the messages of a captured topic."""

    def __init__(self, settings: dict[str, Any]) -> None:
        if not settings.keys() >= {"bootstrap.servers", "group.id"}:
            raise ValueError("the client needs to know where the brokers are, and its group")
        self._left: list[Message] = []
        self._waited = False
        self.taken = self.committed = 0

    def subscribe(self, topics: list[str]) -> None:
        """The topic is an example, whatever it is called."""
        with gzip.open(Path("examples/craft_topic.jsonl.gz"), "rt") as lines:
            self._left = [Message(json.loads(line)) for line in lines]

    def consume(self, num_messages: int, timeout: float) -> list[Message]:
        """The next ones."""
        if not self._left:
            if self._waited:
                raise KeyboardInterrupt
            self._waited = True
        found, self._left = self._left[:num_messages], self._left[num_messages:]
        self.taken += len(found)
        return found

    def commit(self, asynchronous: bool = True) -> None:
        """All that was taken counts as read."""
        self.committed = self.taken

    def close(self) -> None:
        """What was taken is read by then."""
        print(f"closed, {self.committed} of {self.taken} messages committed")
