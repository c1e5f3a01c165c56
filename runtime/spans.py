"""What a dissector gives: the fields of a message beside their bytes."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A field of a message, or a group of them."""

    start: int
    """Offset of its first byte."""
    end: int
    """Offset behind its last byte."""
    path: str
    """Where it is in the message, such as ``bodies/3/groups/0/columns/value/2``."""
    type: str
    """How it is written: the name of a primitive or chunk, or of a struct for a group."""
    value: object
    """What it holds, as written; None for a group."""
    meaning: str
    """What that means: a name for a code, what a section is for, or what is wrong."""
    depth: int
    """How many groups it is in."""
