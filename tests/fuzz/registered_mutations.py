"""Mutations for protocols with a schema registry: bodies, schemas, and schema ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any
from uuid import UUID

from tidewire.runtime.record.sink import long_bytes

from .mutations import HOSTILE, OVERLONG, SINGLE
from .registered_inputs import DOWN, Made, known_as, named, parted, uuid_of
from .schema_mutations import respelled
from .text_edits import LONG


def settled(made: Made, corpus: Mapping[Any, str]) -> Made:
    """The message, whose ids are known by itself, by the corpus, or never: what other inputs bring along depends on
    when they come.

    Args:
        made: the message.
        corpus: the schemas of the corpus.
    """
    own: dict[Any, str] = dict(corpus)
    for schema in made[:2]:
        if schema is not None:
            own |= known_as(schema)
    parts = []
    for part in made[2:]:
        if part and part[0] == 0 and int.from_bytes(part[1:5], "big") not in own:
            part = b"\0\0\0\0\7" + part[5:] if len(part) >= 5 else part
        elif part and part[:2] == b"\3\0" and len(part) >= 18 and UUID(bytes=part[2:18]) not in own:
            part = b"\3\0" + bytes(16) + part[18:]
        parts.append(part)
    return Made(*made[:2], *parts)


def bodies(chance: Random, made: Made, corpus: Sequence[bytes]) -> Made:
    """Bytes behind the id, in key or value."""
    name = "value" if made.value is not None and (made.key is None or chance.random() < 0.8) else "key"
    part = getattr(made, name)
    if not part:
        return made
    start = 1 if part[0] in (1, 2) else 18 if part[0] == 3 and len(part) > 18 else 5
    head, body = part[:start], part[start:]
    if not body:
        return made
    if chance.random() < 0.02:
        body = lengthened(chance, body)
    elif chance.random() < 0.3:
        at = chance.randrange(len(body))
        put = chance.choice((*HOSTILE, *OVERLONG, *map(long_bytes, (0, 1, 2, -1, 127, 2**31, -(2**31) - 1))))
        body = body[:at] + put + body[at + chance.randrange(3) :]
    else:
        other = parted(chance.choice(corpus))
        body = chance.choice(SINGLE)(chance, body, [other.value or other.key or b"\0"])
    return made._replace(**{name: head + body})


def lengthened(chance: Random, body: bytes) -> bytes:
    """A long text in place of a short one, if chance finds what looks like one."""
    for _ in range(50):
        at = chance.randrange(len(body))
        size, odd = divmod(body[at], 2)
        if not odd and size < 64 and at + size < len(body) and body[at + 1 : at + 1 + size].isalnum() | (size == 0):
            text = b"x" * (chance.choice(LONG) + chance.randrange(-9, 9))
            return body[:at] + long_bytes(len(text)) + text + body[at + 1 + size :]
    return body


def changed(chance: Random, made: Made, spoiled: Callable[[Random, bytes], bytes]) -> Made:
    """A schema, whose id changes with it."""
    name = "schema" if made.schema is not None and (made.key_schema is None or chance.random() < 0.7) else "key_schema"
    schema = getattr(made, name)
    if schema is None:
        return made
    put = spoiled(chance, schema)
    return under(made, name, put)


def under(made: Made, name: str, schema: bytes) -> Made:
    """The message with another schema, which its header names."""
    part = "value" if name == "schema" else "key"
    message = getattr(made, part)
    if message and message[0] == 0:
        message = named(schema, message[5:])
    elif message and message[:2] == b"\3\0" and len(message) > 17:
        message = b"\3\0" + uuid_of(schema).bytes + message[18:]
    return made._replace(**{name: schema, part: message})


def exchanged(chance: Random, made: Made, other: Made) -> Made:
    """Parts that are missing, of other messages, or exchanged; and ids that are wrong, or of another kind."""
    choice = chance.randrange(12)
    if choice == 0:
        return made._replace(key=None)
    if choice == 1:
        return made._replace(value=None)
    if choice == 2:
        return made._replace(key=other.key, key_schema=other.key_schema)
    if choice == 3:
        return made._replace(value=other.value, schema=other.schema)
    if choice == 4:
        return Made(made.schema, made.key_schema, made.value, made.key)
    if choice == 5 and made.schema is not None and other.schema is not None:
        return under(made, "schema", other.schema)
    if choice == 6 and made.key_schema is not None and made.schema is not None:
        return under(made, "key_schema", made.schema)
    if choice == 7 and made.schema is not None:
        return under(made, "schema", respelled(chance, made.schema))
    name = "value" if chance.random() < 0.7 else "key"
    part = getattr(made, name)
    schema = made.schema if name == "value" else made.key_schema
    if not part:
        return made._replace(**{name: chance.choice((b"", b"\0", b"\1", b"\2", b"\3", b"\3\0", b"\4"))})
    if choice == 8 and schema is not None and part[0] == 0:
        return made._replace(**{name: b"\3\0" + uuid_of(schema).bytes + part[5:]})
    if choice == 9:
        wrong = chance.choice((0, 1, DOWN * 1000, 2**31, 2**32 - 1))
        return made._replace(**{name: b"\0" + wrong.to_bytes(4, "big") + part[5:]})
    if choice == 10:
        return made._replace(**{name: bytes((chance.choice((0, 1, 2, 3, 4, 255)),)) + part[1:]})
    return made._replace(**{name: part[: chance.randrange(20)]})
