"""Dissector of Debezium-Avro: every field of a message beside its bytes.

It follows the fields of the records as their schemas have them; what is wrong with a message, its decoder says.
"""
# Generated from spec/debezium-avro.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.debezium_avro.decoder import FORMS, ROW_KEY_RECORD, ROW_RECORD, Decoder
from tidewire.runtime import require_api
from tidewire.runtime.json.trace import MEANINGS
from tidewire.runtime.record.trace import RecordShape
from tidewire.runtime.registered.trace import RegisteredShapes, trace_registered
from tidewire.runtime.registry import SchemaRegistry
from tidewire.runtime.wire.spans import Span, named

require_api(1)

FIELDS_OF_RECORDS: Final = {
    "before": RecordShape("record", "The row before an update, or deleted."),
    "after": RecordShape("record", "The row, inserted or updated."),
    "source": RecordShape("record", "Where the event comes from."),
    "source/version": RecordShape("string", "The version of Debezium's format."),
    "source/connector": RecordShape("string", "Who wrote it."),
    "source/name": RecordShape("string", "The cluster."),
    "source/ts_ms": RecordShape("long", "When the transaction committed, in milliseconds.", MEANINGS["physical"]),
    "source/snapshot": RecordShape("string", "Whether the row is from a snapshot; TiCDC writes null."),
    "source/db": RecordShape("string", "The database."),
    "source/table": RecordShape("string", "The table."),
    "source/server_id": RecordShape("long", "The server; TiCDC has none."),
    "source/gtid": RecordShape("string", "The transaction's id; TiCDC has none."),
    "source/file": RecordShape("string", "The binlog file; TiCDC has none."),
    "source/pos": RecordShape("long", "The position in it; TiCDC writes 0."),
    "source/row": RecordShape("int", "Which row of the binlog event."),
    "source/thread": RecordShape("long", "The thread that made the change; TiCDC writes null."),
    "source/query": RecordShape("string", "The statement that changed the row; TiCDC writes null."),
    "source/commit_ts": RecordShape("long", "TSO of the transaction.", MEANINGS["tso"]),
    "source/cluster_id": RecordShape("string", "The cluster."),
    "source/schema": RecordShape(
        "string", "The schema, which is between database and table in PostgreSQL, SQL Server, Oracle and Db2."
    ),
    "source/collection": RecordShape("string", "The collection, which is MongoDB's word for a table."),
    "op": RecordShape(
        "string",
        "What happened.",
        named({"c": "insert", "u": "update", "d": "delete", "r": "insert", "m": "watermark", "t": "ddl"}),
    ),
    "ddl": RecordShape("string", "A statement, which messages without a row have."),
    "ts_ms": RecordShape("long", "When the message was made, in milliseconds.", MEANINGS["sent"]),
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
