"""Module-level functions of protocols whose records have their schemas in a registry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from tidewire.messages.arguments import check_key, check_keys, check_options, part_of_message
from tidewire.messages.codec import DescribedCodec, EventSequence, Message
from tidewire.runtime.dissecting.spans import Span

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns

OptionsT = TypeVar("OptionsT")
EventT = TypeVar("EventT")
EventsT = TypeVar("EventsT", bound=EventSequence)


class RegisteredCodec(DescribedCodec[OptionsT, EventT, EventsT]):
    """`DescribedCodec` whose functions also accept an object that provides or registers schemas
    (`tidewire.messages.registry.SchemaRegistry`), instead of the option with the registry's location.
    """

    def decode(
        self,
        value: bytes | None,
        key: bytes | None = None,
        options: OptionsT | None = None,
        tables: Any = None,
        schemas: Any = None,
    ) -> EventsT:
        """The events of one message.

        Args:
            value: the Kafka value; None: the message has a key only.
            key: the Kafka key.
            options: the location of schemas, the policy for invalid text, and others.
            tables: known table descriptions (`tidewire.tables.TableStore`).
            schemas: provides schemas by id; None: the registry that the options name.

        Raises:
            MissingSchemaError: the schema of the message is not available.
            DecodeError: the message is malformed.
        """
        keys = None
        if key is not None:
            check_key(key)
            keys = [key]
        check_options(options, self._protocol)
        return self._one(self._described([value], keys, options, {"tables": tables, "schemas": schemas}))

    def decode_batch(
        self,
        values: pa.Array | pa.ChunkedArray | Sequence[bytes | None],
        keys: object = None,
        options: OptionsT | None = None,
        tables: Any = None,
        schemas: Any = None,
    ) -> EventsT:
        """Decodes many messages. Messages that are malformed, or whose schemas are unavailable, are reported in
        `errors` with their index and do not affect the others; those without an operation are in `tombstones`.

        Args:
            values: the Kafka values.
            keys: the Kafka keys.
            options, tables, schemas: as in `decode`.
        """
        check_keys(keys)
        check_options(options, self._protocol)
        return self._events(self._described(values, keys, options, {"tables": tables, "schemas": schemas}))

    def encode(
        self,
        events: Iterable[EventT] | EventsT,
        options: OptionsT | None = None,
        tables: Any = None,
        schemas: Any = None,
    ) -> list[Message]:
        """Events as messages.

        Args:
            options: options of the protocol.
            tables: known table descriptions, from which schemas are derived; those in the events are added.
            schemas: registers schemas; None: the registry that the options name.

        Raises:
            EncodeError: the protocol cannot carry an event, or a schema cannot be registered.
        """
        if schemas is None:
            return super().encode(events, options, tables)
        return self._encoded(events, options, {"tables": tables, "schemas": schemas})

    def encode_batch(
        self, columns: EventColumns, options: OptionsT | None = None, tables: Any = None, schemas: Any = None
    ) -> pa.RecordBatch:
        """Events as messages: columns key and value (binary), first_event and events (int64).

        Args:
            options, tables, schemas: as in `encode`.

        Raises:
            EncodeError: as in `encode`.
        """
        check_options(options, self._protocol)
        encoder: Any = self._encoder
        return encoder(options, tables=tables, schemas=schemas).encode(columns)

    def dissect(
        self,
        value: bytes | None,
        key: bytes | None = None,
        tables: Any = None,
        schemas: Any = None,
        options: OptionsT | None = None,
    ) -> list[Span]:
        """Every field of a message with the bytes it occupies: the key's first, in byte order. A record whose schema is
        not available is shown as bytes, with advice.

        Args:
            value: the Kafka value; None: the message has a key only.
            key: the Kafka key.
            tables: not used: schemas describe the rows.
            schemas: provides schemas by id; None: the registry that the options name.
            options: the location of schemas, and others.
        """
        check_key(key)
        value, key = part_of_message(value), part_of_message(key)
        check_options(options, self._protocol)
        if schemas is None:
            decoder: Any = self._decoder(options)
            schemas = decoder.schemas
        return self._dissector(value, key, schemas)
