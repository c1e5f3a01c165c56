"""The row checksums in all recordings match the values in the same message, by a second implementation."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import pytest
import recorded

from simple.checksums import in_utc, row_checksum, value_bytes
from simple.recordings import STREAMS, plain
from simple.twin import Column, Flat, Located, Table, Tables, read

CORRUPTED = {("types-checked", 22)}
"""Scenario and event of the rows whose checksum cannot be verified from the values.

The producer found that the row's bytes, encoded again from its values, have another checksum than TiDB stored, and
sends `corrupted` with the stored one, which is that of the bytes. Here it could not be otherwise: a TIMESTAMP in the
second of two equal hours became the first one, because a local time does not say which it is.
"""


def summed() -> Iterator[tuple[str, int, Flat, Table]]:
    """Scenario, event, row and description of all messages with a checksum."""
    for stream in STREAMS:
        tables: Tables = {}
        for message, value in plain(stream):
            found = read(value, tables)
            if found.checksum is not None and found.schema is not None and found.table is not None:
                described = tables[found.schema, found.table, found.table_version or 0]
                yield recorded.stream_name(stream), message.events[0], found, described


ROWS = list(summed())


def computed(found: Flat, table: Table) -> tuple[int, ...]:
    """The checksums of the new and of the old image; 0 where there is none."""
    return tuple(0 if image is None else row_checksum(table, image) for image in (found.new, found.old))


def test_the_recordings_have_checksums_of_both_producers() -> None:
    names = [name.split("/")[:2] for name, *_ in ROWS]
    assert {tuple(name) for name in names} == {
        ("tiflow", "checksum"), ("ticdc", "checksum"), ("tiflow", "rows-checked"), ("tiflow", "types-checked"),
    }  # fmt: skip
    assert len(ROWS) == 49


@pytest.mark.parametrize(
    ("name", "event", "found", "table"), ROWS, ids=lambda one: str(one) if not isinstance(one, tuple) else ""
)
def test_a_recorded_checksum_is_that_of_the_values(name: str, event: int, found: Flat, table: Table) -> None:
    assert found.checksum is not None
    _, corrupted, *said = found.checksum
    assert corrupted == ((name.split("/")[1], event) in CORRUPTED)
    assert (computed(found, table) == tuple(said)) != corrupted


def test_the_kinds_of_columns_that_are_verified() -> None:
    """Every type of MySQL with values that are not null, in rows that are verified."""
    kinds = {
        column.mysql_type
        for _, _, found, table in ROWS
        for column in table.columns
        if not found.checksum or not found.checksum[1]
        if ((found.new or found.old or {}).get(column.name)) is not None
    }
    assert kinds == {
        "tinyint", "smallint", "mediumint", "int", "bigint", "year", "bit", "float", "double", "decimal", "enum",
        "set", "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "binary", "varbinary", "tinyblob",
        "blob", "mediumblob", "longblob", "date", "datetime", "timestamp", "time", "json", "vector",
    }  # fmt: skip


def column(kind: str) -> Column:
    """A column of a type."""
    return Column("c", kind, "binary", "binary", None, None, (), False, False, True, None)


def located(text: str, zone: str) -> Located:
    """A TIMESTAMP's text in a zone."""
    made = Located(text)
    made.zone = zone
    return made


@pytest.mark.parametrize(
    ("kind", "value", "wanted"),
    [
        ("int", None, ""),
        ("int", -2, "feffffffffffffff"),
        ("bigint", 2**64 - 1, "ffffffffffffffff"),
        ("year", 2026, "ea07000000000000"),
        ("bit", 5, "0500000000000000"),
        ("enum", 2, "0200000000000000"),
        ("set", 2**63, "0000000000000080"),
        ("double", 1.0, "000000000000f03f"),
        ("float", 1.5, "000000000000f83f"),
        ("double", -0.0, "0000000000000080"),
        ("double", float("nan"), "0000000000000000"),
        ("float", float("-inf"), "0000000000000000"),
        ("varchar", "é", "02000000c3a9"),
        ("blob", b"\xff", "01000000ff"),
        ("decimal", "-1.50", "050000002d312e3530"),
        ("time", "-01:00:00", "090000002d30313a30303a3030"),
        ("vector", "[1]", "010000000000803f"),
        ("vector", "[]", "00000000"),
        ("timestamp", located("2021-01-01 08:00:00.5", "Asia/Shanghai"), "15000000" + b"2021-01-01 00:00:00.5".hex()),
    ],
)
def test_what_a_value_adds(kind: str, value: Any, wanted: str) -> None:
    assert value_bytes(kind, value).hex() == wanted


def test_a_zero_timestamp_has_no_zone() -> None:
    assert in_utc(located("0000-00-00 00:00:00", "Asia/Shanghai")) == "0000-00-00 00:00:00"


def test_columns_count_in_the_order_of_the_description() -> None:
    table = Table("d", "t", 1, 2, tuple(column("int")._replace(name=name) for name in "ba"), ())
    wanted = zlib.crc32((1).to_bytes(8, "little") + (2).to_bytes(8, "little"))
    assert row_checksum(table, {"a": 2, "b": 1}) == wanted
    assert row_checksum(table, {"a": 1, "b": 2}) != wanted
