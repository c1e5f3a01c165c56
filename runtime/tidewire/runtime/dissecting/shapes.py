"""The expected type of a value of a message, as printed dissectors state it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tidewire.runtime.dissecting.spans import milliseconds, tso


def seconds(value: int) -> str:
    """The UTC time of seconds since 1970; empty if out of range."""
    return milliseconds(value * 1000)


def microseconds(value: int) -> str:
    """The UTC time of microseconds since 1970, to the millisecond; empty if out of range."""
    return milliseconds(value // 1000)


MEANINGS: Mapping[str, Callable[[int], str]] = {
    "tso": tso,
    "physical": milliseconds,
    "sent": milliseconds,
    "seconds": seconds,
    "microseconds": microseconds,
}
"""Explanations of numbers, by the meaning of event fields."""


class Shape(NamedTuple):
    """The expected type of a value."""

    type: str
    """In JSON the name of a type; types with inner values are rows, row, names, columns (declared types), mapping
    (another property of columns), image (an object for each column) and list (of objects). In Avro a primitive, or
    enum, fixed, record, array, map, optional (a union of null and another type) or union.
    """
    about: str = ""
    meaning: Callable[[Any], str] | None = None
    """Explains a value that is not null; returns an empty text if there is nothing to explain."""
    members: Mapping[str, Shape] | None = None
    """Members of an object; for an image, of each column's object; for a list, of each object in it; fields of a
    record, in their order.
    """
    inside: tuple[Shape, ...] = ()
    """Type of an array's items or of a map's values; branches of a union or optional."""
    symbols: tuple[str, ...] = ()
    """Symbols of an enum; for a record, its name; for a fixed, its size."""
    shown: str = ""
    """Displayed name of the type; empty: `type`."""
    column: str | None = None
    """Name of the column whose value it is."""
    switch: str = ""
    """The member of the message whose text says which of `choices` it is."""
    choices: tuple[tuple[tuple[str, ...], Shape], ...] = ()
    """By texts of that member, the type under a name that several members have."""
    hollow: bool = False
    """Whether its values have no bytes; array items are then not listed, because a few bytes could encode millions."""

    def chosen(self, switch: str, choices: tuple[tuple[tuple[str, ...], Shape], ...]) -> Shape:
        """This type with several alternatives: the text of the message's member `switch` decides which one applies."""
        return self._replace(switch=switch, choices=choices)

    @property
    def or_null(self) -> Shape:
        """A union of null and this type."""
        return Shape("optional", self.about, inside=(Shape("null"), self))

    def explained(self, value: object) -> str:
        """What a value means, followed by what the field is."""
        return self.with_about("" if self.meaning is None or value is None else self.meaning(value))

    def with_about(self, meaning: str) -> str:
        """A meaning, followed by what the field is."""
        return f"{meaning}. {self.about}" if meaning and self.about else meaning or self.about


def record(name: str, about: str, fields: Mapping[str, Shape]) -> Shape:
    """A record with these fields, in their order."""
    return Shape("record", about, members=fields, symbols=(name,))


def enum_of(symbols: tuple[str, ...], about: str) -> Shape:
    """An enum with these symbols."""
    return Shape("enum", about, symbols=symbols)


def array_of(item: Shape, about: str) -> Shape:
    """An array of these items."""
    return Shape("array", about, inside=(item,))


def union_of(branches: tuple[Shape, ...], about: str = "") -> Shape:
    """A union of these branches."""
    return Shape("union", about, inside=branches)


def map_of(value: Shape, about: str) -> Shape:
    """A map with these values."""
    return Shape("map", about, inside=(value,))
