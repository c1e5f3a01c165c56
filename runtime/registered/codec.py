"""What the module of a protocol does whose records have their schemas in a registry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from tidewire.runtime.arguments import check_key, check_keys, check_options, part_of_message
from tidewire.runtime.codec import DescribedCodec, EventSequence, Message
from tidewire.runtime.wire.spans import Span

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns

OptionsT = TypeVar("OptionsT")
EventT = TypeVar("EventT")
EventsT = TypeVar("EventsT", bound=EventSequence)


class RegisteredCodec(DescribedCodec[OptionsT, EventT, EventsT]):
    """The same, where functions can be given the schemas, or what registers them, in place of the option that says
    where they are (`tidewire.runtime.registry.SchemaRegistry`).
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
            options: where schemas are, and what becomes of invalid text.
            tables: the descriptions of tables that are known (`tidewire.tables.TableStore`).
            schemas: gives schemas by their ids; None: what the options name.

        Raises:
            MissingSchemaError: the schema of the message cannot be had.
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
        """The events of many messages; those that are malformed, or whose schemas cannot be had, are in `errors`, with
        their index, and cost the others nothing; those that say nothing of what happened are in `tombstones`.

        Args:
            values: the Kafka values.
            keys: their keys.
            options, tables, schemas: as those of `decode`.
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
            events: which ones.
            options: how they are written.
            tables: the descriptions of tables that are known, of which schemas are made; it gets those that the events
                have.
            schemas: registers schemas; None: what the options name.

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
            columns: the events.
            options, tables, schemas: as those of `encode`.

        Raises:
            EncodeError: as `encode`.
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
        """Every field of a message with the bytes it takes up, those of the key first, in the order of the bytes; of a
        record whose schema cannot be had its bytes, and what to do.

        Args:
            value: the Kafka value; None: the message has a key only.
            key: the Kafka key.
            tables: not needed, as schemas say what rows are.
            schemas: gives schemas by their ids; None: what the options name.
            options: where schemas are.
        """
        check_key(key)
        value, key = part_of_message(value), part_of_message(key)
        check_options(options, self._protocol)
        if schemas is None:
            decoder: Any = self._decoder(options)
            schemas = decoder.schemas
        return self._dissector(value, key, schemas)
