"""The parts of every protocol's module: its facts, and its decoder and encoder with everything around messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import pyarrow as pa

from tidewire.runtime.arguments import check_options
from tidewire.runtime.batch.event_columns import EventColumns
from tidewire.runtime.batch.exchanged import named_after_exchange
from tidewire.runtime.batch.partial_rows import refuse_parts
from tidewire.runtime.checksums.checking import Plans
from tidewire.runtime.checksums.computing import ChecksumComputer
from tidewire.runtime.checksums.verifying import VerifyingDecoder
from tidewire.runtime.codec import recognized
from tidewire.runtime.delivery.claims import ClaimFiles
from tidewire.runtime.delivery.compression import NONE
from tidewire.runtime.delivery.items import Packing
from tidewire.runtime.delivery.message_reader import MessageReader
from tidewire.runtime.delivery.message_writer import Limit, MessageWriter, Prepared, Store
from tidewire.runtime.detecting.modes import advised
from tidewire.runtime.errors import ArgumentError
from tidewire.runtime.in_use import InUseError, one_at_a_time
from tidewire.runtime.options import CLAIM_CHECK, COMPUTE_CHECKSUM, TIME_ZONE, VERIFY_CHECKSUM, CodecOptions
from tidewire.runtime.protocol_facts import ProtocolFacts
from tidewire.runtime.shortened import shown

if TYPE_CHECKING:
    from tidewire.runtime.tables.store import DescribedTables

OptionsT = TypeVar("OptionsT", bound=CodecOptions)


class FacadeDecoder(Generic[OptionsT]):
    """Messages to columns.

    Args:
        options: of the protocol.
        others: gives the modules of the other protocols.
        tables: the descriptions of tables that are known; None where the protocol needs none.

    Attributes:
        FACTS: what the protocol is.
        options: of the protocol.
        in_use: whether a call uses it now; another one is refused.
        files: where messages lie that were too long to send; None: what points to them stays as it is.
        reusable: whether it holds nothing but what it learned.
        unverified: why checksums of rows could not be verified, and of how many rows; empty without verify-checksum.
    """

    FACTS: ClassVar[ProtocolFacts]
    called = "decoder"

    def __init__(
        self,
        options: OptionsT,
        others: Callable[[], Iterable[ModuleType]],
        tables: DescribedTables[Any] | None = None,
    ) -> None:
        check_options(options, self.FACTS.name)
        self.in_use = False  # not of the class: Python finds what only the object has several times faster
        self.options = options
        self._others = others
        facts = self.FACTS
        wire = self._wire()
        packing = _packing(facts, self.options)
        self.files: ClaimFiles | None = None
        if facts.store is not None and self.options.value(CLAIM_CHECK.name):
            self.files = _files(facts, self.options, CLAIM_CHECK.name)
        self.reusable = self.files is None and packing.name == NONE
        self.unverified: Mapping[str, int] = {}
        if facts.checked and tables is not None and self.options.value(VERIFY_CHECKSUM.name):
            wire = VerifyingDecoder(facts.name, wire, _plans(facts, self.options, tables), self.files is None)
            self.unverified = wire.unverified
        self._reader: MessageReader | None = None
        self._decode: Callable[..., EventColumns] = wire.decode
        self._takes_keys = facts.keyed or facts.packed
        if not facts.packed:
            return
        self._reader = MessageReader(
            facts.name,
            wire,
            facts.roles,
            packing,
            facts.compression or "",
            files=self.files,
            most=self.options.value("max-unpacked-bytes"),
            keyed=facts.keyed,
        )
        self._decode = self._reader.decode

    def _wire(self) -> Any:
        """The decoder of the protocol's messages as such, with these options."""
        raise NotImplementedError

    def decode(self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None], keys: object = None) -> EventColumns:
        """A batch of messages as columns; messages that cannot be decoded are in its `errors` and cost the others
        nothing. Where none can be, the errors say which protocol they look like.

        Args:
            values: the messages' values, a binary array or a sequence of bytes; of a null, which is no empty
                message, there are no events: it is among the `tombstones`.
            keys: the messages' keys, one for each value. Where keys say something of the events, a message with a
                value and without a key is an error; otherwise they are not used.

        Raises:
            ArgumentError: these are no messages, or there are not as many keys as values.
            InUseError: another call uses the decoder.
        """
        if self.in_use:
            raise InUseError(self.called)
        self.in_use = True
        try:
            decode = self._decode  # an attribute that is called is looked for among methods first, which takes longer
            columns = decode(values, keys) if self._takes_keys else decode(values)
        finally:
            self.in_use = False
        return self._explained(columns, values, keys) if columns.errors else columns

    def _explained(self, columns: EventColumns, values: Any, keys: object) -> EventColumns:
        """What was decoded; where that is nothing, the errors say which other protocol the messages look like, or which
        other encoding. Errors of values say with which mode they can be read.
        """
        registered = self.FACTS.registry is not None
        found = recognized(columns, values, keys, self._others, self._encoded_otherwise, registered)
        return advised(found, values, keys, self) if self.FACTS.modes else found

    def with_options(self, options: OptionsT) -> Self:
        """A decoder with other options that knows the same."""
        return type(self)(options, **{one: getattr(self, one) for one in ("tables", "schemas") if hasattr(self, one)})

    def _encoded_otherwise(self, value: bytes) -> str | None:
        """What a message looks like that is encoded in another way than the options say; None: it is not."""
        records = self.FACTS.records
        if records is None:
            return None
        wanted = self.options.value(records.option) == records.choice
        if wanted == self.FACTS.are_records(value) or (wanted and not value.startswith(b"{")):
            return None
        text = f"{self.FACTS.name} with another {records.option}"
        return text if wanted else f"{self.FACTS.name} with {records.option}={records.choice}"

    @one_at_a_time
    def attempt(self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None], keys: object = None) -> EventColumns:
        """The same without a look at other protocols, where no message can be decoded."""
        return self._decode(values, keys) if self._takes_keys else self._decode(values)

    def parts(
        self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None], keys: object = None
    ) -> Iterator[EventColumns]:
        """The same in parts, numbered through: for batches that may become more than is wanted in memory at once. Where
        messages are compressed or lie in files, each part may become `max_unpacked_bytes`.
        """
        if self._reader is None:
            yield self.decode(values, keys)
            return
        parts = self._reader.parts(values, keys, self._explained)
        while (part := self._next(parts)) is not None:
            yield part

    @one_at_a_time
    def _next(self, parts: Iterator[EventColumns]) -> EventColumns | None:
        return next(parts, None)


class FacadeEncoder(Generic[OptionsT]):
    """Columns to messages.

    Args:
        options: of the protocol.
        store: where messages are kept that are too long to send; else files, where the options say.
        tables: the descriptions of tables that are known; it gets those that events have. None where the protocol needs
            none.

    Attributes:
        FACTS: what the protocol is.
        options: of the protocol.
    """

    FACTS: ClassVar[ProtocolFacts]
    called = "encoder"

    def __init__(
        self, options: OptionsT, store: Store | None = None, tables: DescribedTables[Any] | None = None
    ) -> None:
        check_options(options, self.FACTS.name)
        self.in_use = False  # not of the class: Python finds what only the object has several times faster
        self.options = options
        facts = self.FACTS
        self._checksums: ChecksumComputer | None = None
        self._exchanged: bool | None = facts.exchanged.get(self.options.value("producer"))
        if facts.checked and tables is not None and self.options.value(COMPUTE_CHECKSUM.name):
            self._checksums = ChecksumComputer(facts.name, _plans(facts, self.options, tables))
        packing = _packing(facts, self.options)
        wire = self._wire()
        self._store = store or _own_store(facts, self.options)
        self._written_by = wire
        self._writer = MessageWriter(
            facts.name,
            wire.write,
            Packing() if facts.item_prefix else packing,
            limit=_limit(facts, self.options),
            store=self._store,
            alone=partial(wire.write, alone=True) if facts.large is not None and facts.large.gathered else None,
        )

    def _wire(self) -> Any:
        """The encoder of the protocol's messages as such, with these options."""
        raise NotImplementedError

    @property
    def reusable(self) -> bool:
        """Whether it holds nothing but caches."""
        return self._store is None and self._checksums is None and not self._written_by.has_past

    def _compressor(self) -> Callable[[bytes], bytes] | None:
        """What is done with each item, where items are compressed; None: they are not."""
        return _packing(self.FACTS, self.options).compressor()

    @one_at_a_time
    def encode(self, columns: EventColumns) -> pa.RecordBatch:
        """Events as messages, in their order: columns key and value (binary), first_event and events (int64).

        Raises:
            EncodeError: the protocol cannot carry an event, or its message is too long.
        """
        return self._writer.encode(self._ready(columns))

    @one_at_a_time
    def check(self, columns: EventColumns) -> None:
        """Raises what `encode` would raise, and leaves nothing behind."""
        self._writer.prepare(self._ready(columns))

    @one_at_a_time
    def prepare(self, columns: EventColumns) -> Prepared:
        """The same as `encode`, where what is kept in the store is written later, by `keep` of what this gives.

        Raises:
            EncodeError: as above.
        """
        return self._writer.prepare(self._ready(columns))

    def messages(self, columns: EventColumns) -> list[tuple[bytes | None, bytes | None, int, int]]:
        """The same as a list, which costs less for a few: key, value, first event and number of events of each."""
        if self.in_use:
            raise InUseError(self.called)
        self.in_use = True
        try:
            return self._writer.messages(self._ready(columns))
        finally:
            self.in_use = False

    def _ready(self, columns: EventColumns) -> EventColumns:
        """The events as they are written: whole rows, with checksums where the options say so, and statements under
        the names of the tables that the producer takes.

        Raises:
            EncodeError: a row is not whole, or its checksum cannot be computed.
            ArgumentError: these are no columns of events.
        """
        if not isinstance(columns, EventColumns):
            raise ArgumentError(f"columns of events are expected, as decode_batch gives them, not {shown(columns)}")
        refuse_parts(self.FACTS.name, columns)
        if self._exchanged is not None:
            columns = named_after_exchange(columns, self.FACTS.roles, self._exchanged)
        return columns if self._checksums is None else self._checksums.compute(columns)


def _plans(facts: ProtocolFacts, options: CodecOptions, tables: DescribedTables[Any]) -> Plans:
    """How the checksums of rows are made."""
    assert facts.described_by is not None, "what checksums are verified by includes the version of the description"
    by_id = options.value("producer") in facts.listed_by_id
    if facts.told is not None:
        by_id = options.value("producer") not in facts.told.unsent  # others follow the table in all
    zone = getattr(options, TIME_ZONE.python_name, None)
    return Plans(tables, by_id, facts.described_by, facts.roles, facts.told is not None, zone)


def _packing(facts: ProtocolFacts, options: CodecOptions) -> Packing:
    """How values are compressed."""
    if facts.compression is None:
        return Packing()
    return Packing(options.value(facts.compression), facts.item_prefix, facts.packed_keys)


def _files(facts: ProtocolFacts, options: CodecOptions, option: str) -> ClaimFiles:
    """The files of messages that were too long, where an option says."""
    raw = None if facts.large is None else facts.large.raw
    return ClaimFiles(facts.name, option, options.value(option), raw is not None and options.value(raw))


def _own_store(facts: ProtocolFacts, options: CodecOptions) -> ClaimFiles | None:
    """Where messages are kept that are too long, when the options say that they are."""
    if facts.large is None or facts.large.store is None:
        return None
    way = facts.large.ways.get(options.value(facts.large.option))
    return _files(facts, options, facts.large.store) if way is not None and way.stored else None


def _limit(facts: ProtocolFacts, options: CodecOptions) -> Limit | None:
    """How long the message of a row may be."""
    if facts.large is None or (facts.terminator is not None and options.value(facts.terminator)):
        return None  # a file of rows has no greatest length
    large = facts.large
    chosen = options.value(large.option)
    return Limit(options.value(large.bytes), large.overhead, large.option, chosen, large.ways, large.refuses)
