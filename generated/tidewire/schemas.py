"""Spark types: of the events, of what is added to a table's rows, and of each protocol's message as it lies on the
wire."""
# Generated from spec/ by "make generate". Do not edit.

from __future__ import annotations

from pyspark.sql.types import (
    ArrayType, BinaryType, BooleanType, DataType, DecimalType, IntegerType, LongType, MapType, StringType, StructField,
    StructType, TimestampType, VariantType
)

from tidewire.messages.by_protocol import ByProtocol


def _field(name: str, kind: DataType, about: str = "", nullable: bool = True) -> StructField:
    """A field, with what it is as its comment."""
    return StructField(name, kind, nullable, {"comment": about} if about else None)


EVENTS = StructType(
    [
        _field("kind", StringType(), "What happened; the codes above."),
        _field("_commit_version", LongType(), "TSO of the transaction: milliseconds since 1970 << 18, plus a counter."),
        _field("_commit_timestamp", TimestampType(), "The time in it, or the one that is said instead."),
        _field("sent_ms", LongType(), "When the producer wrote the message, ms since 1970."),
        _field("schema", StringType(), "The database."),
        _field("table", StringType(), "The table."),
        _field("table_id", LongType(), "TiDB's id of the table."),
        _field(
            "partition_id",
            LongType(),
            "TiDB's id of the partition that the row lies in; absent when the table has none.",
        ),
        _field("start_ts", DecimalType(20, 0), "TSO at which the transaction began."),
        _field("row_id", LongType(), "The row's integer handle: TiDB's _tidb_rowid, or its integer primary key."),
        _field("row_key", BinaryType(), "TiKV's key of the row."),
        _field(
            "handle_key_only",
            BooleanType(),
            "The row has its handle key columns only, because the whole was too large for a message.",
        ),
        _field("claim_check", StringType(), "Where the whole message is stored, when this one only points to it."),
        _field("ddl_type", IntegerType(), "TiDB's DDL action code; mysql_types.yaml names them."),
        _field(
            "ddl_class", StringType(), "The statement's class, as Canal-JSON and Simple name it: CREATE, ALTER, ..."
        ),
        _field("query", StringType(), "The statement."),
        _field(
            "table_version", DecimalType(20, 0), "The version of the table whose description the row is decoded with."
        ),
        _field("table_after", StructType(
            [
                _field("schema", StringType()),
                _field("table", StringType()),
                _field("columns", ArrayType(StructType(
                    [
                        _field("name", StringType()),
                        _field("mysql_type", StringType()),
                        _field("unsigned", BooleanType()),
                        _field("zerofill", BooleanType()),
                        _field("length", LongType()),
                        _field("scale", LongType()),
                        _field("labels", ArrayType(StringType(), True)),
                        _field("charset", StringType()),
                        _field("collation", StringType()),
                        _field("nullable", BooleanType()),
                        _field("default", StringType()),
                        _field("default_bits", DecimalType(20, 0), "The default of a BIT column."),
                        _field("default_length", LongType()),
                        _field("auto_increment", BooleanType()),
                        _field("on_update", BooleanType()),
                        _field("generated", StringType()),
                        _field("stored", BooleanType()),
                        _field("comment", StringType()),
                        _field("position", LongType()),
                        _field("id", LongType()),
                    ]
                ), True)),
                _field("indexes", ArrayType(StructType(
                    [
                        _field("name", StringType()),
                        _field("columns", ArrayType(StringType(), True)),
                        _field("unique", BooleanType()),
                        _field("primary", BooleanType()),
                        _field("nullable", BooleanType()),
                    ]
                ), True)),
                _field("id", LongType()),
                _field("version", DecimalType(20, 0)),
                _field("charset", StringType()),
                _field("comment", StringType()),
            ]
        ), "The table as it is from then on."),
        _field("table_before", StructType(
            [
                _field("schema", StringType()),
                _field("table", StringType()),
                _field("columns", ArrayType(StructType(
                    [
                        _field("name", StringType()),
                        _field("mysql_type", StringType()),
                        _field("unsigned", BooleanType()),
                        _field("zerofill", BooleanType()),
                        _field("length", LongType()),
                        _field("scale", LongType()),
                        _field("labels", ArrayType(StringType(), True)),
                        _field("charset", StringType()),
                        _field("collation", StringType()),
                        _field("nullable", BooleanType()),
                        _field("default", StringType()),
                        _field("default_bits", DecimalType(20, 0), "The default of a BIT column."),
                        _field("default_length", LongType()),
                        _field("auto_increment", BooleanType()),
                        _field("on_update", BooleanType()),
                        _field("generated", StringType()),
                        _field("stored", BooleanType()),
                        _field("comment", StringType()),
                        _field("position", LongType()),
                        _field("id", LongType()),
                    ]
                ), True)),
                _field("indexes", ArrayType(StructType(
                    [
                        _field("name", StringType()),
                        _field("columns", ArrayType(StringType(), True)),
                        _field("unique", BooleanType()),
                        _field("primary", BooleanType()),
                        _field("nullable", BooleanType()),
                    ]
                ), True)),
                _field("id", LongType()),
                _field("version", DecimalType(20, 0)),
                _field("charset", StringType()),
                _field("comment", StringType()),
            ]
        ), "The table as it was before the statement."),
        _field(
            "types_from",
            StringType(),
            "Where the types of the row's columns come from, unless its message has TiDB's own names of them: "
            "described, a description of the table; propagated, the source database's types, which Debezium's "
            "connector repeats in its messages; connect, the types of Kafka Connect, or record, those of the Avro "
            "schema, which are less precise.",
        ),
        _field("time_zone", StringType(), "The time zone of the row's TIMESTAMP values, where the message says it."),
        _field("checksum", LongType(), "TiDB's checksum of the new row image; 0 when there is none of that image."),
        _field("checksum_before", LongType(), "The same of the old row image."),
        _field("checksum_version", IntegerType(), "The version of the algorithm of the checksums."),
        _field(
            "checksum_corrupted",
            BooleanType(),
            "The producer found another checksum than the one that TiDB wrote with the row.",
        ),
        _field("new", VariantType(), "The new row image: an object of column names and values."),
        _field("old", VariantType(), "The old row image: an object of column names and values."),
        _field(
            "columns",
            VariantType(),
            "Name, type and flags of the columns, and their declared types where the protocol says them, in the order "
            "of the wire.",
        ),
        _field("old_columns", VariantType(), "The same of the old row image, where it differs."),
        _field("topic", StringType(), "Where the message lay."),
        _field("partition", IntegerType()),
        _field("offset", LongType()),
        _field("event", IntegerType(), "Index of the event in its message."),
    ]
)
"""A row for each event."""

CORRUPT_RECORD = StructType(
    [
        _field("value", BinaryType(), "The message."),
        _field("reason", StringType(), "Why it could not be decoded."),
        _field("topic", StringType()),
        _field("partition", IntegerType()),
        _field("offset", LongType()),
        _field("key", BinaryType(), "Its key."),
    ]
)
"""A message that could not be decoded."""

ROW_METADATA = StructType(
    [
        _field("_change_type", StringType(), "insert, update_preimage, update_postimage or delete."),
        _field("_commit_version", LongType(), "The commit ts, a TSO; null where only its time is said."),
        _field("_commit_timestamp", TimestampType(), "When it was committed."),
        _field("_commit_rank", IntegerType(), "Orders the row images of one commit ts and key."),
    ]
)
"""What follows a table's own columns in its rows."""

MESSAGES: ByProtocol[StructType] = ByProtocol(
    {
        # Avro with a schema registry
        "avro": StructType(
            [
                _field("key", StructType(
                    [
                        _field(
                            "key_columns",
                            MapType(StringType(), StringType()),
                            "The columns that identify the row, in the order of the table.",
                        ),
                    ]
                ), "The columns that identify the row."),
                _field("value", StructType(
                    [
                        _field(
                            "columns",
                            MapType(StringType(), StringType()),
                            "The row as it is from then on, or as it was.",
                        ),
                        _field(
                            "_ticdc_before",
                            MapType(StringType(), StringType()),
                            "The row before an update, or the deleted one.",
                        ),
                        _field("_tidb_op", StringType(), "What happened."),
                        _field("_tidb_commit_ts", LongType(), "TSO of the transaction."),
                        _field("_tidb_commit_physical_time", LongType(), "When it committed, in milliseconds."),
                        _field(
                            "_tidb_row_level_checksum", StringType(), "TiDB's checksum of the row, in decimal digits."
                        ),
                        _field(
                            "_tidb_corrupted",
                            BooleanType(),
                            "Whether the producer found that the row differs from its checksum.",
                        ),
                        _field("_tidb_checksum_version", IntegerType(), "The version of the checksum's algorithm."),
                        _field("statement", StructType(
                            [
                                _field("query", StringType(), "The statement."),
                                _field("type", LongType(), "TiDB's DDL action code."),
                                _field("schema", StringType(), "The database."),
                                _field("table", StringType(), "The table."),
                                _field("commitTs", DecimalType(20, 0), "TSO of the statement."),
                            ]
                        ), "A statement, without a schema."),
                        _field("watermark", DecimalType(20, 0), "A watermark, without a schema: its TSO."),
                        _field(
                            "deleted",
                            DecimalType(20, 0),
                            "A deleted row, which the key identifies: the TSO of the transaction.",
                        ),
                    ]
                ), "What happened."),
            ]
        ),
        # Canal-JSON
        "canal-json": StructType(
            [
                _field("id", LongType(), "Always 0; Canal numbers its batches."),
                _field("database", StringType(), "The database."),
                _field("table", StringType(), "The table."),
                _field("pkNames", ArrayType(StringType(), False), "The primary key."),
                _field("isDdl", BooleanType(), "Whether it is a DDL statement."),
                _field("type", StringType(), "What happened."),
                _field("es", LongType(), "When the transaction committed, in milliseconds."),
                _field("ts", LongType(), "When the message was made, in milliseconds."),
                _field("sql", StringType(), "The statement."),
                _field(
                    "sqlType",
                    MapType(StringType(), IntegerType()),
                    "Java's SQL type codes; of unsigned numbers they depend on the value.",
                ),
                _field(
                    "mysqlType",
                    MapType(StringType(), StringType()),
                    "Types as they are declared, without their parameters unless content-compatible is set.",
                ),
                _field(
                    "data",
                    ArrayType(MapType(StringType(), StringType()), False),
                    "The rows, one in TiCDC's messages: new, or deleted.",
                ),
                _field(
                    "old",
                    ArrayType(MapType(StringType(), StringType()), False),
                    "The rows before an update, or those of their columns that changed.",
                ),
                _field("_tidb", StructType(
                    [
                        _field("commitTs", DecimalType(20, 0), "TSO of the transaction."),
                        _field(
                            "watermarkTs", DecimalType(20, 0), "Every event with a smaller commit ts has been sent."
                        ),
                        _field("onlyHandleKey", BooleanType(), "The row has its handle key columns only."),
                        _field("claimCheckLocation", StringType(), "Where the whole message is stored."),
                        _field("rowkey", BinaryType(), "TiKV's key of the row."),
                    ]
                ), "What TiDB adds to Canal's format."),
            ]
        ),
        # TiCDC Craft
        "craft": StructType(
            [
                _field("version", DecimalType(20, 0), "Version of the protocol.", nullable=False),
                _field("headers", StructType(
                    [
                        _field(
                            "commit_ts",
                            ArrayType(DecimalType(20, 0), False),
                            "TSO of the transaction; of a watermark the resolved ts.",
                            nullable=False,
                        ),
                        _field("event_type", ArrayType(IntegerType(), False), "What happened.", nullable=False),
                        _field(
                            "partition",
                            ArrayType(LongType(), True),
                            "TiDB's id of the partition, -1 for none.",
                            nullable=False,
                        ),
                        _field(
                            "schema",
                            ArrayType(StringType(), True),
                            "The database, by its term; -1 for none.",
                            nullable=False,
                        ),
                        _field(
                            "table",
                            ArrayType(StringType(), True),
                            "The table, by its term; -1 for none.",
                            nullable=False,
                        ),
                    ]
                ), "One header per event, column by column.", nullable=False),
                _field("bodies", ArrayType(StructType(
                    [
                        _field("groups", ArrayType(StructType(
                            [
                                _field("kind", IntegerType(), "Which row image.", nullable=False),
                                _field("count", DecimalType(20, 0), "Number of columns.", nullable=False),
                                _field("columns", StructType(
                                    [
                                        _field(
                                            "name",
                                            ArrayType(StringType(), False),
                                            "Names of the columns, by their terms.",
                                            nullable=False,
                                        ),
                                        _field(
                                            "type",
                                            ArrayType(IntegerType(), False),
                                            "MySQL's type codes.",
                                            nullable=False,
                                        ),
                                        _field(
                                            "flags",
                                            ArrayType(DecimalType(20, 0), False),
                                            "What the columns are.",
                                            nullable=False,
                                        ),
                                        _field("value", ArrayType(BinaryType(), True), nullable=False),
                                    ]
                                ), nullable=False),
                            ]
                        ), False), "The row images."),
                        _field("type", IntegerType(), "TiDB's DDL action code."),
                        _field("query", StringType(), "The statement."),
                    ]
                ), False), "One body per event.", nullable=False),
                _field("terms", ArrayType(StringType(), False), "Every name once; left out when no event has a name."),
                _field("sizes", StructType(
                    [
                        _field("meta", ArrayType(LongType(), False), "headers, terms", nullable=False),
                        _field("bodies", ArrayType(LongType(), False), nullable=False),
                        _field("groups", ArrayType(ArrayType(LongType(), False), False), nullable=False),
                    ]
                ), "The sizes of everything before.", nullable=False),
                _field("sizes_length", DecimalType(20, 0), "Size of the tables in bytes.", nullable=False),
            ]
        ),
        # Debezium
        "debezium": StructType(
            [
                _field("payload", StructType(
                    [
                        _field("source", StructType(
                            [
                                _field("version", StringType(), "The version of Debezium's format."),
                                _field("connector", StringType(), "Who wrote it."),
                                _field("name", StringType(), "The cluster."),
                                _field("ts_ms", LongType(), "When the transaction committed, in milliseconds."),
                                _field("snapshot", StringType(), "Whether the row is from a snapshot."),
                                _field("db", StringType(), "The database."),
                                _field("sequence", StringType(), "The place in the log of other databases."),
                                _field("table", StringType(), "The table."),
                                _field("server_id", LongType(), "The server; TiCDC has none."),
                                _field("gtid", StringType(), "The transaction's id; TiCDC has none."),
                                _field("file", StringType(), "The binlog file; TiCDC has none."),
                                _field("pos", LongType(), "The position in it; TiCDC writes 0."),
                                _field("row", LongType(), "Which row of the binlog event."),
                                _field("thread", LongType(), "The thread that made the change."),
                                _field("query", StringType(), "The statement that changed the row; TiCDC writes null."),
                                _field("commit_ts", DecimalType(20, 0), "TSO of the transaction."),
                                _field("start_ts", DecimalType(20, 0), "TSO at which the transaction began."),
                                _field("cluster_id", StringType(), "The cluster."),
                                _field(
                                    "schema",
                                    StringType(),
                                    "The schema, which is between database and table in PostgreSQL, SQL Server, "
                                    "Oracle and Db2.",
                                ),
                                _field(
                                    "collection", StringType(), "The collection, which is MongoDB's word for a table."
                                ),
                            ]
                        ), "Where it comes from; Flink leaves it out."),
                        _field("ts_ms", LongType(), "When the message was made, in milliseconds."),
                        _field("transaction", StringType(), "The transaction; TiCDC writes null."),
                        _field("op", StringType(), "What happened."),
                        _field("before", MapType(StringType(), StringType()), "The row before an update, or deleted."),
                        _field("after", MapType(StringType(), StringType()), "The row, inserted or updated."),
                        _field("databaseName", StringType(), "The database that the statement was executed in."),
                        _field("schemaName", StringType(), "Databases of MySQL have none."),
                        _field("ddl", StringType(), "The statement."),
                        _field("tableChanges", StringType(), "The tables that it changed, as they are then."),
                    ]
                ), "A row change, a statement or a watermark."),
                _field("schema", StringType(), "What the payload is, in Kafka Connect's words."),
            ]
        ),
        # Debezium-Avro
        "debezium-avro": StructType(
            [
                _field("key", StructType(
                    [
                        _field(
                            "key_columns",
                            MapType(StringType(), StringType()),
                            "The columns that identify the row, in the order of the table.",
                        ),
                    ]
                ), "Which row the message is about."),
                _field("value", StructType(
                    [
                        _field("before", MapType(StringType(), StringType()), "The row before an update, or deleted."),
                        _field("after", MapType(StringType(), StringType()), "The row, inserted or updated."),
                        _field("source", StructType(
                            [
                                _field("version", StringType(), "The version of Debezium's format."),
                                _field("connector", StringType(), "Who wrote it."),
                                _field("name", StringType(), "The cluster."),
                                _field("ts_ms", LongType(), "When the transaction committed, in milliseconds."),
                                _field(
                                    "snapshot", StringType(), "Whether the row is from a snapshot; TiCDC writes null."
                                ),
                                _field("db", StringType(), "The database."),
                                _field("table", StringType(), "The table."),
                                _field("server_id", LongType(), "The server; TiCDC has none."),
                                _field("gtid", StringType(), "The transaction's id; TiCDC has none."),
                                _field("file", StringType(), "The binlog file; TiCDC has none."),
                                _field("pos", LongType(), "The position in it; TiCDC writes 0."),
                                _field("row", IntegerType(), "Which row of the binlog event."),
                                _field("thread", LongType(), "The thread that made the change; TiCDC writes null."),
                                _field("query", StringType(), "The statement that changed the row; TiCDC writes null."),
                                _field("commit_ts", LongType(), "TSO of the transaction."),
                                _field("cluster_id", StringType(), "The cluster."),
                                _field(
                                    "schema",
                                    StringType(),
                                    "The schema, which is between database and table in PostgreSQL, SQL Server, "
                                    "Oracle and Db2.",
                                ),
                                _field(
                                    "collection", StringType(), "The collection, which is MongoDB's word for a table."
                                ),
                            ]
                        ), "Where the event comes from."),
                        _field("op", StringType(), "What happened."),
                        _field("ddl", StringType(), "A statement, which messages without a row have."),
                        _field("ts_ms", LongType(), "When the message was made, in milliseconds."),
                    ]
                ), "What happened."),
            ]
        ),
        # TiCDC Open Protocol
        "open-protocol": StructType(
            [
                _field("key", StructType(
                    [
                        _field("ts", DecimalType(20, 0), "TSO of the transaction; of a watermark the resolved ts."),
                        _field("scm", StringType(), "The database."),
                        _field("tbl", StringType(), "The table."),
                        _field("rid", LongType(), "The row's integer handle."),
                        _field("ptn", LongType(), "TiDB's id of the partition."),
                        _field("t", LongType(), "What the event is."),
                        _field("ohk", BooleanType(), "The row has its handle key columns only."),
                        _field("ccl", StringType(), "Where the whole message is stored."),
                    ]
                ), "What happened, when, and to which table."),
                _field("value", StructType(
                    [
                        _field("u", MapType(StringType(), StringType()), "The row, inserted or updated."),
                        _field(
                            "p",
                            MapType(StringType(), StringType()),
                            "The row before an update, or those of its columns that changed.",
                        ),
                        _field("d", MapType(StringType(), StringType()), "The row that was deleted."),
                        _field("q", StringType(), "The statement."),
                        _field("t", LongType(), "TiDB's DDL action code."),
                    ]
                ), "The Kafka value."),
            ]
        ),
        # TiCDC Simple
        "simple": StructType(
            [
                _field("version", LongType(), "Version of the protocol."),
                _field("database", StringType(), "The database."),
                _field("table", StringType(), "The table."),
                _field("tableID", LongType(), "TiDB's id of the partition that the row lies in, else of the table."),
                _field("type", StringType(), "What happened."),
                _field("sql", StringType(), "The statement."),
                _field("commitTs", DecimalType(20, 0), "TSO of the transaction; 0 in a bootstrap."),
                _field("buildTs", LongType(), "When the message was made, in milliseconds."),
                _field(
                    "schemaVersion",
                    DecimalType(20, 0),
                    "The version of the table's description that the row is encoded with.",
                ),
                _field("claimCheckLocation", StringType(), "Where the whole message is stored."),
                _field("handleKeyOnly", BooleanType(), "The row has its handle key columns only."),
                _field("checksum", StructType(
                    [
                        _field("version", LongType(), "How they are computed."),
                        _field(
                            "corrupted",
                            BooleanType(),
                            "Whether the producer found that the row differs from its checksum.",
                        ),
                        _field("current", DecimalType(20, 0), "Of the row; 0 of a deleted one."),
                        _field("previous", DecimalType(20, 0), "Of the row before; 0 of an inserted one."),
                    ]
                ), "TiDB's checksums of the row."),
                _field("data", MapType(StringType(), StringType()), "The row, inserted or updated."),
                _field("old", MapType(StringType(), StringType()), "The row before an update, or deleted."),
                _field("tableSchema", StructType(
                    [
                        _field("schema", StringType(), "The database."),
                        _field("table", StringType(), "The table."),
                        _field("tableID", LongType(), "TiDB's id of the table."),
                        _field("version", DecimalType(20, 0), "Changes with every statement that changes the table."),
                        _field("columns", ArrayType(StructType(
                            [
                                _field("name", StringType(), "Its name."),
                                _field("dataType", StructType(
                                    [
                                        _field("mysqlType", StringType(), "Its name."),
                                        _field("charset", StringType(), "The character set."),
                                        _field("collate", StringType(), "The collation."),
                                        _field("length", LongType(), "How long values are."),
                                        _field(
                                            "decimal",
                                            LongType(),
                                            "The digits after the decimal point, or of a fraction of a second.",
                                        ),
                                        _field(
                                            "elements", ArrayType(StringType(), False), "The labels of an ENUM or SET."
                                        ),
                                        _field("unsigned", BooleanType(), "Whether it is UNSIGNED."),
                                        _field("zerofill", BooleanType(), "Whether it is ZEROFILL."),
                                    ]
                                ), "Its type."),
                                _field("nullable", BooleanType(), "Whether it can be NULL."),
                                _field("default", StringType(), "Its default, as a text; a number of a BIT."),
                            ]
                        ), False), "The columns."),
                        _field("indexes", ArrayType(StructType(
                            [
                                _field("name", StringType(), "Its name."),
                                _field("unique", BooleanType(), "Whether it is unique."),
                                _field("primary", BooleanType(), "Whether it is the primary key."),
                                _field("nullable", BooleanType(), "Whether a column of it can be NULL."),
                                _field("columns", ArrayType(StringType(), False), "The names of its columns."),
                            ]
                        ), False), "The indexes."),
                    ]
                ), "The table after the statement."),
                _field("preTableSchema", StructType(
                    [
                        _field("schema", StringType(), "The database."),
                        _field("table", StringType(), "The table."),
                        _field("tableID", LongType(), "TiDB's id of the table."),
                        _field("version", DecimalType(20, 0), "Changes with every statement that changes the table."),
                        _field("columns", ArrayType(StructType(
                            [
                                _field("name", StringType(), "Its name."),
                                _field("dataType", StructType(
                                    [
                                        _field("mysqlType", StringType(), "Its name."),
                                        _field("charset", StringType(), "The character set."),
                                        _field("collate", StringType(), "The collation."),
                                        _field("length", LongType(), "How long values are."),
                                        _field(
                                            "decimal",
                                            LongType(),
                                            "The digits after the decimal point, or of a fraction of a second.",
                                        ),
                                        _field(
                                            "elements", ArrayType(StringType(), False), "The labels of an ENUM or SET."
                                        ),
                                        _field("unsigned", BooleanType(), "Whether it is UNSIGNED."),
                                        _field("zerofill", BooleanType(), "Whether it is ZEROFILL."),
                                    ]
                                ), "Its type."),
                                _field("nullable", BooleanType(), "Whether it can be NULL."),
                                _field("default", StringType(), "Its default, as a text; a number of a BIT."),
                            ]
                        ), False), "The columns."),
                        _field("indexes", ArrayType(StructType(
                            [
                                _field("name", StringType(), "Its name."),
                                _field("unique", BooleanType(), "Whether it is unique."),
                                _field("primary", BooleanType(), "Whether it is the primary key."),
                                _field("nullable", BooleanType(), "Whether a column of it can be NULL."),
                                _field("columns", ArrayType(StringType(), False), "The names of its columns."),
                            ]
                        ), False), "The indexes."),
                    ]
                ), "The table before the statement."),
            ]
        ),
    }
)
"""The message of each protocol as it lies on the wire, terms as texts; of several cases those fields are there that it
has."""
