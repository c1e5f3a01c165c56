"""Checksums of rows of every type, against a plain second implementation."""

from __future__ import annotations

import json
import random
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simple.checksums import NoSuchTime

from checksums.rows import COMPUTING, TYPES, VERIFYING, checked, declared, events_of, row_sum, store_of
from tidewire import simple
from tidewire.events import Column, Events, RowChange
from tidewire.mysql import storage
from tidewire.tables import ColumnDescription

pytestmark = pytest.mark.codec

ZONES = ["UTC", "+08:00", "-03:30", "Asia/Shanghai", "America/New_York", "Europe/London", "Australia/Lord_Howe"]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
fractions = st.sampled_from(["", ".1", ".00", ".999", ".000001"])
moments = st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2038, 1, 18))


def values(mysql_type: str) -> st.SearchStrategy[Any]:
    """Values of a column of that type."""
    if mysql_type in ("tinyint", "smallint", "mediumint", "int"):
        return st.integers(-128, 127)
    if mysql_type == "bigint":
        return st.integers(-(2**63), 2**63 - 1)
    if mysql_type in ("bit", "set"):
        return st.integers(0, 2**64 - 1)
    if mysql_type in ("enum", "year"):
        return st.integers(0, 2155)
    if mysql_type == "float":
        return st.floats(width=32)
    if mysql_type == "double":
        return st.floats()
    if mysql_type == "blob":
        return st.binary(max_size=300)
    if mysql_type == "vector":
        elements = st.floats(width=32, allow_nan=False, allow_infinity=False)
        return st.lists(elements, max_size=9).map(lambda some: f"[{','.join(f'{one:.9g}' for one in some)}]")
    if mysql_type == "timestamp":
        zeros = st.just("0000-00-00 00:00:00")
        return st.builds(lambda when, rest: f"{when:%Y-%m-%d %H:%M:%S}{rest}", moments, fractions) | zeros
    if mysql_type == "decimal":
        return st.decimals(-(10**9), 10**9, allow_nan=False, places=4).map(str)
    return texts


@st.composite
def rows(draw: Any) -> tuple[list[ColumnDescription], list[Column], list[dict[str, Any]], str]:
    """A table with columns of all types in some order, its columns, rows of it, and a time zone."""
    chosen = draw(st.permutations(sorted(TYPES)).map(lambda some: some[: draw(st.integers(1, len(TYPES)))]))
    described = [declared(f"c{at}", kind) for at, kind in enumerate(chosen)]
    columns = [Column(one.name, TYPES[one.mysql_type], 1 if one.charset == "binary" else 0) for one in described]
    given = draw(
        st.lists(
            st.fixed_dictionaries({one.name: st.none() | values(one.mysql_type) for one in described}),
            min_size=1,
            max_size=4,
        )
    )
    return described, columns, given, draw(st.sampled_from(ZONES))


@given(rows(), st.randoms(use_true_random=False))
def test_checksums_of_every_type(made: Any, chance: random.Random) -> None:
    described, columns, given_rows, time_zone = made
    sums = []
    kept = []
    for row in given_rows:
        try:
            sums.append(row_sum(columns, row, time_zone) or 1)
            kept.append(row)
        except NoSuchTime:
            continue
    if not kept:
        return
    shuffled = list(columns)
    chance.shuffle(shuffled)  # rows may have their columns in another order than the table
    store = store_of(described)
    result = checked(events_of(kept, shuffled, sums, time_zone=time_zone), store)
    empty = [at for at, row in enumerate(kept) if row_sum(columns, row, time_zone) == 0]
    assert result.open == []
    assert [one.event for one in result.wrong] == empty
    wrong = checked(
        events_of(kept, shuffled, [one ^ 1 << chance.randrange(32) or 3 for one in sums], time_zone=time_zone), store
    )
    assert {one.event for one in wrong.wrong} >= set(range(len(kept))) - set(empty)
    for one in wrong.wrong:
        assert one.computed == row_sum(columns, kept[one.event], time_zone)


@given(rows())
def test_what_is_computed_when_encoding_is_verified_when_decoding(made: Any) -> None:
    described, columns, given_rows, time_zone = made
    for row in given_rows:
        for column in columns:
            if column.type in (4, 5) and row[column.name] is not None and not abs(row[column.name]) < 1e300:
                row[column.name] = 0.5
            if storage(column.type, column.flags) == "text" and column.type not in (7, 225):
                row[column.name] = "1.50" if column.type == 246 else "text"
        try:
            row_sum(columns, row, time_zone)
        except NoSuchTime:
            return
    store = store_of(described)
    events = [
        RowChange("update", 1, "s", "t", row, given_rows[0], 1, None, columns, table_version=5, time_zone=time_zone)
        for row in given_rows
    ]
    encoder = simple.Encoder(COMPUTING, tables=store)
    written = [value for _, value, _, _ in encoder.messages(Events.columns_of(events))]
    decoder = simple.Decoder(VERIFYING, store)
    back = decoder.decode(written)
    assert back.errors == []
    assert decoder.unverified == {}
    for message, row in zip(written, given_rows, strict=True):
        assert message is not None
        said = json.loads(message)["checksum"]
        assert said == {
            "version": 2,
            "corrupted": False,
            "current": row_sum(columns, row, time_zone),
            "previous": row_sum(columns, given_rows[0], time_zone),
        }
