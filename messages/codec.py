"""The functions of every protocol's module over its decoder and encoder, and the message type."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import pyarrow as pa

from tidewire.messages import slow_mode
from tidewire.messages.arguments import check_key, check_keys, check_options, part_of_message
from tidewire.messages.codec_pool import MOST_EVENTS, CodecPool, Reusable, small
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.wire.spans import Span

if TYPE_CHECKING:
    from tidewire.messages.delivery.message_writer import Prepared
    from tidewire.runtime.batch import EventColumns

slow_mode.warn_once()

OptionsT = TypeVar("OptionsT")
EventT = TypeVar("EventT")
EventsT = TypeVar("EventsT", bound="EventSequence")


class Message(NamedTuple):
    """A Kafka message."""

    key: bytes | None
    value: bytes | None
    first_event: int
    """Index of its first event among the encoded events."""
    events: int
    """How many events it carries."""


message_of: Callable[[tuple[bytes | None, bytes | None, int, int]], Message] = partial(tuple.__new__, Message)
"""A message of these parts; `Message(*parts)` is a function in Python, and takes three times as long."""


class EventSequence(Protocol):
    """Events over columns."""

    def __init__(self, columns: EventColumns) -> None: ...

    @classmethod
    def columns_of(cls, events: Any) -> EventColumns:
        """The columns of events, which may be objects of any kind of event."""


class Decodes(Reusable, Protocol):
    """A protocol's decoder."""

    def decode(self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None], keys: object = None) -> EventColumns:
        """A batch of messages as columns."""


class Encodes(Reusable, Protocol):
    """A protocol's encoder."""

    def encode(self, columns: EventColumns) -> pa.RecordBatch:
        """Events as messages."""

    def prepare(self, columns: EventColumns) -> Prepared:
        """The messages, with claim-check files to be written later."""

    def messages(self, columns: EventColumns) -> list[tuple[bytes | None, bytes | None, int, int]]:
        """The messages as tuples of key, value, first event and number of events."""


class Codec(Generic[OptionsT, EventT, EventsT]):
    """The functions of a protocol's module. Each thread keeps the decoders and encoders of calls with few messages; a
    call with many makes its own.
    """

    def __init__(
        self,
        protocol: str,
        events: type[EventsT],
        decoder: Callable[[OptionsT | None], Decodes],
        encoder: Callable[[OptionsT | None], Encodes],
        dissector: Callable[..., list[Span]],
        keyed: bool = False,
    ) -> None:
        """
        Args:
            protocol: its name.
            events: the class of events over columns.
            decoder: makes one with options.
            encoder: likewise.
            dissector: takes a value, and its key where keys say something.
            keyed: whether they do.
        """
        self._protocol = protocol
        self._events = events
        self._decoder = decoder
        self._encoder = encoder
        self._decoders: CodecPool[OptionsT, Decodes] = CodecPool(decoder)
        self._encoders: CodecPool[OptionsT, Encodes] = CodecPool(encoder)
        self._dissector = dissector
        self._keyed = keyed

    def decode(self, value: bytes | None, key: bytes | None = None, options: OptionsT | None = None) -> EventsT:
        """The events of one message.

        Args:
            value: the Kafka value; of None, which is no empty value, there are no events.
            key: the Kafka key. Where the protocol uses it, a message cannot be read without.
            options: what becomes of invalid text.

        Raises:
            DecodeError: the message is malformed.
        """
        keys = None
        if key is not None:
            check_key(key)
            keys = [key]
        check_options(options, self._protocol)
        return self._one(self._columns([value], keys, options))

    def _one(self, columns: EventColumns) -> EventsT:
        """The events of one message.

        Raises:
            DecodeError: it is malformed.
        """
        if columns.errors:
            error = columns.errors[0]
            error.message = None
            raise error
        return self._events(columns)

    def decode_batch(
        self,
        values: pa.Array | pa.ChunkedArray | Sequence[bytes | None],
        keys: object = None,
        options: OptionsT | None = None,
    ) -> EventsT:
        """The events of many messages; those that are malformed are in `errors`, with their index, and cost the
        others nothing; those without a value (null) are in `tombstones`.
        """
        check_keys(keys)
        check_options(options, self._protocol)
        return self._events(self._columns(values, keys, options))

    def _columns(self, values: Any, keys: object, options: OptionsT | None) -> EventColumns:
        """The events of messages as columns; for few messages by a cached decoder."""
        if not small(values):
            return self._decoder(options).decode(values, keys)
        decoder = self._decoders.take(options)
        columns = decoder.decode(values, keys)
        self._keep(self._decoders, options, decoder)
        return columns

    def _keep(self, pool: CodecPool[OptionsT, Any], options: OptionsT | None, codec: Any) -> None:
        """Keeps a decoder or encoder for later calls."""
        pool.give(options, codec)

    def encode(self, events: Iterable[EventT] | EventsT, options: OptionsT | None = None) -> list[Message]:
        """Events as messages, gathered as the producer gathers them.

        Raises:
            EncodeError: the protocol cannot carry an event.
        """
        check_options(options, self._protocol)
        columns = self._laid(events)
        encoder = self._encoders.take(options)
        found = list(map(message_of, encoder.messages(columns)))
        if columns.num_events <= MOST_EVENTS and small([message.value for message in found]):
            self._keep(self._encoders, options, encoder)
        return found

    def _laid(self, events: Iterable[EventT] | EventsT) -> EventColumns:
        """The columns of events."""
        try:
            return self._events.columns_of(events)
        except EncodeError as error:
            raise EncodeError(self._protocol, error.event, error.column, error.reason) from None

    def encode_batch(self, columns: EventColumns, options: OptionsT | None = None) -> pa.RecordBatch:
        """Events as messages: columns key and value (binary), first_event and events (int64).

        Raises:
            EncodeError: the protocol cannot carry an event.
        """
        check_options(options, self._protocol)
        return self._encoder(options).encode(columns)

    def dissect(self, value: bytes | None, key: bytes | None = None) -> list[Span]:
        """Every field of a message with the bytes it takes up, in the order of the bytes.

        Of a malformed message the fields before the trouble; the last span then says what is wrong. Where keys say
        something of the events, the spans of the key are first; each says whether it is of the key or the value.

        Args:
            value: the Kafka value.
            key: the Kafka key, for protocols that use it.
        """
        check_key(key)
        value, key = part_of_message(value), part_of_message(key)
        if value is None:
            return []
        return self._dissector(value, key) if self._keyed else self._dissector(value)


class DescribedCodec(Codec[OptionsT, EventT, EventsT]):
    """`Codec` for a protocol whose rows are read with table descriptions from other messages.

    A call uses the descriptions in its own messages, and those passed to it.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._kept = threading.local()

    def decode(
        self, value: bytes | None, key: bytes | None = None, options: OptionsT | None = None, tables: Any = None
    ) -> EventsT:
        """The events of one message.

        Args:
            value: the Kafka value; of None, which is no empty value, there are no events.
            key: the Kafka key.
            options: what becomes of invalid text.
            tables: the descriptions of tables that are known (`tidewire.tables.TableStore`); it gets those that the
                message has.

        Raises:
            MissingTableError: the message is a row of a table that nothing known describes.
            DecodeError: the message is malformed.
        """
        keys = None
        if key is not None:
            check_key(key)
            keys = [key]
        check_options(options, self._protocol)
        return self._one(self._described([value], keys, options, {"tables": tables}))

    def decode_batch(
        self,
        values: pa.Array | pa.ChunkedArray | Sequence[bytes | None],
        keys: object = None,
        options: OptionsT | None = None,
        tables: Any = None,
    ) -> EventsT:
        """The events of many messages; those that are malformed, or rows of tables that nothing known describes, are
        in `errors`, with their index, and cost the others nothing; those without a value (null) are in `tombstones`.

        Args:
            values: the Kafka values.
            keys: their keys.
            options: what becomes of invalid text.
            tables: the descriptions of tables that are known, as above.
        """
        check_keys(keys)
        check_options(options, self._protocol)
        return self._events(self._described(values, keys, options, {"tables": tables}))

    def encode(
        self, events: Iterable[EventT] | EventsT, options: OptionsT | None = None, tables: Any = None
    ) -> list[Message]:
        """Events as messages, gathered as the producer gathers them.

        Args:
            events: which ones.
            options: how they are written.
            tables: the descriptions of tables that are known, which checksums of rows are computed by; it gets those
                that the events have.

        Raises:
            EncodeError: the protocol cannot carry an event.
        """
        if tables is None:
            return super().encode(events, options)
        return self._encoded(events, options, {"tables": tables})

    def _encoded(self, events: Any, options: OptionsT | None, given: dict[str, Any]) -> list[Message]:
        """Events as messages, by an encoder that is given something; of calls with few events that are given the same,
        each thread keeps the encoder of the last.
        """
        check_options(options, self._protocol)
        columns = self._laid(events)
        make: Any = self._encoder
        if columns.num_events > MOST_EVENTS:
            return list(map(message_of, make(options, **given).messages(columns)))
        own = tuple(given.values())
        encoder = self._kept_last("encoder", options, own) or make(options, **given)
        found = list(map(message_of, encoder.messages(columns)))
        if small([message.value for message in found]):
            self._keep_last("encoder", options, own, encoder)
        return found

    def _kept_last(self, name: str, options: OptionsT | None, own: tuple[Any, ...]) -> Any:
        """What was used last and is kept by this name, if it was made with these options and given the same; None
        otherwise. Nobody else uses it meanwhile, nor after an error.
        """
        kept = getattr(self._kept, name, None)
        setattr(self._kept, name, None)
        if kept is None or not (kept[0] is options or kept[0] == options):
            return None
        return kept[2] if all(one is other for one, other in zip(kept[1], own, strict=True)) else None

    def _keep_last(self, name: str, options: OptionsT | None, own: tuple[Any, ...], codec: Any) -> None:
        """Keeps what was used, unless it has learned what a table is, and not from the store that it was given."""
        if codec.reusable and (not codec.tables or any(codec.tables is one for one in own)):
            setattr(self._kept, name, (options, own, codec))

    def encode_batch(
        self, columns: EventColumns, options: OptionsT | None = None, tables: Any = None
    ) -> pa.RecordBatch:
        """Events as messages: columns key and value (binary), first_event and events (int64).

        Args:
            options: how they are written.
            tables: the descriptions of tables that are known, as above.

        Raises:
            EncodeError: the protocol cannot carry an event.
        """
        check_options(options, self._protocol)
        encoder: Any = self._encoder
        return encoder(options, tables=tables).encode(columns)

    def dissect(self, value: bytes | None, key: bytes | None = None, tables: Any = None) -> list[Span]:
        """Every field of a message with the bytes it takes up, in the order of the bytes; the values of a row whose
        table is described with the types that it declares.

        Args:
            value: the Kafka value.
            key: the Kafka key.
            tables: the descriptions of tables that are known; it gets that which the message has.
        """
        check_key(key)
        value, key = part_of_message(value), part_of_message(key)
        if value is None:
            return []
        return self._dissector(value, key, tables) if self._keyed else self._dissector(value, tables)

    def _keep(self, pool: CodecPool[OptionsT, Any], options: OptionsT | None, codec: Any) -> None:
        """The same, but of one that has learned what a table is, by which messages of other calls would be read."""
        if not codec.tables:
            super()._keep(pool, options, codec)

    def _described(
        self, values: Any, keys: object, options: OptionsT | None, given: dict[str, Any]
    ) -> EventColumns:
        """The events of messages as columns; of calls with few messages that are given the same, each thread keeps the
        decoder of the last.
        """
        make: Any = self._decoder
        own = tuple(given.values())
        if all(one is None for one in own):
            return self._columns(values, keys, options)
        if not small(values):
            return make(options, **given).decode(values, keys)  # type: ignore[no-any-return]
        decoder = self._kept_last("decoder", options, own) or make(options, **given)
        columns: EventColumns = decoder.decode(values, keys)
        self._keep_last("decoder", options, own, decoder)
        return columns


def recognized(
    columns: EventColumns,
    values: pa.Array | pa.ChunkedArray | Sequence[bytes | None],
    keys: object,
    others: Callable[[], Iterable[ModuleType]],
    otherwise: Callable[[bytes], str | None],
    registered: bool,
) -> EventColumns:
    """What was decoded; where that is nothing, the errors say which other protocol the messages look like, or which
    other encoding.

    Args:
        columns: what came of the messages.
        values: the messages.
        keys: their keys.
        others: gives the modules of the other protocols.
        otherwise: says of a message what it looks like when it is encoded in another way than was asked for.
        registered: whether messages have the ids of schemas before them.
    """
    from tidewire.messages.detecting.foreign_messages import explained

    return explained(columns, values, keys, others, otherwise, registered)
