"""The fuzzing engine for Avro with a schema registry."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

from avro.twin import flat, read

from tidewire import avro
from tidewire.events import RowChange
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.dissecting.spans import Span
from tidewire.runtime.record.sink import long_bytes

from .crowd import Row
from .registered_engine import RegisteredEngine
from .registered_inputs import Made, joined, named, uuid_of
from .schema_mutations import spoiled_schema
from .third_opinion import objection


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


class AvroEngine(RegisteredEngine):
    """The decoder of Avro with a schema registry."""

    name = "avro"
    module = avro
    twin = staticmethod(read)
    largest = 4096
    each = 4
    longest = 600

    @classmethod
    def made(cls) -> Sequence[bytes]:
        return [joined(one) for one in _made()]

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

    def written(self, row: Row) -> bytes:
        schema = numbered(row, _record(columns_of(row), row.table, "default.s"))
        return joined(Made(None, schema, None, named(schema, body_of(row))))


def columns_of(row: Row) -> list[Any]:
    """The fields of a row."""
    texts = [{"name": f"c{k}", "type": ["null", "string"]} for k in range(len(row.texts))]
    return [{"name": "id", "type": "long"}, *texts]


def numbered(row: Row, schema: bytes) -> bytes:
    """A schema that says its id, which is that of the row's table and its columns."""
    return b'{"id": %d, ' % (4 * int(row.table[1:]) + len(row.texts)) + schema[1:]


def body_of(row: Row) -> bytes:
    """The bytes of a row."""
    found = long_bytes(row.id)
    for text in row.texts:
        found += b"\0" if text is None else b"\2" + long_bytes(len(text.encode())) + text.encode()
    return found
