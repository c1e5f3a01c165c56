"""By what the messages of a protocol are known, also those that are cut off or damaged."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Signs:
    """What every message has; one of the two, as its container is."""

    prefix: bytes = b""
    """The bytes that it begins with."""
    members: tuple[str, ...] = ()
    """The members that its object can have."""
    around: tuple[str, ...] = ()
    """The members of an envelope that the object can lie in; the first has it."""
    part: str = "value"
    """Where: in the key or in the value."""

    @property
    def in_key(self) -> bool:
        """Whether it is the key that has them."""
        return self.part != "value"
