"""Rows of the source against rows of a table, without Spark: every type, every kind of difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sync.dumpling import Cell
from sync.verified_types import TYPES, MemorySide, decoded, describe, hashing, raw, source_side, statement
from tidewire.reading.options import ReadOptions
from tidewire.reading.types import SchemaError
from tidewire.spark.sync.verifying.comparing import Compared, compare
from tidewire.spark.sync.verifying.row_hashes import RANGES


def rows_of(type: str) -> tuple[list[list[Cell]], list[dict[str, Any]]]:
    """Rows of all values of a type, and one with NULL: as printed, and as events have them."""
    values = [*TYPES[type], (None, None)]
    printed: list[list[Cell]] = [[str(at).encode(), cell] for at, (cell, _) in enumerate(values)]
    return printed, [{"id": at, "v": value} for at, (_, value) in enumerate(values)]


def compared(sql: str, printed: list[list[Cell]], table: pa.Table, shown: int = 20, **more: Any) -> Compared:
    description = describe(sql)
    source = source_side(description, [raw(description, printed)] if printed else [], table.schema, **more)
    return compare(source, MemorySide(table, hashing(description)), hashing(description).keys, shown)


@pytest.mark.parametrize("type", TYPES)
def test_values_that_came_as_changes_equal_those_that_the_database_prints(type: str) -> None:
    printed, events = rows_of(type)
    found = compared(statement(type), printed, decoded(describe(statement(type)), events))
    assert (found.equal, found.source, found.table, found.differences) == (True, len(events), len(events), ())


@pytest.mark.parametrize("type", TYPES)
def test_a_row_that_is_changed_missing_or_extra_is_found(type: str) -> None:
    printed, events = rows_of(type)
    table = decoded(describe(statement(type)), events)
    some = len(events)
    for row in range(some):
        for other in range(some):
            if other == row:
                continue
            changed = [list(one) for one in printed]
            changed[row][1] = printed[other][1]
            found = compared(statement(type), changed, table)
            assert {kind: count for kind, count in found.counts.items() if count} == {"different": 1}
            (one,) = found.differences
            assert (one.kind, one.key, list(one.columns)) == ("different", {"id": str(row)}, ["v"])
        lacks = compared(statement(type), printed, table.filter(pa.array([at != row for at in range(some)])))
        assert [(one.kind, one.key) for one in lacks.differences] == [("missing", {"id": str(row)})]
        has = compared(statement(type), printed[:row] + printed[row + 1 :], table)
        assert [(one.kind, one.key) for one in has.differences] == [("extra", {"id": str(row)})]
        twice = compared(statement(type), printed, pa.concat_tables([table, table.slice(row, 1)]))
        assert [(one.kind, one.key) for one in twice.differences] == [("repeated", {"id": str(row)})]
        assert (twice.source, twice.table) == (some, some + 1)


@pytest.mark.parametrize(
    ("type", "printed", "event"),
    [
        ("double", b"-0", 0.0),
        ("float", b"-0", 0.0),
        ("json", b'{"b":1.0,"a":[1e2]}', '{"a": [100], "b": 1}'),
        ("json", b'{"a": 123456789012345678901234567890.10}', '{"a":123456789012345678901234567890.1}'),
        ("int", b"007", 7),
        ("bigint unsigned", b"00000000000000000001", 1),
        ("decimal(10,2)", b"1.5", "1.50"),
    ],
)
def test_forms_of_one_value_are_equal(type: str, printed: bytes, event: Any) -> None:
    table = decoded(describe(statement(type)), [{"id": 1, "v": event}])
    assert compared(statement(type), [[b"1", printed]], table).equal


@pytest.mark.parametrize(
    ("type", "printed", "event"),
    [
        ("json", b'{"a": 123456789012345678901234567891}', '{"a": 123456789012345678901234567890}'),
        ("json", b'"1"', "1"),
        ("json", b'{"": "1"}', "1"),
        ("json", b"null", None),
        ("varchar(9)", b"a ", "a"),
        ("varchar(9)", b"A", "a"),
        ("varchar(9)", b"", None),
        ("varchar(9)", b"NULL", None),
        ("varchar(9)", "é".encode(), "e\u0301"),
        ("binary(3)", b"a\0\0", b"a"),
        ("float", b"0.1", 0.5),
        ("double", b"0.1", 0.10000000000000002),
        ("time(2)", b"00:00:00.10", "00:00:00.01"),
    ],
)
def test_values_that_are_only_alike_are_different(type: str, printed: bytes, event: Any) -> None:
    table = decoded(describe(statement(type)), [{"id": 1, "v": event}])
    found = compared(statement(type), [[b"1", printed]], table)
    assert [(one.kind, list(one.columns)) for one in found.differences] == [("different", ["v"])]


def test_keys_are_told_apart_as_bytes_whatever_the_collation() -> None:
    sql = "CREATE TABLE t (a varchar(9) COLLATE utf8mb4_general_ci, b varbinary(9), n int, PRIMARY KEY (a, b))"
    values = [("a", b"", 1), ("A", b"", 2), ("a", b"\0", 3), ("a ", b"", 4), ("a:", b":", 5), ("1:a", b"N", 6)]
    printed: list[list[Cell]] = [[a.encode(), b, str(n).encode()] for a, b, n in values]
    table = decoded(describe(sql), [{"a": a, "b": b, "n": n} for a, b, n in values])
    assert compared(sql, printed[::-1], table).equal
    printed[0][0] = b"\xc3\x81"  # equal to a in that collation
    found = compared(sql, printed, table)
    assert [one.kind for one in found.differences] == ["missing", "extra"]
    assert [one.key["a"] for one in found.differences] == ["Á", "a"]


def test_a_table_without_a_key_is_compared_by_whole_rows() -> None:
    sql = "CREATE TABLE t (a int NULL, b varchar(9) NULL)"
    values = [(1, "x"), (1, "x"), (None, None), (None, "")]
    printed: list[list[Cell]] = [
        [None if a is None else str(a).encode(), None if b is None else b.encode()] for a, b in values
    ]
    table = decoded(describe(sql), [{"a": a, "b": b} for a, b in values])
    assert compared(sql, printed, table).equal
    found = compared(sql, printed[1:], table)
    assert {kind: count for kind, count in found.counts.items() if count} == {"repeated": 1}
    found = compared(sql, [*printed, [b"1", b"x"]], table)
    assert {kind: count for kind, count in found.counts.items() if count} == {"missing": 1}


def test_an_empty_table_equals_an_empty_one_and_no_other() -> None:
    table = decoded(describe(statement("int")), [{"id": 1, "v": 2}])
    assert compared(statement("int"), [], table.slice(0, 0)) == Compared(0, 0)
    assert compared(statement("int"), [], table).counts["extra"] == 1
    assert compared(statement("int"), [[b"1", b"2"]], table.slice(0, 0)).counts["missing"] == 1


def test_a_value_that_the_table_cannot_hold_is_a_difference_with_its_reason() -> None:
    table = decoded(describe(statement("date")), [{"id": 1, "v": None}, {"id": 2, "v": "2026-01-01"}])
    printed: list[list[Cell]] = [[b"1", b"0000-00-00"], [b"2", b"2026-01-01"]]
    (one,) = compared(statement("date"), printed, table).differences
    assert one.columns == {"v": ("'0000-00-00' is a date that does not exist", None)}
    # unless it was chosen that such a date is null
    assert compared(statement("date"), printed, table, options=ReadOptions(zero_date="null")).equal


def test_a_timestamp_of_an_unknown_time_zone_is_refused() -> None:
    from tidewire.reading.database.stored_values import StoredValues
    from tidewire.reading.types import TIMESTAMP, Wanted, target_type

    columns = describe(statement("timestamp")).row_columns()
    with pytest.raises(SchemaError, match="'v' has TIMESTAMP values, and it is not known in which time zone"):
        StoredValues(columns, [Wanted("v", target_type(TIMESTAMP))], ReadOptions(), None)


def test_counts_are_whole_however_few_rows_are_held_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    sql = statement("int")
    table = decoded(describe(sql), [{"id": at, "v": at} for at in range(300)])
    printed: list[list[Cell]] = [[str(at).encode(), str(at + (at % 3 == 0)).encode()] for at in range(10, 310)]
    description = describe(sql)
    batches = [raw(description, printed[at : at + 7]) for at in range(0, 300, 7)]
    source, here = source_side(description, batches, table.schema), MemorySide(table, hashing(description))
    whole = compare(source, here, ["id"], 2)
    assert whole.counts == {"missing": 10, "extra": 10, "repeated": 0, "different": 96}
    assert [one.kind for one in whole.differences] == ["missing"] * 2 + ["extra"] * 2 + ["different"] * 2
    in_groups = compare(source, here, ["id"], 2, most=40)
    assert (in_groups.counts, in_groups.unseen) == (whole.counts, 0)
    # more groups than are looked at: what is counted is a part, and the rest is told
    few = compare(source, here, ["id"], 2, most=1)
    assert few.unseen == few.ranges - 8 > 50
    assert sum(few.counts.values()) >= 8


def test_each_shown_difference_is_one_of_the_rows_that_differ() -> None:
    sql = statement("varchar(9999)")
    long = "x" * 5000
    table = decoded(describe(sql), [{"id": 1, "v": long + "a"}, {"id": 2, "v": "same"}])
    (one,) = compared(sql, [[b"1", (long + "b").encode()], [b"2", b"same"]], table).differences
    source, _ = one.columns["v"]
    assert source is not None
    assert len(source) < 300


def test_checksums_are_of_as_many_ranges_as_said() -> None:
    table = decoded(describe(statement("int")), [{"id": at, "v": 1} for at in range(1000)])
    found = MemorySide(table, hashing(describe(statement("int")))).checksums()
    assert (len(found.counts), int(found.counts.sum())) == (RANGES, 1000)
    assert found.sums.dtype == np.uint64
