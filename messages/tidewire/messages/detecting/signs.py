"""Recognizes messages that cannot be decoded because they are truncated or damaged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

HEAD = 1 << 16
"""The most bytes of a message that are examined."""
FEWEST = 4
"""The fewest known members, or bytes of a prefix, by which a message is recognized."""
SHARE = 0.75
"""The share of the members present that must be known."""

LIKELY_IDS = 1 << 24
"""Registries count schema ids from 1; a greater number is assumed not to be an id."""
MOST_OF_NUMBER = 8
"""The most bytes of a numeric id; longer ones are not numbers."""

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"(\s*:)?|[{}\[\]]')


class Start(NamedTuple):
    """The first bytes of one form of message."""

    prefix: bytes
    id: int = 0
    """The size of the schema id that follows, in bytes; 0: there is none."""
    size: int | None = None
    """Length of such a message; None: any length."""
    object: bool = False
    """Whether an object follows."""

    def seen(self, value: bytes) -> str | None:
        """A description of the matching part of a message; None if it begins differently."""
        if not value.startswith(self.prefix) or self.size not in (None, len(value)):
            return None
        said = f"begins with {self.prefix.hex(' ')}"
        behind = value[len(self.prefix) :]
        if self.object:
            return f"{said} and an object" if behind.startswith(b"{") else None
        if not self.id:
            return said
        if len(behind) < self.id:
            return None
        id = int.from_bytes(behind[: self.id], "big")
        if self.id < MOST_OF_NUMBER and not 0 < id < LIKELY_IDS:
            return None
        return f"{said} and the id of a schema"


FRAMINGS = (Start(b"\x00", id=4), Start(b"\x03\x00", id=16))
"""What precedes a record with a schema in a registry: a number, or a UUID."""


class Signs(NamedTuple):
    """What all messages of a protocol have in common in key or value: a prefix, or known members."""

    prefix: bytes = b""
    """The leading bytes."""
    members: tuple[str, ...] = ()
    """The possible members of the object."""
    around: tuple[str, ...] = ()
    """The members of an optional envelope around the object, which is in the first one."""
    part: str = "value"
    """`key` or `value`: where they are."""
    starts: tuple[Start, ...] = ()
    """The first bytes of messages that have several forms."""

    @property
    def telling(self) -> bool:
        """Whether they are specific enough not to match by chance."""
        return len(self.members or self.prefix) >= FEWEST

    def strange(self, value: bytes) -> str | None:
        """A description of a part of the message that the protocol's messages never have; None if there is none.
        Decoders that skip unknown members would also accept messages of other protocols.
        """
        if self.starts:
            return None if self.seen(value) is not None else "begins in another way"
        if not self.members:
            return None if value.startswith(self.prefix) else f"does not begin with {self.prefix.hex(' ')}"
        there = list(dict.fromkeys(self._members(value)))
        other = [name for name in there if name not in {own.encode() for own in self.members}]
        if len(other) <= (1 - SHARE) * len(there):
            return None
        return f"has members of another protocol: {', '.join(name.decode(errors='replace') for name in other[:5])}"

    def seen(self, value: bytes) -> str | None:
        """A description of the signs that a message has; None if it does not look like the protocol's."""
        if self.members:
            own = {name.encode() for name in self.members}
            there = set(self._members(value))
            known = there & own
            if len(known) < FEWEST or len(known) < SHARE * len(there):
                return None
            return f"members {', '.join(name for name in self.members if name.encode() in known)}"
        if self.starts:
            return next((text for one in self.starts if (text := one.seen(value)) is not None), None)
        if self.prefix and value.startswith(self.prefix):
            return f"begins with {self.prefix.hex(' ')}"
        return None

    def _members(self, value: bytes) -> Iterator[bytes]:
        """Names of the members of a message's object, in its envelope or without one."""
        around = {name.encode() for name in self.around}
        if around and set(members(value)) <= around:
            return members(value, self.around[0].encode())
        return members(value)


def members(value: bytes, inside: bytes | None = None) -> Iterator[bytes]:
    """The member names of the object that a message begins with, as far as it is complete.

    Args:
        value: the message.
        inside: the member whose object is examined; None: the message's own object.
    """
    depth = 0
    outer = None
    if not value.lstrip().startswith(b"{"):
        return
    for token in islice(_TOKEN.finditer(value[:HEAD]), HEAD):
        text = token[0]
        if text in (b"{", b"["):
            depth += 1
        elif text in (b"}", b"]"):
            depth -= 1
            if depth == 0:
                return
        elif token[1] is not None:
            name = text[1 : -1 - len(token[1])]
            if (depth == 1 and inside is None) or (depth == 2 and outer is not None and outer == inside):
                yield name
            if depth == 1:
                outer = name
