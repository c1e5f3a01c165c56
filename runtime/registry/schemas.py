"""A schema as a registry has it, and what is checked before anybody believes it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import NamedTuple

from tidewire.runtime.registry.errors import (
    SchemaRefusedError,
    SchemaUnavailableError,
    UnknownSchemaError,
)

SchemaId = int | uuid.UUID
"""What a message carries of its schema: a number from 1 to 2^32 - 1, in four bytes, or a UUID, in sixteen."""
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


def named(id: SchemaId) -> str:
    """An id in a sentence."""
    return f"schema {id}"


def checked_number(id: int, where: str) -> int:
    """An id that is a number as messages can carry it.

    Raises:
        UnknownSchemaError: no registry has such a one.
    """
    if not 0 < id < 1 << 32:
        raise UnknownSchemaError(named(id), where, "ids are numbers from 1 to 4,294,967,295; the message is damaged")
    return id


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
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, (dict, list, str)):
        raise SchemaUnavailableError(what, where, "`schema` is a text that is no Avro schema; register the right one")
    return text
