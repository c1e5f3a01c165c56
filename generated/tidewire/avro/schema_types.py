"""What schemas call columns in Avro with a schema registry, and how the values of columns are written then.

Which types the columns have in schemas, and how their values are written. Kafka Connect's converter for Avro
understands such schemas. A row that says nothing else is read and written.
"""
# Generated from spec/avro.yaml
# by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.mysql import ColumnType
from tidewire.names import BINARY, UNSIGNED
from tidewire.runtime.connect.types import ColumnMapping, SchemaType, SchemaTypes
from tidewire.runtime.record import codecs, converted, fields
from tidewire.runtime.wire.value_codec import ValueCodec

TYPES: Final = (
    SchemaType(id="tidb_int", type="int32", stands_for="int", parameters={"tidb_type": "INT"}, default="integer"),
    SchemaType(
        id="tidb_int_unsigned",
        type="int32",
        stands_for="mediumint unsigned",
        parameters={"tidb_type": "INT UNSIGNED"},
        default="integer",
    ),
    SchemaType(
        id="tidb_long_unsigned",
        type="int64",
        stands_for="int unsigned",
        parameters={"tidb_type": "INT UNSIGNED"},
        default="integer",
    ),
    SchemaType(
        id="tidb_bigint", type="int64", stands_for="bigint", parameters={"tidb_type": "BIGINT"}, default="integer"
    ),
    SchemaType(
        id="tidb_bigint_unsigned",
        type="int64",
        stands_for="bigint unsigned",
        parameters={"tidb_type": "BIGINT UNSIGNED"},
        default="integer",
    ),
    SchemaType(
        id="tidb_bigint_text",
        type="string",
        stands_for="bigint unsigned",
        parameters={"tidb_type": "BIGINT UNSIGNED"},
        default="text",
    ),
    SchemaType(id="tidb_year", type="int32", stands_for="year", parameters={"tidb_type": "YEAR"}, default="integer"),
    SchemaType(
        id="tidb_bit",
        type="bytes",
        stands_for="bit",
        length="length",
        parameters={"tidb_type": "BIT"},
        default="base64",
    ),
    SchemaType(id="tidb_float", type="float", stands_for="float", parameters={"tidb_type": "FLOAT"}, default="single"),
    SchemaType(
        id="tidb_double", type="double", stands_for="double", parameters={"tidb_type": "DOUBLE"}, default="double"
    ),
    SchemaType(
        id="tidb_decimal_text", type="string", stands_for="decimal", parameters={"tidb_type": "DECIMAL"}, default="text"
    ),
    SchemaType(
        id="tidb_decimal",
        type="bytes",
        stands_for="decimal",
        logical="decimal",
        parameters={"tidb_type": "DECIMAL"},
        default="none",
    ),
    SchemaType(id="tidb_text", type="string", stands_for="longtext", parameters={"tidb_type": "TEXT"}, default="text"),
    SchemaType(id="tidb_blob", type="bytes", stands_for="longblob", parameters={"tidb_type": "BLOB"}, default="base64"),
    SchemaType(
        id="tidb_enum",
        type="string",
        stands_for="enum",
        labels="allowed",
        parameters={"tidb_type": "ENUM"},
        escapes=True,
        default="text",
    ),
    SchemaType(
        id="tidb_set",
        type="string",
        stands_for="set",
        labels="allowed",
        parameters={"tidb_type": "SET"},
        escapes=True,
        default="text",
    ),
    SchemaType(id="tidb_json", type="string", stands_for="json", parameters={"tidb_type": "JSON"}, default="text"),
    SchemaType(id="tidb_date", type="string", stands_for="date", parameters={"tidb_type": "DATE"}, default="text"),
    SchemaType(
        id="tidb_datetime", type="string", stands_for="datetime", parameters={"tidb_type": "DATETIME"}, default="text"
    ),
    SchemaType(
        id="tidb_timestamp",
        type="string",
        stands_for="timestamp",
        parameters={"tidb_type": "TIMESTAMP"},
        default="text",
    ),
    SchemaType(id="tidb_time", type="string", stands_for="time", parameters={"tidb_type": "TIME"}, default="text"),
    SchemaType(
        id="tidb_vector",
        type="string",
        stands_for="vector",
        parameters={"tidb_type": "TiDBVECTORFloat32"},
        default="text",
    ),
    SchemaType(id="int", type="int32", stands_for="int"),
    SchemaType(id="long", type="int64", stands_for="bigint"),
    SchemaType(id="float", type="float", stands_for="float"),
    SchemaType(id="double", type="double", stands_for="double"),
    SchemaType(id="boolean", type="boolean", stands_for="tinyint(1)"),
    SchemaType(id="bytes", type="bytes", stands_for="longblob"),
    SchemaType(id="date", type="int32", stands_for="date", logical="date"),
    SchemaType(id="timestamp_micros", type="int64", stands_for="datetime(6)", logical="timestamp-micros"),
    SchemaType(id="local_timestamp_millis", type="int64", stands_for="datetime", logical="local-timestamp-millis"),
    SchemaType(id="local_timestamp_micros", type="int64", stands_for="datetime(6)", logical="local-timestamp-micros"),
    SchemaType(id="time_micros", type="int64", stands_for="time", logical="time-micros"),
    SchemaType(id="timestamp_millis", type="int64", stands_for="datetime", logical="timestamp-millis"),
    SchemaType(id="time_millis", type="int32", stands_for="time", logical="time-millis"),
    SchemaType(id="decimal_of_8", type="bytes", stands_for="bigint unsigned", logical="decimal", precision=8),
    SchemaType(id="decimal_of_64", type="bytes", stands_for="bigint unsigned", logical="decimal", precision=64),
    SchemaType(id="decimal", type="bytes", stands_for="decimal", logical="decimal"),
    SchemaType(id="decimal_on_fixed", type="fixed", stands_for="decimal", logical="decimal"),
    SchemaType(id="string", type="string", stands_for="longtext"),
    SchemaType(id="geometry", type="struct", stands_for="geometry", name="io.debezium.data.geometry.Geometry"),
    SchemaType(id="point", type="struct", stands_for="geometry", name="io.debezium.data.geometry.Point"),
    SchemaType(id="scaled_decimal", type="struct", stands_for="decimal", name="io.debezium.data.VariableScaleDecimal"),
    SchemaType(id="any_array", type="array", stands_for="json"),
    SchemaType(id="any_map", type="map", stands_for="json"),
    SchemaType(id="any_record", type="struct", stands_for="json"),
    SchemaType(id="any_union", type="union", stands_for="json"),
    SchemaType(id="symbol", type="enum", stands_for="longtext"),
    SchemaType(id="fixed_bytes", type="fixed", stands_for="longblob"),
)
"""Kafka Connect's types, as schemas say them of columns."""

COLUMNS: Final[tuple[ColumnMapping[ValueCodec], ...]] = (
    ColumnMapping(
        types=(ColumnType.TINYINT, ColumnType.SMALLINT, ColumnType.MEDIUMINT, ColumnType.INT),
        schema="tidb_int",
        codec=fields.INT,
        unflagged=UNSIGNED,
    ),
    ColumnMapping(
        types=(ColumnType.TINYINT, ColumnType.SMALLINT, ColumnType.MEDIUMINT),
        schema="tidb_int_unsigned",
        codec=fields.UINT,
        flagged=UNSIGNED,
    ),
    ColumnMapping(types=(ColumnType.INT,), schema="tidb_long_unsigned", codec=fields.UINT_LONG, flagged=UNSIGNED),
    ColumnMapping(types=(ColumnType.BIGINT,), schema="tidb_bigint", codec=codecs.LONG, unflagged=UNSIGNED),
    ColumnMapping(
        types=(ColumnType.BIGINT,),
        schema="tidb_bigint_text",
        codec=codecs.UINT_TEXT,
        flagged=UNSIGNED,
        when=("avro-bigint-unsigned-handling-mode", "string"),
    ),
    ColumnMapping(
        types=(ColumnType.BIGINT,), schema="tidb_bigint_unsigned", codec=codecs.UNSIGNED_LONG, flagged=UNSIGNED
    ),
    ColumnMapping(types=(ColumnType.YEAR,), schema="tidb_year", codec=fields.INT),
    ColumnMapping(types=(ColumnType.BIT,), schema="tidb_bit", codec=fields.BITS_TRIMMED, producers=("tiflow",)),
    ColumnMapping(types=(ColumnType.BIT,), schema="tidb_bit", codec=fields.BITS_WHOLE, producers=("ticdc",)),
    ColumnMapping(types=(ColumnType.FLOAT,), schema="tidb_float", codec=codecs.FLOAT),
    ColumnMapping(types=(ColumnType.DOUBLE,), schema="tidb_double", codec=codecs.DOUBLE),
    ColumnMapping(
        types=(ColumnType.DECIMAL,),
        schema="tidb_decimal_text",
        codec=codecs.STRING,
        when=("avro-decimal-handling-mode", "string"),
    ),
    ColumnMapping(types=(ColumnType.DECIMAL,), schema="tidb_decimal", codec=fields.DECIMAL),
    ColumnMapping(
        types=(
            ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.CHAR, ColumnType.TINYBLOB, ColumnType.MEDIUMBLOB,
            ColumnType.LONGBLOB, ColumnType.BLOB
        ),
        schema="tidb_text",
        codec=codecs.STRING,
        unflagged=BINARY,
    ),
    ColumnMapping(
        types=(
            ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.CHAR, ColumnType.TINYBLOB, ColumnType.MEDIUMBLOB,
            ColumnType.LONGBLOB, ColumnType.BLOB
        ),
        schema="tidb_blob",
        codec=codecs.BYTES,
        flagged=BINARY,
    ),
    ColumnMapping(types=(ColumnType.ENUM,), schema="tidb_enum", codec=fields.LABEL),
    ColumnMapping(types=(ColumnType.SET,), schema="tidb_set", codec=fields.LABELS),
    ColumnMapping(types=(ColumnType.JSON,), schema="tidb_json", codec=codecs.STRING),
    ColumnMapping(types=(ColumnType.DATE,), schema="tidb_date", codec=codecs.STRING),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="tidb_datetime", codec=codecs.STRING),
    ColumnMapping(types=(ColumnType.TIMESTAMP,), schema="tidb_timestamp", codec=codecs.STRING),
    ColumnMapping(types=(ColumnType.TIME,), schema="tidb_time", codec=codecs.STRING),
    ColumnMapping(types=(ColumnType.VECTOR,), schema="tidb_vector", codec=codecs.STRING),
    ColumnMapping(types=(ColumnType.INT,), schema="int", codec=fields.INT, reads=True),
    ColumnMapping(types=(ColumnType.BIGINT,), schema="long", codec=codecs.LONG, reads=True),
    ColumnMapping(types=(ColumnType.FLOAT,), schema="float", codec=codecs.FLOAT, reads=True),
    ColumnMapping(types=(ColumnType.DOUBLE,), schema="double", codec=codecs.DOUBLE, reads=True),
    ColumnMapping(types=(ColumnType.TINYINT,), schema="boolean", codec=fields.BOOLEAN, reads=True),
    ColumnMapping(
        types=(ColumnType.BLOB, ColumnType.LONGBLOB), schema="bytes", codec=codecs.BYTES, flagged=BINARY, reads=True
    ),
    ColumnMapping(types=(ColumnType.DATE,), schema="date", codec=fields.EPOCH_DAYS, reads=True),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="timestamp_micros", codec=fields.EPOCH_US, reads=True),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="local_timestamp_millis", codec=fields.EPOCH_MS, reads=True),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="local_timestamp_micros", codec=fields.EPOCH_US, reads=True),
    ColumnMapping(types=(ColumnType.TIME,), schema="time_micros", codec=fields.MICRO_TIME, reads=True),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="timestamp_millis", codec=fields.EPOCH_MS, reads=True),
    ColumnMapping(types=(ColumnType.TIME,), schema="time_millis", codec=fields.MILLI_TIME, reads=True),
    ColumnMapping(
        types=(ColumnType.BIGINT,), schema="decimal_of_8", codec=fields.UNSIGNED_BYTES, flagged=UNSIGNED, reads=True
    ),
    ColumnMapping(
        types=(ColumnType.BIGINT,), schema="decimal_of_64", codec=fields.UNSIGNED_BYTES, flagged=UNSIGNED, reads=True
    ),
    ColumnMapping(types=(ColumnType.DECIMAL,), schema="decimal", codec=fields.DECIMAL, reads=True),
    ColumnMapping(types=(ColumnType.DECIMAL,), schema="decimal_on_fixed", codec=converted.FIXED_DECIMAL, reads=True),
    ColumnMapping(
        types=(ColumnType.BLOB, ColumnType.LONGBLOB), schema="string", codec=codecs.STRING, unflagged=BINARY, reads=True
    ),
    ColumnMapping(types=(ColumnType.GEOMETRY,), schema="geometry", codec=converted.GEOMETRY, reads=True),
    ColumnMapping(types=(ColumnType.GEOMETRY,), schema="point", codec=converted.GEOMETRY, reads=True),
    ColumnMapping(types=(ColumnType.DECIMAL,), schema="scaled_decimal", codec=fields.SCALED, reads=True),
    ColumnMapping(types=(ColumnType.JSON,), schema="any_array", codec=fields.ANY, reads=True),
    ColumnMapping(types=(ColumnType.JSON,), schema="any_map", codec=fields.ANY, reads=True),
    ColumnMapping(types=(ColumnType.JSON,), schema="any_record", codec=fields.ANY, reads=True),
    ColumnMapping(types=(ColumnType.JSON,), schema="any_union", codec=fields.ANY, reads=True),
    ColumnMapping(types=(ColumnType.LONGBLOB,), schema="symbol", codec=fields.SYMBOL, unflagged=BINARY, reads=True),
    ColumnMapping(types=(ColumnType.LONGBLOB,), schema="fixed_bytes", codec=fields.FIXED, flagged=BINARY, reads=True),
)
"""Which columns are said in which of them, and how their values are written; of those that fit the first counts."""

SCHEMA_TYPES: Final[SchemaTypes[ValueCodec]] = SchemaTypes(
    TYPES,
    COLUMNS,
)
"""All of it."""
