"""The same for Debezium-Avro, whose envelopes are records by schemas that a registry has.

Statements describe no tables here: whoever reads an input has not read others before.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any

import fastavro
from debezium_avro.envelopes import ENVELOPE, KEY, ROW, SOURCE, record
from debezium_avro.recordings import STREAMS, schemas
from debezium_avro.recordings import messages as recorded_messages
from debezium_avro.schema_twin import MOST_DIGITS
from debezium_avro.twin import Flat, flat, read
from json_twin import bits

from tidewire import debezium_avro
from tidewire.cli.spans import TROUBLE
from tidewire.events import Event, RowChange
from tidewire.mysql import ColumnType
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.record.sink import long_bytes
from tidewire.runtime.registered.errors import MissingSchemaError
from tidewire.runtime.wire.spans import Span
from tidewire.tables import TableDescription, TableStore

from . import third_opinion
from .connect_mutations import OTHERS, spoiled_envelope, widened
from .crowd import Row
from .dissected import wrong_spans, wrong_values
from .registered_engine import Paired, RegisteredEngine
from .registered_inputs import Made, by_twin, joined, named, parted, renamed, schemas_of, text_of
from .registered_mutations import settled

LARGEST = 16_384
"""Bytes of an input of the corpus."""
SMALL = 6144
"""Bytes of those that most inputs are made of."""
EACH = 2
"""Messages of a schema that are taken into the corpus."""
TIMES = {ColumnType.DATE, ColumnType.DATETIME, ColumnType.TIMESTAMP, ColumnType.TIME}
COARSE = {ColumnType.ENUM, ColumnType.SET, ColumnType.DECIMAL, ColumnType.BIT, *TIMES}
"""Types whose values fastavro has as other values."""


class Forgetful(TableStore):
    """Descriptions, of which none is kept."""

    def add(self, description: TableDescription) -> bool:
        return False


def _body(schema: Any, record: Any) -> bytes:
    found = io.BytesIO()
    fastavro.schemaless_writer(found, fastavro.parse_schema(json.loads(json.dumps(schema))), record)
    return found.getvalue()


def _message(schema: Any, record: Any, key: Any = None) -> bytes:
    text = json.dumps(schema).encode()
    own = json.dumps(KEY).encode()
    value = named(text, _body(schema, record))
    if key is None:
        return joined(Made(None, text, None, value))
    return joined(Made(own, text, named(own, _body(KEY, {"id": key})), value))


_TIME = "io.debezium.time."
_COLUMNS: tuple[tuple[Any, Any], ...] = (
    ("boolean", True), ("int", -(2**31)), ("long", 2**63 - 1), ("float", 1.5), ("double", float("nan")),
    ("string", "é😀\0"), ("bytes", b"\xff\0"), (("int", "int16"), 32767), (("int", _TIME + "Date"), -354285),
    (("long", _TIME + "Timestamp"), -1), (("long", _TIME + "MicroTimestamp"), -62167219200000000),
    (("long", _TIME + "NanoTimestamp"), 1577836800123456789), (("long", _TIME + "NanoTime"), -1),
    (("long", _TIME + "MicroTime"), -3020399000000),
    (("string", _TIME + "ZonedTimestamp"), "2020-01-01T00:00:00.5+23:59"),
    (("string", _TIME + "IsoDate"), "2020-02-29Z"), (("string", _TIME + "IsoTime"), "23:59:59.120Z"),
    (("string", _TIME + "IsoTimestamp"), "0001-01-01T00:00:00Z"), (("int", _TIME + "Year"), 2155),
    (("bytes", "io.debezium.data.Bits"), b"\1\2"), (("string", "io.debezium.data.Json"), "[1]"),
    (("string", "io.debezium.data.EnumSet", "x,y,'"), "x,y"), (("string", "io.debezium.data.Enum", "a,b\\,c,"), ""),
)  # fmt: skip
"""Columns as Confluent's converter has those of Debezium's own connector, with a value of each."""


def _wide() -> bytes:
    """A row with a column of each kind."""
    fields: list[Any] = []
    image = b""
    for place, (type, value) in enumerate(_COLUMNS):
        plain, word, allowed = (*type, None, None)[:3] if isinstance(type, tuple) else (type, None, None)
        words: Any = {"type": plain}
        if word is not None:
            words |= {"connect.type" if word == "int16" else "connect.name": word, "connect.version": 1}
        if allowed is not None:
            words["connect.parameters"] = {"allowed": allowed}
        fields.append({"name": f"c{place}", "type": ["null", words] if place % 2 else words})
        image += (b"\2" if place % 2 else b"") + _body(plain, value)
    decimal = {"type": "bytes", "logicalType": "decimal", "precision": MOST_DIGITS, "scale": 30}
    fields.append({"name": "d", "type": {**decimal, "connect.name": "org.apache.kafka.connect.data.Decimal"}})
    image += b"\4\xff\x85"
    schema = json.loads(json.dumps(ENVELOPE))
    schema["fields"][0]["type"][1] = {**ROW, "fields": fields}
    rest = {**schema, "fields": schema["fields"][2:]}
    text = json.dumps(schema).encode()
    return joined(Made(None, text, None, named(text, b"\2" + image + b"\2" + image + _body(rest, record(op="u")))))


@cache
def _made() -> list[bytes]:
    """What no recording has."""
    row = record()["after"]
    bare = {"type": "record", "name": "E", "fields": [
        {"name": "op", "type": "string"}, {"name": "ts_ms", "type": "long"}, {"name": "source", "type": SOURCE},
    ]}  # fmt: skip
    statement = {**bare, "fields": [
        {"name": "source", "type": SOURCE}, {"name": "ts_ms", "type": "long"},
        {"name": "d", "connect.field": "ddl", "type": ["null", "string"]},
        {"name": "databaseName", "type": "string"}, {"name": "odd", "type": {"type": "array", "items": "bytes"}},
    ]}  # fmt: skip
    said: dict[str, Any] = {
        **record(),
        "databaseName": "d",
        "odd": [b"", b"x"],
        "d": "create table t (a int)",
        "ts_ms": 5,
    }
    watermark = {**record(op="m"), "ts_ms": 1}
    found = [
        _message(ENVELOPE, record(), 7),
        _message(ENVELOPE, record(op="r")),
        _message(ENVELOPE, record(op="d", before=row, after=None), 7),
        _message(ENVELOPE, record(op="u", before={**row, "id": 6}), 7),
        _message(ENVELOPE, record(source={"table": None})),
        _message(statement, said),
        _message(bare, watermark),
        _message(bare, {**watermark, "op": "t"}),
        joined(Made(None, None, None, None)),
        _wide(),
    ]
    value = _body(ENVELOPE, record())
    for type, body in OTHERS:
        text = json.dumps({**ENVELOPE, "fields": [*ENVELOPE["fields"], {"name": "more", "type": type}]}).encode()
        found.append(joined(Made(None, text, None, named(text, value + body))))
    return found


@cache
def messages() -> tuple[bytes, ...]:
    """Well-formed messages, the shortest first; always the same."""
    found = set(_made())
    counts: dict[Any, int] = {}
    for stream in STREAMS:
        held = schemas(stream)
        for one in recorded_messages(stream):
            made = renamed(held, one.key, one.value)
            counts[made[:2]] = counts.get(made[:2], 0) + 1
            if counts[made[:2]] <= EACH and len(joined(made)) <= LARGEST:
                found.add(joined(made))
    return tuple(sorted((one for one in found if _readable(one)), key=lambda one: (len(one), one)))


def _readable(given: bytes) -> bool:
    """Not those with text that is no UTF-8, which TiCDC writes."""
    return by_twin(read, given, {}) is not None


@cache
def of_corpus() -> dict[Any, str]:
    """The schemas of well-formed messages, by their ids."""
    return schemas_of(messages())


class Unlearned(Paired):
    """A decoder that keeps no description."""

    more: Mapping[str, Any] = {"tables": Forgetful()}


class DebeziumAvroEngine(RegisteredEngine):
    """The decoder of Debezium-Avro."""

    module = debezium_avro
    pair = Unlearned

    @property
    def schemas(self) -> Mapping[Any, str]:  # type: ignore[override]
        return of_corpus()

    def __init__(self, corpus: Sequence[bytes], seed: int, seldom: int = 1) -> None:
        super().__init__(corpus, seed, seldom)
        self.small = [message for message in corpus if len(message) <= SMALL]
        self.good = self.small

    def read(self, key: bytes | None, value: bytes | None, texts: Any) -> list[Flat]:
        return read(key, value, texts)

    def plain(self, columns: EventColumns) -> dict[int, list[Any]]:
        return flat(columns)

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        if chance.random() < 0.1:
            made = parted(chance.choice(corpus))
            more = widened(chance, made.schema or b"", (made.value or b"")[5:])
            if more is not None:
                made = made._replace(schema=more[0], value=named(*more))
                return joined(settled(made, self.schemas))
        return super().spoiled(chance, corpus)

    def respoiled(self, chance: Random, schema: bytes) -> bytes:
        return spoiled_envelope(chance, schema)

    def objection(self, schema: bytes, body: bytes, event: Any) -> str:
        return objection(schema, body, event)

    def wrong(self, made: Made, spans: Sequence[Span], error: DecodeError | None, event: Event | None) -> str | None:
        return wrong(made, spans, error, event)

    def row(self) -> Callable[[Row], bytes]:
        return written

    def cut(self) -> Sequence[bytes]:
        """Some: recorded messages differ little, and schemas are long."""
        return [one for one in self.corpus[::25] if len(one) < 3000]


def _bare(node: Any) -> Any:
    """A schema without logical types, of which fastavro makes other values."""
    if isinstance(node, list):
        return [_bare(one) for one in node]
    if isinstance(node, dict):
        return {name: _bare(one) for name, one in node.items() if name != "logicalType"}
    return node


def objection(schema: bytes, body: bytes, event: Flat) -> str:
    """What fastavro reads otherwise in a record; empty where it agrees, or does not take the schema.

    Args:
        schema: of the writer.
        body: the record behind the id of its schema.
        event: what was read.
    """
    found = third_opinion.read(json.dumps(_bare(json.loads(text_of(schema)))).encode(), body)
    if not isinstance(found, dict):
        return found
    for side, image in (("before", event.old), ("after", event.new)):
        told = list((found.get(side) or {}).values())
        for (name, kind, _, _, value), other in zip(image or (), told, strict=False):
            if kind in COARSE:
                continue
            wanted = int(other) if isinstance(value, int) else other
            wanted = wanted % 2**64 if isinstance(value, int) and value >= 2**63 else wanted
            if bits(wanted) != value:
                return f"fastavro reads {wanted!r} in {name}, and not {value!r}"
    return ""


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
    found = wrong_spans(spans, parts, error, () if error is not None or event is None else {"value"})
    if found is None and isinstance(event, RowChange):
        images: dict[str, Any] = {"after": event.new, "before": event.old}
        for side, image in images.items():
            if image is not None:
                odd = {one.name for one in image.columns if one.type in TIMES}
                own = [
                    one for one in spans if one.part == "value" and one.path.startswith(side) and one.column not in odd
                ]
                found = found or wrong_values(own, [image])
    return found


def written(row: Row) -> bytes:
    """A row that was inserted, as an input."""
    columns: list[Any] = [{"name": "id", "type": "long"}]
    columns += [{"name": f"c{k}", "type": ["null", "string"]} for k in range(len(row.texts))]
    number = 4 * int(row.table[1:]) + len(row.texts)
    image = {"type": "record", "name": row.table, "fields": columns}
    source = {
        "type": "record",
        "name": "Source",
        "fields": [{"name": one, "type": "string"} for one in ("db", "table")],
    }
    fields = [{"name": "after", "type": image}, {"name": "source", "type": source}, {"name": "op", "type": "string"}]
    top = {"type": "record", "name": "E", "namespace": "default.s", "fields": fields}
    schema = b'{"id": %d, ' % number + json.dumps(top).encode()[1:]
    body = long_bytes(row.id)
    for text in row.texts:
        body += b"\0" if text is None else b"\2" + long_bytes(len(text.encode())) + text.encode()
    body += b"\2s" + long_bytes(len(row.table)) + row.table.encode() + b"\2c"
    return joined(Made(None, schema, None, named(schema, body)))
