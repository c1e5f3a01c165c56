"""Facts about a protocol, besides its decoder and encoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tidewire.messages.detecting.signs import Signs
from tidewire.runtime.batch.roles import Roles
from tidewire.runtime.errors import TidewireError

if TYPE_CHECKING:
    from tidewire.messages.conformance_facts import RecordFacts
    from tidewire.messages.delivery.message_writer import Way


class UnsupportedError(TidewireError, NotImplementedError):
    """Messages of the protocol are read, and the package has no encoder or no dissector for them."""


class Defect(NamedTuple):
    """A known defect of producers that is not reproduced."""

    producers: tuple[str, ...]
    types: tuple[int, ...]
    """The type codes of the affected columns."""
    about: str
    keeps: int = 0
    """How many leading bytes of a damaged value are correct; the next value may overwrite the rest."""
    by: tuple[str, ...] = ()
    """The codecs of values that overwrite others; values with other codecs do no damage."""
    nameless: tuple[str, str] | None = None
    """Columns of the first member lose their names if they are NULL in the second, so that the message is
    unreadable.
    """
    refused: str = ""
    """Producers write no message for an event with such values (`nulls`, or `dates` that do not exist), or for a row of
    a table with `unsent` columns, or with `defaults` that, parsed as doubles, are out of the range of a 64-bit integer.
    """
    respelled: bool = False
    """Whether producers format such a value differently in a way that readers parse to the same value."""
    lost: str = ""
    """What producers write ambiguously about columns of these types in table descriptions: `defaults`."""
    first_schema: tuple[str, ...] = ()
    """The kinds of events that producers always write with the first schema registered for a subject."""


class Lost(NamedTuple):
    """Values that are written like other values, so that readers cannot distinguish them."""

    types: tuple[int, ...]
    """The type codes of the affected columns."""
    nulls: bool
    """True: the values are NULLs; False: they are not NULL."""
    about: str


class Random(NamedTuple):
    """A member whose encoding differs each time a producer writes it."""

    path: tuple[str, ...]
    what: str
    """`order`: the order of its members differs; `value`: the value differs."""
    about: str


class EncodedRecords(NamedTuple):
    """A protocol's binary encoding of messages as records, an alternative to JSON objects."""

    option: str
    """The option that selects it."""
    choice: str
    """The value of that option."""
    begins: bytes
    """The first bytes of every record message; a JSON object never begins with them."""
    content: Callable[[bytes], list[tuple[tuple[str, ...], bytes]] | None]
    """A function that returns the values of a record with their paths."""
    random: Mapping[str, Random]
    """Members whose encoding differs each time a producer writes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Large:
    """The limit on the length of a row's message, and what happens to longer ones. Options are given by name."""

    option: str
    """The option that selects the handling."""
    bytes: str
    """The option with the maximum length of a message in bytes."""
    overhead: int
    """Bytes that count towards the limit in addition to key and value."""
    refuses: tuple[int, ...] = ()
    """Codes of the kinds of events without a row whose messages are refused if they are too long; for other kinds there
    is no limit.
    """
    ways: Mapping[str, Way]
    store: str | None = None
    """The option with the location of messages that are too long to send."""
    raw: str | None = None
    """The option that stores them without an envelope."""
    gathered: bool = False
    """Whether a message may contain several rows although the rows of long messages are reduced to their handle key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolFacts:
    """Facts about a protocol, besides its decoder and encoder."""

    name: str
    """The name in TiCDC's configuration."""
    text: bool
    """Whether its messages are text."""
    producers: tuple[str, ...]
    """The producers that write it."""
    sorted: tuple[str, ...] = ()
    """The producers that sort the columns of a row by name, so that the table's column order is unknown."""
    kinds: tuple[str, ...]
    """The kinds of events that have messages, at least with some options."""
    carries: frozenset[str]
    """The event fields that messages carry; others are absent after decoding."""
    carried_flags: int
    """The column flags that messages carry for every column, as a bit mask (-1: all). Other flags are carried only if
    they change how values of the column's type are stored (`tidewire.mysql.telling_flags`).
    """
    signs: Signs
    """The byte patterns by which its messages are recognized, even truncated ones."""
    roles: Roles
    """The names of event fields by their meaning."""
    writes: bool = True
    """Whether there is an encoder; without it messages are only read."""
    dissects: bool = True
    """Whether there is a dissector."""
    described: bool = False
    """Whether rows are read with table descriptions from other messages."""
    described_by: str | None = None
    """The event field with the version of the table description that a row refers to; None: there is no such field."""
    unnamed: str | None = None
    """The option that names the table of rows whose messages do not name it; None: messages always name the table, or
    no option can.
    """
    modes: tuple[str, ...] = ()
    """Decoder options that describe how values are formatted, where messages do not contain that information."""
    describing: tuple[str, ...] = ()
    """Members that describe tables: a text message without any of their names, and without escapes, describes none."""
    listed_by_id: tuple[str, ...] = ()
    """The producers that list the columns of a table in the order of their ids; others list them as the table does."""
    exchanged: Mapping[str, bool] = field(default_factory=dict)
    """By producer: whether the statement of an EXCHANGE PARTITION is named after the unpartitioned table; otherwise
    after the partitioned one.
    """
    classed: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    """By producer: DDL type codes that it assigns to another class than other producers do, with that class."""
    checked: bool = False
    """Whether messages can have checksums of rows, which are verified and computed here."""
    keyed: bool = False
    """Whether keys carry data about events, so that a message cannot be read without its key."""
    unread_keys: bool = False
    """Whether keys only repeat what values say: they are written and dissected, and decoders do not look at them."""
    terminator: str | None = None
    """The option with the terminator that follows every row if several rows share a value."""
    compression: str | None = None
    """The option with the compression of messages."""
    item_prefix: int = 0
    """Number of bytes of the length prefix of each item of a value, if items are compressed separately; 0: values are
    compressed as a whole.
    """
    blocks: bool = False
    """Whether messages contain Kafka Connect schema blocks, which describe columns by Connect's types."""
    registry: str | None = None
    """The option with the location of the schema registry; None: the protocol's messages do not refer to one."""
    told: RecordFacts | None = None
    """What records with registered schemas state about rows; None: the protocol has none."""
    deletes_by_key: bool = False
    """Whether a message without a value means that the row identified by its key was deleted."""
    packed_keys: bool = False
    """Whether keys are compressed as well."""
    large: Large | None = None
    """The limit on the length of messages; None: no limit."""
    defects: Mapping[str, Defect] = field(default_factory=dict)
    """Known defects of producers."""
    differences: Mapping[str, Defect] = field(default_factory=dict)
    """Known deviations of producers that leave all values readable. In a comparison with a recording, only those that
    lose column names count as an explanation.
    """
    losses: Mapping[str, Lost] = field(default_factory=dict)
    """Values that messages do not distinguish from others."""
    producer_differences: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By producer: differences between producers of which none is a defect; name and sentence."""
    random: Mapping[str, Random] = field(default_factory=dict)
    """Members whose encoding differs each time a producer writes them."""
    records: EncodedRecords | None = None
    """The record encoding, which an option selects instead of JSON objects; None: the protocol has one encoding."""

    def needs_encoder(self) -> None:
        """Raises an `UnsupportedError` if the protocol has no encoder."""
        if not self.writes:
            raise UnsupportedError(f"{self.name}: messages of this protocol are only read: it has no encoder")

    def classed_as(self, cls: str | None) -> tuple[int, ...]:
        """The codes of the DDL types that some producers assign to this class and others do not."""
        return tuple(code for types in self.classed.values() for code, one in types.items() if one == cls)

    def are_records(self, value: bytes) -> bool:
        """Whether an uncompressed message is a record rather than a JSON object."""
        return self.records is not None and value.startswith(self.records.begins)

    @property
    def reasons(self) -> dict[str, str]:
        """Accepted reasons for a recording to differ from the bytes written here: name and sentence."""
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
    def has_keys(self) -> bool:
        """Whether messages have keys, whether they are read or not."""
        return self.keyed or self.unread_keys

    @property
    def packed(self) -> bool:
        """Whether messages may be compressed or stored elsewhere."""
        return self.compression is not None or self.large is not None

    @property
    def store(self) -> str | None:
        """The option with the location for messages that are too long to send."""
        return None if self.large is None else self.large.store
