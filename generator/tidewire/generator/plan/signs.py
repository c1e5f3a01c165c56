"""The byte patterns by which messages of a protocol are recognized, even truncated or damaged ones."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Start:
    """The beginning of messages of one form."""

    prefix: bytes
    size: int | None = None
    """Length of such a message; None: any length."""
    object: bool = False
    """Whether an object follows."""


@dataclass(frozen=True)
class Signs:
    """What all messages of a protocol have in common; which attributes are set depends on the container."""

    prefix: bytes = b""
    """The leading bytes."""
    members: tuple[str, ...] = ()
    """The possible members of the object."""
    around: tuple[str, ...] = ()
    """The members of an envelope; the first one contains the object."""
    part: str = "value"
    """`key` or `value`: where the pattern is."""
    framed: bool = False
    """Whether messages are records after a schema id, or have one of the beginnings in `starts`."""
    starts: tuple[Start, ...] = ()

    @property
    def in_key(self) -> bool:
        """Whether the key has the pattern."""
        return self.part != "value"
