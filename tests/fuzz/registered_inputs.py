"""Inputs of protocols whose schemas a registry has: one holds key, value, and the schemas that they name.

A schema's id is made of its text, so that a changed schema has another id and every input can be decoded alone.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from json_twin import LaterError

from tidewire.messages.registry import SchemaUnavailableError, UnknownSchemaError

DOWN = 251
"""Ids that are multiples of this are of schemas that a registry cannot give now."""


_SAID = re.compile(rb'\{"id": ([0-9]{1,7}),')


class Made(NamedTuple):
    """A message and its schemas; each may be missing."""

    key_schema: bytes | None
    schema: bytes | None
    key: bytes | None
    value: bytes | None


def joined(made: Made) -> bytes:
    """A message with its schemas as one input."""
    return b"".join(b"\xff" * 4 if part is None else len(part).to_bytes(4, "big") + part for part in made)


def parted(given: bytes) -> Made:
    """The parts of an input, whatever it is."""
    found: list[bytes | None] = []
    at = 0
    for _ in range(4):
        size = int.from_bytes(given[at : at + 4], "big")
        at += 4
        if size == 0xFFFFFFFF or at > len(given):
            found.append(None)
        else:
            found.append(given[at : at + size])
            at += size
    return Made(*found)


def text_of(schema: bytes) -> str:
    """The text of a schema; bytes that are no UTF-8 become what no text has."""
    return schema.decode("utf-8", "surrogateescape")


def number_of(schema: bytes) -> int:
    """The id of a schema: a hash, unless it says one, as those of crowds do, of which two hashes would be one."""
    said = _SAID.match(schema)
    return int(said[1]) * DOWN + 1 if said else zlib.crc32(schema)


def uuid_of(schema: bytes) -> UUID:
    """Its other id."""
    return UUID(bytes=hashlib.md5(schema, usedforsecurity=False).digest())


def is_down(id: Any) -> bool:
    """Whether a registry cannot give a schema now; for 0, which no schema has, it is not asked."""
    return isinstance(id, int) and id > 0 and id % DOWN == 0


class Known:
    """The schemas of the corpus, and those that a batch brings along."""

    def __init__(self, corpus: Mapping[Any, str]) -> None:
        """
        Args:
            corpus: its schemas, by their ids.
        """
        self.corpus = corpus
        self.texts: dict[Any, str] = {}

    def begin(self, inputs: Iterable[bytes]) -> None:
        """Takes the schemas of a batch, and no others."""
        self.texts = dict(self.corpus)
        for given in inputs:
            for schema in parted(given)[:2]:
                if schema is not None:
                    self.texts |= known_as(schema)

    def text(self, id: Any) -> str | None:
        """The text of a schema; None where it cannot be had."""
        if is_down(id):
            raise LaterError("it gives no answer")
        return self.texts.get(id)

    def schema(self, id: Any) -> str:
        """As a registry gives it."""
        if is_down(id):
            raise SchemaUnavailableError(f"schema {id}", "nowhere", "it gives no answer")
        found = self.texts.get(id)
        if found is None:
            raise UnknownSchemaError(f"schema {id}", "nowhere", "no schema was registered with this id")
        return found

    def id_of(self, subject: str, text: str) -> int:
        """Nothing is written."""
        raise NotImplementedError


@lru_cache(4096)
def known_as(schema: bytes) -> dict[Any, str]:
    """A schema by both ids."""
    text = text_of(schema)
    return {number_of(schema): text, uuid_of(schema): text}


def named(schema: bytes | None, body: bytes) -> bytes:
    """A record behind the number of its schema."""
    return b"\0" + number_of(schema or b"").to_bytes(4, "big") + body


def renamed(held: Any, key: bytes | None, value: bytes | None) -> Made:
    """A recorded message with the ids that schemas have here."""
    texts: list[bytes | None] = []
    parts: list[bytes | None] = []
    for part in (key, value):
        text = None
        if part is not None and part[:1] == b"\0":
            text = held.schema(int.from_bytes(part[1:5], "big")).encode()
            part = named(text, part[5:])
        texts.append(text)
        parts.append(part)
    return Made(*texts, *parts)


def halves(inputs: Sequence[bytes]) -> tuple[Sequence[bytes | None], Sequence[bytes | None]]:
    """Values and keys."""
    made = [parted(one) for one in inputs]
    return [one.value for one in made], [one.key for one in made]


def schemas_of(corpus: Iterable[bytes]) -> dict[Any, str]:
    """The schemas of inputs, by their ids."""
    found: dict[Any, str] = {}
    for given in corpus:
        for schema in parted(given)[:2]:
            if schema is not None:
                found |= known_as(schema)
    return found


def by_twin(read: Callable[..., list[Any]], given: bytes, known: Mapping[Any, str]) -> list[Any]:
    """The events of an input as a twin reads them.

    Args:
        read: the twin.
        given: the input.
        known: schemas that others have.

    Raises:
        MalformedError: the twin refuses it.
        ForeignError: the twin does not read it.
    """
    made = parted(given)
    own: dict[Any, str] = {}
    for schema in made[:2]:
        if schema is not None:
            own |= known_as(schema)

    def text(id: Any) -> str | None:
        if is_down(id):
            raise LaterError("it gives no answer")
        return own.get(id) or known.get(id)

    return read(made.key, made.value, text)
