"""The same for Debezium-Avro, whose envelopes are records by schemas that a registry has.

Statements describe no tables here: whoever reads an input has not read others before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from .connect_mutations import spoiled_envelope, widened
from .crowd import Row
from .debezium_avro_corpus import of_corpus
from .registered_engine import Paired, RegisteredEngine
from .registered_inputs import Made, joined, named, parted, text_of
from .registered_mutations import settled

SMALL = 6144
"""Bytes of those that most inputs are made of."""
TIMES = {ColumnType.DATE, ColumnType.DATETIME, ColumnType.TIMESTAMP, ColumnType.TIME}
COARSE = {ColumnType.ENUM, ColumnType.SET, ColumnType.DECIMAL, ColumnType.BIT, *TIMES}
"""Types whose values fastavro has as other values."""


class Forgetful(TableStore):
    """Descriptions, of which none is kept."""

    def add(self, description: TableDescription) -> bool:
        return False


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
            if kind in COARSE or kind == ColumnType.JSON:
                continue
            wanted = int(other) if isinstance(value, int) else other
            wanted = wanted % 2**64 if isinstance(value, int) and value >= 2**63 else wanted
            if bits(wanted) != value:
                return f"fastavro reads {wanted!r} in {name}, and not {value!r}"
    return ""


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
