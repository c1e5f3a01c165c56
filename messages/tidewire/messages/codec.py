"""The functions of every protocol's module over its decoder and encoder, and the message type."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import pyarrow as pa

from tidewire.messages import slow_mode
from tidewire.messages.arguments import check_key, check_keys, check_options, part_of_message
from tidewire.messages.codec_pool import MOST_EVENTS, CodecPool, Reusable, small
from tidewire.messages.protocol_facts import UnsupportedError
from tidewire.runtime.dissecting.spans import Span
from tidewire.runtime.errors import EncodeError

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
        """The columns of events given as objects, of any kinds."""


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


def no_dissector(protocol: str, *_given: object) -> list[Span]:
    """Takes the place of a dissector that a protocol does not have.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError(f"{protocol}: no message of this protocol is shown field by field: it has no dissector")


class Codec(Generic[OptionsT, EventT, EventsT]):
    """The functions of a protocol's module. Each thread caches decoders and encoders for calls with few messages; calls
    with many create their own.
    """

    def __init__(
        self,
        protocol: str,
        events: type[EventsT],
        decoder: Callable[[OptionsT | None], Decodes],
        encoder: Callable[[OptionsT | None], Encodes],
        dissector: Callable[..., list[Span]] | None,
        keyed: bool = False,
    ) -> None:
        """Args:
            protocol: name of the protocol.
            events: class of the events over columns.
            decoder: creates a decoder with options.
            encoder: creates an encoder with options.
            dissector: takes a value, and its key if keys carry data; None: there is none.
            keyed: whether keys carry data.
        """
        self._protocol = protocol
        self._events = events
        self._decoder = decoder
        self._encoder = encoder
        self._decoders: CodecPool[OptionsT, Decodes] = CodecPool(decoder)
        self._encoders: CodecPool[OptionsT, Encodes] = CodecPool(encoder)
        self._dissector = partial(no_dissector, protocol) if dissector is None else dissector
        self._keyed = keyed

    def decode(self, value: bytes | None, key: bytes | None = None, options: OptionsT | None = None) -> EventsT:
        """Decodes one message.

        Args:
            value: the Kafka value; None (not an empty value) has no events.
            key: the Kafka key, required if the protocol uses keys.
            options: handling of invalid text and of values.

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
        """Decodes many messages. Malformed ones are reported in `errors` with their index and do not affect the others;
        those without a value (null) are in `tombstones`.
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
        """Returns a decoder or encoder to the pool for later calls."""
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

        For a malformed message, the fields before the error; the last span has the error. If keys carry data, the spans
        of the key come first; each span has the part it belongs to.

        Args:
            value: the Kafka value.
            key: the Kafka key, for protocols that use it.

        Raises:
            UnsupportedError: the protocol has no dissector.
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
        """Decodes one message.

        Args:
            value: the Kafka value; None (not an empty value) has no events.
            key: the Kafka key.
            options: handling of invalid text and of values.
            tables: known table descriptions (`tidewire.tables.TableStore`); those in the message are added.

        Raises:
            MissingTableError: the message has a row of a table without a description.
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
        """Decodes many messages. Messages that are malformed, or have rows of tables without a description, are
        reported in `errors` with their index and do not affect the others; those without a value (null) are in
        `tombstones`.

        Args:
            values: the Kafka values.
            keys: the Kafka keys.
            options: handling of invalid text and of values.
            tables: known table descriptions, as in `decode`.
        """
        check_keys(keys)
        check_options(options, self._protocol)
        return self._events(self._described(values, keys, options, {"tables": tables}))

    def encode(
        self, events: Iterable[EventT] | EventsT, options: OptionsT | None = None, tables: Any = None
    ) -> list[Message]:
        """Encodes events, gathered into messages as the producer does it.

        Args:
            events: the events.
            options: options of the protocol.
            tables: known table descriptions, used for row checksums; those in events are added.

        Raises:
            EncodeError: the protocol cannot carry an event.
        """
        if tables is None:
            return super().encode(events, options)
        return self._encoded(events, options, {"tables": tables})

    def _encoded(self, events: Any, options: OptionsT | None, given: dict[str, Any]) -> list[Message]:
        """Encodes events by an encoder with the given arguments; for few events, each thread caches the last encoder.
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
        """The codec cached last under this name, if it has the same options and arguments; otherwise None. It is
        removed from the cache while in use, and stays removed after an error.
        """
        kept = getattr(self._kept, name, None)
        setattr(self._kept, name, None)
        if kept is None or not (kept[0] is options or kept[0] == options):
            return None
        return kept[2] if all(one is other for one, other in zip(kept[1], own, strict=True)) else None

    def _keep_last(self, name: str, options: OptionsT | None, own: tuple[Any, ...], codec: Any) -> None:
        """Caches a codec, unless it has learned table descriptions that are not in the store it was given."""
        if codec.reusable and (not codec.tables or any(codec.tables is one for one in own)):
            setattr(self._kept, name, (options, own, codec))

    def encode_batch(
        self, columns: EventColumns, options: OptionsT | None = None, tables: Any = None
    ) -> pa.RecordBatch:
        """Encodes events. Columns of the result: key and value (binary), first_event and events (int64).

        Args:
            options: options of the protocol.
            tables: known table descriptions, as in `encode`.

        Raises:
            EncodeError: the protocol cannot carry an event.
        """
        check_options(options, self._protocol)
        encoder: Any = self._encoder
        return encoder(options, tables=tables).encode(columns)

    def dissect(self, value: bytes | None, key: bytes | None = None, tables: Any = None) -> list[Span]:
        """Every field of a message with the bytes it takes up, in the order of the bytes. If the table is described,
        row values have their declared types.

        Args:
            value: the Kafka value.
            key: the Kafka key.
            tables: known table descriptions; the one in the message is added.
        """
        check_key(key)
        value, key = part_of_message(value), part_of_message(key)
        if value is None:
            return []
        return self._dissector(value, key, tables) if self._keyed else self._dissector(value, tables)

    def _keep(self, pool: CodecPool[OptionsT, Any], options: OptionsT | None, codec: Any) -> None:
        """Returns a decoder or encoder to the pool, unless it has learned table descriptions, which would affect other
        calls.
        """
        if not codec.tables:
            super()._keep(pool, options, codec)

    def _described(
        self, values: Any, keys: object, options: OptionsT | None, given: dict[str, Any]
    ) -> EventColumns:
        """Decodes messages into columns; for few messages, each thread caches the last decoder with the same arguments.
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
    registered: Mapping[str, str] | None,
) -> EventColumns:
    """The decoded columns. If no message could be decoded, the errors name the protocol or the encoding that the
    messages look like.

    Args:
        columns: the decoded columns.
        values: values of the messages.
        keys: keys of the messages.
        others: returns the modules of the other protocols.
        otherwise: returns a text about the encoding of a message if it seems to differ from the selected one.
        registered: the option with the schema registry, if messages begin with schema ids; else None.
    """
    from tidewire.messages.detecting.foreign_messages import explained

    return explained(columns, values, keys, others, otherwise, registered)
