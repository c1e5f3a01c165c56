"""What schemas call columns in Debezium-Avro, and how the values of columns are written then.

Which types of Kafka Connect the columns have in schemas, and how their values are written. A writer uses the
first line that fits a column. A row that says nothing else is read and written.
"""
# Generated from spec/debezium-avro.yaml and spec/debezium.yaml
# by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.mysql import ColumnType
from tidewire.names import BINARY, UNSIGNED
from tidewire.runtime.connect.types import ColumnMapping, SchemaType, SchemaTypes, SourceWords, TidbWord
from tidewire.runtime.record import codecs, converted, fields
from tidewire.runtime.wire.value_codec import ValueCodec

TYPES: Final = (
    SchemaType(id="boolean", type="boolean", stands_for="bit(1)", default="bool"),
    SchemaType(
        id="bits", type="bytes", stands_for="bit", name="io.debezium.data.Bits", length="length", default="bits"
    ),
    SchemaType(id="int8", type="int8", stands_for="tinyint"),
    SchemaType(id="int16", type="int16", stands_for="smallint", default="number"),
    SchemaType(id="int32", type="int32", stands_for="int", default="number"),
    SchemaType(id="int64", type="int64", stands_for="bigint", default="number"),
    SchemaType(id="float", type="float", stands_for="float", default="number"),
    SchemaType(id="double", type="double", stands_for="double", default="number"),
    SchemaType(id="string", type="string", stands_for="longtext"),
    SchemaType(id="bytes", type="bytes", stands_for="longblob"),
    SchemaType(
        id="decimal",
        type="bytes",
        stands_for="decimal",
        name="org.apache.kafka.connect.data.Decimal",
        logical="decimal",
        length="connect.decimal.precision",
        scale="scale",
        versioned=False,
    ),
    SchemaType(
        id="enum", type="string", stands_for="enum", name="io.debezium.data.Enum", labels="allowed", escapes=True
    ),
    SchemaType(id="set", type="string", stands_for="set", name="io.debezium.data.EnumSet", labels="allowed"),
    SchemaType(id="json", type="string", stands_for="json", name="io.debezium.data.Json"),
    SchemaType(
        id="vector", type="string", stands_for="vector", name="io.debezium.data.TiDBVectorFloat32", versioned=False
    ),
    SchemaType(id="year", type="int32", stands_for="year", name="io.debezium.time.Year", default="year"),
    SchemaType(id="date", type="int32", stands_for="date", name="io.debezium.time.Date", default="days"),
    SchemaType(
        id="timestamp", type="int64", stands_for="datetime", name="io.debezium.time.Timestamp", default="millis"
    ),
    SchemaType(
        id="micro_timestamp",
        type="int64",
        stands_for="datetime(6)",
        name="io.debezium.time.MicroTimestamp",
        default="micros",
    ),
    SchemaType(id="nano_timestamp", type="int64", stands_for="datetime(6)", name="io.debezium.time.NanoTimestamp"),
    SchemaType(id="micro_time", type="int64", stands_for="time", name="io.debezium.time.MicroTime", default="time"),
    SchemaType(id="nano_time", type="int64", stands_for="time", name="io.debezium.time.NanoTime"),
    SchemaType(
        id="zoned_timestamp",
        type="string",
        stands_for="timestamp",
        name="io.debezium.time.ZonedTimestamp",
        default="zoned",
    ),
    SchemaType(id="iso_date", type="string", stands_for="date", name="io.debezium.time.IsoDate"),
    SchemaType(id="iso_time", type="string", stands_for="time", name="io.debezium.time.IsoTime"),
    SchemaType(id="iso_timestamp", type="string", stands_for="datetime", name="io.debezium.time.IsoTimestamp"),
    SchemaType(
        id="connect_date", type="int32", stands_for="date", name="org.apache.kafka.connect.data.Date", logical="date"
    ),
    SchemaType(
        id="connect_time",
        type="int32",
        stands_for="time",
        name="org.apache.kafka.connect.data.Time",
        logical="time-millis",
    ),
    SchemaType(
        id="connect_timestamp",
        type="int64",
        stands_for="datetime",
        name="org.apache.kafka.connect.data.Timestamp",
        logical="timestamp-millis",
    ),
    SchemaType(id="geometry", type="struct", stands_for="geometry", name="io.debezium.data.geometry.Geometry"),
    SchemaType(id="point", type="struct", stands_for="geometry", name="io.debezium.data.geometry.Point"),
    SchemaType(id="milli_time", type="int32", stands_for="time", name="io.debezium.time.Time"),
    SchemaType(id="scaled_decimal", type="struct", stands_for="decimal", name="io.debezium.data.VariableScaleDecimal"),
    SchemaType(id="float_vector", type="array", stands_for="vector", name="io.debezium.data.FloatVector"),
    SchemaType(id="double_vector", type="array", stands_for="vector", name="io.debezium.data.DoubleVector"),
    SchemaType(id="timestamp_micros", type="int64", stands_for="datetime(6)", logical="timestamp-micros"),
    SchemaType(id="local_timestamp_millis", type="int64", stands_for="datetime", logical="local-timestamp-millis"),
    SchemaType(id="local_timestamp_micros", type="int64", stands_for="datetime(6)", logical="local-timestamp-micros"),
    SchemaType(id="time_micros", type="int64", stands_for="time", logical="time-micros"),
    SchemaType(id="decimal_on_fixed", type="fixed", stands_for="decimal", logical="decimal"),
    SchemaType(id="any_array", type="array", stands_for="json"),
    SchemaType(id="any_map", type="map", stands_for="json"),
    SchemaType(id="any_struct", type="struct", stands_for="json"),
    SchemaType(id="any_union", type="union", stands_for="json"),
    SchemaType(id="symbol", type="enum", stands_for="longtext"),
    SchemaType(id="fixed_bytes", type="fixed", stands_for="longblob"),
)
"""Kafka Connect's types, as schemas say them of columns."""

COLUMNS: Final[tuple[ColumnMapping[ValueCodec], ...]] = (
    ColumnMapping(
        types=(ColumnType.TINYINT, ColumnType.SMALLINT), schema="int16", codec=fields.INT, unflagged=UNSIGNED
    ),
    ColumnMapping(types=(ColumnType.TINYINT,), schema="int16", codec=fields.UINT, flagged=UNSIGNED),
    ColumnMapping(types=(ColumnType.SMALLINT,), schema="int32", codec=fields.UINT, flagged=UNSIGNED),
    ColumnMapping(types=(ColumnType.MEDIUMINT, ColumnType.INT), schema="int32", codec=fields.INT, unflagged=UNSIGNED),
    ColumnMapping(types=(ColumnType.MEDIUMINT,), schema="int32", codec=fields.UINT, flagged=UNSIGNED),
    ColumnMapping(types=(ColumnType.INT,), schema="int64", codec=fields.UINT_LONG, flagged=UNSIGNED),
    ColumnMapping(types=(ColumnType.BIGINT,), schema="int64", codec=codecs.LONG, unflagged=UNSIGNED),
    ColumnMapping(
        types=(ColumnType.BIGINT,),
        schema="int64",
        codec=fields.NATURAL,
        flagged=UNSIGNED,
        when=("avro-bigint-unsigned-handling-mode", "long"),
    ),
    ColumnMapping(
        types=(ColumnType.BIGINT,), schema="string", codec=codecs.UINT_TEXT, flagged=UNSIGNED, default="number"
    ),
    ColumnMapping(types=(ColumnType.YEAR,), schema="year", codec=fields.INT),
    ColumnMapping(types=(ColumnType.BIT,), schema="boolean", codec=fields.BIT_BOOLEAN, length=(1, 1)),
    ColumnMapping(types=(ColumnType.BIT,), schema="bits", codec=fields.BITS_LITTLE),
    ColumnMapping(types=(ColumnType.FLOAT,), schema="float", codec=codecs.FLOAT, unscaled=True),
    ColumnMapping(types=(ColumnType.FLOAT,), schema="double", codec=fields.WIDENED),
    ColumnMapping(types=(ColumnType.DOUBLE,), schema="double", codec=codecs.DOUBLE),
    ColumnMapping(types=(ColumnType.DECIMAL,), schema="double", codec=converted.DECIMAL_DOUBLE, reads=True),
    ColumnMapping(
        types=(ColumnType.DECIMAL,), schema="string", codec=codecs.STRING, when=("avro-decimal-handling-mode", "string")
    ),
    ColumnMapping(types=(ColumnType.DECIMAL,), schema="decimal", codec=fields.DECIMAL),
    ColumnMapping(
        types=(
            ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.CHAR, ColumnType.TINYBLOB, ColumnType.MEDIUMBLOB,
            ColumnType.LONGBLOB, ColumnType.BLOB
        ),
        schema="string",
        codec=codecs.STRING,
        unflagged=BINARY,
    ),
    ColumnMapping(
        types=(
            ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.CHAR, ColumnType.TINYBLOB, ColumnType.MEDIUMBLOB,
            ColumnType.LONGBLOB, ColumnType.BLOB
        ),
        schema="string",
        codec=converted.BASE64_TEXT,
        flagged=BINARY,
        reads=True,
    ),
    ColumnMapping(
        types=(
            ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.CHAR, ColumnType.TINYBLOB, ColumnType.MEDIUMBLOB,
            ColumnType.LONGBLOB, ColumnType.BLOB
        ),
        schema="bytes",
        codec=codecs.BYTES,
        flagged=BINARY,
    ),
    ColumnMapping(types=(ColumnType.ENUM,), schema="enum", codec=fields.LABEL_OR_NOTHING),
    ColumnMapping(types=(ColumnType.SET,), schema="set", codec=fields.LABELS),
    ColumnMapping(types=(ColumnType.JSON,), schema="json", codec=codecs.STRING),
    ColumnMapping(types=(ColumnType.VECTOR,), schema="vector", codec=codecs.STRING),
    ColumnMapping(types=(ColumnType.DATE,), schema="date", codec=fields.EPOCH_DAYS),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="timestamp", codec=fields.EPOCH_MS, fraction=(0, 3)),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="micro_timestamp", codec=fields.EPOCH_US),
    ColumnMapping(types=(ColumnType.TIME,), schema="micro_time", codec=fields.MICRO_TIME),
    ColumnMapping(types=(ColumnType.TIMESTAMP,), schema="zoned_timestamp", codec=fields.ZONED_TIME),
    ColumnMapping(
        types=(ColumnType.TINYINT,),
        schema="boolean",
        codec=fields.BOOLEAN,
        unflagged=UNSIGNED,
        length=(1, 1),
        reads=True,
        bare=True,
    ),
    ColumnMapping(
        types=(ColumnType.BIGINT,), schema="decimal", codec=fields.UNSIGNED_BYTES, flagged=UNSIGNED, reads=True
    ),
    ColumnMapping(types=(ColumnType.DOUBLE,), schema="float", codec=codecs.FLOAT, reads=True),
    ColumnMapping(
        types=(
            ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.CHAR, ColumnType.TINYBLOB, ColumnType.MEDIUMBLOB,
            ColumnType.LONGBLOB, ColumnType.BLOB
        ),
        schema="string",
        codec=converted.BASE64_URL,
        flagged=BINARY,
        reads=True,
        mode=("binary-handling-mode", "base64-url-safe"),
    ),
    ColumnMapping(
        types=(
            ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.CHAR, ColumnType.TINYBLOB, ColumnType.MEDIUMBLOB,
            ColumnType.LONGBLOB, ColumnType.BLOB
        ),
        schema="string",
        codec=converted.HEXADECIMAL,
        flagged=BINARY,
        reads=True,
        mode=("binary-handling-mode", "hex"),
    ),
    ColumnMapping(types=(ColumnType.ENUM,), schema="string", codec=fields.LABEL_OR_NOTHING, reads=True),
    ColumnMapping(types=(ColumnType.SET,), schema="string", codec=fields.LABELS, reads=True),
    ColumnMapping(types=(ColumnType.DATE,), schema="iso_date", codec=fields.ISO_TEXT, reads=True),
    ColumnMapping(types=(ColumnType.DATE,), schema="connect_date", codec=fields.EPOCH_DAYS, reads=True),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="connect_timestamp", codec=fields.EPOCH_MS, reads=True),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="nano_timestamp", codec=fields.EPOCH_NS, reads=True),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="micro_timestamp", codec=fields.EPOCH_US, reads=True),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="iso_timestamp", codec=fields.ISO_TEXT, reads=True),
    ColumnMapping(types=(ColumnType.TIME,), schema="nano_time", codec=fields.NANO_TIME, reads=True),
    ColumnMapping(types=(ColumnType.TIME,), schema="connect_time", codec=fields.MILLI_TIME, reads=True),
    ColumnMapping(types=(ColumnType.TIME,), schema="iso_time", codec=fields.ISO_TEXT, reads=True),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="timestamp_micros", codec=fields.EPOCH_US, reads=True),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="local_timestamp_millis", codec=fields.EPOCH_MS, reads=True),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="local_timestamp_micros", codec=fields.EPOCH_US, reads=True),
    ColumnMapping(types=(ColumnType.TIME,), schema="time_micros", codec=fields.MICRO_TIME, reads=True),
    ColumnMapping(types=(ColumnType.DECIMAL,), schema="decimal_on_fixed", codec=converted.FIXED_DECIMAL, reads=True),
    ColumnMapping(types=(ColumnType.GEOMETRY,), schema="geometry", codec=converted.GEOMETRY, reads=True, bare=True),
    ColumnMapping(types=(ColumnType.GEOMETRY,), schema="point", codec=converted.GEOMETRY, reads=True),
    ColumnMapping(types=(ColumnType.TINYINT,), schema="int8", codec=fields.INT, unflagged=UNSIGNED, reads=True),
    ColumnMapping(types=(ColumnType.TIME,), schema="milli_time", codec=fields.MILLI_TIME, reads=True),
    ColumnMapping(types=(ColumnType.DECIMAL,), schema="scaled_decimal", codec=fields.SCALED, reads=True),
    ColumnMapping(types=(ColumnType.VECTOR,), schema="float_vector", codec=fields.VECTOR, reads=True),
    ColumnMapping(types=(ColumnType.VECTOR,), schema="double_vector", codec=fields.VECTOR, reads=True),
    ColumnMapping(types=(ColumnType.JSON,), schema="any_array", codec=fields.ANY, reads=True),
    ColumnMapping(types=(ColumnType.JSON,), schema="any_map", codec=fields.ANY, reads=True),
    ColumnMapping(types=(ColumnType.JSON,), schema="any_struct", codec=fields.ANY, reads=True),
    ColumnMapping(types=(ColumnType.JSON,), schema="any_union", codec=fields.ANY, reads=True),
    ColumnMapping(types=(ColumnType.LONGBLOB,), schema="symbol", codec=fields.SYMBOL, unflagged=BINARY, reads=True),
    ColumnMapping(types=(ColumnType.LONGBLOB,), schema="fixed_bytes", codec=fields.FIXED, flagged=BINARY, reads=True),
)
"""Which columns are said in which of them, and how their values are written; of those that fit the first counts."""

SCHEMA_TYPES: Final[SchemaTypes[ValueCodec]] = SchemaTypes(
    TYPES,
    COLUMNS,
    exact=TidbWord(word="tidb_type", when="enable-tidb-extension", plain=(ColumnType.DECIMAL,)),
    source=SourceWords(
        type="__debezium.source.column.type",
        length="__debezium.source.column.length",
        scale="__debezium.source.column.scale",
        labels="allowed",
    ),
)
"""All of it."""
