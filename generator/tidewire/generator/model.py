"""The typed model of the specs.

Frozen dataclasses, one for each kind of node, built by `build` from validated YAML and compared by identity. Every node
has its `location`; `at(word)` is that of one of its words. Names and references are `Word`s: strings with a location.

`Protocol` is common to all protocols; `binary.model.BinaryProtocol` adds what sections of bytes need,
`json.model.JsonProtocol` what JSON objects need.
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
"""The event field that is never carried: it follows from the case's class and the row images present."""

COMPRESSIONS = ("none", "snappy", "lz4")
"""How a message can be compressed: not, as a snappy block, or as an lz4 frame."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueCase(Located):
    """How values of some column types are written: `codec`, or another one with a flag."""

    types: tuple[Word, ...]
    codec: Word
    flagged: Mapping[Word, Word]
    unflagged: Word | None = None
    """The codec if a message does not carry the column's flags; for readers only."""
    by_producer: Mapping[Word, Word] = field(default_factory=dict)
    """By producer its codec, where they differ; `codec` is the first of them. Readers accept all."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueTable(Located):
    """Codecs by column type; `unknown` (nothing | error) is for type codes that mysql_types.yaml lacks."""

    name: Word
    cases: tuple[ValueCase, ...]
    unknown: str
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Keep(Located):
    """The effect of an option on a row image: for events of this kind only some columns are kept.

    Either those with the flag `flagged`, or, with `changed`, those whose value differs from the other image's.
    """

    event: Word
    image: Word
    flagged: Word | None
    changed: bool
    changed_by: tuple[Word, ...] = ()
    """The producers, where it is given for each how they compare values."""
    as_written: tuple[Word, ...]
    """The producers that compare encoded values: for them 0 and -0 differ."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Option(Located):
    """An option of the encoder, by its dashed name."""

    name: Word
    type: Word  # int | bool | choice | text
    default: int | bool | str
    range: tuple[int, int] | None
    choices: tuple[Word, ...]
    """The values of a choice."""
    aliases: Mapping[Word, Word]
    """Alternative names of its choices."""
    implies: tuple[Word, ...]
    """Boolean options that this one implies."""
    needs: tuple[Word, ...]
    """Options that must be set (true, a text, a choice other than the default) together with this one."""
    choice_needs: Mapping[Word, tuple[Word, ...]]
    """The same, by choice of this option."""
    producers: tuple[Word, ...]
    """The producers that have the option; empty: all."""
    ignored: bool
    """Whether producers accept it without any effect."""
    keep: Keep | None
    about: str

    @property
    def python_name(self) -> str:
        """The name in snake_case."""
        return self.name.replace("-", "_")


@dataclass(frozen=True, kw_only=True, eq=False)
class Overwritten(Located):
    """How a value is damaged: from its byte `keeps` on, it may be overwritten by the beginning of the next value in the
    message that is written with one of the codecs `by`.
    """

    keeps: int
    by: tuple[Word, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Defect(Located):
    """A known defect of producers.

    `overwritten`, `nameless`, `refused`, `respelled`, `lost` and `first_schema` state how a recording may differ;
    without any, it may not.
    """

    name: Word
    producers: tuple[Word, ...]
    types: tuple[Word, ...]
    overwritten: Overwritten | None
    nameless: Word | None
    """The row image whose columns lose their names if they are NULL in the other one; no reader can read it."""
    refused: str | None
    """Producers write no message for an event with such values (`nulls`, or `dates` that do not exist), or of such a
    table (one with `unsent` columns, or with `defaults` that as doubles exceed a long).
    """
    respelled: bool
    """Whether producers format such a value differently, and readers take it for the same."""
    lost: str | None
    """What producers write ambiguously about such columns in table descriptions: `defaults`."""
    first_schema: tuple[Word, ...]
    """The classes of events that producers write with the first schema of a subject, whatever the event."""
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Lost(Located):
    """Values that are written like other values, so that readers cannot tell them apart."""

    name: Word
    types: tuple[Word, ...]
    nulls: bool
    """Whether they are NULLs; otherwise other values."""
    keyless: bool
    """Whether they are not values but deleted rows of tables without a key."""
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Difference(Located):
    """A difference between producers that is no defect: one sentence for each."""

    name: Word
    says: Mapping[Word, str]


@dataclass(frozen=True, kw_only=True, eq=False)
class LargeWay(Located):
    """How a row is handled whose message is too long: a choice of the option.

    The message is written again with only those columns of its images that have the flag `keep`, and the event field
    `mark` is set. `store` names the option with the location where the whole message is stored, if it is (then `mark`
    has its location); `raw` the option that stores it without its envelope.
    """

    choice: Word
    keep: Word
    mark: Word
    also: tuple[Word, ...]
    """Boolean fields of the event that are set in addition to `mark`."""
    store: Word | None
    raw: Word | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Large(Located):
    """Rows whose message is longer than the option `bytes` allows, including `overhead` bytes for each message.
    `option` selects the handling; a choice without one refuses such a row. `refuses` are kinds of events without a
    row whose long messages are refused, too.
    """

    option: Word
    bytes: Word
    overhead: int
    kinds: tuple[Word, ...]
    ways: Mapping[str, LargeWay]
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimate(Located):
    """TiCDC's estimate of an event's size in bytes: constants, times the length for names and values."""

    weights: Mapping[str, int]  # event, schema, table, column, name, value; 0 when not given


@dataclass(frozen=True, kw_only=True, eq=False)
class Batching(Located):
    """Which events share a value, and when it is closed. `count` and `bytes` name options.

    Consecutive events of the class `gather` share a value if they agree in the fields `by`, and in those that a
    producer keeps `apart`.
    """

    gather: Word
    count: Word | None
    bytes: Word | None
    bytes_of: Mapping[Word, Word]
    """By producer: options with an additional limit."""
    overhead: int
    """Bytes that a message takes in addition to its contents."""

    estimate: Estimate | None
    by: tuple[Word, ...]
    apart: Mapping[Word, tuple[Word, ...]]
    agree_by: tuple[Word, ...]
    """The producers, where the fields are given for each."""
    about: str

    @property
    def gathered_by(self) -> tuple[Word, ...]:
        """The fields in which events of one value may have to agree."""
        return (*self.by, *(one for names in self.apart.values() for one in names))


@dataclass(frozen=True, kw_only=True, eq=False)
class Protocol(Located):
    """The common part of a protocol's file. `name` is the file's name and, with _, the module's."""

    name: Word
    file: str
    title: str
    about: str
    sources: Mapping[str, str]
    producers: Mapping[str, str]
    container: str
    """The container of a message's value, which determines the plug-in."""
    key: Word | None
    """The part of every message's key; None: there is no such part."""
    keys: Mapping[Word, Word]
    """The parts of keys by class of events, where they differ by it; messages of other classes have no key."""
    root: Word
    """The part of a message's value."""
    values: Mapping[str, ValueTable]
    batching: Batching | None
    """None: every event has a value of its own."""
    compression: Word | None
    """The option that selects the compression of a message."""
    large: Large | None
    options: Mapping[str, Option]
    defects: Mapping[str, Defect]
    losses: Mapping[str, Lost]
    differences: Mapping[str, Difference]
    exchanged: Mapping[Word, Word]
    """By producer, which of its two tables a statement that exchanges a partition is named after: `partitioned` or
    `other`. Empty: messages name tables only by their descriptions.
    """
    schema_types: SchemaTypes | None = None
    """How schemas describe columns; None: messages have no schemas."""
    unnamed: Word | None = None
    """The option that names the table of rows without a table name; None: there is none."""

    @property
    def read_inside(self) -> frozenset[str]:
        """Options about what surrounds a message that the wire's encoder also uses."""
        return frozenset()

    @property
    def modes(self) -> tuple[str, ...]:
        """Options of the decoder about how values are written, where messages do not say."""
        lines = () if self.schema_types is None else self.schema_types.columns
        named = dict.fromkeys(str(one.mode[0]) for one in lines if one.mode is not None)
        return tuple(name for name in named if name in self.options)

    @property
    def read_modes(self) -> tuple[str, ...]:
        """Options that only the decoder has, in the order of its arguments."""
        return self.modes if self.unnamed is None else (*self.modes, str(self.unnamed))

    @property
    def registry(self) -> Word | None:
        """The option with the location of the schemas; None: messages need none."""
        return None

    @property
    def key_flags(self) -> tuple[Word, ...]:
        """The flags of the columns that keys consist of."""
        return ()

    @property
    def always_kept(self) -> tuple[Word, ...]:
        """The flags of the columns that messages of some events consist of, whatever the options."""
        return ()

    @property
    def other_encoding(self) -> tuple[Word, Word] | None:
        """The option that selects the encoding, and its choice for records; None: there is one encoding."""
        return None


@dataclass(frozen=True, kw_only=True)
class Spec:
    """The contents of a directory of specs; protocols sorted by name."""

    primitives: Primitives
    events: Events
    mysql_types: MysqlTypes
    protocols: Mapping[str, Protocol]
    unreadable: frozenset[str] = frozenset()
    """Names of protocols whose files exist but are invalid, so that only their problems are known."""
