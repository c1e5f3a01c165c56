"""Avro with a schema registry read and written with fastavro: the schema that TiCDC registers is at hand by its id."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from io import BytesIO
from typing import Any, NamedTuple

import fastavro
import pyarrow as pa

from benchmarks.cases import DECIMAL, HANDLE_KEY, Change, ColumnDef
from benchmarks.peers.base import Message, Peer, Truth
from benchmarks.peers.canal_json import arrow_type, columns_truth
from benchmarks.registry import schemas
from tidewire import avro
from tidewire.events import Column, RowChange

HEAD = 5
"""Bytes before a record: 0, and the id of its schema, the most significant byte first."""
OPTIONS = avro.Options(enable_tidb_extension=True)
"""Without the extension there is no commit ts, and an update reads as an insert."""
OPERATIONS = {"insert": "c", "update": "u"}


class Registered(NamedTuple):
    """A schema that a registry has."""

    head: bytes
    """What stands before its records."""
    parsed: Any


class RegisteredColumns(Peer):
    """fastavro's schemaless reader, and of its dicts Arrow columns: what a Spark function by hand has to give back."""

    name = "by hand, fastavro"
    result = "to Arrow columns"
    tells_old = False
    decodes = (
        "schemaless_reader of every value into a dict (the schema known by the id before it); then a pyarrow.array for "
        "each column, decimals as decimals, and for the commit ts and the operation"
    )
    encodes = "schemaless_writer of every key and value from the row dicts, decimals made of their text"

    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        self.keys: dict[tuple[str, str], Registered] = {}
        self.values: dict[tuple[str, str], Registered] = {}
        self.types: dict[tuple[str, str], list[tuple[ColumnDef, pa.DataType]]] = {}
        for row in {(row.schema, row.table): row for row in rows}.values():
            table = (row.schema, row.table)
            self.keys[table], self.values[table] = _registered(row)
            self.types[table] = [
                (one, pa.decimal128(*row.decimal) if one.type == DECIMAL else arrow_type(one)) for one in row.columns
            ]
        self.read_by = {registered.head: (table, registered.parsed) for table, registered in self.values.items()}

    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        messages = []
        for rows in batches:
            for row in rows:
                record: dict[str, Any] = {
                    one.name: Decimal(str(value)) if one.type == DECIMAL and value is not None else value
                    for one, value in zip(row.columns, row.new.values(), strict=True)
                }
                key = {one.name: record[one.name] for one in row.columns if one.flags & HANDLE_KEY}
                record["_tidb_op"] = OPERATIONS[row.kind]
                record["_tidb_commit_ts"] = row.commit_ts
                record["_tidb_commit_physical_time"] = row.commit_ts >> 18
                table = (row.schema, row.table)
                messages.append(Message(_written(self.keys[table], key), _written(self.values[table], record)))
        return messages

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        groups: dict[tuple[str, str], list[Any]] = {}
        for number, (_, value) in enumerate(messages):
            stream = BytesIO(value)
            table, schema = self.read_by[stream.read(HEAD)]
            # None: no separate reader schema
            groups.setdefault(table, []).append((number, fastavro.schemaless_reader(stream, schema, None)))
        found: list[object] = []
        for table, numbered in groups.items():
            records = [record for _, record in numbered]
            columns = [pa.array([record[one.name] for record in records], type_) for one, type_ in self.types[table]]
            times = pa.array([record["_tidb_commit_ts"] for record in records], pa.uint64())
            kinds = pa.array([record["_tidb_op"] for record in records], pa.string())
            found.append((table, [number for number, _ in numbered], times, kinds, columns, None))
        return found

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        texts = [
            (*more, [one.cast(pa.string()) if pa.types.is_decimal(one.type) else one for one in columns], None)
            for *more, columns, _ in decoded
        ]
        return columns_truth(self.tables, texts)


def _registered(row: Change) -> tuple[Registered, Registered]:
    """The schemas of the keys and of the values of a table, as TiCDC registers them."""
    columns = [Column(*one, row.declared(one)) for one in row.columns]
    event = RowChange("insert", row.commit_ts, row.schema, row.table, new=dict(row.new), columns=columns)
    (sent,) = avro.encode([event], OPTIONS, schemas=schemas())
    heads = [(part or b"")[:HEAD] for part in (sent.key, sent.value)]
    key, value = (
        Registered(head, fastavro.parse_schema(json.loads(schemas().schema(int.from_bytes(head[1:], "big")))))
        for head in heads
    )
    return key, value


def _written(registered: Registered, record: dict[str, Any]) -> bytes:
    out = BytesIO(registered.head)
    out.seek(HEAD)
    fastavro.schemaless_writer(out, registered.parsed, record)
    return out.getvalue()
