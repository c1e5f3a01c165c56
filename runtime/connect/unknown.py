"""Columns whose types are not known: they are read by what is known of them, and that is said once."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from tidewire.runtime.shortened import shortened

MOST_SAID = 1 << 12
"""Columns that a process warns of."""
_said: set[str] = set()
"""What it has said."""


class UnknownTypeWarning(UserWarning):
    """The type of a column is not known; the text says which column it is, and as what it is read."""


class UnknownColumns:
    """Those that a decoder has met since it has said so last.

    Attributes:
        waiting: what `say` says of them.
    """

    def __init__(self, protocol: str) -> None:
        """
        Args:
            protocol: which one it decodes.
        """
        self._protocol = protocol
        self.waiting: list[str] = []

    def add(self, table: Sequence[str | None], reason: str) -> None:
        """A column that has been met.

        Args:
            table: schema and table.
            reason: which column it is, what of it is not known, and as what it is read.
        """
        if len(_said) >= MOST_SAID:
            return
        named = ".".join([shortened(one) for one in table if one])
        text = f"{self._protocol}: {named}: {reason}"
        if text not in _said:
            _said.add(text)
            self.waiting.append(text)

    def say(self) -> None:
        """Warns of those that no decoder of this process has warned of."""
        texts, self.waiting = self.waiting, []
        for text in texts:
            warnings.warn(text, UnknownTypeWarning, stacklevel=4)
