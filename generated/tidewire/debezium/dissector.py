"""Dissector of Debezium: every field of a message beside its bytes.

It follows the text of the objects; what is wrong with a message, its decoder says.
"""
# Generated from spec/debezium.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.debezium.decoder import Decoder
from tidewire.runtime import require_api
from tidewire.runtime.dissecting.envelopes import trace_enveloped
from tidewire.runtime.dissecting.shapes import MEANINGS, Shape
from tidewire.runtime.dissecting.spans import Span
from tidewire.tables import TableStore

require_api(1)

NAMES_OF_SOURCE: Final = {
    "version": Shape("json", "The version of Debezium's format."),
    "connector": Shape("json", "Who wrote it."),
    "name": Shape("json", "The cluster."),
    "ts_ms": Shape("integer", "When the transaction committed, in milliseconds.", MEANINGS["physical"]),
    "snapshot": Shape("json", "Whether the row is from a snapshot."),
    "db": Shape("text", "The database."),
    "sequence": Shape("json", "The place in the log of other databases."),
    "table": Shape("text", "The table."),
    "server_id": Shape("json", "The server; TiCDC has none."),
    "gtid": Shape("json", "The transaction's id; TiCDC has none."),
    "file": Shape("json", "The binlog file; TiCDC has none."),
    "pos": Shape("json", "The position in it; TiCDC writes 0."),
    "row": Shape("json", "Which row of the binlog event."),
    "thread": Shape("json", "The thread that made the change."),
    "query": Shape("json", "The statement that changed the row; TiCDC writes null."),
    "commit_ts": Shape("uinteger", "TSO of the transaction.", MEANINGS["tso"]),
    "start_ts": Shape("uinteger", "TSO at which the transaction began."),
    "cluster_id": Shape("json", "The cluster."),
    "schema": Shape(
        "json", "The schema, which is between database and table in PostgreSQL, SQL Server, Oracle and Db2."
    ),
    "collection": Shape("json", "The collection, which is MongoDB's word for a table."),
}
NAMES_OF_PAYLOAD: Final = {
    "source": Shape("object", "Where it comes from; Flink leaves it out.", None, NAMES_OF_SOURCE),
    "ts_ms": Shape("integer", "When the message was made, in milliseconds.", MEANINGS["sent"]),
    "transaction": Shape("json", "The transaction; TiCDC writes null."),
    "op": Shape("text", "What happened."),
    "before": Shape("row", "The row before an update, or deleted."),
    "after": Shape("row", "The row, inserted or updated."),
    "databaseName": Shape("json", "The database that the statement was executed in."),
    "schemaName": Shape("json", "Databases of MySQL have none."),
    "ddl": Shape("text", "The statement."),
    "tableChanges": Shape("json", "The tables that it changed, as they are then."),
}
KEY_MEMBERS: Final[dict[str, Shape]] = {
    "databaseName": Shape("text", "The database."),
}


def dissect(value: bytes, key: bytes | None = None, tables: TableStore | None = None) -> list[Span]:
    """Every field of a message, in the order of the bytes, those of the key first; of a malformed one those before the
    trouble, and the trouble.

    Args:
        value: the message.
        key: its key.
        tables: the descriptions of tables that are known; it gets that which the message has.
    """
    decoded = Decoder("bytes", tables).decode([value], [key])
    return trace_enveloped(value, key, NAMES_OF_PAYLOAD, KEY_MEMBERS, decoded, "types_from")
