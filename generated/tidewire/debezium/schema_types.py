"""What schemas call columns in Debezium, and how the values of columns are written then.

Which types of Kafka Connect the columns have in schemas, and how their values are written. A writer uses the
first line that fits a column. A row that says nothing else is read and written.
"""
# Generated from spec/debezium.yaml
# by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.mysql import ColumnType
from tidewire.names import BINARY, UNSIGNED
from tidewire.runtime.connect.types import ColumnMapping, SchemaType, SchemaTypes, SourceWords, TidbWord
from tidewire.runtime.json import codecs, connect_decimals, connect_times, connect_values
from tidewire.runtime.json.codec import JsonCodec

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
    SchemaType(id="any_array", type="array", stands_for="json"),
    SchemaType(id="any_map", type="map", stands_for="json"),
    SchemaType(id="any_struct", type="struct", stands_for="json"),
    SchemaType(id="any_other", type="any", stands_for="unspecified"),
)
"""Kafka Connect's types, as schemas say them of columns."""

COLUMNS: Final[tuple[ColumnMapping[JsonCodec], ...]] = (
    ColumnMapping(
        types=(ColumnType.TINYINT, ColumnType.SMALLINT), schema="int16", codec=codecs.INT_NUMBER, unflagged=UNSIGNED
    ),
    ColumnMapping(types=(ColumnType.TINYINT,), schema="int16", codec=codecs.UINT_NUMBER, flagged=UNSIGNED),
    ColumnMapping(types=(ColumnType.SMALLINT,), schema="int32", codec=codecs.UINT_NUMBER, flagged=UNSIGNED),
    ColumnMapping(
        types=(ColumnType.MEDIUMINT, ColumnType.INT), schema="int32", codec=codecs.INT_NUMBER, unflagged=UNSIGNED
    ),
    ColumnMapping(types=(ColumnType.MEDIUMINT,), schema="int32", codec=codecs.UINT_NUMBER, flagged=UNSIGNED),
    ColumnMapping(types=(ColumnType.INT,), schema="int64", codec=codecs.UINT_NUMBER, flagged=UNSIGNED),
    ColumnMapping(types=(ColumnType.BIGINT,), schema="int64", codec=codecs.INT_NUMBER, unflagged=UNSIGNED),
    ColumnMapping(types=(ColumnType.BIGINT,), schema="int64", codec=connect_values.WRAPPED, flagged=UNSIGNED),
    ColumnMapping(
        types=(ColumnType.BIGINT,),
        schema="string",
        codec=codecs.UINT_TEXT,
        flagged=UNSIGNED,
        reads=True,
        default="number",
    ),
    ColumnMapping(types=(ColumnType.YEAR,), schema="year", codec=connect_values.YEAR),
    ColumnMapping(types=(ColumnType.BIT,), schema="boolean", codec=connect_values.BOOL_BIT, length=(1, 1)),
    ColumnMapping(types=(ColumnType.BIT,), schema="bits", codec=connect_values.BITS),
    ColumnMapping(types=(ColumnType.FLOAT,), schema="float", codec=codecs.FLOAT32_NUMBER, unscaled=True),
    ColumnMapping(types=(ColumnType.FLOAT,), schema="double", codec=codecs.FLOAT32_NUMBER),
    ColumnMapping(types=(ColumnType.DOUBLE,), schema="double", codec=codecs.FLOAT64_NUMBER),
    ColumnMapping(types=(ColumnType.DECIMAL,), schema="double", codec=connect_decimals.DECIMAL_NUMBER),
    ColumnMapping(
        types=(ColumnType.DECIMAL,),
        schema="string",
        codec=codecs.TEXT,
        reads=True,
        mode=("decimal-handling-mode", "string"),
    ),
    ColumnMapping(
        types=(ColumnType.DECIMAL,),
        schema="decimal",
        codec=connect_decimals.DECIMAL_UNSCALED,
        reads=True,
        mode=("decimal-handling-mode", "precise"),
    ),
    ColumnMapping(
        types=(
            ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.CHAR, ColumnType.TINYBLOB, ColumnType.MEDIUMBLOB,
            ColumnType.LONGBLOB, ColumnType.BLOB
        ),
        schema="string",
        codec=codecs.TEXT,
        unflagged=BINARY,
    ),
    ColumnMapping(
        types=(
            ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.CHAR, ColumnType.TINYBLOB, ColumnType.MEDIUMBLOB,
            ColumnType.LONGBLOB, ColumnType.BLOB
        ),
        schema="string",
        codec=codecs.BASE64_BYTES,
        flagged=BINARY,
    ),
    ColumnMapping(
        types=(
            ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.CHAR, ColumnType.TINYBLOB, ColumnType.MEDIUMBLOB,
            ColumnType.LONGBLOB, ColumnType.BLOB
        ),
        schema="bytes",
        codec=codecs.BASE64_BYTES,
        flagged=BINARY,
        reads=True,
    ),
    ColumnMapping(types=(ColumnType.ENUM,), schema="enum", codec=connect_values.ENUM_LABEL),
    ColumnMapping(types=(ColumnType.SET,), schema="set", codec=connect_values.SET_LABELS),
    ColumnMapping(types=(ColumnType.JSON,), schema="json", codec=codecs.TEXT),
    ColumnMapping(types=(ColumnType.VECTOR,), schema="vector", codec=codecs.TEXT),
    ColumnMapping(types=(ColumnType.DATE,), schema="date", codec=connect_times.DAYS),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="timestamp", codec=connect_times.EPOCH_MS, fraction=(0, 3)),
    ColumnMapping(types=(ColumnType.DATETIME,), schema="micro_timestamp", codec=connect_times.EPOCH_US),
    ColumnMapping(types=(ColumnType.TIME,), schema="micro_time", codec=connect_times.MICRO_TIME),
    ColumnMapping(types=(ColumnType.TIMESTAMP,), schema="zoned_timestamp", codec=connect_times.ZONED_TIME),
    ColumnMapping(
        types=(ColumnType.TINYINT,),
        schema="boolean",
        codec=connect_values.BOOL_INT,
        unflagged=UNSIGNED,
        length=(1, 1),
        reads=True,
        bare=True,
    ),
    ColumnMapping(
        types=(ColumnType.BIGINT,),
        schema="decimal",
        codec=connect_decimals.UNSIGNED_UNSCALED,
        flagged=UNSIGNED,
        reads=True,
        mode=("bigint-unsigned-handling-mode", "precise"),
    ),
    ColumnMapping(types=(ColumnType.DOUBLE,), schema="float", codec=connect_decimals.FLOAT_NUMBER, reads=True),
    ColumnMapping(
        types=(
            ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.CHAR, ColumnType.TINYBLOB, ColumnType.MEDIUMBLOB,
            ColumnType.LONGBLOB, ColumnType.BLOB
        ),
        schema="string",
        codec=connect_values.BASE64_URL,
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
        codec=connect_values.HEXADECIMAL,
        flagged=BINARY,
        reads=True,
        mode=("binary-handling-mode", "hex"),
    ),
    ColumnMapping(types=(ColumnType.ENUM,), schema="string", codec=connect_values.ENUM_LABEL, reads=True),
    ColumnMapping(types=(ColumnType.SET,), schema="string", codec=connect_values.SET_LABELS, reads=True),
    ColumnMapping(
        types=(ColumnType.DATE,),
        schema="iso_date",
        codec=connect_times.ISO_TEXT,
        reads=True,
        mode=("time-precision-mode", "isostring"),
    ),
    ColumnMapping(
        types=(ColumnType.DATE,),
        schema="connect_date",
        codec=connect_times.DAYS,
        reads=True,
        mode=("time-precision-mode", "connect"),
    ),
    ColumnMapping(
        types=(ColumnType.DATETIME,),
        schema="connect_timestamp",
        codec=connect_times.EPOCH_MS,
        reads=True,
        mode=("time-precision-mode", "connect"),
    ),
    ColumnMapping(
        types=(ColumnType.DATETIME,),
        schema="nano_timestamp",
        codec=connect_times.EPOCH_NS,
        reads=True,
        mode=("time-precision-mode", "nanoseconds"),
    ),
    ColumnMapping(
        types=(ColumnType.DATETIME,),
        schema="micro_timestamp",
        codec=connect_times.EPOCH_US,
        reads=True,
        mode=("time-precision-mode", "microseconds"),
    ),
    ColumnMapping(
        types=(ColumnType.DATETIME,),
        schema="iso_timestamp",
        codec=connect_times.ISO_TEXT,
        reads=True,
        mode=("time-precision-mode", "isostring"),
    ),
    ColumnMapping(
        types=(ColumnType.TIME,),
        schema="nano_time",
        codec=connect_times.NANO_TIME,
        reads=True,
        mode=("time-precision-mode", "nanoseconds"),
    ),
    ColumnMapping(
        types=(ColumnType.TIME,),
        schema="connect_time",
        codec=connect_times.MILLI_TIME,
        reads=True,
        mode=("time-precision-mode", "connect"),
    ),
    ColumnMapping(
        types=(ColumnType.TIME,),
        schema="iso_time",
        codec=connect_times.ISO_TEXT,
        reads=True,
        mode=("time-precision-mode", "isostring"),
    ),
    ColumnMapping(
        types=(ColumnType.GEOMETRY,), schema="geometry", codec=connect_values.GEOMETRY, reads=True, bare=True
    ),
    ColumnMapping(types=(ColumnType.GEOMETRY,), schema="point", codec=connect_values.GEOMETRY, reads=True),
    ColumnMapping(types=(ColumnType.TINYINT,), schema="int8", codec=codecs.INT_NUMBER, unflagged=UNSIGNED, reads=True),
    ColumnMapping(types=(ColumnType.TIME,), schema="milli_time", codec=connect_times.MILLI_TIME, reads=True),
    ColumnMapping(
        types=(ColumnType.DECIMAL,), schema="scaled_decimal", codec=connect_values.SCALED_DECIMAL, reads=True
    ),
    ColumnMapping(types=(ColumnType.VECTOR,), schema="float_vector", codec=connect_values.FLOAT_VECTOR, reads=True),
    ColumnMapping(types=(ColumnType.VECTOR,), schema="double_vector", codec=connect_values.DOUBLE_VECTOR, reads=True),
    ColumnMapping(types=(ColumnType.JSON,), schema="any_array", codec=connect_values.JSON_VALUE, reads=True),
    ColumnMapping(types=(ColumnType.JSON,), schema="any_map", codec=connect_values.JSON_VALUE, reads=True),
    ColumnMapping(types=(ColumnType.JSON,), schema="any_struct", codec=connect_values.JSON_VALUE, reads=True),
    ColumnMapping(types=(ColumnType.UNSPECIFIED,), schema="any_other", codec=codecs.UNDECLARED_TEXT, reads=True),
)
"""Which columns are said in which of them, and how their values are written; of those that fit the first counts."""

SCHEMA_TYPES: Final[SchemaTypes[JsonCodec]] = SchemaTypes(
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
