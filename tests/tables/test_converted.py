"""What rows that are there get with a new column, and what becomes of their values when a column is declared anew."""

from __future__ import annotations

from typing import Any

import pytest

from tidewire.runtime.tables.sql_altered import AddColumn, DeclaredColumn, actions_of
from tidewire.spark.sync.sql_converted import TypeChange, change_of_type, spark_type_of, value_of_default
from tidewire.tables import TableDescription

TYPES = TableDescription.TYPES


def column(definition: str) -> DeclaredColumn:
    """A column called c."""
    found = actions_of(f"alter table t add column c {definition}", TYPES)[0]
    assert isinstance(found, AddColumn), found
    return found


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        # without a default
        ("int", None),
        ("int default null", None),
        ("int not null", 0),
        ("bigint unsigned not null", 0),
        ("year not null", 0),
        ("bit(9) not null", 0),
        ("double not null", 0.0),
        ("decimal(10,2) not null", "0.00"),
        ("decimal(65,30) not null", "0." + "0" * 30),
        ("varchar(9) not null", ""),
        ("text not null", ""),
        ("blob not null", b""),
        ("varbinary(3) not null", b""),
        ("binary(3) not null", b"\0\0\0"),
        ("binary not null", b"\0"),
        ("char(3) charset binary not null", b"\0\0\0"),
        ("date not null", "0000-00-00"),
        ("datetime not null", "0000-00-00 00:00:00"),
        ("datetime(3) not null", "0000-00-00 00:00:00.000"),
        ("timestamp(6) not null", "0000-00-00 00:00:00.000000"),
        ("time(2) not null", "00:00:00.00"),
        ("enum('a','b') not null", 1),
        ("set('a','b') not null", 0),
        ("json not null", "null"),
        ("vector(3) not null", "[]"),
        # numbers
        ("int default 7", 7),
        ("int default '7'", 7),
        ("int default -7", -7),
        ("int default 2.5", 3),
        ("int default -2.5", -3),
        ("int default 0x10", 16),
        ("bool default true", 1),
        ("bigint unsigned default 18446744073709551615", 2**64 - 1),
        ("bigint default -9223372036854775808", -(2**63)),
        ("float default 1.5", 1.5),
        ("double default 1e300", 1e300),
        ("double default '-1e-300'", -1e-300),
        ("float(7,2) default 1.555", 1.56),
        ("decimal(10,2) default 1.5", "1.50"),
        ("decimal(10,2) default 1.555", "1.56"),
        ("decimal(10,2) default '-0.001'", "0.00"),
        ("decimal(65,30) default 1e-30", "0." + "0" * 29 + "1"),
        ("decimal(20) default 12345678901234567890", "12345678901234567890"),
        ("year default 2020", 2020),
        ("year default 69", 2069),
        ("year default '70'", 1970),
        ("year default 0", 0),
        ("year default '0'", 2000),
        ("year default '0000'", 0),
        ("bit(12) default b'100000000001'", 0b100000000001),
        ("bit(8) default 5", 5),
        # texts and bytes
        ("varchar(9) default _UTF8MB4'it''s'", "it's"),
        ("varchar(9) default 5", "5"),
        ("varchar(9) default ' x '", " x "),
        ("char(9) default ' x '", " x"),
        ("varchar(9) default x'4142'", "AB"),
        ("text default ('x')", "x"),
        ("varbinary(9) default 'é'", "é".encode()),
        ("varbinary(9) default x'00ff'", b"\0\xff"),
        ("binary(4) default 'ab'", b"ab\0\0"),
        ("varchar(9) character set binary default 'ab'", b"ab"),
        ("varchar(9) collate binary default 'ab'", b"ab"),
        ("enum('a','b') default 'b'", 2),
        ("enum('a','b') default 'B'", 2),
        ("enum('a','b') default 1", 1),
        ("enum('a','b') charset binary default 'b'", 2),
        ("set('a','b','c') default 'c,a'", 5),
        ("set('a','b','c') default ''", 0),
        ("set('a','b','c') default 6", 6),
        ("json default ('[]')", "[]"),
        ("vector(2) default '[1,2.5]'", "[1,2.5]"),
        # times
        ("date default '2020-01-02'", "2020-01-02"),
        ("date default '2020-1-2'", "2020-01-02"),
        ("date default '2020-01-02 00:00:00'", "2020-01-02"),
        ("datetime default '2020-01-02'", "2020-01-02 00:00:00"),
        ("datetime(3) default '2020-1-2 3:04:05'", "2020-01-02 03:04:05.000"),
        ("datetime(3) default '2020-01-02 03:04:05.6'", "2020-01-02 03:04:05.600"),
        ("datetime default '2020-01-02 03:04:05.000'", "2020-01-02 03:04:05"),
        ("timestamp(6) default '2020-01-02 03:04:05.000001'", "2020-01-02 03:04:05.000001"),
        ("time default '-838:59:59'", "-838:59:59"),
        ("time(2) default '10:00:00.25'", "10:00:00.25"),
        ("time(2) default '10:00:00'", "10:00:00.00"),
    ],
)
def test_values_of_defaults(definition: str, value: Any) -> None:
    found = value_of_default(column(definition), TYPES)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        ("datetime default now()", "is an expression: 'CURRENT_TIMESTAMP'"),
        ("varchar(36) default (uuid())", "is an expression: 'uuid()'"),
        ("int as (a + 1)", "is generated: its values come of 'a + 1'"),
        ("int auto_increment", "is counted by the database"),
        ("int default 'x'", "is not told as int: it is no number"),
        ("decimal(5,5) default 3", "it has too many digits"),
        ("decimal(5,2) default 'x'", "it is no number"),
        ("double default 'x'", "it is no number"),
        ("varchar(9) default x'ff'", "'utf-8' codec can't decode"),
        ("varchar(9) default 1e3", "it is a number with an exponent"),
        ("varbinary(9) default 5", "it is a number"),
        ("datetime default '2020-01-02 03:04:05.6'", "it has more digits behind the point than the column"),
        ("datetime default '20200102'", "it is not written as a date with a time"),
        ("datetime default 20200102", "it is not written as a date with a time"),
        ("date default '2020/01/02'", "it is not written as a date"),
        ("date default '2020-01-02 03:04:05'", "it is not written as a date"),
        ("time default '10:00'", "it is not written as a time"),
        ("time default '1 10:00:00'", "it is not written as a time"),
        ("year default 1900", "it is no year from 1901 to 2155"),
        ("year default 'x'", "it is no year"),
        ("enum('a','b') default 'c'", "it is no label of the column"),
        ("enum('a','b') default 3", "3 is the number of no label of this column"),
        ("set('a','b') default 'a,c'", "it is no label of the column"),
        ("json default ('{\"a\":1}')", "TiDB spells JSON anew"),
        ("vector(2) default '[1, 2]'", "TiDB spells vectors anew"),
    ],
)
def test_defaults_that_are_not_told(definition: str, said: str) -> None:
    with pytest.raises(ValueError, match="column 'c'") as caught:
        value_of_default(column(definition), TYPES)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("definition", "spark"),
    [
        ("tinyint", "tinyint"),
        ("tinyint unsigned", "smallint"),
        ("bigint unsigned", "decimal(20,0)"),
        ("serial", "decimal(20,0)"),
        ("decimal", "decimal(10,0)"),
        ("decimal(5)", "decimal(5,0)"),
        ("decimal(38,10)", "decimal(38,10)"),
        ("decimal(39,10)", "string"),
        ("float(53)", "double"),
        ("varchar(9)", "string"),
        ("varchar(9) character set binary", "binary"),
        ("varbinary(9)", "binary"),
        ("enum('a') character set binary", "int"),
        ("set('a')", "decimal(20,0)"),
        ("datetime(3)", "timestamp_ntz"),
        ("timestamp", "timestamp"),
        ("time(3)", "string"),
        ("bit(3)", "binary"),
        ("vector", "string"),
    ],
)
def test_spark_types(definition: str, spark: str) -> None:
    assert spark_type_of(column(definition), TYPES) == spark


NOTHING = """
int -> int | int(5) -> int(11) | mediumint -> int | int unsigned -> bigint | year -> int | varchar(5) -> varchar(9)
char(5) -> varchar(5) | char(5) -> char(6) | varchar(9) -> text | text -> longtext | tinytext -> varchar(255)
varbinary(5) -> blob | binary(5) -> varbinary(5) | enum('a') -> enum('a','b') | set('a') -> set('a','b')
datetime -> datetime(6) | timestamp -> timestamp(3) | json -> longtext | json -> json | bit(3) -> bit(9)
float(7,2) -> float | double(7,2) -> double | decimal(10,2) -> decimal(10,2) | decimal(10,2) unsigned -> decimal(10,2)
time(3) -> time(3) | time -> varchar(11) | vector(3) -> vector | date -> date | int not null -> int default 5
decimal(50,2) -> decimal(60,2) | varchar(9) charset gbk -> varchar(9) charset utf8mb4
"""
NARROWS = """
varchar(9) -> varchar(5) | text -> varchar(255) | blob -> varbinary(9) | bigint -> int unsigned | int -> mediumint
bit(9) -> bit(3) | json -> text | vector -> vector(3) | decimal(10,2) -> decimal(10,2) unsigned
"""
WIDENED = """
tinyint -> smallint | tinyint -> int | smallint -> bigint | int -> bigint | tinyint unsigned -> int | year -> bigint
float -> double | decimal(10,2) -> decimal(12,2) | decimal(10,2) -> decimal(38,2)
"""
CAST = """
bigint -> bigint unsigned | int unsigned -> bigint unsigned | int -> varchar(20) | int -> decimal(12,0) | int -> double
int -> float | double -> float | decimal(10,2) -> decimal(12,3) | decimal(10,2) -> decimal(10,1)
decimal(10,0) -> bigint
decimal(10,2) -> decimal(9,2) | decimal(38,2) -> decimal(40,2) | decimal(10,2) -> double | decimal(10,2) -> varchar(12)
date -> datetime | date -> varchar(10) | datetime -> varchar(19) | text charset utf8mb4 -> longblob
blob -> longtext charset utf8mb4 | int -> tinyint | bigint unsigned -> bigint
"""
ANEW = """
varchar(9) -> int | varchar(9) -> date | varchar(9) -> json | varchar(9) -> enum('a') | enum('a','b') -> enum('b','a')
enum('a','b') -> enum('a') | enum('a') -> varchar(9) | set('a','b') -> set('a','c','b') | enum('a') -> set('a')
datetime(3) -> datetime | datetime -> timestamp | timestamp -> datetime | timestamp(6) -> timestamp | time -> time(3)
time(3) -> time | datetime(3) -> varchar(23) | datetime -> date | date -> timestamp | date -> int | decimal(10,2) -> int
decimal(10,8) -> varchar(12) | double -> varchar(30) | double -> int | float -> decimal(10,2) | double -> double(7,2)
float(7,3) -> float(7,2) | float -> double(7,2) | bigint -> float | int zerofill -> varchar(20) | varchar(5) -> char(5)
binary(3) -> binary(5) | varbinary(5) -> binary(5) | text -> blob | blob -> text | text charset gbk -> blob
varchar(5) charset utf8mb4 -> binary(20) | bit(3) -> int | int -> bit(3) | int -> year | year -> varchar(4)
json -> int | vector(3) -> json | vector(3) -> varchar(9) | int -> date | enum('a') -> int
decimal(50,2) -> decimal(50,3)
"""


def pairs(text: str) -> list[tuple[str, str]]:
    return [
        (before.strip(), after.strip())
        for line in text.strip().splitlines()
        for before, _, after in (one.partition(" -> ") for one in line.split(" | "))
    ]


def change(before: str, after: str) -> TypeChange:
    return change_of_type(column(before), column(after), TYPES)


@pytest.mark.parametrize(("before", "after"), pairs(NOTHING))
def test_values_that_stay(before: str, after: str) -> None:
    found = change(before, after)
    assert found == TypeChange("nothing", found.before, found.before)


@pytest.mark.parametrize(("before", "after"), pairs(NARROWS))
def test_values_that_stay_if_they_fit(before: str, after: str) -> None:
    found = change(before, after)
    assert found == TypeChange("nothing", found.before, found.before, narrows=True)


@pytest.mark.parametrize(("before", "after"), pairs(WIDENED))
def test_types_that_are_widened_in_place(before: str, after: str) -> None:
    found = change(before, after)
    assert (found.how, found.cast, found.narrows) == ("widen", True, False)
    assert found.before != found.after
    assert change(after, before).how == "rewrite"


@pytest.mark.parametrize(("before", "after"), pairs(CAST))
def test_values_that_cast_converts(before: str, after: str) -> None:
    found = change(before, after)
    assert (found.how, found.cast) == ("rewrite", True)


@pytest.mark.parametrize(("before", "after"), pairs(ANEW))
def test_values_that_cast_does_not_convert(before: str, after: str) -> None:
    found = change(before, after)
    assert (found.how, found.cast) == ("rewrite", False)


EVERY = sorted({one for text in (NOTHING, NARROWS, WIDENED, CAST, ANEW) for pair in pairs(text) for one in pair})


@pytest.mark.parametrize("before", EVERY)
def test_every_change_is_told(before: str) -> None:
    """What stays has one Spark type, what is widened has two, and a declaration that is the same again does nothing."""
    for after in EVERY:
        found = change(before, after)
        assert (found.how == "nothing") <= (found.before == found.after)
        assert (found.how == "widen") <= (found.before != found.after)
        assert (found.how == "rewrite") or found.cast
    assert change(before, before) == TypeChange("nothing", found.before, found.before)
