"""The model of a protocol whose values are sections: parts of sections and chunks of bytes.

Frozen dataclasses, one for each kind of node, built by `build` from validated YAML and compared by identity. What
follows from the references (reading order, which section determines a number) is in `resolve`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..model import Protocol
from ..words import Located, Word

COLUMN_PARTS = ("name", "type", "flags", "value")
"""What the chunks of a row image contain for every column, in this order (`column:`)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Enum(Located):
    """Names of numbers."""

    name: Word
    members: Mapping[Word, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnField(Located):
    """One chunk: of a part of `Chunks`, or the content of a chunk section (then `id` is the section's)."""

    id: Word
    chunk: Word
    enum: Word | None
    max: int | None = None
    """The greatest number that the event field can hold, or of a column type, if there are greater ones on the wire."""
    absent: int | None
    intern: Word | None
    event: Word | None
    column: Word | None
    switch: bool
    """Whether its numbers select the cases of events."""
    values: Word | None
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Section(Located):
    """A piece of a part. Exactly one of `type` (a primitive), `part` and `chunk` is set.

    `size`, `count` and `each` refer to the numbers that give a reader the section's length or number of elements.
    """

    id: Word
    type: Word | None
    part: Word | None
    chunk: ColumnField | None
    const: int | float | str | None
    enum: Word | None
    max: int | None = None
    """The greatest value, as in a chunk."""
    event: Word | None
    size: Word | None
    count: Word | None
    each: Word | None
    at_end: bool = False
    """Whether it is read backwards, from where the next section starts or the message ends."""
    omit_empty: bool
    image: Word | None
    order: tuple[Word, ...]
    """For row images: the order in which they are written."""
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Sections(Located):
    """Sections, in wire order."""

    name: Word
    sections: tuple[Section, ...]
    about: str

    def section(self, id: str) -> Section | None:
        return next((one for one in self.sections if one.id == id), None)


@dataclass(frozen=True, kw_only=True, eq=False)
class Chunks(Located):
    """Chunks, in wire order; the user of the part gives their common number of elements."""

    name: Word
    columns: tuple[ColumnField, ...]
    about: str

    def column(self, id: str) -> ColumnField | None:
        return next((one for one in self.columns if one.id == id), None)


@dataclass(frozen=True, kw_only=True, eq=False)
class Case(Located):
    """The part that follows if the switch has this value, and the class of its events."""

    member: Word
    part: Word
    cls: Word


@dataclass(frozen=True, kw_only=True, eq=False)
class PartChoice(Located):
    """One of several parts, selected by the switch: a chunk with an enum; the element of the same index selects the
    part.
    """

    name: Word
    by: Word
    cases: Mapping[str, Case]
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Terms(Located):
    """A dictionary: a count (primitive) and a chunk of texts, numbered from 0 in order of first use."""

    name: Word
    count: Word
    chunk: Word
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class TableRow(Located):
    """A row of a number table: named numbers (`numbers`), or one number for each repetition of the section that refers
    to it with `each`.

    With `repeat` there is one such row for each number of another row for which `when` (reference, member) holds.
    """

    id: Word
    numbers: tuple[Word, ...]
    repeat: Word | None
    when: tuple[Word, Word] | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Tables(Located):
    """Tables of numbers: a count (primitive) and a chunk with that many numbers."""

    name: Word
    count: Word
    chunk: Word
    rows: tuple[TableRow, ...]
    about: str

    def row(self, id: str) -> TableRow | None:
        return next((one for one in self.rows if one.id == id), None)


Part: TypeAlias = Sections | Chunks | PartChoice | Terms | Tables


@dataclass(frozen=True, kw_only=True, eq=False)
class BinaryProtocol(Protocol):
    """A protocol whose values are sections."""

    enums: Mapping[str, Enum]
    parts: Mapping[str, Part]

    @property
    def image_order(self) -> tuple[Word, ...]:
        """The row images in the order in which they are written; empty if there are none."""
        sections = (one for part in self.parts.values() if isinstance(part, Sections) for one in part.sections)
        return next((one.order for one in sections if one.image is not None), ())
