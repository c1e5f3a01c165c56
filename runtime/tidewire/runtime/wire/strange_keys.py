"""Warns of Kafka keys that do not have the expected form with the names of the key columns; their rows are read without
them.
"""

from __future__ import annotations

import warnings
from typing import Final

from tidewire.runtime.shortened import shown


class StrangeKeyWarning(UserWarning):
    """Keys of rows could not be read; the text shows the first one."""


MOST_OF_KEY: Final = 40
"""The most bytes of a key that the warning shows."""


def _text(key: bytes) -> str:
    """A key as text where it is printable, else its bytes in hex."""
    text = key.decode(errors="replace")
    return shown(text) if text.isprintable() and "\ufffd" not in text else f"of bytes {key.hex(' ')}"


class StrangeKeys:
    """Warns once per decoder."""

    def __init__(self, protocol: str) -> None:
        """Args:
            protocol: name for the warning.
        """
        self._protocol = protocol
        self._said = False

    def met(self, key: bytes, expected: str) -> int:
        """Reports the key of a decoded row.

        Args:
            key: its first bytes, a few more than are shown.
            expected: a description of valid keys.
        """
        if not self._said:
            self._said = True
            found = _text(key[:MOST_OF_KEY]) + ("…" if len(key) > MOST_OF_KEY else "")
            text = (
                f"{self._protocol}: the key {found} is not {expected}: rows with such keys are decoded without them, "
                "and have a handle key only where a description of the table has it. This warning is shown once"
            )
            warnings.warn(text, StrangeKeyWarning, stacklevel=3)
        return 0
