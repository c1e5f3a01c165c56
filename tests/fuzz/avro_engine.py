"""The fuzzing engine for Avro with a schema registry."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any

from avro.recordings import STREAMS, schemas
from avro.recordings import messages as recorded_messages
from avro.twin import Flat, flat, read

from tidewire import avro
from tidewire.events import RowChange
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.dissecting.spans import Span
from tidewire.runtime.record.sink import long_bytes

from .crowd import Row
from .registered_engine import RegisteredEngine
from .registered_inputs import Made, by_twin, joined, named, renamed, schemas_of, uuid_of
from .schema_mutations import spoiled_schema
from .third_opinion import objection

LARGEST = 4096
"""Bytes of an input of the corpus."""
EACH = 4
"""Messages of a schema that are taken into the corpus."""


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
            made = renamed(held, one.key, one.value)
            counts[made[:2]] = counts.get(made[:2], 0) + 1
            if counts[made[:2]] <= EACH and len(joined(made)) <= LARGEST:
                found.add(joined(made))
    return tuple(sorted(filter(_readable, found), key=lambda one: (len(one), one)))


def _readable(given: bytes) -> bool:
    """Not those with text that is no UTF-8, which TiCDC writes."""
    return by_twin(read, given, {}) is not None


@cache
def of_corpus() -> dict[Any, str]:
    """The schemas of well-formed messages, by their ids."""
    return schemas_of(messages())


class AvroEngine(RegisteredEngine):
    """The decoder of Avro with a schema registry."""

    module = avro

    @property
    def schemas(self) -> Mapping[Any, str]:  # type: ignore[override]
        return of_corpus()

    def read(self, key: bytes | None, value: bytes | None, texts: Any) -> list[Flat]:
        return read(key, value, texts)

    def plain(self, columns: EventColumns) -> dict[int, list[Any]]:
        return flat(columns)

    def respoiled(self, chance: Random, schema: bytes) -> bytes:
        return spoiled_schema(chance, schema)

    def objection(self, schema: bytes, body: bytes, event: Any) -> str:
        return objection(schema, body, event)

    def read_of(self, made: Made) -> set[str]:
        """Where there is a row, nothing but the schema's columns is read of the key."""
        gone = made.value is None or (made.value[:1] == b"\3" and len(made.value) == 9)
        return {"key" if gone else "value"}

    def shown(self, spans: Sequence[Span], event: RowChange) -> Iterator[tuple[list[Span], list[Any]]]:
        """But for updates the row before says again what the row says."""
        inside = event.kind == "update"
        images = [image for image in (event.new, event.old) if image is not None]
        yield [span for span in spans if inside or not span.depth], images

    def row(self) -> Callable[[Row], bytes]:
        return written

    def cut(self) -> Sequence[bytes]:
        """Some: recorded messages differ little, and schemas are long."""
        return [one for one in self.corpus[::25] if len(one) < 600]


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
