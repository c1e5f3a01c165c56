"""The model: what the specs say, typed.

Frozen dataclasses, one per kind of node, built by `build` from validated YAML and compared by identity. Every node
keeps its `place`; `at(word)` is the place of one of its words. Names and references are `Word`s: strings that know
their place. What follows from the references (reading order, who derives a number) is not here but in `resolve`.

`Protocol` is what every protocol has, whatever its wire; `BinaryProtocol` adds what sections of bytes need,
`json.model.JsonProtocol` what JSON objects need.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from .facts import (
    COMMIT_TIMES,
    DDL_CLASS,
    FIELD_RANGES,
    Chunk,
    Codec,
    ColumnFlag,
    ColumnType,
    DdlType,
    EventClass,
    EventField,
    EventKind,
    Events,
    MysqlTypes,
    Primitive,
    Primitives,
    Storage,
    TypeMapping,
    TypeVariant,
)
from .words import Placed, Word

__all__ = [
    "COLUMN_PARTS",
    "COMMIT_TIMES",
    "COMPRESSIONS",
    "DDL_CLASS",
    "FIELD_RANGES",
    "KIND_FIELD",
    "LANGUAGE",
    "Batching",
    "BinaryProtocol",
    "Case",
    "Chunk",
    "Codec",
    "ColumnField",
    "ColumnFlag",
    "ColumnType",
    "ColumnsStruct",
    "DdlType",
    "Defect",
    "Difference",
    "Enum",
    "Estimate",
    "EventClass",
    "EventField",
    "EventKind",
    "Events",
    "Keep",
    "Large",
    "LargeWay",
    "MysqlTypes",
    "Option",
    "Placed",
    "Primitive",
    "Primitives",
    "Protocol",
    "Section",
    "SectionsStruct",
    "Spec",
    "Storage",
    "Struct",
    "SwitchStruct",
    "TableRow",
    "TablesStruct",
    "TermsStruct",
    "TypeMapping",
    "TypeVariant",
    "ValueCase",
    "ValueTable",
    "Word",
]

LANGUAGE = 1
"""The version of the spec language that this generator reads (`language:`)."""

KIND_FIELD = "kind"
"""The event field that no section carries: it follows from the case's class and from the row images that are there."""

COMPRESSIONS = ("none", "snappy", "lz4")
"""How a message can be compressed: not, as a snappy block, as an lz4 frame."""

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
class ValueCase(Placed):
    """How values of some column types are written: `codec`, or another when a flag is set."""

    types: tuple[Word, ...]
    codec: Word
    flagged: Mapping[Word, Word]


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueTable(Placed):
    """Codecs by column type; `unknown` (nothing | error) is for type codes that mysql_types.yaml does not have."""

    name: Word
    cases: tuple[ValueCase, ...]
    unknown: str
    about: str


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
class Keep(Placed):
    """What an option does to a row image: of events of this kind, only some columns of the image are kept.

    Either those with the flag `flagged`, or, with `changed`, those whose value the other image has not.
    """

    event: Word
    image: Word
    flagged: Word | None
    changed: bool
    as_written: tuple[Word, ...]
    """Producers that compare what would be written, not the values: for them 0 and -0 differ."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Option(Placed):
    """An option of the encoder, by its dashed name."""

    name: Word
    type: Word  # int | bool | choice | text
    default: int | bool | str
    range: tuple[int, int] | None
    choices: tuple[Word, ...]
    """What a choice can be."""
    implies: tuple[Word, ...]
    """Options (bool) that are true when this one is."""
    needs: tuple[Word, ...]
    """Options that must be set (true, a text, another choice than the default) when this one is."""
    choice_needs: Mapping[Word, tuple[Word, ...]]
    """The same for a choice of this option."""
    producers: tuple[Word, ...]
    """The producers that have the option; none said: all of them."""
    keep: Keep | None
    about: str

    @property
    def python_name(self) -> str:
        """The name in snake_case."""
        return self.name.replace("-", "_")


@dataclass(frozen=True, kw_only=True, eq=False)
class Defect(Placed):
    """A known defect of producers: what they do wrong. `excuses`: whether a recording may differ by it."""

    name: Word
    producers: tuple[Word, ...]
    types: tuple[Word, ...]
    excuses: bool
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Difference(Placed):
    """What producers do differently where none is wrong: a sentence for each."""

    name: Word
    says: Mapping[Word, str]


@dataclass(frozen=True, kw_only=True, eq=False)
class LargeWay(Placed):
    """What is done with a row whose message is too long: a choice of the option.

    The message is written again, with only those columns of its images that have the flag `keep`, and the event's
    field `mark` says so. `store` names the option with the place where the whole message is kept, when it is (then
    `mark` is where it lies); `raw` the option that leaves out the envelope of what is kept.
    """

    choice: Word
    keep: Word
    mark: Word
    store: Word | None
    raw: Word | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Large(Placed):
    """Rows whose message is longer than the option `bytes` allows, `overhead` bytes of every message included.

    `option` chooses the way; a choice without one refuses such a row.
    """

    option: Word
    bytes: Word
    overhead: int
    ways: Mapping[str, LargeWay]
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Protocol(Placed):
    """A protocol's file, as far as every protocol has it. `name` is the file's name and, with _, the module's."""

    name: Word
    file: str
    title: str
    about: str
    sources: Mapping[str, str]
    producers: Mapping[str, str]
    wire: Word
    root: Word
    values: Mapping[str, ValueTable]
    compression: Word | None
    """The option that chooses how a message is compressed."""
    large: Large | None
    options: Mapping[str, Option]
    defects: Mapping[str, Defect]
    differences: Mapping[str, Difference]


@dataclass(frozen=True, kw_only=True, eq=False)
class BinaryProtocol(Protocol):
    """A protocol of `wire: binary`; `root` names a struct."""

    enums: Mapping[str, Enum]
    structs: Mapping[str, Struct]
    image_order: tuple[Word, ...]
    batching: Batching | None


@dataclass(frozen=True, kw_only=True)
class Spec:
    """Everything that a directory of specs says; protocols sorted by name."""

    primitives: Primitives
    events: Events
    mysql_types: MysqlTypes
    protocols: Mapping[str, Protocol]
