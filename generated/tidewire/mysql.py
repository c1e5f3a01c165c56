"""Column types, column flags and DDL types of TiDB, as TiCDC's protocols number them."""
# Generated from spec/mysql_types.yaml by "make generate". Do not edit.

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Final

from tidewire.names import BINARY, UNSIGNED
from tidewire.runtime.column_types import ColumnTypes, Declared, Flagged, ProtocolName, TypeFacts
from tidewire.runtime.statements import DdlTypes

__all__ = [
    "DDL_TYPES",
    "UNDECLARED",
    "ColumnFlag",
    "ColumnType",
    "Declared",
    "ddl_class",
    "ddl_type_of",
    "ddl_types_of",
    "declared",
    "declared_or_undeclared",
    "flag_name",
    "mapped",
    "spark_type",
    "storage",
    "telling_flags",
    "type_text",
]


class ColumnFlag(IntFlag):
    """TiCDC's flags of a column; other bits are kept as they are."""

    BINARY = 1
    """The column's charset is binary. Distinguishes BINARY from CHAR, VARBINARY from VARCHAR and BLOB from TEXT."""
    HANDLE_KEY = 2
    """Part of the key that identifies a row: the primary key, else a unique index without nullable columns."""
    GENERATED = 4
    """A generated column."""
    PRIMARY_KEY = 8
    """Part of the primary key."""
    UNIQUE_KEY = 16
    """Part of a unique index."""
    MULTIPLE_KEY = 32
    """Part of an index of several columns, or the first column of an index that is not unique."""
    NULLABLE = 64
    """The column may be null."""
    UNSIGNED = 128
    """An unsigned number. YEAR and BIT columns have it too, as TiDB declares them unsigned."""


class ColumnType(IntEnum):
    """MySQL's type codes, as TiDB has them."""

    UNSPECIFIED = 0
    """A type that is missing in the message, or that TiDB does not have."""
    TINYINT = 1
    """TINYINT, BOOL, BOOLEAN"""
    SMALLINT = 2
    """SMALLINT"""
    INT = 3
    """INT, INTEGER"""
    FLOAT = 4
    """FLOAT"""
    DOUBLE = 5
    """DOUBLE, DOUBLE PRECISION, REAL"""
    NULL = 6
    """NULL"""
    TIMESTAMP = 7
    """TIMESTAMP"""
    BIGINT = 8
    """BIGINT"""
    MEDIUMINT = 9
    """MEDIUMINT"""
    DATE = 10
    """DATE"""
    TIME = 11
    """TIME"""
    DATETIME = 12
    """DATETIME"""
    YEAR = 13
    """YEAR: a signed number, though the column is flagged unsigned."""
    NEWDATE = 14
    """NEWDATE"""
    VARCHAR = 15
    """VARCHAR, VARBINARY"""
    BIT = 16
    """BIT"""
    VECTOR = 225
    """VECTOR"""
    JSON = 245
    """JSON"""
    DECIMAL = 246
    """DECIMAL, NUMERIC, DEC, FIXED"""
    ENUM = 247
    """ENUM"""
    SET = 248
    """SET"""
    TINYBLOB = 249
    """TINYTEXT, TINYBLOB"""
    MEDIUMBLOB = 250
    """MEDIUMTEXT, MEDIUMBLOB"""
    LONGBLOB = 251
    """LONGTEXT, LONGBLOB"""
    BLOB = 252
    """TEXT, BLOB"""
    VAR_STRING = 253
    """VAR_STRING"""
    CHAR = 254
    """CHAR, BINARY"""
    GEOMETRY = 255
    """GEOMETRY, POINT, LINESTRING, POLYGON, MULTIPOINT, MULTILINESTRING, MULTIPOLYGON, GEOMETRYCOLLECTION,
    GEOMCOLLECTION"""


DDL_TYPES: dict[int, str] = {
    1: "create schema",
    2: "drop schema",
    3: "create table",
    4: "drop table",
    5: "add column",
    6: "drop column",
    7: "add index",
    8: "drop index",
    9: "add foreign key",
    10: "drop foreign key",
    11: "truncate table",
    12: "modify column",
    13: "rebase auto_increment ID",
    14: "rename table",
    15: "set default value",
    16: "shard row ID",
    17: "modify table comment",
    18: "rename index",
    19: "add partition",
    20: "drop partition",
    21: "create view",
    22: "modify table charset and collate",
    23: "truncate partition",
    24: "drop view",
    25: "recover table",
    26: "modify schema charset and collate",
    27: "lock table",
    28: "unlock table",
    29: "repair table",
    30: "set tiflash replica",
    31: "update tiflash replica status",
    32: "add primary key",
    33: "drop primary key",
    34: "create sequence",
    35: "alter sequence",
    36: "drop sequence",
    37: "add multi-columns",
    38: "drop multi-columns",
    39: "modify auto id cache",
    40: "rebase auto_random ID",
    41: "alter index visibility",
    42: "exchange partition",
    43: "add check constraint",
    44: "drop check constraint",
    45: "alter check constraint",
    46: "alter partition",
    47: "rename tables",
    48: "drop multi-indexes",
    49: "alter table attributes",
    50: "alter table partition attributes",
    51: "create placement policy",
    52: "alter placement policy",
    53: "drop placement policy",
    54: "alter table partition placement",
    55: "modify schema default placement",
    56: "alter table placement",
    57: "alter table cache",
    58: "alter table statistics options",
    59: "alter table nocache",
    60: "create tables",
    61: "alter table multi-schema change",
    62: "flashback cluster",
    63: "flashback schema",
    64: "alter table reorganize partition",
    65: "alter table ttl",
    67: "alter table no_ttl",
    68: "create resource group",
    69: "alter resource group",
    70: "drop resource group",
    71: "alter table partition by",
    72: "alter table remove partitioning",
    73: "add columnar index",
    74: "modify engine attribute",
    75: "alter table mode",
    76: "refresh meta",
    77: "modify schema read only",
}
"""TiDB's DDL action codes and their titles."""

UNDECLARED: Final = ColumnType.UNSPECIFIED
"""The type of columns whose type is not told; their values are text, as it stands in the message."""

TYPES: Final = ColumnTypes(
    (
        TypeFacts(
            ColumnType.UNSPECIFIED, ("unspecified",), "text", "string",
            called={"java_sql": 12, "jdbc": 12},
        ),
        TypeFacts(
            ColumnType.TINYINT, ("tinyint", "bool", "boolean", "int1"), "int", "tinyint",
            flagged=(Flagged(UNSIGNED, "uint", "smallint", length=3, greatest=255),),
            parameters="length",
            length=4,
            limit=127,
            called={"java_sql": ProtocolName(-6, -6, 5), "jdbc": 5, "avro": "int"},
        ),
        TypeFacts(
            ColumnType.SMALLINT, ("smallint", "int2"), "int", "smallint",
            flagged=(Flagged(UNSIGNED, "uint", "int", length=5, greatest=65535),),
            parameters="length",
            length=6,
            limit=32767,
            called={"java_sql": ProtocolName(5, 5, 4), "jdbc": 5, "avro": "int"},
        ),
        TypeFacts(
            ColumnType.INT, ("int", "integer", "int4"), "int", "int",
            flagged=(Flagged(UNSIGNED, "uint", "bigint", length=10, greatest=4294967295),),
            parameters="length",
            length=11,
            limit=2147483647,
            called={"java_sql": ProtocolName(4, 4, -5), "jdbc": 4, "avro": ProtocolName("int", "long")},
        ),
        TypeFacts(
            ColumnType.FLOAT, ("float", "float4"), "float", "float",
            checksum="single",
            parameters="both",
            length=12,
            called={"java_sql": 7, "jdbc": 6, "avro": "float"},
        ),
        TypeFacts(
            ColumnType.DOUBLE, ("double", "double precision", "real", "float8"), "float", "double",
            parameters="both",
            length=22,
            called={"java_sql": 8, "jdbc": 8, "avro": "double"},
        ),
        TypeFacts(
            ColumnType.NULL, ("null",), "nothing", "string",
            called={"java_sql": 0},
        ),
        TypeFacts(
            ColumnType.TIMESTAMP, ("timestamp",), "text", "timestamp",
            fractions=True,
            checksum="utc",
            length=19,
            called={"java_sql": 93, "jdbc": 2014, "avro": "string"},
        ),
        TypeFacts(
            ColumnType.BIGINT, ("bigint", "int8"), "int", "bigint",
            flagged=(Flagged(UNSIGNED, "uint", "decimal(20,0)", length=20, greatest=18446744073709551615),),
            flagged_names={UNSIGNED: ("serial",)},
            parameters="length",
            length=20,
            limit=9223372036854775807,
            called={"java_sql": ProtocolName(-5, -5, 3), "jdbc": -5, "avro": "long"},
        ),
        TypeFacts(
            ColumnType.MEDIUMINT, ("mediumint", "int3", "middleint"), "int", "int",
            flagged=(Flagged(UNSIGNED, "uint", "int", length=8, greatest=16777215),),
            parameters="length",
            length=9,
            called={"java_sql": 4, "jdbc": 4, "avro": "int"},
        ),
        TypeFacts(
            ColumnType.DATE, ("date",), "text", "date",
            length=10,
            called={"java_sql": 91, "jdbc": 91, "avro": "string"},
        ),
        TypeFacts(
            ColumnType.TIME, ("time",), "text", "string",
            fractions=True,
            length=10,
            called={"java_sql": 92, "jdbc": 92, "avro": "string"},
        ),
        TypeFacts(
            ColumnType.DATETIME, ("datetime",), "text", "timestamp_ntz",
            fractions=True,
            length=19,
            called={"java_sql": 93, "jdbc": 93, "avro": "string"},
        ),
        TypeFacts(
            ColumnType.YEAR, ("year",), "int", "int",
            omits=("unsigned", "zerofill"),
            parameters="length",
            length=4,
            called={"java_sql": 12, "jdbc": 4, "avro": "int"},
        ),
        TypeFacts(
            ColumnType.NEWDATE, ("newdate",), "text", "date",
            called={"java_sql": 91},
        ),
        TypeFacts(
            ColumnType.VARCHAR, (
                "varchar", "char varying", "character varying", "varcharacter", "nvarchar", "nchar varchar",
                "nchar varcharacter", "nchar varying", "national varchar", "national varcharacter",
                "national char varying", "national character varying"
            ), "text", "string",
            flagged=(Flagged(BINARY, "bytes", "binary", "varbinary"),),
            parameters="length_or_0",
            called={
                "java_sql": ProtocolName(12, 2004),
                "jdbc": ProtocolName(12, -3),
                "avro": ProtocolName("string", "bytes"),
            },
        ),
        TypeFacts(
            ColumnType.BIT, ("bit",), "uint", "binary",
            omits=("unsigned",),
            parameters="length",
            length=1,
            called={"java_sql": -7, "jdbc": -7, "avro": "bytes"},
        ),
        TypeFacts(
            ColumnType.VECTOR, ("vector",), "text", "string",
            checksum="vector",
            parameters="length",
            length=-1,
            called={"java_sql": 12, "jdbc": 12, "avro": "string"},
        ),
        TypeFacts(
            ColumnType.JSON, ("json",), "text", "string",
            length=4294967295,
            called={"java_sql": 12, "jdbc": 1111, "avro": "string"},
        ),
        TypeFacts(
            ColumnType.DECIMAL, ("decimal", "numeric", "dec", "fixed"), "text", "decimal",
            parameters="both_or_0",
            length=10,
            called={"java_sql": 3, "jdbc": 3, "avro": "bytes"},
        ),
        TypeFacts(
            ColumnType.ENUM, ("enum",), "uint", "int",
            labels="one",
            called={"java_sql": 4, "jdbc": 1, "avro": "string"},
        ),
        TypeFacts(
            ColumnType.SET, ("set",), "uint", "decimal(20,0)",
            labels="several",
            called={"java_sql": -7, "jdbc": 1, "avro": "string"},
        ),
        TypeFacts(
            ColumnType.TINYBLOB, ("tinytext",), "text", "string",
            flagged=(Flagged(BINARY, "bytes", "binary", "tinyblob"),),
            length=255,
            called={
                "java_sql": ProtocolName(2005, 2004),
                "jdbc": ProtocolName(12, 2004),
                "avro": ProtocolName("string", "bytes"),
            },
        ),
        TypeFacts(
            ColumnType.MEDIUMBLOB, (
                "mediumtext", "long", "long varchar", "long varcharacter", "long char varying", "long character varying"
            ), "text", "string",
            flagged=(Flagged(BINARY, "bytes", "binary", "mediumblob"),),
            flagged_names={BINARY: ("long varbinary",)},
            length=16777215,
            called={
                "java_sql": ProtocolName(2005, 2004),
                "jdbc": ProtocolName(12, 2004),
                "avro": ProtocolName("string", "bytes"),
            },
        ),
        TypeFacts(
            ColumnType.LONGBLOB, ("longtext",), "text", "string",
            flagged=(Flagged(BINARY, "bytes", "binary", "longblob"),),
            length=4294967295,
            called={
                "java_sql": ProtocolName(2005, 2004),
                "jdbc": ProtocolName(12, 2004),
                "avro": ProtocolName("string", "bytes"),
            },
        ),
        TypeFacts(
            ColumnType.BLOB, ("text",), "text", "string",
            flagged=(Flagged(BINARY, "bytes", "binary", "blob"),),
            length=65535,
            called={
                "java_sql": ProtocolName(2005, 2004),
                "jdbc": ProtocolName(12, 2004),
                "avro": ProtocolName("string", "bytes"),
            },
        ),
        TypeFacts(
            ColumnType.VAR_STRING, ("var_string",), "text", "string",
            flagged=(Flagged(BINARY, "bytes", "binary"),),
            parameters="length_or_0",
            called={"java_sql": ProtocolName(12, 2004), "jdbc": 12},
        ),
        TypeFacts(
            ColumnType.CHAR, ("char", "character", "nchar", "national char", "national character"), "text", "string",
            flagged=(Flagged(BINARY, "bytes", "binary", "binary"),),
            flagged_names={BINARY: ("char byte", "character byte")},
            parameters="length_or_0",
            length=1,
            called={
                "java_sql": ProtocolName(1, 2004), "jdbc": ProtocolName(1, -2), "avro": ProtocolName("string", "bytes")
            },
        ),
        TypeFacts(
            ColumnType.GEOMETRY, (
                "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon",
                "geometrycollection", "geomcollection"
            ), "bytes", "binary",
            called={"java_sql": -2},
        ),
    ),
    undeclared=UNDECLARED,
    words={"unsigned": UNSIGNED, "zerofill": UNSIGNED},
    phrases={
        BINARY: ("byte", "character set binary", "char set binary", "charset binary", "collate binary"),
        0: (
            "signed", "binary", "ascii", "unicode", "character set ~", "char set ~", "charset ~", "collate ~", "srid ~",
            "not null", "null", "auto_increment", "unique", "unique key", "primary key", "visible", "invisible"
        ),
    },
    printed=((UNSIGNED, "unsigned"),),
)
storage = TYPES.storage
spark_type = TYPES.spark_type
telling_flags = TYPES.telling_flags
declared = TYPES.declared
declared_or_undeclared = TYPES.declared_or_undeclared
type_text = TYPES.type_text
mapped = TYPES.mapped

_STATEMENTS: Final = DdlTypes(
    DDL_TYPES,
    classes={
        "CREATE": (3,),
        "ERASE": (4,),
        "ALTER": (5, 6, 12, 13, 15, 17, 18, 19, 20, 22, 23, 37, 38, 41, 61, 64, 71, 72),
        "CINDEX": (7, 9, 32),
        "DINDEX": (8, 10, 33),
        "TRUNCATE": (11,),
        "RENAME": (14, 47),
    },
    other="QUERY",
    # by what they list (one thing, several, or any number) and code: how statements begin; ~ is a name
    beginnings={
        "one": {
            1: ("create database", "create schema"),
            2: ("drop database", "drop schema"),
            5: ("alter table ~ add column", "alter table ~ add ~"),
            6: ("alter table ~ drop column", "alter table ~ drop ~"),
            7: (
                "create index",
                "create unique index",
                "alter table ~ add index",
                "alter table ~ add key",
                "alter table ~ add unique",
                "alter table ~ add constraint ~ unique",
            ),
            8: ("drop index", "alter table ~ drop index", "alter table ~ drop key"),
            9: ("alter table ~ add foreign key", "alter table ~ add constraint ~ foreign key"),
            10: ("alter table ~ drop foreign key",),
            11: ("truncate table", "truncate ~"),
            12: ("alter table ~ modify", "alter table ~ change", "alter table ~ rename column"),
            13: ("alter table ~ auto_increment",),
            14: ("rename table", "alter table ~ rename to", "alter table ~ rename as"),
            15: (
                "alter table ~ alter column ~ set default",
                "alter table ~ alter column ~ drop default",
                "alter table ~ alter ~ set default",
                "alter table ~ alter ~ drop default",
            ),
            17: ("alter table ~ comment",),
            18: ("alter table ~ rename index", "alter table ~ rename key"),
            19: ("alter table ~ add partition",),
            22: (
                "alter table ~ character set",
                "alter table ~ charset",
                "alter table ~ collate",
                "alter table ~ default character set",
                "alter table ~ default charset",
                "alter table ~ convert to",
            ),
            25: ("recover table", "flashback table"),
            26: (
                "alter database ~ character set", "alter database ~ charset", "alter database ~ collate",
                "alter database ~ default", "alter schema ~ character set", "alter schema ~ charset",
                "alter schema ~ collate", "alter schema ~ default"
            ),
            32: ("alter table ~ add primary key", "alter table ~ add constraint ~ primary key"),
            33: ("alter table ~ drop primary key",),
            41: ("alter table ~ alter index",),
            42: ("alter table ~ exchange partition",),
            65: ("alter table ~ ttl",),
            67: ("alter table ~ remove ttl",),
            71: ("alter table ~ partition by",),
            72: ("alter table ~ remove partitioning",),
        },
        "any": {
            3: ("create table",),
            4: ("drop table",),
            20: ("alter table ~ drop partition",),
            21: (
                "create view",
                "create or replace view",
                "create algorithm",
                "create or replace algorithm",
                "create definer",
                "create sql security",
            ),
            23: ("alter table ~ truncate partition",),
            24: ("drop view",),
            64: ("alter table ~ reorganize partition",),
        },
        "several": {
            47: ("rename table",),
            61: ("alter table",),
        },
    },
)
ddl_class = _STATEMENTS.ddl_class
ddl_types_of = _STATEMENTS.ddl_types_of
ddl_type_of = _STATEMENTS.ddl_type_of


def flag_name(flag: int) -> str:
    """The name of a column flag; its number where it has none."""
    name = ColumnFlag(flag).name
    return str(flag) if name is None else name.lower()
