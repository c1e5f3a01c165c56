"""The facts about a protocol, besides its decoder and encoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tidewire.runtime.batch.roles import Roles
from tidewire.runtime.detecting.signs import Signs

if TYPE_CHECKING:
    from tidewire.runtime.delivery.message_writer import Way
    from tidewire.runtime.registered.conformance_facts import RecordFacts


class Defect(NamedTuple):
    """A known defect of producers that is not reproduced."""

    producers: tuple[str, ...]
    types: tuple[int, ...]
    """The type codes of the affected columns."""
    about: str
    keeps: int = 0
    """How many bytes of a damaged value are right; the next value may overwrite the rest."""
    by: tuple[str, ...] = ()
    """The codecs of the values that overwrite others; values of other codecs do no damage."""
    nameless: tuple[str, str] | None = None
    """Columns of the first member lose their names if they are NULL in the second, so that the message is
    unreadable.
    """
    refused: str = ""
    """Producers write no message for an event with such values (`nulls`, or `dates` that do not exist), or of such a
    table: one with `unsent` columns, or with `defaults` that as doubles exceed a long.
    """
    respelled: bool = False
    """Whether producers format such a value differently, and readers take it for the same."""
    lost: str = ""
    """What producers write ambiguously about such columns in table descriptions: `defaults`."""
    first_schema: tuple[str, ...] = ()
    """The kinds of events that producers write with the first schema of a subject, whatever the event."""


class Lost(NamedTuple):
    """Values that are written like other values, so that readers cannot tell them apart."""

    types: tuple[int, ...]
    """The type codes of their columns."""
    nulls: bool
    """Whether they are NULLs; otherwise other values."""
    about: str


class Random(NamedTuple):
    """A member that a producer writes differently every time."""

    path: tuple[str, ...]
    what: str
    """order or value."""
    about: str


class EncodedRecords(NamedTuple):
    """The record encoding of a protocol's messages, in place of objects."""

    option: str
    """The option that selects it."""
    choice: str
    """The value of that option."""
    begins: bytes
    """The first bytes of every record message; objects never begin with them."""
    content: Callable[[bytes], list[tuple[tuple[str, ...], bytes]] | None]
    """The values of a record with their paths."""
    random: Mapping[str, Random]
    """What a producer writes differently every time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Large:
    """The limit for a row's message, and how longer ones are handled. Options by their names."""

    option: str
    """The option that selects the handling."""
    bytes: str
    """The option with the most bytes of a message."""
    overhead: int
    """Bytes that count in addition to key and value."""
    refuses: tuple[int, ...] = ()
    """Codes of kinds of events without a row whose messages are refused if they are too long; others may be longer."""
    ways: Mapping[str, Way]
    store: str | None = None
    """The option with the location of messages that are too long to send."""
    raw: str | None = None
    """The option with which they are stored without an envelope."""
    gathered: bool = False
    """Whether a message may have several rows although long rows are cut down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolFacts:
    """The facts about a protocol, besides its decoder and encoder."""

    name: str
    """The name in TiCDC's configuration."""
    text: bool
    """Whether its messages are text."""
    producers: tuple[str, ...]
    """The producers that write it."""
    sorted: tuple[str, ...] = ()
    """The producers that write the columns of a row sorted by name, so that the table's order is unknown."""
    kinds: tuple[str, ...]
    """The kinds of events that have messages under some options."""
    carries: frozenset[str]
    """The event fields that messages carry; others are absent after decoding."""
    carried_flags: int
    """The column flags that messages carry for every column, as bits (-1: all). Of other flags they carry only those
    that change what the column's type stores (`tidewire.mysql.telling_flags`).
    """
    signs: Signs
    """The signs by which its messages are recognized, even if they are cut off."""
    roles: Roles
    """The names of event fields by their meaning."""
    described: bool = False
    """Whether rows are read with table descriptions from other messages."""
    described_by: str | None = None
    """The event field with the version of a row's table description; None: there is none."""
    unnamed: str | None = None
    """The option that names the table of rows that do not; None: they do, or nobody can say it for them."""
    modes: tuple[str, ...] = ()
    """Options of the decoder that say how values are written of which no message tells it."""
    describing: tuple[str, ...] = ()
    """Members that describe tables: a text message without any of their names, and without escapes, describes none."""
    listed_by_id: tuple[str, ...] = ()
    """The producers that list the columns of a table in the order of their ids; others list them as the table does."""
    exchanged: Mapping[str, bool] = field(default_factory=dict)
    """Of producers: whether a statement that exchanges a partition is named after the table that gets it; else after
    the partitioned one."""
    classed: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    """Of producers: the DDL types, as their codes, to which they give another class than others, and which."""
    checked: bool = False
    """Whether messages have checksums of rows that can be verified and computed."""
    keyed: bool = False
    """Whether keys say something of the events, so that messages cannot be read without theirs."""
    terminator: str | None = None
    """The option that says what follows every row where several share a value."""
    compression: str | None = None
    """The option that says what messages are compressed with."""
    item_prefix: int = 0
    """Bytes of the length before each item of a value, where items are compressed; 0: values as a whole."""
    blocks: bool = False
    """Whether schema blocks say what columns are, in words of their own."""
    registry: str | None = None
    """The option that says where the schemas of records are; None: messages have none that are kept elsewhere."""
    told: RecordFacts | None = None
    """What such records tell of rows."""
    deletes_by_key: bool = False
    """Whether a message without a value says that the row is gone which its key tells."""
    packed_keys: bool = False
    """Whether keys are compressed as well."""
    large: Large | None = None
    """What becomes of messages that are too long; None: nothing is."""
    defects: Mapping[str, Defect] = field(default_factory=dict)
    """Known defects of producers."""
    differences: Mapping[str, Defect] = field(default_factory=dict)
    """The same of what damages no value that can be read: a recording is excused only by those of them that lose names
    of columns."""
    losses: Mapping[str, Lost] = field(default_factory=dict)
    """Values that messages do not tell apart from others."""
    producer_differences: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What producers write differently where none is wrong: by producer."""
    random: Mapping[str, Random] = field(default_factory=dict)
    """Members that a producer writes differently every time."""
    records: EncodedRecords | None = None
    """The records that messages can be instead; None: there is one encoding."""

    def classed_as(self, cls: str | None) -> tuple[int, ...]:
        """The codes of DDL types to which some producer gives this class, though others do not."""
        return tuple(code for types in self.classed.values() for code, one in types.items() if one == cls)

    def are_records(self, value: bytes) -> bool:
        """Whether a message, which is not compressed, is a record instead of an object."""
        return self.records is not None and value.startswith(self.records.begins)

    @property
    def reasons(self) -> dict[str, str]:
        """Why a recording may differ from what is written here, and still agree: name and sentence."""
        found = {name: one.about for name, one in self.defects.items()}
        found |= {name: one.about for name, one in self.differences.items() if one.nameless is not None}
        found |= {name: one.about for name, one in self.losses.items()}
        found |= {name: one.about for name, one in self.random.items()}
        if self.records is not None:
            found |= {name: one.about for name, one in self.records.random.items()}
        if self.compression is not None:
            found["compressed-otherwise"] = (
                "The producer's encoder finds other repetitions: the same bytes, decompressed."
            )
        if self.terminator is not None:
            found["gathered-otherwise"] = (
                "Which rows share a value depends on what the rows do not say: the same bytes, one after the other."
            )
        return found

    @property
    def packed(self) -> bool:
        """Whether anything lies around a message."""
        return self.compression is not None or self.large is not None

    @property
    def store(self) -> str | None:
        """The option that says where messages are kept that are too long to send."""
        return None if self.large is None else self.large.store
