"""The model: what the specs say, typed.

Frozen dataclasses, one per kind of node, built by `build` from validated YAML and compared by identity. Every node
keeps its `location`; `at(word)` is that of one of its words. Names and references are `Word`s: strings that know their
location.

`Protocol` is what every protocol has, whatever its containers; `binary.model.BinaryProtocol` adds what sections of
bytes need, `json.model.JsonProtocol` what JSON objects need.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .facts import (
    COMMIT_TIMES,
    DDL_CLASS,
    DESCRIPTION,
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
from .schema_types.model import SchemaTypes
from .words import Located, Word

__all__ = [
    "COMMIT_TIMES",
    "COMPRESSIONS",
    "DDL_CLASS",
    "DESCRIPTION",
    "FIELD_RANGES",
    "KIND_FIELD",
    "LANGUAGE",
    "Batching",
    "Chunk",
    "Codec",
    "ColumnFlag",
    "ColumnType",
    "DdlType",
    "Defect",
    "Difference",
    "Estimate",
    "EventClass",
    "EventField",
    "EventKind",
    "Events",
    "Keep",
    "Large",
    "LargeWay",
    "Located",
    "MysqlTypes",
    "Option",
    "Primitive",
    "Primitives",
    "Protocol",
    "Spec",
    "Storage",
    "TypeMapping",
    "TypeVariant",
    "ValueCase",
    "ValueTable",
    "Word",
]

LANGUAGE = 2
"""The version of the spec language that this generator reads (`language:`)."""

KIND_FIELD = "kind"
"""The event field that no section carries: it follows from the case's class and from the row images that are there."""

COMPRESSIONS = ("none", "snappy", "lz4")
"""How a message can be compressed: not, as a snappy block, as an lz4 frame."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueCase(Located):
    """How values of some column types are written: `codec`, or another when a flag is set."""

    types: tuple[Word, ...]
    codec: Word
    flagged: Mapping[Word, Word]
    unflagged: Word | None = None
    """The codec where a message says no flags of the column; a reader's alone."""
    by_producer: Mapping[Word, Word] = field(default_factory=dict)
    """By producer the codec, where they differ; `codec` is the first of them. A reader takes what any writes."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueTable(Located):
    """Codecs by column type; `unknown` (nothing | error) is for type codes that mysql_types.yaml does not have."""

    name: Word
    cases: tuple[ValueCase, ...]
    unknown: str
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Keep(Located):
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
class Option(Located):
    """An option of the encoder, by its dashed name."""

    name: Word
    type: Word  # int | bool | choice | text
    default: int | bool | str
    range: tuple[int, int] | None
    choices: tuple[Word, ...]
    """What a choice can be."""
    aliases: Mapping[Word, Word]
    """Other names of its choices."""
    implies: tuple[Word, ...]
    """Options (bool) that are true when this one is."""
    needs: tuple[Word, ...]
    """Options that must be set (true, a text, another choice than the default) when this one is."""
    choice_needs: Mapping[Word, tuple[Word, ...]]
    """The same for a choice of this option."""
    producers: tuple[Word, ...]
    """The producers that have the option; none said: all of them."""
    ignored: bool
    """Whether producers take it without any effect."""
    keep: Keep | None
    about: str

    @property
    def python_name(self) -> str:
        """The name in snake_case."""
        return self.name.replace("-", "_")


@dataclass(frozen=True, kw_only=True, eq=False)
class Overwritten(Located):
    """What is damaged of a value: all behind its first `keeps` bytes can be the first bytes of the next value of the
    message that is written with one of the codecs `by`, as far as that one reaches.
    """

    keeps: int
    by: tuple[Word, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Defect(Located):
    """A known defect of producers: what they do wrong.

    `overwritten`, `nameless`, `refused`, `respelled`, `lost` and `first_schema`: what a recording may differ by; none
    of them: by nothing.
    """

    name: Word
    producers: tuple[Word, ...]
    types: tuple[Word, ...]
    overwritten: Overwritten | None
    nameless: Word | None
    """The row image in which columns that are NULL in the other one stand without their names: no reader takes it."""
    refused: str | None
    """They write no message of an event with such values, `nulls` or `dates` that no calendar has, or of such a
    table: one with `unsent` columns, or with `defaults` that are too great for a long as doubles."""
    respelled: bool
    """Whether they spell such a value otherwise, and it is read as the same."""
    lost: str | None
    """What of such columns they write in descriptions of tables so that nobody can tell it: `defaults`."""
    first_schema: tuple[Word, ...]
    """The kinds of events that they write by the first schema of a subject, whatever the events are of."""
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Lost(Located):
    """Values that are written as other values are, so that no reader tells them apart."""

    name: Word
    types: tuple[Word, ...]
    nulls: bool
    """Whether they are NULLs; else others."""
    keyless: bool
    """Whether they are no values, but rows that are gone from a table without a key."""
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Difference(Located):
    """What producers do differently where none is wrong: a sentence for each."""

    name: Word
    says: Mapping[Word, str]


@dataclass(frozen=True, kw_only=True, eq=False)
class LargeWay(Located):
    """What is done with a row whose message is too long: a choice of the option.

    The message is written again, with only those columns of its images that have the flag `keep`, and the event's
    field `mark` says so. `store` names the option with the place where the whole message is kept, when it is (then
    `mark` is where it lies); `raw` the option that leaves out the envelope of what is kept.
    """

    choice: Word
    keep: Word
    mark: Word
    also: tuple[Word, ...]
    """Fields (bool) of the event that are true then, beside the mark."""
    store: Word | None
    raw: Word | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Large(Located):
    """Rows whose message is longer than the option `bytes` allows, `overhead` bytes of every message included.

    `option` chooses the way; a choice without one refuses such a row. `refuses` are kinds of events without a row whose
    message must not be longer either.
    """

    option: Word
    bytes: Word
    overhead: int
    refuses: tuple[Word, ...]
    ways: Mapping[str, LargeWay]
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimate(Located):
    """How TiCDC guesses the size of an event, in bytes: constants, times the length for names and values."""

    weights: Mapping[str, int]  # event, schema, table, column, name, value; 0 when not given


@dataclass(frozen=True, kw_only=True, eq=False)
class Batching(Located):
    """Which events share a value, and when it is closed. `count` and `bytes` name options.

    Events of the class `gather` that follow one another and agree in the fields `by`, and in those that a producer
    keeps `apart`, share a value.
    """

    gather: Word
    count: Word | None
    bytes: Word | None
    bytes_of: Mapping[Word, Word]
    """By producer: options with a limit that holds besides."""
    overhead: int
    """Bytes that a message takes besides what is written."""
    close: str  # after | before
    estimate: Estimate | None
    by: tuple[Word, ...]
    apart: Mapping[Word, tuple[Word, ...]]
    about: str

    @property
    def gathered_by(self) -> tuple[Word, ...]:
        """The fields that events of one value can agree in."""
        return (*self.by, *(one for names in self.apart.values() for one in names))


@dataclass(frozen=True, kw_only=True, eq=False)
class Protocol(Located):
    """A protocol's file, as far as every protocol has it. `name` is the file's name and, with _, the module's."""

    name: Word
    file: str
    title: str
    about: str
    sources: Mapping[str, str]
    producers: Mapping[str, str]
    container: str
    """What the value of a message is, by which a plug-in reads the protocol."""
    key: Word | None
    """The part that the key of a message is; None: messages have none."""
    root: Word
    """The part that the value of a message is."""
    values: Mapping[str, ValueTable]
    batching: Batching | None
    """None: every event has a value of its own."""
    compression: Word | None
    """The option that chooses how a message is compressed."""
    large: Large | None
    options: Mapping[str, Option]
    defects: Mapping[str, Defect]
    losses: Mapping[str, Lost]
    differences: Mapping[str, Difference]
    exchanged: Mapping[Word, Word]
    """After which of its two tables a producer names a statement that exchanges a partition: `partitioned` or `other`.
    Empty: messages name tables by their descriptions only."""
    schema_types: SchemaTypes | None = None
    """What schemas call columns; None: messages have none."""
    unnamed: Word | None = None
    """The option that names the table of rows that do not; None: they do, or nobody can say it for them."""

    @property
    def read_inside(self) -> frozenset[str]:
        """Options of what lies around a message that the wire's encoder reads as well."""
        return frozenset()

    @property
    def modes(self) -> tuple[str, ...]:
        """Options of the decoder that say how values are written of which no message tells it."""
        lines = () if self.schema_types is None else self.schema_types.columns
        named = dict.fromkeys(str(one.mode[0]) for one in lines if one.mode is not None)
        return tuple(name for name in named if name in self.options)

    @property
    def read_modes(self) -> tuple[str, ...]:
        """Options that only the decoder has, in the order of its arguments."""
        return self.modes if self.unnamed is None else (*self.modes, str(self.unnamed))

    @property
    def registry(self) -> Word | None:
        """The option that says where the schemas of messages are; None: they need none."""
        return None

    @property
    def key_flags(self) -> tuple[Word, ...]:
        """Flags whose columns alone keys have."""
        return ()

    @property
    def other_encoding(self) -> tuple[Word, Word] | None:
        """The option that chooses how messages are encoded, and its choice that stands for records; None: there is one
        encoding.
        """
        return None


@dataclass(frozen=True, kw_only=True)
class Spec:
    """Everything that a directory of specs says; protocols sorted by name."""

    primitives: Primitives
    events: Events
    mysql_types: MysqlTypes
    protocols: Mapping[str, Protocol]
    unreadable: frozenset[str] = frozenset()
    """Names of protocols whose files are there and are wrong, so that nothing is known of them but their problems."""
