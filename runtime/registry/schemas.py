"""A schema as a registry has it, and what is checked before anybody believes it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from tidewire.runtime.errors import OptionError
from tidewire.runtime.registry.errors import (
    SchemaRefusedError,
    SchemaUnavailableError,
    UnknownSchemaError,
)
from tidewire.runtime.shortened import shown

SchemaId = int | uuid.UUID
"""What a message carries of its schema: a number from 1 to 2^32 - 1, in four bytes, or a UUID, in sixteen."""
SchemaKey = SchemaId | str
"""An id, or a UUID as a text."""
_OTHER_TYPES = ("JSON", "PROTOBUF")
"""Types of schemas that registries have, beside AVRO."""
_KINDS = {type(None): "null", bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}


def kind_of(value: object) -> str:
    """What a value of JSON is, for errors.

    They do not show the value: whoever answers in a registry's place may repeat the password that was sent.
    """
    return _KINDS.get(type(value), "an object")


class RegisteredSchema(NamedTuple):
    """A schema under a subject.

    Attributes:
        id: that messages carry.
        subject: under which it was registered; empty where only the id was asked for.
        version: of the subject, from 1; 0 where only the id was asked for.
        text: the schema, as it was registered.
    """

    id: SchemaId
    subject: str
    version: int
    text: str


class SchemaRegistry(Protocol):
    """What decoders and encoders ask, wherever the schemas are. Threads may share it, and it can be pickled."""

    def schema(self, id: SchemaKey, /) -> str:
        """The text of the schema that a message's id names.

        It is the schema that was registered, and not always its text: registries may write it anew, with members in
        another order and without namespaces that are inherited.

        Args:
            id: a number, or a UUID (AWS Glue), as a text too.

        Raises:
            UnknownSchemaError: there is no such schema.
            SchemaUnavailableError: it cannot be had now.
            SchemaRefusedError: it is not given, or it is not Avro.
        """

    def id_of(self, subject: str, text: str, /) -> int:
        """The id of a schema, which is registered under the subject if need be.

        Args:
            subject: its name, such as ``orders-value``.
            text: the schema. The same text has the same id, always.

        Raises:
            IncompatibleSchemaError: the subject's rules of compatibility forbid it.
            InvalidSchemaError: the text is no Avro schema.
            SchemaRefusedError: it cannot be registered for another reason.
            SchemaUnavailableError: there is no answer now.
        """


def named(id: SchemaKey) -> str:
    """An id in a sentence."""
    return f"schema {id}"


def checked_uuid(text: str, where: str) -> uuid.UUID:
    """An id that was given as a text.

    Raises:
        UnknownSchemaError: it is no UUID, and no registry has such an id.
    """
    try:
        return uuid.UUID(text)
    except ValueError:
        detail = "ids are numbers, or UUIDs such as 01234567-89ab-cdef-0123-456789abcdef"
        raise UnknownSchemaError(f"schema {shown(text)}", where, detail) from None


def checked_number(id: int, where: str) -> int:
    """An id that is a number as messages can carry it.

    Raises:
        UnknownSchemaError: no registry has such a one.
    """
    if not 0 < id < 1 << 32:
        raise UnknownSchemaError(named(id), where, "ids are numbers from 1 to 4,294,967,295; the message is damaged")
    return id


def checked_version(version: int | str) -> int | str:
    """A version of a subject: a number from 1, or ``latest``.

    Raises:
        OptionError: it is neither.
    """
    if version != "latest" and (isinstance(version, (str, bool)) or not 0 < version < 1 << 31):
        raise OptionError(f"version {shown(version)} of a subject: a number from 1, or latest, is expected")
    return version


def positive(value: object, member: str, what: str, where: str) -> int:
    """A number of an answer or a saved file, 1 to 2^32 - 1."""
    if isinstance(value, bool) or not isinstance(value, int):
        detail = f"`{member}` is {kind_of(value)}; a number is expected. Is this a schema registry?"
        raise SchemaUnavailableError(what, where, detail)
    if not 0 < value < 1 << 32:
        detail = f"`{member}` is not from 1 to 4,294,967,295. Is this a schema registry?"
        raise SchemaUnavailableError(what, where, detail)
    return value


def avro_text(answer: Mapping[str, object], what: str, where: str) -> str:
    """The text of an Avro schema that an answer or a saved file holds.

    Raises:
        SchemaRefusedError: a schema that is not Avro, or one that stands in several parts.
        SchemaUnavailableError: no text, or one that is no schema.
    """
    kind = answer.get("schemaType", "AVRO")
    if kind not in ("AVRO", None):
        other = kind if kind in _OTHER_TYPES else "none that is known"
        raise SchemaRefusedError(what, where, f"its type is {other}, and only AVRO is read")
    if answer.get("references"):
        raise SchemaRefusedError(what, where, "it refers to other schemas, and only schemas that are whole are read")
    text = answer.get("schema")
    if not isinstance(text, str):
        raise SchemaUnavailableError(what, where, f"`schema` is {kind_of(text)}; the text of a schema is expected")
    if not may_be_schema(text):
        raise SchemaUnavailableError(what, where, "`schema` is a text that is no Avro schema; register the right one")
    return text


def may_be_schema(text: str) -> bool:
    """Whether a text is JSON of the kinds that Avro schemas are. Types and names are looked at by who reads it."""
    try:
        return isinstance(json.loads(text), (dict, list, str))
    except (ValueError, RecursionError):
        return False
