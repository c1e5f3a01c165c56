"""Column types, column flags and DDL types of TiDB, as TiCDC's protocols number them."""
# Generated from spec/mysql_types.yaml by "make generate". Do not edit.

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Final, NamedTuple

from tidewire.runtime.statements import Beginning, which


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
    """A type that the message does not tell, or whose name TiDB does not have."""
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

_STORAGE: dict[int, tuple[str, str, tuple[tuple[int, str, str], ...]]] = {
    0: ("text", "string", ()),
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
    255: ("bytes", "binary", ()),
}
"""Type code -> storage, Spark type, and what of both a flag changes."""


def storage(type: int, flags: int) -> str:
    """What the values of a column are kept as: int, uint, float, text, bytes, or nothing for a type that TiDB does not
    have."""
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


def telling_flags(type: int) -> int:
    """The flags that change what a column of the type stores; others say something about the column only."""
    return _TELLING.get(type, 0)


_TELLING: Final[dict[int, int]] = {
    1: 128,
    2: 128,
    3: 128,
    8: 128,
    9: 128,
    15: 1,
    249: 1,
    250: 1,
    251: 1,
    252: 1,
    253: 1,
    254: 1,
}
"""Type code -> the flags in question; 0 for the others."""


# ---- declared types


class Declared(NamedTuple):
    """What the text of a column's type says."""

    type: int
    """A code of `ColumnType`."""
    flags: int
    """Those flags that the text tells."""
    length: int | None
    """The number in parentheses, or the first of two; None when it is not said."""
    decimals: int | None
    """Digits behind the point: the second number, or the only one of a type with fractions of seconds."""
    members: tuple[str, ...]
    """Labels, without quotes."""
    zerofill: bool


_NAMES: Final[dict[str, tuple[int, int]]] = {
    "bigint": (8, 0),
    "binary": (254, ColumnFlag.BINARY),
    "bit": (16, 0),
    "blob": (252, ColumnFlag.BINARY),
    "bool": (1, 0),
    "boolean": (1, 0),
    "char": (254, 0),
    "char byte": (254, ColumnFlag.BINARY),
    "char varying": (15, 0),
    "character": (254, 0),
    "character byte": (254, ColumnFlag.BINARY),
    "character varying": (15, 0),
    "date": (10, 0),
    "datetime": (12, 0),
    "dec": (246, 0),
    "decimal": (246, 0),
    "double": (5, 0),
    "double precision": (5, 0),
    "enum": (247, 0),
    "fixed": (246, 0),
    "float": (4, 0),
    "float4": (4, 0),
    "float8": (5, 0),
    "geomcollection": (255, 0),
    "geometry": (255, 0),
    "geometrycollection": (255, 0),
    "int": (3, 0),
    "int1": (1, 0),
    "int2": (2, 0),
    "int3": (9, 0),
    "int4": (3, 0),
    "int8": (8, 0),
    "integer": (3, 0),
    "json": (245, 0),
    "linestring": (255, 0),
    "long": (250, 0),
    "long char varying": (250, 0),
    "long character varying": (250, 0),
    "long varbinary": (250, ColumnFlag.BINARY),
    "long varchar": (250, 0),
    "long varcharacter": (250, 0),
    "longblob": (251, ColumnFlag.BINARY),
    "longtext": (251, 0),
    "mediumblob": (250, ColumnFlag.BINARY),
    "mediumint": (9, 0),
    "mediumtext": (250, 0),
    "middleint": (9, 0),
    "multilinestring": (255, 0),
    "multipoint": (255, 0),
    "multipolygon": (255, 0),
    "national char": (254, 0),
    "national char varying": (15, 0),
    "national character": (254, 0),
    "national character varying": (15, 0),
    "national varchar": (15, 0),
    "national varcharacter": (15, 0),
    "nchar": (254, 0),
    "nchar varchar": (15, 0),
    "nchar varcharacter": (15, 0),
    "nchar varying": (15, 0),
    "newdate": (14, 0),
    "null": (6, 0),
    "numeric": (246, 0),
    "nvarchar": (15, 0),
    "point": (255, 0),
    "polygon": (255, 0),
    "real": (5, 0),
    "serial": (8, ColumnFlag.UNSIGNED),
    "set": (248, 0),
    "smallint": (2, 0),
    "text": (252, 0),
    "time": (11, 0),
    "timestamp": (7, 0),
    "tinyblob": (249, ColumnFlag.BINARY),
    "tinyint": (1, 0),
    "tinytext": (249, 0),
    "unspecified": (0, 0),
    "var_string": (253, 0),
    "varbinary": (15, ColumnFlag.BINARY),
    "varchar": (15, 0),
    "varcharacter": (15, 0),
    "vector": (225, 0),
    "year": (13, 0),
}
"""Names of types -> type code, and the flag that the name implies."""

_MOST_WORDS: Final = max(len(name.split()) for name in _NAMES)

_WORDS: Final[dict[str, int]] = {
    "unsigned": ColumnFlag.UNSIGNED,
    "zerofill": ColumnFlag.UNSIGNED,
}
"""Words behind a type -> the flag that they set."""

_PHRASES: Final[tuple[tuple[tuple[str, ...], int], ...]] = (
    (("char", "set", "binary"), ColumnFlag.BINARY),
    (("character", "set", "binary"), ColumnFlag.BINARY),
    (("char", "set", "~"), 0),
    (("character", "set", "~"), 0),
    (("charset", "binary"), ColumnFlag.BINARY),
    (("collate", "binary"), ColumnFlag.BINARY),
    (("not", "null"), 0),
    (("primary", "key"), 0),
    (("unique", "key"), 0),
    (("charset", "~"), 0),
    (("collate", "~"), 0),
    (("srid", "~"), 0),
    (("ascii",), 0),
    (("auto_increment",), 0),
    (("binary",), 0),
    (("byte",), ColumnFlag.BINARY),
    (("invisible",), 0),
    (("null",), 0),
    (("signed",), 0),
    (("unicode",), 0),
    (("unique",), 0),
    (("visible",), 0),
)
"""Words behind a type that are read and never printed, ~ for a name -> the flag that they set; 0: they say nothing of
values."""

_PRINTED: Final[tuple[tuple[int, str], ...]] = ((ColumnFlag.UNSIGNED, "unsigned"),)
"""Flags that are printed behind a type, and how."""

_TEXTS: Final[dict[int, tuple[str, tuple[tuple[int, str], ...], tuple[str, ...]]]] = {
    0: ("unspecified", (), ()),
    1: ("tinyint", (), ()),
    2: ("smallint", (), ()),
    3: ("int", (), ()),
    4: ("float", (), ()),
    5: ("double", (), ()),
    6: ("null", (), ()),
    7: ("timestamp", (), ()),
    8: ("bigint", (), ()),
    9: ("mediumint", (), ()),
    10: ("date", (), ()),
    11: ("time", (), ()),
    12: ("datetime", (), ()),
    13: ("year", (), ("unsigned", "zerofill")),
    14: ("newdate", (), ()),
    15: ("varchar", ((ColumnFlag.BINARY, "varbinary"),), ()),
    16: ("bit", (), ("unsigned",)),
    225: ("vector", (), ()),
    245: ("json", (), ()),
    246: ("decimal", (), ()),
    247: ("enum", (), ()),
    248: ("set", (), ()),
    249: ("tinytext", ((ColumnFlag.BINARY, "tinyblob"),), ()),
    250: ("mediumtext", ((ColumnFlag.BINARY, "mediumblob"),), ()),
    251: ("longtext", ((ColumnFlag.BINARY, "longblob"),), ()),
    252: ("text", ((ColumnFlag.BINARY, "blob"),), ()),
    253: ("var_string", (), ()),
    254: ("char", ((ColumnFlag.BINARY, "binary"),), ()),
    255: ("geometry", (), ()),
}
"""Type code -> TiDB's name, the names that it has with a flag, words that are not printed behind it."""

_LABELLED: Final = frozenset([247, 248])
"""Types that are declared with labels."""

_FRACTIONS: Final = frozenset([7, 11, 12])
"""Types whose one number says the digits behind the point."""

_ESCAPES: Final = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}
"""What a backslash makes of a character in a label, as MySQL has it; any other stays what it is."""


def declared(text: str) -> Declared:
    """What a type says that is written as in SQL: ``int(10) unsigned zerofill``, ``ENUM('a','b')``, ``double
    precision``.

    Upper and lower case are the same, spaces may stand anywhere between words and numbers, `unsigned` may stand in
    front. The name tells the type, never what is in parentheses.

    Other names of MySQL are read too (``INT8``, ``NATIONAL CHARACTER VARYING``), and what stands behind a type without
    a meaning for its values (``CHARACTER SET utf8mb4 COLLATE utf8mb4_bin``).

    Raises:
        ValueError: the text is no type that TiDB has; a sentence says why.
    """
    head, inside, tail = _parted(text)
    words = head.lower().split()
    first = next((at for at, word in enumerate(words) if word not in _WORDS), len(words))
    given, words = words[:first], words[first:]
    size = min(_MOST_WORDS, len(words))
    while size and " ".join(words[:size]) not in _NAMES:
        size -= 1
    if not size:
        raise ValueError(f"{_shown(text)} is no type of a column: TiDB has no type {_shown(' '.join(words))}")
    type, flags = _NAMES[" ".join(words[:size])]
    given += [*words[size:], *tail.lower().split()]
    flags |= _flags(text, given)
    members: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    if inside is not None and type in _LABELLED:
        members = _labels(text, inside)
    elif inside is not None:
        numbers = _numbers(text, inside)
    length = numbers[0] if numbers else None
    decimals = numbers[1] if len(numbers) > 1 else None
    if decimals is None and type in _FRACTIONS:
        length, decimals = None, length
    return Declared(type, int(flags), length, decimals, members, "zerofill" in given)


def _flags(text: str, words: list[str]) -> int:
    """The flags that the words beside a type's name set."""
    flags = at = 0
    while at < len(words):
        if words[at] in _WORDS:
            flags |= _WORDS[words[at]]
            at += 1
            continue
        for phrase, flag in _PHRASES:
            part = words[at : at + len(phrase)]
            if len(part) == len(phrase) and all(one in ("~", word) for one, word in zip(phrase, part, strict=True)):
                flags |= flag
                at += len(phrase)
                break
        else:
            raise ValueError(f"{_shown(text)} is no type of a column: {_shown(words[at])} says nothing about a type")
    return flags


UNTOLD: Final = ColumnType.UNSPECIFIED
"""The type of columns whose type is not told; their values are text, as it stands in the message."""


def told(text: str) -> Declared:
    """`declared`; a text that is no type that TiDB has is a type that is not told."""
    try:
        return declared(text)
    except ValueError:
        return Declared(int(UNTOLD), 0, None, None, (), False)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:59]}…")


def _parted(text: str) -> tuple[str, str | None, str]:
    """What stands before, in and behind the parentheses."""
    start, stop = text.find("("), text.rfind(")")
    if start < 0 and stop < 0:
        return text, None, ""
    if start < 0 or stop < start:
        raise ValueError(f"{_shown(text)} is no type of a column: its parentheses do not match")
    return text[:start], text[start + 1 : stop], text[stop + 1 :]


def _numbers(text: str, inside: str) -> tuple[int, ...]:
    """One or two numbers."""
    parts = [part.strip() for part in inside.split(",", 2)]
    if len(parts) > 2 or not all(part.isascii() and part.isdigit() and len(part) <= 10 for part in parts):
        raise ValueError(f"{_shown(text)} is no type of a column: one or two numbers stand in its parentheses")
    return tuple(int(part) for part in parts)


def _labels(text: str, inside: str) -> tuple[str, ...]:
    """Labels in quotes; what is inside of the quotes is never taken for anything else."""
    found: list[str] = []
    at, rest = 0, inside.strip()
    while True:
        quote = rest[at : at + 1]
        if quote not in ("'", '"'):
            raise ValueError(f"{_shown(text)} is no type of a column: its labels stand in quotes")
        at += 1
        label: list[str] = []
        while True:
            one = rest[at : at + 1]
            if one == "":
                raise ValueError(f"{_shown(text)} is no type of a column: a label has no end")
            if one == quote and rest[at + 1 : at + 2] != quote:
                break
            if one == quote:
                at += 1
            elif one == "\\" and at + 1 < len(rest):
                at += 1
                one = _ESCAPES.get(rest[at], rest[at])
            label.append(one)
            at += 1
        found.append("".join(label))
        at += 1
        while rest[at : at + 1].isspace():
            at += 1
        if at == len(rest):
            return tuple(found)
        if rest[at] != ",":
            raise ValueError(f"{_shown(text)} is no type of a column: a comma stands between labels")
        at += 1
        while rest[at : at + 1].isspace():
            at += 1


def type_text(type: int, flags: int, zerofill: bool = False) -> str:
    """TiDB's name of a type without its parameters: ``int unsigned zerofill``, ``varbinary``, ``enum``.

    Raises:
        ValueError: there is no such type.
    """
    if type not in _TEXTS:
        raise ValueError(f"{type} is no type code that TiDB has")
    text, flagged, omits = _TEXTS[type]
    for flag, name in flagged:
        if flags & flag:
            text = name
    words = [word for flag, word in _PRINTED if flags & flag]
    if zerofill:
        words.append("zerofill")
    return " ".join([text, *(word for word in words if word not in omits)])


# ---- what other protocols call types


class Mapping(NamedTuple):
    """What a protocol calls a type."""

    value: int | str
    beyond: int | str | None
    """The same of values above `limit`; None when they make no difference."""
    limit: int | None
    """The greatest value that is not beyond."""


_MAPPED: Final[dict[tuple[str, int], tuple[int | str, int | str, int | str | None, int | None]]] = {
    ("java_sql", 0): (12, 12, None, None),
    ("java_sql", 1): (-6, -6, 5, 127),
    ("avro", 1): ("int", "int", None, None),
    ("debezium", 1): ("int16", "int16", None, None),
    ("java_sql", 2): (5, 5, 4, 32767),
    ("avro", 2): ("int", "int", None, None),
    ("debezium", 2): ("int16", "int32", None, None),
    ("java_sql", 3): (4, 4, -5, 2147483647),
    ("avro", 3): ("int", "long", None, None),
    ("debezium", 3): ("int32", "int64", None, None),
    ("java_sql", 4): (7, 7, None, None),
    ("avro", 4): ("float", "float", None, None),
    ("debezium", 4): ("float", "float", None, None),
    ("java_sql", 5): (8, 8, None, None),
    ("avro", 5): ("double", "double", None, None),
    ("debezium", 5): ("double", "double", None, None),
    ("java_sql", 6): (0, 0, None, None),
    ("java_sql", 7): (93, 93, None, None),
    ("avro", 7): ("string", "string", None, None),
    ("debezium", 7): ("string", "string", None, None),
    ("debezium_name", 7): ("io.debezium.time.ZonedTimestamp", "io.debezium.time.ZonedTimestamp", None, None),
    ("java_sql", 8): (-5, -5, 3, 9223372036854775807),
    ("avro", 8): ("long", "long", None, None),
    ("debezium", 8): ("int64", "int64", None, None),
    ("java_sql", 9): (4, 4, None, None),
    ("avro", 9): ("int", "int", None, None),
    ("debezium", 9): ("int32", "int32", None, None),
    ("java_sql", 10): (91, 91, None, None),
    ("avro", 10): ("string", "string", None, None),
    ("debezium", 10): ("int32", "int32", None, None),
    ("debezium_name", 10): ("io.debezium.time.Date", "io.debezium.time.Date", None, None),
    ("java_sql", 11): (92, 92, None, None),
    ("avro", 11): ("string", "string", None, None),
    ("debezium", 11): ("int64", "int64", None, None),
    ("debezium_name", 11): ("io.debezium.time.MicroTime", "io.debezium.time.MicroTime", None, None),
    ("java_sql", 12): (93, 93, None, None),
    ("avro", 12): ("string", "string", None, None),
    ("debezium", 12): ("int64", "int64", None, None),
    ("java_sql", 13): (12, 12, None, None),
    ("avro", 13): ("int", "int", None, None),
    ("debezium", 13): ("int32", "int32", None, None),
    ("debezium_name", 13): ("io.debezium.time.Year", "io.debezium.time.Year", None, None),
    ("java_sql", 14): (91, 91, None, None),
    ("java_sql", 15): (12, 2004, None, None),
    ("avro", 15): ("string", "bytes", None, None),
    ("debezium", 15): ("string", "string", None, None),
    ("java_sql", 16): (-7, -7, None, None),
    ("avro", 16): ("bytes", "bytes", None, None),
    ("java_sql", 225): (12, 12, None, None),
    ("avro", 225): ("string", "string", None, None),
    ("debezium", 225): ("string", "string", None, None),
    ("debezium_name", 225): ("io.debezium.data.TiDBVectorFloat32", "io.debezium.data.TiDBVectorFloat32", None, None),
    ("java_sql", 245): (12, 12, None, None),
    ("avro", 245): ("string", "string", None, None),
    ("debezium", 245): ("string", "string", None, None),
    ("debezium_name", 245): ("io.debezium.data.Json", "io.debezium.data.Json", None, None),
    ("java_sql", 246): (3, 3, None, None),
    ("avro", 246): ("bytes", "bytes", None, None),
    ("debezium", 246): ("double", "double", None, None),
    ("java_sql", 247): (4, 4, None, None),
    ("avro", 247): ("string", "string", None, None),
    ("debezium", 247): ("string", "string", None, None),
    ("debezium_name", 247): ("io.debezium.data.Enum", "io.debezium.data.Enum", None, None),
    ("java_sql", 248): (-7, -7, None, None),
    ("avro", 248): ("string", "string", None, None),
    ("debezium", 248): ("string", "string", None, None),
    ("debezium_name", 248): ("io.debezium.data.EnumSet", "io.debezium.data.EnumSet", None, None),
    ("java_sql", 249): (2005, 2004, None, None),
    ("avro", 249): ("string", "bytes", None, None),
    ("debezium", 249): ("string", "string", None, None),
    ("java_sql", 250): (2005, 2004, None, None),
    ("avro", 250): ("string", "bytes", None, None),
    ("debezium", 250): ("string", "string", None, None),
    ("java_sql", 251): (2005, 2004, None, None),
    ("avro", 251): ("string", "bytes", None, None),
    ("debezium", 251): ("string", "string", None, None),
    ("java_sql", 252): (2005, 2004, None, None),
    ("avro", 252): ("string", "bytes", None, None),
    ("debezium", 252): ("string", "string", None, None),
    ("java_sql", 253): (12, 2004, None, None),
    ("java_sql", 254): (1, 2004, None, None),
    ("avro", 254): ("string", "bytes", None, None),
    ("debezium", 254): ("string", "string", None, None),
    ("java_sql", 255): (-2, -2, None, None),
}
"""Kind of name and type code -> the name, the name with the flag that changes the type, of values above a limit."""


def mapped(kind: str, type: int, flags: int) -> Mapping:
    """What protocols call a type.

    Args:
        kind: whose name it is: java_sql, avro, debezium, debezium_name.
        type: type code.
        flags: column flags.

    Raises:
        LookupError: there is no such name of this type.
    """
    found = _MAPPED.get((kind, type))
    if found is None:
        raise LookupError(f"column type {type} has no {kind} name")
    plain, flagged, beyond, limit = found
    return Mapping(flagged, beyond, limit) if flags & telling_flags(type) else Mapping(plain, None, None)


# ---- classes of DDL statements

_DDL_CLASSES: Final[dict[str, tuple[int, ...]]] = {
    "CREATE": (3,),
    "ERASE": (4,),
    "ALTER": (5, 6, 12, 13, 15, 17, 18, 19, 20, 22, 23, 37, 38, 41, 61, 64, 71, 72),
    "CINDEX": (7, 9, 32),
    "DINDEX": (8, 10, 33),
    "TRUNCATE": (11,),
    "RENAME": (14, 47),
}
"""Classes and the codes in them; all other codes are of class QUERY."""

_DDL_CLASS: Final = {code: cls for cls, codes in _DDL_CLASSES.items() for code in codes}


def ddl_class(code: int) -> str:
    """The class of a DDL action, also of one that TiDB does not have."""
    return _DDL_CLASS.get(code, "QUERY")


def ddl_types_of(cls: str) -> tuple[int, ...]:
    """The codes of the DDL actions of a class, smallest first; none when there is no such class."""
    return tuple(code for code in DDL_TYPES if ddl_class(code) == cls)


_STATEMENTS: Final = (
    Beginning("create database", 1, "one"),
    Beginning("create schema", 1, "one"),
    Beginning("drop database", 2, "one"),
    Beginning("drop schema", 2, "one"),
    Beginning("create table", 3, "any"),
    Beginning("drop table", 4, "any"),
    Beginning("alter table ~ add column", 5, "one"),
    Beginning("alter table ~ add ~", 5, "one"),
    Beginning("alter table ~ drop column", 6, "one"),
    Beginning("alter table ~ drop ~", 6, "one"),
    Beginning("create index", 7, "one"),
    Beginning("create unique index", 7, "one"),
    Beginning("alter table ~ add index", 7, "one"),
    Beginning("alter table ~ add key", 7, "one"),
    Beginning("alter table ~ add unique", 7, "one"),
    Beginning("alter table ~ add constraint ~ unique", 7, "one"),
    Beginning("drop index", 8, "one"),
    Beginning("alter table ~ drop index", 8, "one"),
    Beginning("alter table ~ drop key", 8, "one"),
    Beginning("alter table ~ add foreign key", 9, "one"),
    Beginning("alter table ~ add constraint ~ foreign key", 9, "one"),
    Beginning("alter table ~ drop foreign key", 10, "one"),
    Beginning("truncate table", 11, "one"),
    Beginning("truncate ~", 11, "one"),
    Beginning("alter table ~ modify", 12, "one"),
    Beginning("alter table ~ change", 12, "one"),
    Beginning("alter table ~ rename column", 12, "one"),
    Beginning("alter table ~ auto_increment", 13, "one"),
    Beginning("rename table", 14, "one"),
    Beginning("alter table ~ rename to", 14, "one"),
    Beginning("alter table ~ rename as", 14, "one"),
    Beginning("alter table ~ alter column ~ set default", 15, "one"),
    Beginning("alter table ~ alter column ~ drop default", 15, "one"),
    Beginning("alter table ~ alter ~ set default", 15, "one"),
    Beginning("alter table ~ alter ~ drop default", 15, "one"),
    Beginning("alter table ~ comment", 17, "one"),
    Beginning("alter table ~ rename index", 18, "one"),
    Beginning("alter table ~ rename key", 18, "one"),
    Beginning("alter table ~ add partition", 19, "one"),
    Beginning("alter table ~ drop partition", 20, "any"),
    Beginning("create view", 21, "any"),
    Beginning("create or replace view", 21, "any"),
    Beginning("create algorithm", 21, "any"),
    Beginning("create or replace algorithm", 21, "any"),
    Beginning("create definer", 21, "any"),
    Beginning("create sql security", 21, "any"),
    Beginning("alter table ~ character set", 22, "one"),
    Beginning("alter table ~ charset", 22, "one"),
    Beginning("alter table ~ collate", 22, "one"),
    Beginning("alter table ~ default character set", 22, "one"),
    Beginning("alter table ~ default charset", 22, "one"),
    Beginning("alter table ~ convert to", 22, "one"),
    Beginning("alter table ~ truncate partition", 23, "any"),
    Beginning("drop view", 24, "any"),
    Beginning("recover table", 25, "one"),
    Beginning("flashback table", 25, "one"),
    Beginning("alter database ~ character set", 26, "one"),
    Beginning("alter database ~ charset", 26, "one"),
    Beginning("alter database ~ collate", 26, "one"),
    Beginning("alter database ~ default", 26, "one"),
    Beginning("alter schema ~ character set", 26, "one"),
    Beginning("alter schema ~ charset", 26, "one"),
    Beginning("alter schema ~ collate", 26, "one"),
    Beginning("alter schema ~ default", 26, "one"),
    Beginning("alter table ~ add primary key", 32, "one"),
    Beginning("alter table ~ add constraint ~ primary key", 32, "one"),
    Beginning("alter table ~ drop primary key", 33, "one"),
    Beginning("alter table ~ alter index", 41, "one"),
    Beginning("alter table ~ exchange partition", 42, "one"),
    Beginning("rename table", 47, "several"),
    Beginning("alter table", 61, "several"),
    Beginning("alter table ~ reorganize partition", 64, "any"),
    Beginning("alter table ~ ttl", 65, "one"),
    Beginning("alter table ~ remove ttl", 67, "one"),
    Beginning("alter table ~ partition by", 71, "one"),
    Beginning("alter table ~ remove partitioning", 72, "one"),
)
"""How statements begin, by DDL action; ~ is a name."""


def ddl_type_of(query: str | None, cls: str | None = None) -> int | None:
    """The code of the DDL action of a statement, as far as its class and its first words tell; None: they do not.

    Args:
        query: the statement.
        cls: its class, when that is known.
    """
    codes = None if cls is None else ddl_types_of(cls)
    if codes is not None and len(codes) == 1:
        return codes[0]
    return which(_STATEMENTS, query or "", codes)


def flag_name(flag: int) -> str:
    """The name of a column flag; its number where it has none."""
    name = ColumnFlag(flag).name
    return str(flag) if name is None else name.lower()
