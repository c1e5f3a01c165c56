"""The same for Debezium-Avro, whose envelopes are records by schemas that a registry has.

Statements describe no tables here: whoever reads an input has not read others before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from debezium_avro.twin import Flat, flat, read
from json_twin import bits

from tidewire import debezium_avro
from tidewire.events import RowChange
from tidewire.mysql import ColumnType
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.dissecting.spans import Span
from tidewire.runtime.record.sink import long_bytes
from tidewire.tables import TableDescription, TableStore

from . import third_opinion
from .avro_engine import body_of, columns_of, numbered
from .connect_mutations import spoiled_envelope, widened
from .crowd import Row
from .debezium_avro_corpus import made
from .registered_engine import RegisteredEngine
from .registered_inputs import Made, joined, named, parted, text_of
from .registered_mutations import settled

TIMES = {ColumnType.DATE, ColumnType.DATETIME, ColumnType.TIMESTAMP, ColumnType.TIME}
COARSE = {ColumnType.ENUM, ColumnType.SET, ColumnType.DECIMAL, ColumnType.BIT, *TIMES}
"""Types whose values fastavro has as other values."""


class Forgetful(TableStore):
    """Descriptions, of which none is kept."""

    def add(self, description: TableDescription) -> bool:
        return False


class DebeziumAvroEngine(RegisteredEngine):
    """The decoder of Debezium-Avro, which keeps no description."""

    name = "debezium-avro"
    module = debezium_avro
    more = {"tables": Forgetful()}  # noqa: RUF012
    twin = staticmethod(read)
    largest = 16_384
    each = 2
    longest = 3000

    @classmethod
    def made(cls) -> Sequence[bytes]:
        return made()

    @classmethod
    def least(cls) -> int:
        return 6144

    def plain(self, columns: EventColumns) -> dict[int, list[Any]]:
        return flat(columns)

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        if chance.random() < 0.1:
            made = parted(chance.choice(corpus))
            more = widened(chance, made.schema or b"", (made.value or b"")[5:])
            if more is not None:
                made = made._replace(schema=more[0], value=named(*more))
                return joined(settled(made, self.schemas()))
        return super().spoiled(chance, corpus)

    def respoiled(self, chance: Random, schema: bytes) -> bytes:
        return spoiled_envelope(chance, schema)

    def objection(self, schema: bytes, body: bytes, event: Any) -> str:
        return objection(schema, body, event)

    def read_of(self, made: Made) -> set[str]:
        """Nothing but the schema's columns is read of the key of a row."""
        return {"value"}

    def shown(self, spans: Sequence[Span], event: RowChange) -> Iterator[tuple[list[Span], list[Any]]]:
        """Dates and times are shown as the numbers and texts that they are written as."""
        images: dict[str, Any] = {"after": event.new, "before": event.old}
        for side, image in images.items():
            if image is not None:
                odd = {one.name for one in image.columns if one.type in TIMES}
                yield [one for one in spans if one.path.startswith(side) and one.column not in odd], [image]

    def written(self, row: Row) -> bytes:
        image = {"type": "record", "name": row.table, "fields": columns_of(row)}
        about = [{"name": one, "type": "string"} for one in ("db", "table")]
        source = {"type": "record", "name": "Source", "fields": about}
        told = [("after", image), ("source", source), ("op", "string")]
        fields = [{"name": name, "type": type} for name, type in told]
        top = {"type": "record", "name": "E", "namespace": "default.s", "fields": fields}
        schema = numbered(row, json.dumps(top).encode())
        body = body_of(row) + b"\2s" + long_bytes(len(row.table)) + row.table.encode() + b"\2c"
        return joined(Made(None, schema, None, named(schema, body)))


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
            if kind in COARSE or kind == ColumnType.JSON:
                continue
            wanted = int(other) if isinstance(value, int) else other
            wanted = wanted % 2**64 if isinstance(value, int) and value >= 2**63 else wanted
            if bits(wanted) != value:
                return f"fastavro reads {wanted!r} in {name}, and not {value!r}"
    return ""
