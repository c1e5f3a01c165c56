"""What a protocol means, whatever its layout: the logical model that every plug-in derives from its containers' words.

It says which events there are messages for, what carries their fields, what is said of the columns of rows and which
events share a message. The passes of `passes` hold it against events.yaml and mysql_types.yaml, so every protocol is
asked the same questions in the same words; how anything lies in bytes is the business of containers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .model import KIND_FIELD, EventClass, EventField, EventKind, Spec, Word
from .problems import Location


@dataclass(frozen=True)
class CarriedCase:
    """A case: the events that a message, or a part of one, stands for."""

    location: Location
    """Of the case."""
    at: Location
    """Where it names its events."""
    name: str
    """The events as reports name them: `kind "insert"`, `class "row"`."""
    cls: EventClass
    kinds: tuple[EventKind, ...]
    images: tuple[Word, ...]
    """The row images that have a place in it."""
    rows: Location | None
    """What holds the rows of these images."""


@dataclass(frozen=True)
class Carrier:
    """What carries a field of events."""

    field: EventField
    location: Location
    """Where it names the field."""
    what: str
    """What it is, as reports name it: `an interned text`, `a member of type bool`."""
    python: str
    """The Python type of its values: int, bool, str, bytes or float."""
    range: tuple[int, int] | None
    """The integers that it can hold (inclusive); None: no integers."""
    checked: bool
    """Whether a reader refuses what the field cannot hold. Where it does not, the range must be the field's or less;
    where it does, the range must hold all that the field can be."""
    classes: tuple[str, ...]
    """The classes of events that it is there for."""
    options: tuple[Word, ...]
    """The options without which it is not written."""
    absent: bool
    """Whether something stands for an event that has nothing for it."""
    narrowed: bool = True
    """Whether the word `max` can say that it holds less."""


@dataclass(frozen=True)
class ColumnFact:
    """Something that is said of every column of a row: its `names`, `types`, `flags`, `values` or one flag."""

    says: str
    name: str
    """What says it, as reports name it."""
    location: Location
    holder: Location
    """Where what says it begins."""
    classes: tuple[str, ...]
    options: tuple[Word, ...]


@dataclass(frozen=True)
class Remedies:
    """How a mistake is mended, in the words of containers. `{}` in `carry` is the field, in `image` the row image."""

    carry: str
    absent: str
    image: str
    columns: Mapping[str, str]
    """By what is not said of columns; the keys are what has to be said."""
    of: str
    """Where something is said for too few classes of events."""


@dataclass(frozen=True)
class Meaning:
    """All of it."""

    carried_cases: tuple[CarriedCase, ...]
    carriers: tuple[Carrier, ...]
    facts: tuple[ColumnFact, ...]
    values: tuple[Word, ...]
    """The value tables that rows are written by."""
    flags: tuple[Word, ...] | None
    """The flags that are said of every column; None: all, whatever bits they are."""

    def kinds(self, spec: Spec) -> tuple[str, ...]:
        """The kinds of events that there are messages for with some options, in the order of events.yaml."""
        told = {kind.name for one in self.carried_cases for kind in one.kinds}
        return tuple(kind for kind in spec.events.kinds if kind in told)

    def fields(self, spec: Spec) -> tuple[str, ...]:
        """The fields that are said with some options, in the order of events.yaml."""
        said = {KIND_FIELD, *(str(one.field.name) for one in self.carriers)}
        return tuple(name for name in spec.events.fields if name in said)


def images_of(spec: Spec, kind: EventKind) -> tuple[Word, ...]:
    """The row images of a kind of events."""
    return kind.images if kind.images is not None else spec.events.classes[kind.cls].images
