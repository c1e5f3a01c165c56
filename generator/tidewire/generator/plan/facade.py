"""The plan of a protocol's facade: its options and its facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..facts import CHECKING, CHECKSUM, LOCATION, PARTIAL, TIME_ZONE
from ..meaning import Meaning
from ..model import Large, Protocol, Spec
from .options import options_around
from .package import module_name
from .planned_options import (
    REGISTRY_OPTIONS,
    PlannedOption,
    SharedOption,
    planned_option,
    producer_option,
    python_name,
)
from .registry import PlannedRegistry
from .signs import Signs


@dataclass(frozen=True)
class PlannedDefect:
    """A known defect of producers."""

    name: str
    producers: tuple[str, ...]
    types: tuple[int, ...]
    keeps: int
    by: tuple[str, ...]
    """The codecs of values that overwrite others from byte `keeps` on; empty: recordings do not show it."""
    nameless: tuple[str, str] | None
    """The member of the row image whose columns lose their names, and that of the other image, in which these are
    NULL.
    """
    refused: str | None
    respelled: bool
    lost: str | None
    first_schema: tuple[str, ...]
    about: str

    @property
    def seen(self) -> bool:
        """Whether the defect shows in values that can be read, or in missing values."""
        return bool(self.by or self.refused or self.respelled or self.lost or self.first_schema)


@dataclass(frozen=True)
class PlannedLoss:
    """Values that the protocol writes like other values, so that no reader can tell them apart."""

    name: str
    types: tuple[int, ...]
    nulls: bool
    about: str


@dataclass(frozen=True)
class PlannedWay:
    """How a row is handled whose message is too long."""

    choice: str
    keep: int
    mark: str
    stored: bool
    also: tuple[str, ...]


@dataclass(frozen=True)
class PlannedLarge:
    """The limit for messages of rows."""

    option_name: str
    bytes_name: str
    overhead: int
    refuses: tuple[int, ...]
    """Codes of kinds of events without a row whose messages have the same limit."""
    ways: tuple[PlannedWay, ...]
    store_name: str | None
    raw_name: str | None


@dataclass(frozen=True)
class PlannedItems:
    """Values whose items are compressed individually."""

    prefix: int
    """The size of the big-endian length before each item, in bytes."""


@dataclass(frozen=True)
class PlannedRandom:
    """A member that a producer writes differently every time."""

    name: str
    path: tuple[str, ...]
    what: str
    about: str


@dataclass(frozen=True)
class PlannedContrast:
    """A difference between producers, a sentence for each."""

    name: str
    says: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PlannedRecords:
    """The second encoding, in Avro records, of a protocol whose messages are JSON objects."""

    option: str
    """The option that selects it."""
    choice: str
    begins: bytes
    """The bytes that every record message begins with."""
    random: tuple[PlannedRandom, ...]

    @property
    def field(self) -> str:
        """The field name of the option."""
        return python_name(self.option)


@dataclass(frozen=True)
class FacadePlan:
    """A protocol's module."""

    source: str
    name: str
    module: str
    title: str
    about: str
    sources: tuple[tuple[str, str], ...]
    text: bool
    """Whether messages are text."""
    producers: tuple[str, ...]
    kinds: tuple[str, ...]
    """The kinds of events that it has messages for."""
    carries: tuple[str, ...]
    """The event fields that it carries."""
    carried_flags: int
    """The column flags that it carries for every column, as bits."""
    options: tuple[PlannedOption, ...]
    defects: tuple[PlannedDefect, ...]
    losses: tuple[PlannedLoss, ...]
    contrasts: tuple[PlannedContrast, ...]
    random: tuple[PlannedRandom, ...]
    wire_options: tuple[PlannedOption, ...]
    read_modes: tuple[str, ...]
    """The option fields that the codec's decoder takes as keyword arguments."""
    """The option fields that the codec's encoder takes, in order."""
    terminator: str | None
    """The option field with the terminator, which the codec's decoder takes besides the handling of invalid text."""
    terminator_name: str | None
    """The terminator option's name in a configuration."""
    compression: PlannedOption | None
    large: PlannedLarge | None
    column_types: bool
    """Whether column types can be passed to the codec's decoder, as messages may lack them."""
    signs: Signs
    keyed: bool
    """Whether it reads and writes the keys of messages."""
    unread_keys: bool
    """Whether it writes the keys of messages, and does not read them."""
    described_writer: bool
    """Whether its encoder takes table descriptions."""
    gathered: bool
    """Whether a message may have several rows although long rows are cut down."""
    items: PlannedItems | None
    """How items of a value are compressed; None: only the value as a whole."""
    sorted: tuple[str, ...]
    """The producers that write columns in the order of their names."""
    described: bool
    """Whether rows are read with table descriptions from other messages."""
    described_by: str | None
    """The event field with the version of the description."""
    unnamed: str | None
    """The option that names the table of rows without a table name."""
    modes: tuple[str, ...]
    """The options about how values are written, where messages do not say."""
    describing: tuple[str, ...]
    """The members of messages that describe tables."""
    listed_by_id: tuple[str, ...]
    """The producers that list the columns of a table in the order of their ids."""
    exchanged: tuple[tuple[str, bool], ...]
    """By producer, whether a statement that exchanges a partition is named after the table that receives it."""
    classed: Mapping[str, Mapping[int, str]]
    """By producer, the codes of the DDL types that it puts in another class than other producers do."""
    checked: bool
    """Whether checksums of rows can be verified and computed."""
    checksum_options: tuple[str, ...]
    """The options that write checksums."""
    zoned: bool
    """Whether messages carry the time zone of the local times in checksums."""
    records: PlannedRecords | None
    """The record encoding; None: there is none."""
    registry: PlannedRegistry | None
    """Facts about records with schemas in a registry; None: there are no such records."""
    deletes_by_key: bool
    """Whether a message without a value deletes the row that its key identifies."""
    writes: bool = True
    """Whether there is an encoder."""
    dissects: bool = True
    """Whether there is a dissector."""

    @property
    def codec(self) -> str:
        """The class with the functions of the module."""
        if self.registry is not None:
            return "RegisteredCodec"
        return "DescribedCodec" if self.described else "Codec"

    @property
    def excused(self) -> tuple[PlannedDefect, ...]:
        """The defects that recordings show."""
        return tuple(one for one in self.defects if one.seen)

    @property
    def unseen(self) -> tuple[PlannedDefect, ...]:
        """The defects that show only in constructed events."""
        return tuple(one for one in self.defects if not one.seen)

    @property
    def shared_options(self) -> tuple[SharedOption, ...]:
        """The options that every protocol of its like has."""
        found = {
            SharedOption("INVALID_TEXT", "str"): True,
            SharedOption("CLAIM_CHECK", "str"): self.claims,
            SharedOption("COLUMN_TYPES", "str"): self.column_types,
            SharedOption("MAX_UNPACKED_BYTES", "int"): self.packed,
            SharedOption("VERIFY_CHECKSUM", "bool"): self.checked,
            SharedOption("COMPUTE_CHECKSUM", "bool", self.checksum_options): self.checked,
            SharedOption("TIME_ZONE", "str"): self.checked and not self.zoned,
            **{SharedOption(name, "str"): self.registry is not None for name in REGISTRY_OPTIONS},
        }
        return tuple(one for one, there in found.items() if there)

    @property
    def option_names(self) -> tuple[str, ...]:
        """The names that the module imports from `tidewire.messages.options`."""
        kept = ("KeptColumns",) if any(one.keeps for one in self.options) else ()
        return (*sorted(one.constant for one in self.shared_options), "CodecOptions", *kept, "option")

    @property
    def fact_classes(self) -> tuple[str, ...]:
        """The names that the module imports from `tidewire.messages.protocol_facts`."""
        found = {
            "Defect": bool(self.defects),
            "ProtocolFacts": True,
            "EncodedRecords": self.records is not None,
            "Large": self.large is not None,
            "Lost": bool(self.losses),
            "Random": bool(self.random or (self.records is not None and self.records.random)),
        }
        return tuple(name for name, used in found.items() if used)

    @property
    def claims(self) -> bool:
        """Whether messages can be claim checks, which point to files."""
        return self.large is not None and self.large.store_name is not None

    @property
    def packed(self) -> bool:
        """Whether messages can be compressed or claim checks."""
        return self.compression is not None or self.large is not None


@dataclass(frozen=True)
class WireFacts:
    """What the plan of a protocol's facade needs to know about its codec."""

    text: bool
    signs: Signs
    terminator: str | None = None
    """The option with the text after the objects of a value."""
    column_types: bool = False
    contrasts: tuple[PlannedContrast, ...] = ()
    """What producers write differently for an absent value."""
    random: tuple[PlannedRandom, ...] = ()
    keyed: bool = False
    """Whether keys carry information that is read."""
    unread_keys: bool = False
    """Whether keys repeat what values say; they are written and not read."""
    described_writer: bool = False
    """Whether an encoder writes facts about columns from table descriptions."""
    gathered: bool = False
    """Whether a message may have several rows although long rows are cut down."""
    items: PlannedItems | None = None
    """How items of a value are compressed; None: only the value as a whole."""
    sorted: tuple[str, ...] = ()
    """The producers that write columns in the order of their names."""
    described: bool = False
    """Whether rows are read with table descriptions from other messages."""
    described_by: str | None = None
    """The event field with the version of the description."""
    unnamed: str | None = None
    """The option that names the table of rows without a table name."""
    describing: tuple[str, ...] = ()
    """The members of messages that describe tables."""
    listed_by_id: tuple[str, ...] = ()
    """The producers that list the columns of a table in the order of their ids."""
    checksum_options: tuple[str, ...] = ()
    """The options that write row checksums."""
    shows: Mapping[str, str] = field(default_factory=dict)
    """By option, the row image that messages of some kind of events have only with it."""
    classed: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    """By producer, the codes of the DDL types that it puts in another class than other producers do."""
    records: PlannedRecords | None = None
    """The second encoding, in Avro records, of a protocol whose messages are JSON objects."""
    registry: PlannedRegistry | None = None
    """Facts about records with schemas in a registry."""
    deletes_by_key: bool = False
    """Whether a message without a value deletes the row that its key identifies."""
    images: Mapping[str, str] = field(default_factory=dict)
    """The members of an event's row images, for the kind with most images, if rows are objects by column name."""


def _nameless(image: str, members: Mapping[str, str]) -> tuple[str, str] | None:
    other = next((one for name, one in members.items() if name != image), None)
    return None if image not in members or other is None else (members[image], other)


def facade_plan(spec: Spec, protocol: Protocol, meaning: Meaning, wire: WireFacts) -> FacadePlan:
    """The plan of a protocol's facade."""
    terminator = None if wire.terminator is None else str(wire.terminator)
    registry = None if wire.registry is None else wire.registry.option
    shows = {str(option): image for option, image in wire.shows.items()}
    own = [
        planned_option(spec, one, shows.get(str(one.name), ""), one.name == terminator, str(one.name) == registry)
        for one in protocol.options.values()
    ]
    options = (*own, producer_option(protocol))
    around = options_around(protocol)
    ignored = {str(one.name) for one in protocol.options.values() if one.ignored}
    return FacadePlan(
        source=protocol.file,
        name=protocol.name,
        module=module_name(protocol.name),
        title=protocol.title,
        about=protocol.about,
        sources=tuple(protocol.sources.items()),
        text=wire.text,
        producers=tuple(protocol.producers),
        kinds=meaning.kinds(spec),
        carries=meaning.fields(spec),
        carried_flags=_flags(spec, meaning),
        options=options,
        defects=tuple(
            PlannedDefect(
                one.name,
                tuple(str(name) for name in one.producers),
                tuple(spec.mysql_types.types[name].code for name in one.types),
                0 if one.overwritten is None else one.overwritten.keeps,
                () if one.overwritten is None else tuple(map(str, one.overwritten.by)),
                None if one.nameless is None else _nameless(one.nameless, wire.images),
                one.refused,
                one.respelled,
                one.lost,
                tuple(kind.name for kind in spec.events.kinds.values() if kind.cls in one.first_schema),
                one.about,
            )
            for one in protocol.defects.values()
        ),
        losses=tuple(
            PlannedLoss(one.name, tuple(spec.mysql_types.types[name].code for name in one.types), one.nulls, one.about)
            for one in protocol.losses.values()
        ),
        contrasts=(*_contrasts(protocol), *wire.contrasts),
        random=wire.random,
        wire_options=tuple(one for one in options if one.name not in around and one.name not in ignored),
        read_modes=tuple(map(python_name, protocol.read_modes)),
        terminator=None if terminator is None else python_name(terminator),
        terminator_name=terminator,
        compression=next((one for one in own if one.name == protocol.compression), None),
        large=None if protocol.large is None else _large(spec, protocol.large),
        column_types=wire.column_types,
        signs=wire.signs,
        keyed=wire.keyed,
        unread_keys=wire.unread_keys,
        described_writer=wire.described_writer,
        gathered=wire.gathered,
        items=wire.items,
        sorted=wire.sorted,
        described=wire.described,
        described_by=wire.described_by,
        unnamed=wire.unnamed,
        modes=protocol.modes,
        describing=wire.describing,
        listed_by_id=wire.listed_by_id,
        exchanged=tuple((str(who), name == OTHER_TABLE) for who, name in protocol.exchanged.items()),
        classed=wire.classed,
        checked=wire.described and _checked(spec, meaning),
        checksum_options=wire.checksum_options,
        zoned=str(spec.events.meaning(TIME_ZONE)) in meaning.fields(spec),
        records=wire.records,
        registry=wire.registry,
        deletes_by_key=wire.deletes_by_key,
    )


def _checked(spec: Spec, meaning: Meaning) -> bool:
    """Whether messages carry all that is needed to verify row checksums."""
    there = all(spec.events.meaning(role) is not None for role in (*CHECKING, PARTIAL, LOCATION))
    return there and str(spec.events.meaning(CHECKSUM)) in meaning.fields(spec)


OTHER_TABLE = "other"
"""The word for the table with which a partition is exchanged."""
ALL_FLAGS = -1
"""All flags, as bits."""


def _flags(spec: Spec, meaning: Meaning) -> int:
    """The flags that are carried for every column, as bits."""
    if meaning.flags is None:
        return ALL_FLAGS
    return sum(spec.mysql_types.flags[flag].bit for flag in set(meaning.flags))


def _contrasts(protocol: Protocol) -> Iterator[PlannedContrast]:
    """What producers do differently, in sentences of the spec."""
    for one in protocol.differences.values():
        yield PlannedContrast(str(one.name), tuple((str(name), text) for name, text in one.says.items()))


def _large(spec: Spec, large: Large) -> PlannedLarge:
    stores = [way for way in large.ways.values() if way.store is not None]
    store = None if not stores else stores[0].store
    raw = None if not stores else stores[0].raw
    return PlannedLarge(
        option_name=str(large.option),
        bytes_name=str(large.bytes),
        overhead=large.overhead,
        refuses=tuple(spec.events.kinds[name].code for name in large.kinds),
        ways=tuple(
            PlannedWay(
                str(choice),
                spec.mysql_types.flags[way.keep].bit,
                str(way.mark),
                way.store is not None,
                tuple(map(str, way.also)),
            )
            for choice, way in large.ways.items()
        ),
        store_name=None if store is None else str(store),
        raw_name=None if raw is None else str(raw),
    )
