"""Spark types: of the events, of what is added to a table's rows, and of each protocol's message as it lies on the
wire."""
# Generated from spec/ by "make generate". Do not edit.

from __future__ import annotations

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DecimalType,
    DoubleType,  # noqa: F401
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
    VariantType,
)

from tidewire.runtime.by_protocol import ByProtocol

EVENTS = StructType(
    [
        StructField("kind", StringType(), True, {"comment": "What happened; the codes above."}),
        StructField(
            "_commit_version",
            LongType(),
            True,
            {"comment": "TSO of the transaction: milliseconds since 1970 << 18, plus a counter."},
        ),
        StructField(
            "_commit_timestamp", TimestampType(), True, {"comment": "The time in it, or the one that is said instead."}
        ),
        StructField("sent_ms", LongType(), True, {"comment": "When the producer wrote the message, ms since 1970."}),
        StructField("schema", StringType(), True, {"comment": "The database."}),
        StructField("table", StringType(), True, {"comment": "The table."}),
        StructField("table_id", LongType(), True, {"comment": "TiDB's id of the table."}),
        StructField(
            "partition_id",
            LongType(),
            True,
            {"comment": "TiDB's id of the partition that the row lies in; absent when the table has none."},
        ),
        StructField(
            "row_id",
            LongType(),
            True,
            {"comment": "The row's integer handle: TiDB's _tidb_rowid, or its integer primary key."},
        ),
        StructField("row_key", BinaryType(), True, {"comment": "TiKV's key of the row."}),
        StructField(
            "handle_key_only",
            BooleanType(),
            True,
            {"comment": "The row has its handle key columns only, because the whole was too large for a message."},
        ),
        StructField(
            "claim_check",
            StringType(),
            True,
            {"comment": "Where the whole message lies, when this one only points to it."},
        ),
        StructField(
            "ddl_type", IntegerType(), True, {"comment": "TiDB's DDL action code; mysql_types.yaml names them."}
        ),
        StructField(
            "ddl_class",
            StringType(),
            True,
            {"comment": "The statement's class, as Canal-JSON and Simple name it: CREATE, ALTER, ..."},
        ),
        StructField("query", StringType(), True, {"comment": "The statement."}),
        StructField(
            "new", VariantType(), True, {"comment": "The new row image: an object of column names and values."}
        ),
        StructField(
            "old", VariantType(), True, {"comment": "The old row image: an object of column names and values."}
        ),
        StructField(
            "columns",
            VariantType(),
            True,
            {
                "comment": "Name, type and flags of the columns, and their declared types where the protocol says "
                "them, in the order of the wire."
            },
        ),
        StructField(
            "old_columns", VariantType(), True, {"comment": "The same of the old row image, where it differs."}
        ),
        StructField("topic", StringType(), True, {"comment": "Where the message lay."}),
        StructField("partition", IntegerType()),
        StructField("offset", LongType()),
        StructField("event", IntegerType(), True, {"comment": "Index of the event in its message."}),
    ]
)
"""A row for each event."""

CORRUPT_RECORD = StructType(
    [
        StructField("value", BinaryType(), True, {"comment": "The message."}),
        StructField("reason", StringType(), True, {"comment": "Why it could not be decoded."}),
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("offset", LongType()),
        StructField("key", BinaryType(), True, {"comment": "Its key."}),
    ]
)
"""A message that could not be decoded."""

ROW_METADATA = StructType(
    [
        StructField(
            "_change_type", StringType(), True, {"comment": "insert, update_preimage, update_postimage or delete."}
        ),
        StructField(
            "_commit_version", LongType(), True, {"comment": "The commit ts, a TSO; null where only its time is said."}
        ),
        StructField("_commit_timestamp", TimestampType(), True, {"comment": "When it was committed."}),
        StructField(
            "_commit_rank", IntegerType(), True, {"comment": "Orders the row images of one commit ts and key."}
        ),
    ]
)
"""What follows a table's own columns in its rows."""

MESSAGES: ByProtocol[StructType] = ByProtocol(
    {
        # Canal-JSON
        "canal-json": StructType(
            [
                StructField("id", LongType(), True, {"comment": "Always 0; Canal numbers its batches."}),
                StructField("database", StringType(), True, {"comment": "The database."}),
                StructField("table", StringType(), True, {"comment": "The table."}),
                StructField("pkNames", ArrayType(StringType(), False), True, {"comment": "The primary key."}),
                StructField("isDdl", BooleanType(), True, {"comment": "Whether it is a DDL statement."}),
                StructField("type", StringType(), True, {"comment": "What happened."}),
                StructField("es", LongType(), True, {"comment": "When the transaction committed, in milliseconds."}),
                StructField("ts", LongType(), True, {"comment": "When the message was made, in milliseconds."}),
                StructField("sql", StringType(), True, {"comment": "The statement."}),
                StructField(
                    "sqlType",
                    MapType(StringType(), IntegerType()),
                    True,
                    {"comment": "Java's SQL type codes; of unsigned numbers they depend on the value."},
                ),
                StructField(
                    "mysqlType",
                    MapType(StringType(), StringType()),
                    True,
                    {
                        "comment": "Types as they are declared, without their parameters unless content-compatible is "
                        "set."
                    },
                ),
                StructField(
                    "data",
                    ArrayType(MapType(StringType(), StringType()), False),
                    True,
                    {"comment": "The rows, one in TiCDC's messages: new, or deleted."},
                ),
                StructField(
                    "old",
                    ArrayType(MapType(StringType(), StringType()), False),
                    True,
                    {"comment": "The rows before an update, or those of their columns that changed."},
                ),
                StructField("_tidb", StructType(
                    [
                        StructField("commitTs", DecimalType(20, 0), True, {"comment": "TSO of the transaction."}),
                        StructField(
                            "watermarkTs",
                            DecimalType(20, 0),
                            True,
                            {"comment": "Every event with a smaller commit ts has been sent."},
                        ),
                        StructField(
                            "onlyHandleKey",
                            BooleanType(),
                            True,
                            {"comment": "The row has its handle key columns only."},
                        ),
                        StructField(
                            "claimCheckLocation", StringType(), True, {"comment": "Where the whole message lies."}
                        ),
                        StructField("rowkey", BinaryType(), True, {"comment": "TiKV's key of the row."}),
                    ]
                ), True, {"comment": "What TiDB adds to Canal's format."}),
            ]
        ),
        # TiCDC Craft
        "craft": StructType(
            [
                StructField("version", DecimalType(20, 0), False, {"comment": "Version of the protocol."}),
                StructField("headers", StructType(
                    [
                        StructField(
                            "commit_ts",
                            ArrayType(DecimalType(20, 0), False),
                            False,
                            {"comment": "TSO of the transaction; of a watermark the resolved ts."},
                        ),
                        StructField(
                            "event_type", ArrayType(IntegerType(), False), False, {"comment": "What happened."}
                        ),
                        StructField(
                            "partition",
                            ArrayType(LongType(), True),
                            False,
                            {"comment": "TiDB's id of the partition, -1 for none."},
                        ),
                        StructField(
                            "schema",
                            ArrayType(StringType(), True),
                            False,
                            {"comment": "The database, by its term; -1 for none."},
                        ),
                        StructField(
                            "table",
                            ArrayType(StringType(), True),
                            False,
                            {"comment": "The table, by its term; -1 for none."},
                        ),
                    ]
                ), False, {"comment": "One header per event, column by column."}),
                StructField("bodies", ArrayType(StructType(
                    [
                        StructField("groups", ArrayType(StructType(
                            [
                                StructField("kind", IntegerType(), False, {"comment": "Which row image."}),
                                StructField("count", DecimalType(20, 0), False, {"comment": "Number of columns."}),
                                StructField("columns", StructType(
                                    [
                                        StructField(
                                            "name",
                                            ArrayType(StringType(), False),
                                            False,
                                            {"comment": "Names of the columns, by their terms."},
                                        ),
                                        StructField(
                                            "type",
                                            ArrayType(IntegerType(), False),
                                            False,
                                            {"comment": "MySQL's type codes."},
                                        ),
                                        StructField(
                                            "flags",
                                            ArrayType(DecimalType(20, 0), False),
                                            False,
                                            {"comment": "What the columns are."},
                                        ),
                                        StructField("value", ArrayType(BinaryType(), True), False),
                                    ]
                                ), False),
                            ]
                        ), False), True, {"comment": "The row images."}),
                        StructField("type", IntegerType(), True, {"comment": "TiDB's DDL action code."}),
                        StructField("query", StringType(), True, {"comment": "The statement."}),
                    ]
                ), False), False, {"comment": "One body per event."}),
                StructField(
                    "terms",
                    ArrayType(StringType(), False),
                    True,
                    {"comment": "Every name once; left out when no event has a name."},
                ),
                StructField("sizes", StructType(
                    [
                        StructField("meta", ArrayType(LongType(), False), False, {"comment": "headers, terms"}),
                        StructField("bodies", ArrayType(LongType(), False), False),
                        StructField("groups", ArrayType(ArrayType(LongType(), False), False), False),
                    ]
                ), False, {"comment": "The sizes of everything before."}),
                StructField("sizes_length", DecimalType(20, 0), False, {"comment": "Size of the tables in bytes."}),
            ]
        ),
        # TiCDC Open Protocol
        "open-protocol": StructType(
            [
                StructField("key", StructType(
                    [
                        StructField(
                            "ts",
                            DecimalType(20, 0),
                            True,
                            {"comment": "TSO of the transaction; of a watermark the resolved ts."},
                        ),
                        StructField("scm", StringType(), True, {"comment": "The database."}),
                        StructField("tbl", StringType(), True, {"comment": "The table."}),
                        StructField("rid", LongType(), True, {"comment": "The row's integer handle."}),
                        StructField("ptn", LongType(), True, {"comment": "TiDB's id of the partition."}),
                        StructField("t", LongType(), True, {"comment": "What the event is."}),
                        StructField(
                            "ohk", BooleanType(), True, {"comment": "The row has its handle key columns only."}
                        ),
                        StructField("ccl", StringType(), True, {"comment": "Where the whole message lies."}),
                    ]
                ), True, {"comment": "What happened, when, and to which table."}),
                StructField("value", StructType(
                    [
                        StructField(
                            "u", MapType(StringType(), StringType()), True, {"comment": "The row, inserted or updated."}
                        ),
                        StructField(
                            "p",
                            MapType(StringType(), StringType()),
                            True,
                            {"comment": "The row before an update, or those of its columns that changed."},
                        ),
                        StructField(
                            "d", MapType(StringType(), StringType()), True, {"comment": "The row that was deleted."}
                        ),
                        StructField("q", StringType(), True, {"comment": "The statement."}),
                        StructField("t", LongType(), True, {"comment": "TiDB's DDL action code."}),
                    ]
                ), True, {"comment": "The Kafka value."}),
            ]
        ),
    }
)
"""The message of each protocol as it lies on the wire, terms as texts; of several cases those fields are there that it
has."""
