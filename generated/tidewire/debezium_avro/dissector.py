"""Dissector of Debezium-Avro: every field of a message beside its bytes.

It follows the fields of the records as their schemas have them; what is wrong with a message, its decoder says.
"""
# Generated from spec/debezium-avro.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.debezium_avro.decoder import FORMS, ROW_KEY_RECORD, ROW_RECORD, Decoder
from tidewire.runtime import require_api
from tidewire.runtime.dissecting.registered import RegisteredShapes, trace_registered
from tidewire.runtime.dissecting.shapes import MEANINGS, Shape
from tidewire.runtime.dissecting.spans import Span, named
from tidewire.runtime.registry import SchemaRegistry

require_api(1)

FIELDS_OF_RECORDS: Final = {
    "before": Shape("record", "The row before an update, or deleted."),
    "after": Shape("record", "The row, inserted or updated."),
    "source": Shape("record", "Where the event comes from."),
    "source/version": Shape("string", "The version of Debezium's format."),
    "source/connector": Shape("string", "Who wrote it."),
    "source/name": Shape("string", "The cluster."),
    "source/ts_ms": Shape("long", "When the transaction committed, in milliseconds.", MEANINGS["physical"]),
    "source/snapshot": Shape("string", "Whether the row is from a snapshot; TiCDC writes null."),
    "source/db": Shape("string", "The database."),
    "source/table": Shape("string", "The table."),
    "source/server_id": Shape("long", "The server; TiCDC has none."),
    "source/gtid": Shape("string", "The transaction's id; TiCDC has none."),
    "source/file": Shape("string", "The binlog file; TiCDC has none."),
    "source/pos": Shape("long", "The position in it; TiCDC writes 0."),
    "source/row": Shape("int", "Which row of the binlog event."),
    "source/thread": Shape("long", "The thread that made the change; TiCDC writes null."),
    "source/query": Shape("string", "The statement that changed the row; TiCDC writes null."),
    "source/commit_ts": Shape("long", "TSO of the transaction.", MEANINGS["tso"]),
    "source/cluster_id": Shape("string", "The cluster."),
    "source/schema": Shape(
        "string", "The schema, which is between database and table in PostgreSQL, SQL Server, Oracle and Db2."
    ),
    "source/collection": Shape("string", "The collection, which is MongoDB's word for a table."),
    "op": Shape(
        "string",
        "What happened.",
        named({"c": "insert", "u": "update", "d": "delete", "r": "insert", "m": "watermark", "t": "ddl"}),
    ),
    "ddl": Shape("string", "A statement, which messages without a row have."),
    "ts_ms": Shape("long", "When the message was made, in milliseconds.", MEANINGS["sent"]),
}
"""The fields of records that are no columns, by their paths."""

SHAPES: Final = RegisteredShapes(
    "debezium-avro",
    ROW_RECORD,
    ROW_KEY_RECORD,
    FORMS,
    FIELDS_OF_RECORDS,
    (
    ),
)
"""What keys and values are."""


def dissect(value: bytes | None, key: bytes | None = None, schemas: SchemaRegistry | None = None) -> list[Span]:
    """Every field of a message, in the order of the bytes, those of the key first; of a malformed one those before the
    trouble, and the trouble.

    Args:
        value: the message; None: it has no value, and the row that the key tells is gone.
        key: its key.
        schemas: gives the schemas of records by their ids; None: none is known, and records are shown as bytes.
    """
    decoder = Decoder("bytes", schemas)
    return trace_registered(value, key, SHAPES, schemas, lambda own, tells: decoder.decode([own], [tells]))
