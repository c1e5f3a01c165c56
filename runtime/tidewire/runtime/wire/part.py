"""Where a value is in its message."""

from __future__ import annotations

from tidewire.runtime import cython


class Part:
    """The position of a value in the message; start is -1 if the value is absent or null.

    For a string: the content without quotes, whether it has escapes, and whether it has non-ASCII bytes.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> cython.int:
        """Resets to no value."""
        self.start = self.end = -1
        self.escaped = self.high = False
        return 0
