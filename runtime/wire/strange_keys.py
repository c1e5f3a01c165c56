"""Keys that are none of those that say which columns tell a row: a row is read without them."""

from __future__ import annotations

import warnings
from typing import Final

from tidewire.runtime.shortened import shown


class StrangeKeyWarning(UserWarning):
    """Keys of rows were not read; the text says what the first one is."""


MOST_OF_KEY: Final = 40
"""Bytes of a key that the warning shows."""


class StrangeKeys:
    """Warns of the first one that a decoder meets."""

    def __init__(self, protocol: str) -> None:
        """
        Args:
            protocol: whose decoder it is.
        """
        self._protocol = protocol
        self._said = False

    def met(self, key: bytes, expected: str) -> int:
        """A row that is read has this key.

        Args:
            key: its first bytes, a few more than are shown.
            expected: what keys are that are read.
        """
        if not self._said:
            self._said = True
            found = shown(key[:MOST_OF_KEY]) + ("…" if len(key) > MOST_OF_KEY else "")
            text = (
                f"{self._protocol}: the key {found} is not {expected}: rows with such keys are decoded without them, "
                "and have a handle key only where a description of the table has it. This warning is shown once"
            )
            warnings.warn(text, StrangeKeyWarning, stacklevel=3)
        return 0
