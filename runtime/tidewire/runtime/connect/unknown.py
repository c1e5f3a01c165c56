"""Columns of unknown types: they are read by what is known about them, and reported once."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from tidewire.runtime.shortened import shortened

MOST_SAID = 1 << 12
"""Maximum number of warnings per process."""
_said: set[str] = set()
"""Texts of warnings already given."""


class UnknownTypeWarning(UserWarning):
    """The type of a column is unknown; the text names the column, and the type by which it is read."""


class UnknownColumns:
    """The columns of unknown types that a decoder has not warned of yet.

    Attributes:
        waiting: texts of the next warnings.
    """

    def __init__(self, protocol: str) -> None:
        """
        Args:
            protocol: name of the protocol.
        """
        self._protocol = protocol
        self.waiting: list[str] = []

    def add(self, table: Sequence[str | None], reason: str) -> None:
        """Adds a column.

        Args:
            table: schema and table.
            reason: the column, what is unknown about it, and the type by which it is read.
        """
        if len(_said) >= MOST_SAID:
            return
        named = ".".join([shortened(one) for one in table if one])
        text = f"{self._protocol}: {named}: {reason}"
        if text not in _said:
            _said.add(text)
            self.waiting.append(text)

    def say(self) -> None:
        """Warns of the columns that were added."""
        texts, self.waiting = self.waiting, []
        for text in texts:
            warnings.warn(text, UnknownTypeWarning, stacklevel=4)
