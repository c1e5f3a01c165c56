"""Messages that are not rows, in a protocol of Avro records: messages of another protocol, whose JSON form with a Kafka
Connect schema is converted to Avro.

TiCDC writes statements and watermarks this way: encodeAvroMessage of its encoder (pingcap/ticdc pkg/sink/codec).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tidewire.runtime.connect.avro import CONNECT_FIELD, CONNECT_NAME, avro_schema, avro_value
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.registered.schema import read_schema

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns

MOST_KNOWN = 1 << 8
"""Maximum number of cached schemas."""


class ConnectMessages(NamedTuple):
    """How messages that are not rows map to another protocol; generated from a spec."""

    package: Callable[[], Any]
    """Returns the module of the other protocol, imported when the first of these messages is read or written."""
    events: Callable[[EventColumns], Any]
    """Class of events over columns."""
    options: Mapping[str, object]
    """Fixed options of the other protocol, by Python name."""
    shared: tuple[str, ...]
    """Options whose values are those of this protocol's options of the same name."""
    kinds: Mapping[str, str]
    """By event kind, the database name in the namespace of nested records that replace Connect's; empty: the event's
    database.
    """
    operations: tuple[bytes, ...] = ()
    """Operations that mark a record as such a message, although its fields are those of rows."""

    def options_of(self, chosen: Mapping[str, object]) -> Any:
        """Options of the other protocol.

        Args:
            chosen: further options by Python name.
        """
        return self.package().Options(**{**self.options, **chosen})


class ConnectMessageReader:
    """Reads messages that are not rows."""

    def __init__(self, connect_messages: ConnectMessages, store: Any) -> None:
        """
        Args:
            store: receives the table descriptions that they contain; None: they are dropped.
        """
        self._decoder = connect_messages.package().Decoder(connect_messages.options_of({}), store)
        self._events = connect_messages.events

    def event(self, value: Mapping[str, Any], key: Mapping[str, Any] | None, schema: str) -> Any:
        """The event of a message; None if there is none.

        Args:
            value: payload of the value, by Kafka Connect's field names.
            key: payload of the key; None: the message has no key.
            schema: writer's schema of the value.

        Raises:
            DecodeError: the message is unknown, or a field has a wrong value.
        """
        keys = None if key is None else [_message(key)]
        found: EventColumns = self._decoder.decode([_message(value)], keys)
        if not found.errors and not found.num_events:  # the schema's name is needed to recognize the message
            block = {"type": "struct", "name": _name_of(schema), "fields": []}
            found = self._decoder.decode([_message(value, block)], keys)
        if found.errors:
            raise found.errors[0]
        events = self._events(found)
        return events[0] if len(events) else None


def _message(payload: Mapping[str, Any], block: Mapping[str, Any] | None = None) -> bytes:
    return json.dumps({"payload": payload, "schema": block}, ensure_ascii=False).encode()


def _name_of(schema: str) -> str:
    """The Kafka Connect name of a record: the attribute for it, else its Avro name."""
    found = read_schema(schema)
    said = found.words.get(CONNECT_NAME)
    return said if isinstance(said, str) and said else f"{found.namespace}.{found.name}".lstrip(".")


class StrangerWriter:
    """Writes messages that are not rows."""

    def __init__(
        self,
        connect_messages: ConnectMessages,
        protocol: str,
        producer: str,
        chosen: Mapping[str, object],
        store: Any,
        records: Callable[[str], Mapping[str, str]],
        register: Callable[[str, str], bytes],
    ) -> None:
        """
        Args:
            protocol: name of this protocol, for errors.
            producer: producer whose messages are imitated.
            chosen: options of this protocol, by Python name.
            store: known table descriptions; None: there are none.
            records: returns the schemas that replace those of nested structs, by field, as JSON; its argument is a
                database.
            register: registers a schema under a subject, and returns the bytes that precede its records.
        """
        self._protocol = protocol
        self._messages = connect_messages
        self._records = records
        self._register = register
        own = {name: chosen[name] for name in connect_messages.shared}
        options = connect_messages.options_of({"producer": producer, **own})
        self._encoder = connect_messages.package().Encoder(options, tables=store)
        self._heads: dict[str, bytes] = {}

    @property
    def has_past(self) -> bool:
        """Whether a subject is registered, so that later messages reuse the schema of an earlier one."""
        return bool(self._heads)

    def messages(self, columns: EventColumns, kind: str, schema: str) -> tuple[bytes, bytes] | None:
        """Key and value of one event; None: no message is written for it.

        Args:
            schema: its database; empty: none.

        Raises:
            EncodeError: it cannot be written.
        """
        try:
            found = self._encoder.messages(columns)
        except EncodeError as error:
            raise EncodeError(self._protocol, None, error.column, error.reason) from None
        if not found:
            return None
        key, value, _, _ = found[0]
        records = self._records(self._messages.kinds[kind] or schema)
        try:
            return self._written(key, records), self._written(value, records)
        except ValueError as error:
            raise EncodeError(self._protocol, None, None, str(error)) from None

    def _written(self, message: bytes, records: Mapping[str, str]) -> bytes:
        """A key or value as a framed record."""
        said = json.loads(message)
        block = _replaced(said["schema"], records)
        subject = str(block["name"])
        if subject not in self._heads:
            if len(self._heads) >= MOST_KNOWN:
                self._heads.clear()
            schema = json.dumps(avro_schema(block), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
            self._heads[subject] = self._register(subject, schema)
        return self._heads[subject] + avro_value(block, said["payload"])


def _replaced(block: Mapping[str, Any], records: Mapping[str, str]) -> dict[str, Any]:
    """A Connect schema in which the structs of some fields are replaced."""
    fields = [
        {**_connect(json.loads(records[one["field"]])), "field": one["field"]} if one["field"] in records else one
        for one in block["fields"]
    ]
    return {**block, "fields": fields}


def _connect(schema: Any) -> dict[str, Any]:
    """The Kafka Connect schema of an Avro schema, as far as records without columns need it."""
    if isinstance(schema, list):
        return {**_connect(schema[1]), "optional": True}
    if isinstance(schema, str):
        connect = {"int": "int32", "long": "int64"}
        return {"type": connect.get(schema, schema), "optional": False}
    fields = [{**_connect(one["type"]), "field": one[CONNECT_FIELD]} for one in schema["fields"]]
    return {"type": "struct", "optional": False, "name": schema[CONNECT_NAME], "fields": fields}
