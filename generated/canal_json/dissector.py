"""Dissector of Canal-JSON: every field of a message beside its bytes.

It follows the text of the objects; what is wrong with a message, its decoder says.
"""
# Generated from spec/canal-json.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.canal_json.decoder import Decoder
from tidewire.runtime import require_api
from tidewire.runtime.json.trace import MEANINGS, Expected, trace
from tidewire.runtime.wire.spans import Span

require_api(1)

NAMES_OF_EXTENSION: Final = {
    "commitTs": Expected("uinteger", "TSO of the transaction.", MEANINGS["tso"]),
    "watermarkTs": Expected("uinteger", "Every event with a smaller commit ts has been sent.", MEANINGS["tso"]),
    "onlyHandleKey": Expected("boolean", "The row has its handle key columns only."),
    "claimCheckLocation": Expected("text", "Where the whole message is stored."),
    "rowkey": Expected("text", "TiKV's key of the row."),
}
NAMES_OF_MESSAGE: Final = {
    "id": Expected("json", "Always 0; Canal numbers its batches."),
    "database": Expected("text", "The database."),
    "table": Expected("text", "The table."),
    "pkNames": Expected("names", "The primary key."),
    "isDdl": Expected("json", "Whether it is a DDL statement."),
    "type": Expected("text", "What happened."),
    "es": Expected("integer", "When the transaction committed, in milliseconds.", MEANINGS["physical"]),
    "ts": Expected("integer", "When the message was made, in milliseconds.", MEANINGS["sent"]),
    "sql": Expected("text", "The statement."),
    "sqlType": Expected("mapping", "Java's SQL type codes; of unsigned numbers they depend on the value."),
    "mysqlType": Expected(
        "columns", "Types as they are declared, without their parameters unless content-compatible is set."
    ),
    "data": Expected("rows", "The rows, one in TiCDC's messages: new, or deleted."),
    "old": Expected("rows", "The rows before an update, or those of their columns that changed."),
    "_tidb": Expected("object", "What TiDB adds to Canal's format.", None, NAMES_OF_EXTENSION),
}


def dissect(value: bytes) -> list[Span]:
    """Every field of a message, in the order of the bytes; of a malformed one those before the trouble, and the
    trouble."""
    errors = Decoder("bytes").decode([value]).errors
    return trace(value, Expected("object", "", None, NAMES_OF_MESSAGE), errors[0] if errors else None)
