"""The result of a dissector: the fields of a message with the bytes that they take up and what their values mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import NamedTuple, TypeVar

from tidewire.runtime.tso import EPOCH, TSO_SHIFT

Meaning = Callable[[int], str]
"""A function that returns the meaning of a number for users; empty if there is none."""
KeyT = TypeVar("KeyT", int, str)


class Span(NamedTuple):
    """A field of a message, or a group of them."""

    start: int
    """Offset of its first byte."""
    end: int
    """Offset after its last byte."""
    path: str
    """Path in the message, such as ``bodies/3/groups/0/columns/value/2``."""
    type: str
    """Its encoding: the name of a primitive or chunk; for a group, the name of a part."""
    value: object
    """The encoded value; None for a group."""
    meaning: str
    """The meaning of the value: a name for a code, the purpose of a section, or an error."""
    depth: int
    """Number of enclosing groups."""
    column: str | None = None
    """Name of the column, for a value in a row image."""
    part: str = "value"
    """`key` or `value`: the part of the message that contains it and that offsets refer to."""

    def inside(self, group: str, start: int) -> Span:
        """The span of the same bytes in a group, whose own bytes begin at `start`."""
        path = f"{group}/{self.path}" if self.path else group
        return self._replace(start=self.start + start, end=self.end + start, path=path, depth=self.depth + 1)


def tso(value: int) -> str:
    """The time in a TSO."""
    return milliseconds(value >> TSO_SHIFT)


def milliseconds(value: int) -> str:
    """The time for milliseconds since 1970."""
    try:
        when = EPOCH + timedelta(milliseconds=value)
    except OverflowError:
        return ""
    return when.strftime("%Y-%m-%d %H:%M:%S.") + f"{when.microsecond // 1000:03d} UTC"


def named(names: Mapping[KeyT, str]) -> Callable[[KeyT], str]:
    """A meaning function that returns names."""
    return lambda value: names.get(value, "not defined")


def flagged(names: Mapping[int, str]) -> Meaning:
    """A meaning function that returns the names of the bits that are set."""
    return lambda value: " ".join(name for bit, name in names.items() if value & bit)


def text_or_bytes(data: bytes) -> str | bytes:
    """The text if it is UTF-8, otherwise the bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data
