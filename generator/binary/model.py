"""The model of a protocol of `wire: binary`: structs of sections and chunks of bytes.

Frozen dataclasses, one per kind of node, built by `build` from validated YAML and compared by identity. What follows
from the references (reading order, who derives a number) is not here but in `resolve`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..model import Protocol
from ..words import Placed, Word

COLUMN_PARTS = ("name", "type", "flags", "value")
"""What the struct of a row image holds of every column, in this order (`column:`)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Enum(Placed):
    """Names for numbers."""

    name: Word
    members: Mapping[Word, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnField(Placed):
    """One chunk: a field of a `ColumnsStruct`, or the content of a chunk section (then `id` is the section's)."""

    id: Word
    chunk: Word
    enum: Word | None
    max: int | None
    null_as: int | None
    intern: Word | None
    event: Word | None
    column: Word | None
    values: Word | None
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Section(Placed):
    """A piece of a struct. Exactly one of `type` (a primitive), `struct` and `chunk` is there.

    `size`, `count` and `each` are references to the numbers that tell the reader how far the section goes.
    """

    id: Word
    type: Word | None
    struct: Word | None
    chunk: ColumnField | None
    const: int | float | str | None
    enum: Word | None
    max: int | None
    event: Word | None
    size: Word | None
    count: Word | None
    each: Word | None
    at_end: bool
    omit_empty: bool
    image: Word | None
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class SectionsStruct(Placed):
    """Sections, in wire order."""

    name: Word
    sections: tuple[Section, ...]
    about: str

    def section(self, id: str) -> Section | None:
        return next((one for one in self.sections if one.id == id), None)


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnsStruct(Placed):
    """One chunk per field, as many elements each as the struct's user counts."""

    name: Word
    columns: tuple[ColumnField, ...]
    about: str

    def column(self, id: str) -> ColumnField | None:
        return next((one for one in self.columns if one.id == id), None)


@dataclass(frozen=True, kw_only=True, eq=False)
class Case(Placed):
    """What follows when the switched field has this member: a struct, standing for events of a class."""

    member: Word
    struct: Word
    event: Word


@dataclass(frozen=True, kw_only=True, eq=False)
class SwitchStruct(Placed):
    """One struct of several, chosen by an enum field of a columns struct at the same index."""

    name: Word
    switch: Word
    cases: Mapping[str, Case]
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class TermsStruct(Placed):
    """A dictionary: a count (primitive) and a chunk of texts, numbered from 0 in order of first use."""

    name: Word
    count: Word
    chunk: Word
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class TableRow(Placed):
    """A table of numbers: `numbers` (fixed ones, by name), or one per repetition of the section that says `each`.

    With `repeat` there is one such table per number of another row for which `when` (reference, member) holds.
    """

    id: Word
    numbers: tuple[Word, ...]
    repeat: Word | None
    when: tuple[Word, Word] | None


@dataclass(frozen=True, kw_only=True, eq=False)
class TablesStruct(Placed):
    """Tables of numbers; each is a count (primitive) and a chunk of as many numbers."""

    name: Word
    count: Word
    chunk: Word
    rows: tuple[TableRow, ...]
    about: str

    def row(self, id: str) -> TableRow | None:
        return next((one for one in self.rows if one.id == id), None)


Struct: TypeAlias = SectionsStruct | ColumnsStruct | SwitchStruct | TermsStruct | TablesStruct


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimate(Placed):
    """How TiCDC guesses the size of an event, in bytes: constants, times the length for names and values."""

    weights: Mapping[str, int]  # event, schema, table, column, name, value; 0 when not given


@dataclass(frozen=True, kw_only=True, eq=False)
class Batching(Placed):
    """Which events are gathered into one message, and when it is closed. `count` and `bytes` name options."""

    gather: Word
    count: Word | None
    bytes: Word | None
    close: str  # after | before
    estimate: Estimate | None
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class BinaryProtocol(Protocol):
    """A protocol of `wire: binary`; `root` names a struct."""

    enums: Mapping[str, Enum]
    structs: Mapping[str, Struct]
    image_order: tuple[Word, ...]
    batching: Batching | None
