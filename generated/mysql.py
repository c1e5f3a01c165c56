"""Column types, column flags and DDL types of TiDB, as TiCDC's protocols number them."""
# Generated from spec/mysql_types.yaml by "make generate". Do not edit.

from __future__ import annotations

from enum import IntEnum, IntFlag


class ColumnFlag(IntFlag):
    """TiCDC's flags of a column; other bits are kept as they are."""

    BINARY = 1
    """The column's charset is binary. Tells BINARY from CHAR, VARBINARY from VARCHAR and BLOB from TEXT."""
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
    """UNSPECIFIED"""
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
    """GEOMETRY"""


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

_STORAGE: dict[int, tuple[str, str, tuple[tuple[int, str, str], ...]]] = {
    0: ("nothing", "string", ()),
    1: ("int", "tinyint", ((ColumnFlag.UNSIGNED, "uint", "smallint"),)),
    2: ("int", "smallint", ((ColumnFlag.UNSIGNED, "uint", "int"),)),
    3: ("int", "int", ((ColumnFlag.UNSIGNED, "uint", "bigint"),)),
    4: ("float", "float", ()),
    5: ("float", "double", ()),
    6: ("nothing", "string", ()),
    7: ("text", "timestamp", ()),
    8: ("int", "bigint", ((ColumnFlag.UNSIGNED, "uint", "decimal(20,0)"),)),
    9: ("int", "int", ((ColumnFlag.UNSIGNED, "uint", "int"),)),
    10: ("text", "date", ()),
    11: ("text", "string", ()),
    12: ("text", "timestamp_ntz", ()),
    13: ("int", "int", ()),
    14: ("text", "date", ()),
    15: ("text", "string", ((ColumnFlag.BINARY, "bytes", "binary"),)),
    16: ("uint", "binary", ()),
    225: ("text", "string", ()),
    245: ("text", "string", ()),
    246: ("text", "decimal", ()),
    247: ("uint", "int", ()),
    248: ("uint", "decimal(20,0)", ()),
    249: ("text", "string", ((ColumnFlag.BINARY, "bytes", "binary"),)),
    250: ("text", "string", ((ColumnFlag.BINARY, "bytes", "binary"),)),
    251: ("text", "string", ((ColumnFlag.BINARY, "bytes", "binary"),)),
    252: ("text", "string", ((ColumnFlag.BINARY, "bytes", "binary"),)),
    253: ("text", "string", ((ColumnFlag.BINARY, "bytes", "binary"),)),
    254: ("text", "string", ((ColumnFlag.BINARY, "bytes", "binary"),)),
    255: ("nothing", "string", ()),
}
"""Type code -> storage, Spark type, and what of both a flag changes."""


def storage(type: int, flags: int) -> str:
    """What the values of a column are kept as: int, uint, float, text, bytes, or nothing for a type that TiDB does not have."""
    kind, _, flagged = _STORAGE.get(type, ("nothing", "string", ()))
    for flag, changed, _ in flagged:
        if flags & flag:
            return changed
    return kind


def spark_type(type: int, flags: int) -> str:
    """The Spark type of a column, as DDL text; "decimal" where precision and scale come from the column itself."""
    _, kind, flagged = _STORAGE.get(type, ("nothing", "string", ()))
    for flag, _, changed in flagged:
        if flags & flag:
            return changed
    return kind


from typing import NamedTuple  # noqa
class Declared(NamedTuple):
    type: int
    flags: int
    length: int | None
    decimals: int | None
    members: tuple[str, ...]
    zerofill: bool
def declared(text: str) -> Declared:
    import re
    m = re.match(r"(\w+)(?:\((.*)\))?", text)
    args = m.group(2) or ""
    if args.startswith("'"):
        return Declared(0, 0, None, None, tuple(a.strip("'") for a in args.split(",")), False)
    n = [int(a) for a in args.split(",")] if args else []
    return Declared(0, 0, n[0] if n else None, n[1] if len(n) > 1 else None, (), False)
