"""Checksums that cannot be verified, the column order of checksums, and values without a valid checksum."""

from __future__ import annotations

import pytest

from checksums.rows import DESCRIBED, MOMENT, NUMBERS, ROW, TIMES, checked, declared, events_of, row_sum, store_of
from tidewire.events import Column, Events, RowChange
from tidewire.messages.checksums.checking import Checked
from tidewire.runtime.batch import EventColumns
from tidewire.tables import TableDescription, TableStore

pytestmark = pytest.mark.codec


def reason(columns: EventColumns, store: TableStore, by_id: bool = True) -> str:
    result = checked(columns, store, by_id)
    assert result.wrong == []
    (one,) = result.open
    return one.reason


def test_what_cannot_be_verified_is_said() -> None:
    store = store_of(DESCRIBED)
    sum_of = row_sum(NUMBERS, ROW)
    assert checked(events_of([ROW], NUMBERS, [sum_of]), store) == Checked([], [])
    assert "handle key only" in reason(events_of([ROW], NUMBERS, [9], handle_key_only=True), store)
    assert "no `b`" in reason(events_of([{"a": 1}], NUMBERS[:1], [9]), store)
    assert "not described in version 5" in reason(events_of([ROW], NUMBERS, [9]), TableStore())
    other = store_of([declared("a", "int"), declared("z", "int")])
    assert "no column `b`" in reason(events_of([ROW], NUMBERS, [9]), other)
    unknown = [Column("a", 0, 0), Column("b", 3, 0)]
    assert "type of the column `a`" in reason(events_of([{"a": "1", "b": 2}], unknown, [9]), store)
    update = Events.columns_of(
        [RowChange("update", 1, "s", "t", new=ROW, columns=NUMBERS, table_version=5, checksum=0, checksum_before=4)]
    )
    assert "no such row image" in reason(update, store)


def test_a_row_without_generated_columns_is_verified() -> None:
    row = {"a": 1}
    store = store_of([declared("a", "int"), declared("b", "int", generated="a + 1")])
    right = row_sum(NUMBERS, row)
    assert checked(events_of([row], NUMBERS[:1], [right]), store) == Checked([], [])
    assert len(checked(events_of([row], NUMBERS[:1], [right ^ 1]), store).wrong) == 1
    unmarked = store_of(DESCRIBED)
    assert checked(events_of([row], NUMBERS[:1], [right]), unmarked) == Checked([], [])


def test_the_order_of_columns() -> None:
    forward, backward = row_sum(NUMBERS, ROW), row_sum(NUMBERS[::-1], ROW)
    assert forward != backward
    ids = store_of([declared("a", "int", id=2), declared("b", "int", id=1)])
    assert checked(events_of([ROW], NUMBERS, [backward]), ids) == Checked([], [])
    assert len(checked(events_of([ROW], NUMBERS, [forward]), ids).wrong) == 1
    # one producer takes the order of the table
    assert checked(events_of([ROW], NUMBERS, [forward]), ids, by_id=False) == Checked([], [])
    placed = store_of([declared("a", "int", position=1), declared("b", "int", position=2)])
    assert checked(events_of([ROW], NUMBERS, [forward]), placed) == Checked([], [])
    assert "ids of the columns" in reason(events_of([ROW], NUMBERS, [backward]), placed)
    assert len(checked(events_of([ROW], NUMBERS, [backward]), placed, by_id=False).wrong) == 1


def test_versions_of_a_table_have_their_own_order() -> None:
    store = store_of(DESCRIBED)
    store.add(TableDescription("s", "t", DESCRIBED[::-1], id=1, version=6))
    forward, backward = row_sum(NUMBERS, ROW), row_sum(NUMBERS[::-1], ROW)
    events = [
        RowChange("insert", 1, "s", "t", new=ROW, columns=NUMBERS, table_version=version, checksum=one)
        for version, one in [(5, forward), (6, backward), (5, forward), (6, forward)]
    ]
    assert [one.event for one in checked(Events.columns_of(events), store).wrong] == [3]


def test_a_checksum_that_no_row_can_have() -> None:
    result = checked(events_of([ROW], NUMBERS, [2**64 - 1]), store_of(DESCRIBED))
    assert [one.expected for one in result.wrong] == [2**64 - 1]


@pytest.mark.parametrize(
    "name", ["", "SYSTEM", "Local", "Mars/Olympus", "../../etc/passwd", "America", "a\0b", "+99:00", "x" * 9000]
)
def test_a_local_time_in_a_zone_that_is_not_known_is_not_guessed(name: str) -> None:
    events = events_of([{"a": "2020-01-01 00:00:00"}], MOMENT, [9], time_zone=name)
    assert "not known here" in reason(events, TIMES)
    # without a value the zone does not matter
    assert "differ" not in str(checked(events_of([{"a": None}], MOMENT, [0], time_zone=name), TIMES))


def test_a_local_time_without_a_zone() -> None:
    assert "not said" in reason(events_of([{"a": "2020-01-01 00:00:00"}], MOMENT, [9]), TIMES)


def test_a_local_time_that_clocks_left_out() -> None:
    events = events_of([{"a": "2021-03-14 02:30:00"}], MOMENT, [9], time_zone="America/New_York")
    assert "is none in the zone" in reason(events, TIMES)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2020-01-01",
        "2020-13-01 00:00:00",
        "2021-02-29 00:00:00",
        "2020-01-01T00:00:00",
        "2020-01-01 24:00:00",
        "2020-01-01 00:00:00.",
        "2020-01-01 00:00:00.1234567",
        "0000-00-00 00:00:01",
        "2020-01-01 00:00:6 ",
        "text",
    ],
)
def test_a_text_that_is_no_time_has_no_right_checksum(text: str) -> None:
    (one,) = checked(events_of([{"a": text}], MOMENT, [9], time_zone="+01:00"), TIMES).wrong
    assert one.computed is None
    assert "cannot be a value" in one.reason


VECTOR = [Column("a", 225, 1)]
VECTORS = store_of([declared("a", "vector")])


@pytest.mark.parametrize(
    "text",
    [
        "", "[", "]", "[1,]", "[,1]", "[1,,2]", "[,]", "[nan]", "[1e39]", "[1_0]", "[ 1]", "[1]x", "x[1]", "[inf]",
        "1", "[1 ,2]", "[-]", "[1.]", "[.5]", "[1e]", "[1e+]", "[+1]", "[--1]", "[1-]", "[1e400]", "[1e9999999999]",
        "[[1]]",
    ],
)  # fmt: skip
def test_a_text_that_is_no_vector_has_no_right_checksum(text: str) -> None:
    (one,) = checked(events_of([{"a": text}], VECTOR, [9]), VECTORS).wrong
    assert one.computed is None
    assert "cannot be a value" in one.reason


@pytest.mark.parametrize(
    "text",
    [
        "[]", "[0]", "[-0]", "[1,-2.5,1e-3]", "[1E+3,1e-30]", "[340282350000000000000000000000000000000]",
        "[0.00000000000000000000000000000000000000000000140129846432481707]",
        "[16777217,16777219.000000000000000000001]", "[123456789012345678901234567890]",
        "[9007199254740993,18446744073709551616,1e22,1e23]", "[0.1,0.3]",
    ],
)  # fmt: skip
def test_the_bytes_of_vectors(text: str) -> None:
    assert checked(events_of([{"a": text}], VECTOR, [row_sum(VECTOR, {"a": text})]), VECTORS) == Checked([], [])


def test_a_row_that_is_said_to_be_corrupted_needs_no_checksum() -> None:
    columns = events_of([ROW, ROW], NUMBERS, [0, 0], checksum_corrupted=True)
    found = checked(columns, TableStore())
    assert [(one.event, one.image, one.computed) for one in found.wrong] == [(0, "new", None), (1, "new", None)]
    assert "the producer found" in found.wrong[0].reason
    assert checked(events_of([ROW], NUMBERS, [0], checksum_corrupted=False), TableStore()) == Checked([], [])


@pytest.mark.parametrize("name", ["n" * 100_000, "\n\x1b[31m" * 50, "\u2028" * 3])
def test_reasons_are_short_lines(name: str) -> None:
    sentences = [
        reason(events_of([{"a": "2020-01-01 00:00:00"}], MOMENT, [9], time_zone=name), TIMES),
        reason(events_of([{name: 1}], [Column(name, 3, 0)], [9]), store_of(DESCRIBED)),
        reason(events_of([ROW], NUMBERS, [9]), store_of([*DESCRIBED, declared(name, "int")])),
    ]
    for one in sentences:
        assert len(one) < 300
        assert one.isprintable()
