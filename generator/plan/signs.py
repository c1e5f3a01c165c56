"""By what the messages of a protocol are known, also those that are cut off or damaged."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Start:
    """What messages of one form begin with."""

    prefix: bytes
    size: int | None = None
    """How long such a message is; None: any length."""
    object: bool = False
    """Whether an object is behind it."""


@dataclass(frozen=True)
class Signs:
    """What every message has; one of them, as its container is."""

    prefix: bytes = b""
    """The bytes that it begins with."""
    members: tuple[str, ...] = ()
    """The members that its object can have."""
    around: tuple[str, ...] = ()
    """The members of an envelope that the object can lie in; the first has it."""
    part: str = "value"
    """Where: in the key or in the value."""
    framed: bool = False
    """Whether messages are records behind the id of their schema, or begin in one of the ways of `starts`."""
    starts: tuple[Start, ...] = ()

    @property
    def in_key(self) -> bool:
        """Whether it is the key that has them."""
        return self.part != "value"
