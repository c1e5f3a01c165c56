"""Dissector of Canal-JSON: every field of a message beside its bytes.

It follows the text of the objects; what is wrong with a message, its decoder says.
"""
# Generated from spec/canal-json.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.canal_json.decoder import Decoder
from tidewire.runtime import require_api
from tidewire.runtime.dissecting.json_tracer import trace
from tidewire.runtime.dissecting.shapes import MEANINGS, Shape
from tidewire.runtime.dissecting.spans import Span

require_api(1)

NAMES_OF_EXTENSION: Final = {
    "commitTs": Shape("uinteger", "TSO of the transaction.", MEANINGS["tso"]),
    "watermarkTs": Shape("uinteger", "Every event with a smaller commit ts has been sent.", MEANINGS["tso"]),
    "onlyHandleKey": Shape("boolean", "The row has its handle key columns only."),
    "claimCheckLocation": Shape("text", "Where the whole message is stored."),
    "rowkey": Shape("text", "TiKV's key of the row."),
}
NAMES_OF_MESSAGE: Final = {
    "id": Shape("json", "Always 0; Canal numbers its batches."),
    "database": Shape("text", "The database."),
    "table": Shape("text", "The table."),
    "pkNames": Shape("names", "The primary key."),
    "isDdl": Shape("json", "Whether it is a DDL statement."),
    "type": Shape("text", "What happened."),
    "es": Shape("integer", "When the transaction committed, in milliseconds.", MEANINGS["physical"]),
    "ts": Shape("integer", "When the message was made, in milliseconds.", MEANINGS["sent"]),
    "sql": Shape("text", "The statement."),
    "sqlType": Shape("mapping", "Java's SQL type codes; of unsigned numbers they depend on the value."),
    "mysqlType": Shape(
        "columns", "Types as they are declared, without their parameters unless content-compatible is set."
    ),
    "data": Shape("rows", "The rows, one in TiCDC's messages: new, or deleted."),
    "old": Shape("rows", "The rows before an update, or those of their columns that changed."),
    "_tidb": Shape("object", "What TiDB adds to Canal's format.", None, NAMES_OF_EXTENSION),
}


def dissect(value: bytes) -> list[Span]:
    """Every field of a message, in the order of the bytes; of a malformed one those before the trouble, and the
    trouble."""
    errors = Decoder("bytes").decode([value]).errors
    return trace(value, Shape("object", "", None, NAMES_OF_MESSAGE), errors[0] if errors else None)
