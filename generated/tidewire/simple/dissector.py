"""Dissector of TiCDC Simple: every field of a message beside its bytes.

It follows the text of the objects; what is wrong with a message, its decoder says.
"""
# Generated from spec/simple.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.simple.decoder import Decoder
from tidewire.runtime import require_api
from tidewire.runtime.dissecting.json_tracer import trace_described
from tidewire.runtime.dissecting.shapes import MEANINGS, Shape
from tidewire.runtime.dissecting.spans import Span
from tidewire.tables import TableStore

require_api(1)

MEMBERS_OF_DATA_TYPE: Final = {
    "mysqlType": Shape("text", "Its name."),
    "charset": Shape("text", "The character set."),
    "collate": Shape("text", "The collation."),
    "length": Shape("integer", "How long values are."),
    "decimal": Shape("integer", "The digits after the decimal point, or of a fraction of a second."),
    "elements": Shape("names", "The labels of an ENUM or SET."),
    "unsigned": Shape("bool", "Whether it is UNSIGNED."),
    "zerofill": Shape("bool", "Whether it is ZEROFILL."),
}
MEMBERS_OF_COLUMN: Final = {
    "name": Shape("text", "Its name."),
    "dataType": Shape("object", "Its type.", None, MEMBERS_OF_DATA_TYPE),
    "nullable": Shape("bool", "Whether it can be NULL."),
    "default": Shape("text", "Its default, as a text; a number of a BIT."),
}
MEMBERS_OF_INDEX: Final = {
    "name": Shape("text", "Its name."),
    "unique": Shape("bool", "Whether it is unique."),
    "primary": Shape("bool", "Whether it is the primary key."),
    "nullable": Shape("bool", "Whether a column of it can be NULL."),
    "columns": Shape("names", "The names of its columns."),
}
MEMBERS_OF_TABLE: Final = {
    "schema": Shape("text", "The database."),
    "table": Shape("text", "The table."),
    "tableID": Shape("integer", "TiDB's id of the table."),
    "version": Shape("unsigned", "Changes with every statement that changes the table."),
    "columns": Shape("list", "The columns.", None, MEMBERS_OF_COLUMN),
    "indexes": Shape("list", "The indexes.", None, MEMBERS_OF_INDEX),
}
NAMES_OF_CHECKSUM: Final = {
    "version": Shape("integer", "How they are computed."),
    "corrupted": Shape("boolean", "Whether the producer found that the row differs from its checksum."),
    "current": Shape("uinteger", "Of the row; 0 of a deleted one."),
    "previous": Shape("uinteger", "Of the row before; 0 of an inserted one."),
}
NAMES_OF_MESSAGE: Final = {
    "version": Shape("json", "Version of the protocol."),
    "database": Shape("text", "The database."),
    "table": Shape("text", "The table."),
    "tableID": Shape("integer", "TiDB's id of the partition that the row lies in, else of the table."),
    "type": Shape("text", "What happened."),
    "sql": Shape("text", "The statement."),
    "commitTs": Shape("uinteger", "TSO of the transaction; 0 in a bootstrap.", MEANINGS["tso"]),
    "buildTs": Shape("integer", "When the message was made, in milliseconds.", MEANINGS["sent"]),
    "schemaVersion": Shape("uinteger", "The version of the table's description that the row is encoded with."),
    "claimCheckLocation": Shape("text", "Where the whole message is stored."),
    "handleKeyOnly": Shape("boolean", "The row has its handle key columns only."),
    "checksum": Shape("object", "TiDB's checksums of the row.", None, NAMES_OF_CHECKSUM),
    "data": Shape("row", "The row, inserted or updated."),
    "old": Shape("row", "The row before an update, or deleted."),
    "tableSchema": Shape("object", "The table after the statement.", None, MEMBERS_OF_TABLE),
    "preTableSchema": Shape("object", "The table before the statement.", None, MEMBERS_OF_TABLE),
}


def dissect(value: bytes, tables: TableStore | None = None) -> list[Span]:
    """Every field of a message, in the order of the bytes; of a malformed one those before the trouble, and the
    trouble.

    Args:
        value: the message.
        tables: the descriptions of tables that are known; it gets that which the message has.
    """
    decoded = Decoder("bytes", tables).decode([value])
    return trace_described(value, Shape("object", "", None, NAMES_OF_MESSAGE), decoded, "schemaVersion")
