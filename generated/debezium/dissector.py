"""Dissector of Debezium: every field of a message beside its bytes.

It follows the text of the objects; what is wrong with a message, its decoder says.
"""
# Generated from spec/debezium.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.debezium.decoder import Decoder
from tidewire.runtime import require_api
from tidewire.runtime.json.envelope_trace import trace_enveloped
from tidewire.runtime.json.trace import MEANINGS, Expected
from tidewire.runtime.wire.spans import Span
from tidewire.tables import TableStore

require_api(1)

NAMES_OF_SOURCE: Final = {
    "version": Expected("json", "The version of Debezium's format."),
    "connector": Expected("json", "Who wrote it."),
    "name": Expected("json", "The cluster."),
    "ts_ms": Expected("integer", "When the transaction committed, in milliseconds.", MEANINGS["physical"]),
    "snapshot": Expected("json", "Whether the row is from a snapshot."),
    "db": Expected("text", "The database."),
    "table": Expected("text", "The table."),
    "server_id": Expected("json", "The server; TiCDC has none."),
    "gtid": Expected("json", "The transaction's id; TiCDC has none."),
    "file": Expected("json", "The binlog file; TiCDC has none."),
    "pos": Expected("json", "The position in it; TiCDC writes 0."),
    "row": Expected("json", "Which row of the binlog event."),
    "thread": Expected("json", "The thread that made the change."),
    "query": Expected("json", "The statement that changed the row; TiCDC writes null."),
    "commit_ts": Expected("uinteger", "TSO of the transaction.", MEANINGS["tso"]),
    "start_ts": Expected("uinteger", "TSO at which the transaction began."),
    "cluster_id": Expected("json", "The cluster."),
    "schema": Expected(
        "json", "The schema, which is between database and table in PostgreSQL, SQL Server, Oracle and Db2."
    ),
    "collection": Expected("json", "The collection, which is MongoDB's word for a table."),
}
NAMES_OF_PAYLOAD: Final = {
    "source": Expected("object", "Where it comes from; Flink leaves it out.", None, NAMES_OF_SOURCE),
    "ts_ms": Expected("integer", "When the message was made, in milliseconds.", MEANINGS["sent"]),
    "transaction": Expected("json", "The transaction; TiCDC writes null."),
    "op": Expected("text", "What happened."),
    "before": Expected("row", "The row before an update, or deleted."),
    "after": Expected("row", "The row, inserted or updated."),
    "databaseName": Expected("json", "The database that the statement was executed in."),
    "schemaName": Expected("json", "Databases of MySQL have none."),
    "ddl": Expected("text", "The statement."),
    "tableChanges": Expected("json", "The tables that it changed, as they are then."),
}
KEY_MEMBERS: Final[dict[str, Expected]] = {
    "databaseName": Expected("text", "The database."),
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
