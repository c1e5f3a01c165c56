"""The same for Avro with a schema registry: an input holds key, value, and the schemas that they name.

A schema's id is made of its text, so that a changed schema has another id and every input can be decoded alone.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

from avro.recordings import STREAMS, schemas
from avro.recordings import messages as recorded_messages
from avro.twin import Flat, flat, read
from json_twin import MalformedError

from tidewire import avro
from tidewire.cli.spans import TROUBLE
from tidewire.events import Event, Events, RowChange
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.record.sink import long_bytes
from tidewire.runtime.registered.errors import MissingSchemaError
from tidewire.runtime.registry import SchemaUnavailableError, UnknownSchemaError
from tidewire.runtime.wire.spans import Span

from .crowd import Row
from .dissected import wrong_spans, wrong_values
from .engine import CODES, Engine
from .finding import Finding
from .mutations import HOSTILE, OVERLONG, SINGLE
from .paths import Way
from .schema_mutations import respelled, spoiled_schema
from .third_opinion import objection

LARGEST = 4096
"""Bytes of an input of the corpus."""
EACH = 4
"""Messages of a schema that are taken into the corpus."""
DISSECTED = 16
"""Messages of a batch that are dissected."""
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


class Known:
    """The schemas of the corpus, and those that a batch brings along."""

    def __init__(self) -> None:
        self.texts: dict[Any, str] = {}

    def begin(self, inputs: Iterable[bytes]) -> None:
        """Takes the schemas of a batch, and no others."""
        self.texts = dict(of_corpus())
        for given in inputs:
            for schema in parted(given)[:2]:
                if schema is not None:
                    self.texts |= known_as(schema)

    def text(self, id: Any) -> str | None:
        """The text of a schema; None where it cannot be had."""
        return None if isinstance(id, int) and id % DOWN == 0 else self.texts.get(id)

    def schema(self, id: Any) -> str:
        """As a registry gives it."""
        if isinstance(id, int) and id % DOWN == 0:
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


def _record(fields: list[Any], name: str = "t", space: str = "default.d") -> bytes:
    return json.dumps({"type": "record", "name": name, "namespace": space, "fields": fields}).encode()


def _field(name: str, type: Any, word: str | None = None, null: int | None = None, **more: Any) -> dict[str, Any]:
    said = {"type": type, **more}
    if word is not None:
        parameters = {"tidb_type": word, **more.pop("parameters", {})}
        said = {"type": type, "connect.parameters": parameters, **more}
    return {"name": name, "type": said if null is None else [said, "null"] if null else ["null", said]}


@cache
def _made() -> list[Made]:
    """What no recording has."""
    own = [
        {"name": "_tidb_op", "type": "string"},
        {"name": "_tidb_commit_ts", "type": ["null", "long"]},
        {"name": "_tidb_commit_physical_time", "type": "int"},
        {"name": "_tidb_row_level_checksum", "type": "string"},
        {"name": "_tidb_corrupted", "type": "boolean"},
        {"name": "_tidb_checksum_version", "type": "long"},
    ]
    plain = _record([_field("i", "int"), _field("l", "long", None, 1), _field("f", "float"), _field("d", "double"),
                     _field("b", "boolean"), _field("y", "bytes"), _field("s", "string", None, 0)])  # fmt: skip
    body = b"\x01\x00\x02" + bytes(4) + b"\0" * 8 + b"\1" + b"\4\xff\0" + b"\2\6a\xc3\xa9"
    labels = _record([
        _field("e", "string", "ENUM", parameters={"allowed": "a,b\\,c,',x\\"}),
        _field("s", "string", "SET", parameters={"allowed": "x,y,',,'"}),
        _field("n", "string", "ENUM"),
        _field("t", "bytes", "BIT", parameters={"length": "64"}),
        _field("u", "string", "BIGINT UNSIGNED", null=0),
        _field("w", "long", "BIGINT UNSIGNED", null=1),
        _field("c", "bytes", "DECIMAL", logicalType="decimal", precision=65, scale=30),
        _field("p", "int", "INT UNSIGNED"),
        *own,
    ])  # fmt: skip
    said = b"\6b,c" + b"\6x,y" + b"\0" + b"\2\5" + b"\2\x0220" + b"\0\1" + b"\2\x80" + b"\6"
    said += b"\2c" + b"\2\x0e" + b"\2" + b"\x14" + b"4294967295" + b"\1" + b"\4"
    said = said.replace(b"\2\x0220", b"\2\x0420")
    return [
        Made(None, plain, None, named(plain, body)),
        Made(None, labels, None, named(labels, said)),
        Made(plain, None, named(plain, body), None),
        Made(plain, None, named(plain, body), b"\3" + b"\0" * 7 + b"\5"),
        Made(None, None, None, b"\3" + b"\0" * 7 + b"\5"),
        Made(None, None, None, None),
        Made(None, plain, None, b"\3\0" + uuid_of(plain).bytes + body),
        Made(None, None, None, b"\2" + b"\xff" * 8),
        Made(
            None,
            None,
            None,
            b'\1{"query":"a\\u2028","type":255,"schema":"","table":"t","commitTs":18446744073709551615}',
        ),
    ]


@cache
def messages() -> tuple[bytes, ...]:
    """Well-formed messages, the shortest first; always the same."""
    found = {joined(one) for one in _made()}
    counts: dict[Any, int] = {}
    for stream in STREAMS:
        held = schemas(stream)
        for one in recorded_messages(stream):
            made = _renamed(held, one.key, one.value)
            counts[made[:2]] = counts.get(made[:2], 0) + 1
            if counts[made[:2]] <= EACH and len(joined(made)) <= LARGEST:
                found.add(joined(made))
    return tuple(sorted(filter(_readable, found), key=lambda one: (len(one), one)))


def _readable(given: bytes) -> bool:
    """Not those with text that is no UTF-8, which TiCDC writes."""
    return expected(given, {}) is not None


def _renamed(held: Any, key: bytes | None, value: bytes | None) -> Made:
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


@cache
def of_corpus() -> dict[Any, str]:
    """The schemas of well-formed messages, by their ids."""
    found: dict[Any, str] = {}
    for given in messages():
        for schema in parted(given)[:2]:
            if schema is not None:
                found |= known_as(schema)
    return found


def expected(given: bytes, known: Mapping[Any, str]) -> list[Flat] | None:
    """The events of an input as the twin reads them; None when it refuses it.

    Args:
        given: the input.
        known: schemas that others have.
    """
    made = parted(given)
    own: dict[Any, str] = {}
    for schema in made[:2]:
        if schema is not None:
            own |= known_as(schema)

    def text(id: Any) -> str | None:
        if isinstance(id, int) and id % DOWN == 0:
            return None
        return own.get(id) or known.get(id)

    try:
        return read(made.key, made.value, text)
    except MalformedError:
        return None


def halves(inputs: Sequence[bytes]) -> tuple[Sequence[bytes | None], Sequence[bytes | None]]:
    """Values and keys."""
    made = [parted(one) for one in inputs]
    return [one.value for one in made], [one.key for one in made]


class Paired:
    """A decoder that takes key, value and schemas as one."""

    def __init__(self, invalid_text: str = "error") -> None:
        self.known = Known()
        self.decoder = avro.Decoder(avro.Options(invalid_text=invalid_text), schemas=self.known)

    def decode(self, values: Sequence[bytes]) -> EventColumns:
        """A batch of inputs."""
        self.known.begin(values)
        return self.decoder.attempt(*halves(values))


class AvroEngine(Engine):
    """The decoder of Avro with a schema registry."""

    errors = (DecodeError, MissingSchemaError)
    codes = CODES | {"missing_schema"}

    def fresh(self) -> Paired:
        return Paired()

    def expected(self, value: bytes) -> Any:
        return expected(value, of_corpus())

    def plain(self, columns: EventColumns) -> dict[int, list[Any]]:
        return flat(columns)

    def part(self, value: bytes, error: DecodeError) -> bytes:
        made = parted(value)
        return (made.key if error.part == "key" else made.value) or b""

    def eventless(self, value: bytes) -> bool:
        return bool(expected(value, of_corpus()) == [])

    def way(self, values: Sequence[bytes]) -> Way:
        known = Known()
        known.begin(values)
        return Way(avro, avro.Options(), halves=halves, given={"schemas": known})

    def row(self) -> Callable[[Row], bytes]:
        return written

    def cut(self) -> Sequence[bytes]:
        """Some: recorded messages differ little, and schemas are long."""
        return [one for one in self.corpus[::25] if len(one) < 600]

    def _checked(self, values: Sequence[bytes], columns: EventColumns) -> None:
        """Some messages are dissected, besides."""
        super()._checked(values, columns)
        chosen = Random(f"{self.seed} dissected {self.tally.inputs}").sample(list(values), DISSECTED)
        reader = Paired(invalid_text="bytes")  # a dissector shows bytes that are no text
        found = reader.decode(chosen)
        errors = {error.message: error for error in found.errors}
        events = dict(zip(found.events.column("message").to_pylist(), Events(found), strict=True))
        for place, value in enumerate(chosen):
            made = parted(value)
            spans = avro.dissect(made.value, made.key, schemas=reader.known)
            against = wrong(made, spans, errors.get(place), events.get(place))
            if against:
                raise Finding(f"dissected, {against}", [value])

    def _compared(self, values: Sequence[bytes], columns: EventColumns) -> None:
        """The twin, a decoder without a past, and fastavro say the same."""
        super()._compared(values, columns)
        for place, events in self.plain(columns).items():
            made = parted(values[place])
            if made.schema is not None and made.value is not None and made.value[:5] == named(made.schema, b""):
                against = objection(made.schema, made.value[5:], events[0])
                if against:
                    raise Finding(against, [values[place]])

    def _encoded_again(self, values: Sequence[bytes], columns: EventColumns) -> None:
        """Writing has tests of its own."""

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        """A record, a schema, or what names it, is spoiled; parts are exchanged; or bytes change anywhere."""
        made = parted(chance.choice(corpus))
        for _ in range(chance.choice((1, 1, 1, 2))):
            kind = chance.random()
            if kind < 0.4:
                made = _bodies(chance, made, corpus)
            elif kind < 0.75:
                made = _schemas(chance, made, corpus)
            elif kind < 0.9:
                made = _exchanged(chance, made, parted(chance.choice(corpus)))
            else:
                made = parted(chance.choice(SINGLE)(chance, joined(made), corpus))
        return joined(_settled(made))


def wrong(made: Made, spans: Sequence[Span], error: DecodeError | None, event: Event | None) -> str | None:
    """What is wrong with the dissection of a message; None when nothing is.

    Args:
        made: the message.
        spans: of it.
        error: the decoder's; None: it has none.
        event: what the decoder made of it; None: nothing.
    """
    parts = {"key": made.key, "value": made.value}
    if isinstance(error, MissingSchemaError):
        # no trouble for spans, which go on behind it and may find another one
        troubles = [span for span in spans if span.type == TROUBLE]
        return wrong_spans([span for span in spans if span not in troubles], parts, None, ())
    # where there is a row, nothing but the schema's columns is read of the key
    gone = made.value is None or (made.value[:1] == b"\3" and len(made.value) == 9)
    read_of = {"key" if gone else "value"}
    found = wrong_spans(spans, parts, error, () if error is not None or event is None else read_of)
    if found is None and isinstance(event, RowChange):
        images = [image for image in (event.new, event.old) if image is not None]
        inside = event.kind == "update"  # else the row before says again what the row says
        found = wrong_values([span for span in spans if span.part in read_of and (inside or not span.depth)], images)
    return found


def _settled(made: Made) -> Made:
    """The message, whose ids are known by itself, by the corpus, or never: what other inputs bring along depends on
    when they come.
    """
    own: dict[Any, str] = dict(of_corpus())
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


def _bodies(chance: Random, made: Made, corpus: Sequence[bytes]) -> Made:
    """Bytes behind the id, in key or value."""
    name = "value" if made.value is not None and (made.key is None or chance.random() < 0.8) else "key"
    part = getattr(made, name)
    if not part:
        return made
    start = 1 if part[0] in (1, 2) else 18 if part[0] == 3 and len(part) > 18 else 5
    head, body = part[:start], part[start:]
    if not body:
        return made
    if chance.random() < 0.3:
        at = chance.randrange(len(body))
        put = chance.choice((*HOSTILE, *OVERLONG, *map(long_bytes, (0, 1, 2, -1, 127, 2**31, -(2**31) - 1))))
        body = body[:at] + put + body[at + chance.randrange(3) :]
    else:
        other = parted(chance.choice(corpus))
        body = chance.choice(SINGLE)(chance, body, [other.value or other.key or b"\0"])
    return made._replace(**{name: head + body})


def _schemas(chance: Random, made: Made, corpus: Sequence[bytes]) -> Made:
    """A schema, whose id changes with it."""
    name = "schema" if made.schema is not None and (made.key_schema is None or chance.random() < 0.7) else "key_schema"
    schema = getattr(made, name)
    if schema is None:
        return made
    put = spoiled_schema(chance, schema)
    return _under(made, name, put)


def _under(made: Made, name: str, schema: bytes) -> Made:
    """The message with another schema, which its header names."""
    part = "value" if name == "schema" else "key"
    message = getattr(made, part)
    if message and message[0] == 0:
        message = named(schema, message[5:])
    elif message and message[:2] == b"\3\0" and len(message) > 17:
        message = b"\3\0" + uuid_of(schema).bytes + message[18:]
    return made._replace(**{name: schema, part: message})


def _exchanged(chance: Random, made: Made, other: Made) -> Made:
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
        return _under(made, "schema", other.schema)
    if choice == 6 and made.key_schema is not None and made.schema is not None:
        return _under(made, "key_schema", made.schema)
    if choice == 7 and made.schema is not None:
        return _under(made, "schema", respelled(chance, made.schema))
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


def written(row: Row) -> bytes:
    """A row that was inserted, as an input."""
    columns: list[Any] = [{"name": "id", "type": "long"}]
    columns += [{"name": f"c{k}", "type": ["null", "string"]} for k in range(len(row.texts))]
    number = 4 * int(row.table[1:]) + len(row.texts)
    schema = b'{"id": %d, ' % number + _record(columns, row.table, "default.s")[1:]
    body = long_bytes(row.id)
    for text in row.texts:
        body += b"\0" if text is None else b"\2" + long_bytes(len(text.encode())) + text.encode()
    return joined(Made(None, schema, None, named(schema, body)))
