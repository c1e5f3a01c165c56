"""Dissector of TiCDC Simple: every field of a message beside its bytes.

It follows the text of the objects; what is wrong with a message, its decoder says.
"""
# Generated from spec/simple.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.simple.decoder import Decoder
from tidewire.runtime import require_api
from tidewire.runtime.json.trace import MEANINGS, Expected, trace_described
from tidewire.runtime.wire.spans import Span
from tidewire.tables import TableStore

require_api(1)

MEMBERS_OF_DATA_TYPE: Final = {
    "mysqlType": Expected("text", "Its name."),
    "charset": Expected("text", "The character set."),
    "collate": Expected("text", "The collation."),
    "length": Expected("integer", "How long values are."),
    "decimal": Expected("integer", "The digits after the decimal point, or of a fraction of a second."),
    "elements": Expected("names", "The labels of an ENUM or SET."),
    "unsigned": Expected("bool", "Whether it is UNSIGNED."),
    "zerofill": Expected("bool", "Whether it is ZEROFILL."),
}
MEMBERS_OF_COLUMN: Final = {
    "name": Expected("text", "Its name."),
    "dataType": Expected("object", "Its type.", None, MEMBERS_OF_DATA_TYPE),
    "nullable": Expected("bool", "Whether it can be NULL."),
    "default": Expected("text", "Its default, as a text; a number of a BIT."),
}
MEMBERS_OF_INDEX: Final = {
    "name": Expected("text", "Its name."),
    "unique": Expected("bool", "Whether it is unique."),
    "primary": Expected("bool", "Whether it is the primary key."),
    "nullable": Expected("bool", "Whether a column of it can be NULL."),
    "columns": Expected("names", "The names of its columns."),
}
MEMBERS_OF_TABLE: Final = {
    "schema": Expected("text", "The database."),
    "table": Expected("text", "The table."),
    "tableID": Expected("integer", "TiDB's id of the table."),
    "version": Expected("unsigned", "Changes with every statement that changes the table."),
    "columns": Expected("list", "The columns.", None, MEMBERS_OF_COLUMN),
    "indexes": Expected("list", "The indexes.", None, MEMBERS_OF_INDEX),
}
NAMES_OF_CHECKSUM: Final = {
    "version": Expected("integer", "How they are computed."),
    "corrupted": Expected("boolean", "Whether the producer found that the row differs from its checksum."),
    "current": Expected("uinteger", "Of the row; 0 of a deleted one."),
    "previous": Expected("uinteger", "Of the row before; 0 of an inserted one."),
}
NAMES_OF_MESSAGE: Final = {
    "version": Expected("json", "Version of the protocol."),
    "database": Expected("text", "The database."),
    "table": Expected("text", "The table."),
    "tableID": Expected("integer", "TiDB's id of the partition that the row lies in, else of the table."),
    "type": Expected("text", "What happened."),
    "sql": Expected("text", "The statement."),
    "commitTs": Expected("uinteger", "TSO of the transaction; 0 in a bootstrap.", MEANINGS["tso"]),
    "buildTs": Expected("integer", "When the message was made, in milliseconds.", MEANINGS["sent"]),
    "schemaVersion": Expected("uinteger", "The version of the table's description that the row is encoded with."),
    "claimCheckLocation": Expected("text", "Where the whole message is stored."),
    "handleKeyOnly": Expected("boolean", "The row has its handle key columns only."),
    "checksum": Expected("object", "TiDB's checksums of the row.", None, NAMES_OF_CHECKSUM),
    "data": Expected("row", "The row, inserted or updated."),
    "old": Expected("row", "The row before an update, or deleted."),
    "tableSchema": Expected("object", "The table after the statement.", None, MEMBERS_OF_TABLE),
    "preTableSchema": Expected("object", "The table before the statement.", None, MEMBERS_OF_TABLE),
}


def dissect(value: bytes, tables: TableStore | None = None) -> list[Span]:
    """Every field of a message, in the order of the bytes; of a malformed one those before the trouble, and the
    trouble.

    Args:
        value: the message.
        tables: the descriptions of tables that are known; it gets that which the message has.
    """
    decoded = Decoder("bytes", tables).decode([value])
    return trace_described(value, Expected("object", "", None, NAMES_OF_MESSAGE), decoded, "schemaVersion")
