"""The result of a dissector: the fields of a message with the bytes that they take up and what their values mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import NamedTuple, TypeVar

from tidewire.runtime.tso import EPOCH, TSO_SHIFT

Meaning = Callable[[int], str]
"""A function from a number to what it means, for people; empty text when there is nothing to say."""
KeyT = TypeVar("KeyT", int, str)


class Span(NamedTuple):
    """A field of a message, or a group of them."""

    start: int
    """Offset of its first byte."""
    end: int
    """Offset behind its last byte."""
    path: str
    """Where it is in the message, such as ``bodies/3/groups/0/columns/value/2``."""
    type: str
    """How it is written: the name of a primitive or chunk, or of a part for a group."""
    value: object
    """What it holds, as written; None for a group."""
    meaning: str
    """What that means: a name for a code, what a section is for, or what is wrong."""
    depth: int
    """How many groups it is in."""
    column: str | None = None
    """Of a value in a row image: the name of its column."""
    part: str = "value"
    """Whether it is of the message's `key` or its `value`; offsets count in that."""


def tso(value: int) -> str:
    """The time in a TSO."""
    return milliseconds(value >> TSO_SHIFT)


def milliseconds(value: int) -> str:
    """The time that is that many milliseconds after 1970."""
    try:
        when = EPOCH + timedelta(milliseconds=value)
    except OverflowError:
        return ""
    return when.strftime("%Y-%m-%d %H:%M:%S.") + f"{when.microsecond // 1000:03d} UTC"


def named(names: Mapping[KeyT, str]) -> Callable[[KeyT], str]:
    """A meaning that is a name."""
    return lambda value: names.get(value, "not defined")


def flagged(names: Mapping[int, str]) -> Meaning:
    """A meaning that is a set of bits, each with a name."""
    return lambda value: " ".join(name for bit, name in names.items() if value & bit)
