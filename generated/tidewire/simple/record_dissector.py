"""Dissector of records of TiCDC Simple: every field of a message beside its bytes.

It follows the fields of the records; what is wrong with a message, its decoder says.
"""
# Generated from spec/simple.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.simple.record_decoder import Decoder
from tidewire.runtime import require_api
from tidewire.runtime.dissecting.record_tracer import content_of, trace_record
from tidewire.runtime.dissecting.shapes import MEANINGS, Shape, array_of, enum_of, map_of, record, union_of
from tidewire.runtime.dissecting.spans import Span
from tidewire.tables import TableStore

require_api(1)

SHAPE_OF_WATERMARK: Final = record(
    "Watermark",
    "",
    {
        "version": Shape("int", "Version of the protocol."),
        "commitTs": Shape("long", "TSO of the transaction; 0 in a bootstrap.", MEANINGS["tso"]),
        "buildTs": Shape("long", "When the message was made, in milliseconds.", MEANINGS["sent"]),
    },
)

SHAPE_OF_DATA_TYPE: Final = record(
    "DataType",
    "The type of a column.",
    {
        "mysqlType": Shape("string", "Its name."),
        "charset": Shape("string", "The character set."),
        "collate": Shape("string", "The collation."),
        "length": Shape("long", "How long values are."),
        "decimal": Shape("int", "The digits after the decimal point, or of a fraction of a second.").or_null,
        "elements": array_of(Shape("string"), "The labels of an ENUM or SET.").or_null,
        "unsigned": Shape("boolean", "Whether it is UNSIGNED.").or_null,
        "zerofill": Shape("boolean", "Whether it is ZEROFILL.").or_null,
    },
)

SHAPE_OF_COLUMN_SCHEMA: Final = record(
    "ColumnSchema",
    "A column.",
    {
        "name": Shape("string", "Its name."),
        "dataType": SHAPE_OF_DATA_TYPE,
        "nullable": Shape("boolean", "Whether it can be NULL."),
        "default": Shape("string", "Its default, as a text; a number of a BIT.").or_null,
    },
)

SHAPE_OF_INDEX_SCHEMA: Final = record(
    "IndexSchema",
    "An index.",
    {
        "name": Shape("string", "Its name."),
        "unique": Shape("boolean", "Whether it is unique."),
        "primary": Shape("boolean", "Whether it is the primary key."),
        "nullable": Shape("boolean", "Whether a column of it can be NULL."),
        "columns": array_of(Shape("string"), "The names of its columns."),
    },
)

SHAPE_OF_TABLE_SCHEMA: Final = record(
    "TableSchema",
    "A table.",
    {
        "database": Shape("string", "The database."),
        "table": Shape("string", "The table."),
        "tableID": Shape("long", "TiDB's id of the table."),
        "version": Shape("long", "Changes with every statement that changes the table."),
        "columns": array_of(SHAPE_OF_COLUMN_SCHEMA, "The columns."),
        "indexes": array_of(SHAPE_OF_INDEX_SCHEMA, "The indexes."),
    },
)

SHAPE_OF_BOOTSTRAP: Final = record(
    "Bootstrap",
    "",
    {
        "version": Shape("int", "Version of the protocol."),
        "buildTs": Shape("long", "When the message was made, in milliseconds.", MEANINGS["sent"]),
        "tableSchema": SHAPE_OF_TABLE_SCHEMA,
    },
)

SHAPE_OF_DDL: Final = record(
    "DDL",
    "",
    {
        "version": Shape("int", "Version of the protocol."),
        "type": enum_of(
            ("CREATE", "ALTER", "ERASE", "RENAME", "TRUNCATE", "CINDEX", "DINDEX", "QUERY"), "What happened."
        ),
        "sql": Shape("string", "The statement."),
        "commitTs": Shape("long", "TSO of the transaction; 0 in a bootstrap.", MEANINGS["tso"]),
        "buildTs": Shape("long", "When the message was made, in milliseconds.", MEANINGS["sent"]),
        "tableSchema": SHAPE_OF_TABLE_SCHEMA.or_null,
        "preTableSchema": SHAPE_OF_TABLE_SCHEMA.or_null,
    },
)

SHAPE_OF_CHECKSUM: Final = record(
    "Checksum",
    "TiDB's checksums of a row.",
    {
        "version": Shape("int", "How they are computed."),
        "corrupted": Shape("boolean", "Whether the producer found that the row differs from its checksum."),
        "current": Shape("long", "Of the row; 0 of a deleted one."),
        "previous": Shape("long", "Of the row before; 0 of an inserted one."),
    },
)

SHAPE_OF_TIMESTAMP: Final = record("Timestamp", "", {"location": Shape("string"), "value": Shape("string")})

SHAPE_OF_UNSIGNED_BIGINT: Final = record("UnsignedBigint", "", {"value": Shape("long")})

SHAPE_OF_DML: Final = record(
    "DML",
    "",
    {
        "version": Shape("int", "Version of the protocol."),
        "database": Shape("string", "The database."),
        "table": Shape("string", "The table."),
        "tableID": Shape("long", "TiDB's id of the partition that the row lies in, else of the table."),
        "type": enum_of(("INSERT", "UPDATE", "DELETE"), "What happened."),
        "commitTs": Shape("long", "TSO of the transaction; 0 in a bootstrap.", MEANINGS["tso"]),
        "buildTs": Shape("long", "When the message was made, in milliseconds.", MEANINGS["sent"]),
        "schemaVersion": Shape("long", "The version of the table's description that the row is encoded with."),
        "claimCheckLocation": Shape("string", "Where the whole message is stored.").or_null,
        "handleKeyOnly": Shape("boolean", "The row has its handle key columns only.").or_null,
        "checksum": SHAPE_OF_CHECKSUM.or_null,
        "data": map_of(
            union_of(
                (
                    Shape("null"),
                    Shape("long"),
                    Shape("float"),
                    Shape("double"),
                    Shape("string"),
                    Shape("bytes"),
                    SHAPE_OF_TIMESTAMP,
                    SHAPE_OF_UNSIGNED_BIGINT,
                )
            ),
            "The row, inserted or updated.",
        ).or_null,
        "old": map_of(
            union_of(
                (
                    Shape("null"),
                    Shape("long"),
                    Shape("float"),
                    Shape("double"),
                    Shape("string"),
                    Shape("bytes"),
                    SHAPE_OF_TIMESTAMP,
                    SHAPE_OF_UNSIGNED_BIGINT,
                )
            ),
            "The row before an update, or deleted.",
        ).or_null,
    },
)

SHAPE_OF_MESSAGE: Final = record(
    "Message",
    "The same parts as records in Avro's binary encoding.",
    {
        "type": enum_of(("WATERMARK", "BOOTSTRAP", "DDL", "DML"), ""),
        "payload": union_of((SHAPE_OF_WATERMARK, SHAPE_OF_BOOTSTRAP, SHAPE_OF_DDL, SHAPE_OF_DML), ""),
    },
)


def dissect(value: bytes, tables: TableStore | None = None) -> list[Span]:
    """Every field of a message, in the order of the bytes; of a malformed one those before the trouble, and the
    trouble.

    Args:
        value: the message.
        tables: the descriptions of tables that are known; it gets that which the message has.
    """
    decoded = Decoder("bytes", tables).decode([value])
    return trace_record(value, SHAPE_OF_MESSAGE, decoded, "schemaVersion")


def content(value: bytes) -> list[tuple[tuple[str, ...], bytes]] | None:
    """Every value of a message, with its path and its bytes; None of what is no whole message."""
    return content_of(value, SHAPE_OF_MESSAGE)
