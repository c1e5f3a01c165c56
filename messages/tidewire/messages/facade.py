"""Base classes of every protocol's decoder and encoder: validation, compression, claim check, checksums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import pyarrow as pa

from tidewire.messages.arguments import check_options
from tidewire.messages.checksums.checking import Plans
from tidewire.messages.checksums.computing import ChecksumComputer
from tidewire.messages.checksums.verifying import VerifyingDecoder
from tidewire.messages.codec import recognized
from tidewire.messages.delivery.claims import ClaimFiles
from tidewire.messages.delivery.compression import NONE
from tidewire.messages.delivery.items import Packing
from tidewire.messages.delivery.message_reader import MessageReader
from tidewire.messages.delivery.message_writer import Limit, MessageWriter, Prepared, Store
from tidewire.messages.detecting.modes import advised
from tidewire.messages.exchanged import named_after_exchange
from tidewire.messages.in_use import InUseError, one_at_a_time
from tidewire.messages.options import CLAIM_CHECK, COMPUTE_CHECKSUM, TIME_ZONE, VERIFY_CHECKSUM, CodecOptions
from tidewire.messages.protocol_facts import ProtocolFacts
from tidewire.runtime.batch.event_columns import EventColumns
from tidewire.runtime.batch.partial_rows import refuse_parts
from tidewire.runtime.errors import ArgumentError
from tidewire.runtime.shortened import shown

if TYPE_CHECKING:
    from tidewire.runtime.tables.store import DescribedTables

OptionsT = TypeVar("OptionsT", bound=CodecOptions)


class FacadeDecoder(Generic[OptionsT]):
    """Decodes messages into columns.

    Args:
        options: the protocol's options.
        others: returns an iterator over the modules of the other protocols.
        tables: known table descriptions; None if the protocol needs none.

    Attributes:
        FACTS: facts about the protocol.
        options: the protocol's options.
        in_use: whether a call is running; concurrent calls are refused.
        files: where to fetch messages that were too long to send; None: events that point to a file stay as they are.
        reusable: whether the decoder holds no state besides what it learned from messages.
        unverified: why checksums of rows could not be verified, and for how many rows; empty without verify-checksum.
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
        self.in_use = False  # not a class attribute: instance attributes are looked up faster
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
        """The decoder generated for the protocol, which reads uncompressed messages, with these options."""
        raise NotImplementedError

    def decode(self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None], keys: object = None) -> EventColumns:
        """Decodes a batch of messages. Messages that cannot be decoded are reported in `errors` and do not affect the
        others. If none can be decoded, the errors name the protocol that the messages look like.

        Args:
            values: the messages' values, a binary array or a sequence of bytes. A null value (not an empty one) has no
                events and is reported in `tombstones`.
            keys: the messages' keys, one for each value. For protocols whose keys carry data about events, a message
                with a value and without a key is an error; for others keys are ignored.

        Raises:
            ArgumentError: the values are not messages, or there are not as many keys as values.
            InUseError: another call is using the decoder.
        """
        if self.in_use:
            raise InUseError(self.called)
        self.in_use = True
        try:
            decode = self._decode  # a callable attribute is looked up among methods first, which takes longer
            columns = decode(values, keys) if self._takes_keys else decode(values)
        finally:
            self.in_use = False
        return self._explained(columns, values, keys) if columns.errors else columns

    def _explained(self, columns: EventColumns, values: Any, keys: object) -> EventColumns:
        """Returns the columns. If no message was decoded, their errors name the protocol or encoding that the messages
        look like; errors about values name the mode that can read them.
        """
        registry = self.FACTS.registry
        registered = None if registry is None else {registry: str(self.options.value(registry) or "")}
        found = recognized(columns, values, keys, self._others, self._encoded_otherwise, registered)
        return advised(found, values, keys, self) if self.FACTS.modes else found

    def with_options(self, options: OptionsT) -> Self:
        """A decoder with other options and the same table descriptions."""
        return type(self)(options, **{one: getattr(self, one) for one in ("tables", "schemas") if hasattr(self, one)})

    def _encoded_otherwise(self, value: bytes) -> str | None:
        """The encoding a message seems to have if it differs from the one in the options; None: no difference was
        found.
        """
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
        """`decode` without checking other protocols if no message can be decoded."""
        return self._decode(values, keys) if self._takes_keys else self._decode(values)

    def parts(
        self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None], keys: object = None
    ) -> Iterator[EventColumns]:
        """`decode` in parts, with message numbers that continue from part to part; limits memory for large batches.
        Each part of compressed messages, or of messages stored in files, may take up to `max_unpacked_bytes`.
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
    """Encodes columns as messages.

    Args:
        options: the protocol's options.
        store: where to store messages that are too long to send; default: files, if the options say so.
        tables: known table descriptions; descriptions in events are added to it. None if the protocol needs none.

    Raises:
        UnsupportedError: the protocol has no encoder.

    Attributes:
        FACTS: facts about the protocol.
        options: the protocol's options.
    """

    FACTS: ClassVar[ProtocolFacts]
    called = "encoder"

    def __init__(
        self, options: OptionsT, store: Store | None = None, tables: DescribedTables[Any] | None = None
    ) -> None:
        check_options(options, self.FACTS.name)
        self.in_use = False  # not a class attribute: instance attributes are looked up faster
        self.options = options
        facts = self.FACTS
        facts.needs_encoder()
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
        """The encoder generated for the protocol, which writes uncompressed messages, with these options."""
        raise NotImplementedError

    @property
    def reusable(self) -> bool:
        """Whether the encoder holds no state besides caches."""
        return self._store is None and self._checksums is None and not self._written_by.has_past

    def _compressor(self) -> Callable[[bytes], bytes] | None:
        """The function that compresses an item; None if items are not compressed."""
        return _packing(self.FACTS, self.options).compressor()

    @one_at_a_time
    def encode(self, columns: EventColumns) -> pa.RecordBatch:
        """Encodes events in their order. Columns of the result: key and value (binary), first_event and events (int64).

        Raises:
            EncodeError: the protocol cannot carry an event, or a message is too long.
        """
        return self._writer.encode(self._ready(columns))

    @one_at_a_time
    def check(self, columns: EventColumns) -> None:
        """Raises the errors of `encode` without storing anything."""
        self._writer.prepare(self._ready(columns))

    @one_at_a_time
    def prepare(self, columns: EventColumns) -> Prepared:
        """`encode`, except that messages for the store are written only when `keep` of the result is called.

        Raises:
            EncodeError: as `encode`.
        """
        return self._writer.prepare(self._ready(columns))

    def messages(self, columns: EventColumns) -> list[tuple[bytes | None, bytes | None, int, int]]:
        """`encode` as a list, which is faster for a few events: key, value, first event and number of events per
        message.
        """
        if self.in_use:
            raise InUseError(self.called)
        self.in_use = True
        try:
            return self._writer.messages(self._ready(columns))
        finally:
            self.in_use = False

    def _ready(self, columns: EventColumns) -> EventColumns:
        """The events in the form to be encoded: row images complete, with checksums if the options say so, and each
        statement named after the table that the producer uses.

        Raises:
            EncodeError: a row image is incomplete, or its checksum cannot be computed.
            ArgumentError: the argument is not event columns.
        """
        if not isinstance(columns, EventColumns):
            raise ArgumentError(f"columns of events are expected, as decode_batch gives them, not {shown(columns)}")
        refuse_parts(self.FACTS.name, columns)
        if self._exchanged is not None:
            columns = named_after_exchange(columns, self.FACTS.roles, self._exchanged)
        return columns if self._checksums is None else self._checksums.compute(columns)


def _plans(facts: ProtocolFacts, options: CodecOptions, tables: DescribedTables[Any]) -> Plans:
    """How checksums of rows are computed."""
    assert facts.described_by is not None, "what checksums are verified by includes the version of the description"
    by_id = options.value("producer") in facts.listed_by_id
    if facts.told is not None:
        by_id = options.value("producer") not in facts.told.unsent  # others use the table's order
    zone = getattr(options, TIME_ZONE.python_name, None)
    return Plans(tables, by_id, facts.described_by, facts.roles, facts.told is not None, zone)


def _packing(facts: ProtocolFacts, options: CodecOptions) -> Packing:
    """How values are compressed."""
    if facts.compression is None:
        return Packing()
    return Packing(options.value(facts.compression), facts.item_prefix, facts.packed_keys)


def _files(facts: ProtocolFacts, options: CodecOptions, option: str) -> ClaimFiles:
    """The files of messages that were too long to send, if an option gives their location."""
    raw = None if facts.large is None else facts.large.raw
    return ClaimFiles(facts.name, option, options.value(option), raw is not None and options.value(raw))


def _own_store(facts: ProtocolFacts, options: CodecOptions) -> ClaimFiles | None:
    """The store for messages that are too long to send, if the options enable it."""
    if facts.large is None or facts.large.store is None:
        return None
    way = facts.large.ways.get(options.value(facts.large.option))
    return _files(facts, options, facts.large.store) if way is not None and way.stored else None


def _limit(facts: ProtocolFacts, options: CodecOptions) -> Limit | None:
    """The limit on the length of a row's message."""
    if facts.large is None or (facts.terminator is not None and options.value(facts.terminator)):
        return None  # a file of rows has no maximum length
    large = facts.large
    chosen = options.value(large.option)
    return Limit(options.value(large.bytes), large.overhead, large.option, chosen, large.ways, large.refuses)
