"""What a protocol means, whatever its layout: the logical model that every plug-in derives from the words of its
containers.

It lists which events have messages, what carries their fields, which facts about columns are carried and which events
share a message. The passes of `passes` compare it with events.yaml and mysql_types.yaml, so every protocol is checked
by the same rules; containers only define the layout in bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .model import KIND_FIELD, EventClass, EventField, EventKind, Spec, Word
from .problems import Location


@dataclass(frozen=True)
class CarriedCase:
    """A case: the events that a message, or a part of one, represents."""

    location: Location
    """The line of the case."""
    at: Location
    """Where the case names its events."""
    name: str
    """The events, for reports: `kind "insert"`, `class "row"`."""
    cls: EventClass
    kinds: tuple[EventKind, ...]
    images: tuple[Word, ...]
    """The row images that it contains."""
    rows: Location | None
    """The location of what contains the rows."""
    actions: tuple[Word, ...] = ()
    """The types of statements that it represents; empty: any, or its events are no statements."""


@dataclass(frozen=True)
class Carrier:
    """What carries an event field."""

    field: EventField
    location: Location
    """Where it names the field."""
    what: str
    """What it is, for reports: `an interned text`, `a member of type bool`."""
    python: str
    """The Python type of its values: int, bool, str, bytes or float."""
    range: tuple[int, int] | None
    """The integers that it can hold (inclusive); None if it holds no integers."""
    checked: bool
    """Whether readers refuse values that the field cannot hold. If not, the carrier's range must be within the field's;
    if they do, it must include the field's.
    """
    classes: tuple[str, ...]
    """The classes of events that have it."""
    options: tuple[Word, ...]
    """The options without which it is omitted."""
    absent: bool
    """Whether absence is representable, for events without a value."""
    reads: bool = False
    """Whether it is only read, never written."""


@dataclass(frozen=True)
class ColumnFact:
    """A fact that is carried for every column of a row: its `names`, `types`, `flags`, `values` or one flag."""

    says: str
    name: str
    """What carries it, for reports."""
    location: Location
    holder: Location
    """Where its container begins."""
    classes: tuple[str, ...]
    options: tuple[Word, ...]


@dataclass(frozen=True)
class Remedies:
    """How to mend a mistake, in the words of containers. `{}` in `carry` is the field, in `image` the row image."""

    carry: str
    absent: str
    image: str
    columns: Mapping[str, str]
    """By fact about columns that must be carried, the remedy if it is missing."""
    of: str
    """The remedy if a field is carried for too few classes of events."""


@dataclass(frozen=True)
class Meaning:
    """The meaning of one protocol."""

    carried_cases: tuple[CarriedCase, ...]
    carriers: tuple[Carrier, ...]
    facts: tuple[ColumnFact, ...]
    values: tuple[Word, ...]
    """The value tables of its rows."""
    flags: tuple[Word, ...] | None
    """The flags carried for every column; None: all, whatever bits they are."""

    def kinds(self, spec: Spec) -> tuple[str, ...]:
        """The kinds of events with messages under some options, in the order of events.yaml."""
        told = {kind.name for one in self.carried_cases for kind in one.kinds}
        return tuple(kind for kind in spec.events.kinds if kind in told)

    def fields(self, spec: Spec) -> tuple[str, ...]:
        """The fields carried under some options, in the order of events.yaml."""
        said = {KIND_FIELD, *(str(one.field.name) for one in self.carriers)}
        return tuple(name for name in spec.events.fields if name in said)


def images_of(spec: Spec, kind: EventKind) -> tuple[Word, ...]:
    """The row images of a kind of events."""
    return kind.images if kind.images is not None else spec.events.classes[kind.cls].images
