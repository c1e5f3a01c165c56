"""Names and values in sentences for people: whoever wrote them, a sentence stays one."""

from __future__ import annotations

MOST_SHOWN = 200
"""Characters of a name or value that an error shows."""


def shortened(text: str) -> str:
    """The text, or its beginning and how long it is."""
    if len(text) <= MOST_SHOWN:
        return text
    return f"{text[:MOST_SHOWN]}… ({len(text):,} characters)"


def shown(value: object) -> str:
    """A value as Python writes it, or the beginning of that."""
    return shortened(repr(value))
