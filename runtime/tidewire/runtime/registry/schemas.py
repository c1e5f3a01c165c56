"""Schemas of a registry, and checks of ids, versions and texts that come from outside."""

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
"""The schema id in a message: a number from 1 to 2^32 - 1 in four bytes, or a UUID in sixteen."""
SchemaKey = SchemaId | str
"""A `SchemaId`, or a UUID as a string."""
_OTHER_TYPES = ("JSON", "PROTOBUF")
"""Schema types of registries besides AVRO."""
_KINDS = {type(None): "null", bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}


def kind_of(value: object) -> str:
    """The name of a JSON value's type, for errors.

    Errors do not show the value itself: a server in the registry's place may echo the password that was sent.
    """
    return _KINDS.get(type(value), "an object")


class RegisteredSchema(NamedTuple):
    """A schema under a subject.

    Attributes:
        id: the id in messages.
        subject: the subject it was registered under; empty if only the id was requested.
        version: its version of the subject, from 1; 0 if only the id was requested.
        text: the schema, as it was registered.
    """

    id: SchemaId
    subject: str
    version: int
    text: str


class SchemaRegistry(Protocol):
    """Interface of a schema registry for decoders and encoders. Safe for concurrent threads, and can be pickled."""

    def schema(self, id: SchemaKey, /) -> str:
        """The text of the schema with an id that a message contains.

        It may differ from the registered text: registries may reorder members and omit inherited namespaces.

        Args:
            id: a number, or a UUID (AWS Glue), also as a string.

        Raises:
            UnknownSchemaError: there is no such schema.
            SchemaUnavailableError: it is unavailable for now.
            SchemaRefusedError: the registry refuses the request, or the schema is not Avro.
        """

    def id_of(self, subject: str, text: str, /) -> int:
        """The id of a schema, which is registered under the subject first if necessary.

        Args:
            subject: its name, such as ``orders-value``.
            text: the schema. The same text always gets the same id.

        Raises:
            IncompatibleSchemaError: the compatibility rules of the subject do not allow it.
            InvalidSchemaError: the text is not an Avro schema.
            SchemaRefusedError: the registry refuses for another reason.
            SchemaUnavailableError: there is no answer for now.
        """


def named(id: SchemaKey) -> str:
    """An id as error texts show it."""
    return f"schema {id}"


def checked_uuid(text: str, where: str) -> uuid.UUID:
    """An id given as a string, as a UUID.

    Raises:
        UnknownSchemaError: it is not a UUID, so no registry has it.
    """
    try:
        return uuid.UUID(text)
    except ValueError:
        detail = "ids are numbers, or UUIDs such as 01234567-89ab-cdef-0123-456789abcdef"
        raise UnknownSchemaError(f"schema {shown(text)}", where, detail) from None


def checked_number(id: int, where: str) -> int:
    """A numeric id, in the range that messages can carry.

    Raises:
        UnknownSchemaError: it is out of range, so no registry has it.
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
    """A number in a response or a saved file, from 1 to 2^32 - 1."""
    if isinstance(value, bool) or not isinstance(value, int):
        detail = f"`{member}` is {kind_of(value)}; a number is expected. Is this a schema registry?"
        raise SchemaUnavailableError(what, where, detail)
    if not 0 < value < 1 << 32:
        detail = f"`{member}` is not from 1 to 4,294,967,295. Is this a schema registry?"
        raise SchemaUnavailableError(what, where, detail)
    return value


def avro_text(answer: Mapping[str, object], what: str, where: str) -> str:
    """The text of an Avro schema in a response or a saved file.

    Raises:
        SchemaRefusedError: the schema is not Avro, or refers to other schemas.
        SchemaUnavailableError: there is no text, or it is not a schema.
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
    """Whether a text is JSON of a type that Avro schemas can have. Its content is checked when it is parsed."""
    try:
        return isinstance(json.loads(text), (dict, list, str))
    except (ValueError, RecursionError):
        return False
