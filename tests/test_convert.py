"""Text and numbers to typed columns, compared with Python's own date, time and decimal arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation, localcontext
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_twin import MalformedError, decimal

from tidewire.reading.kernels.convert import Bits, Converted, State, Texts

pytestmark = pytest.mark.codec

Reading = Callable[[str], Any]


def read_date(text: str) -> date | State:
    """What a DATE is, the slow way."""
    if len(text) != 10 or text[4] != "-" or text[7] != "-":
        return State.NO_TEXT
    parts = text[:4], text[5:7], text[8:]
    if not all(part.isascii() and part.isdigit() for part in parts):
        return State.NO_TEXT
    try:
        return date(*map(int, parts))
    except ValueError:
        return State.NO_DAY


def read_clock(text: str, hours: int, most: int) -> timedelta | State:
    """What the time of day is, or a TIME without its sign."""
    whole, point, fraction = text.partition(".")
    parts = whole.split(":")
    if point and not (1 <= len(fraction) <= 6 and fraction.isascii() and fraction.isdigit()):
        return State.NO_TEXT
    if [len(part) for part in parts] != [hours, 2, 2] or not all(p.isascii() and p.isdigit() for p in parts):
        return State.NO_TEXT
    hour, minute, second = map(int, parts)
    if hour > most or minute > 59 or second > 59:
        return State.NO_TEXT
    return timedelta(hours=hour, minutes=minute, seconds=second, microseconds=int(fraction.ljust(6, "0") or 0))


def read_datetime(text: str) -> datetime | State:
    """What a DATETIME is."""
    day, clock = read_date(text[:10]), read_clock(text[11:], 2, 23)
    if text[10:11] != " " or isinstance(clock, State) or day == State.NO_TEXT:
        return State.NO_TEXT
    return day if isinstance(day, State) else datetime(day.year, day.month, day.day) + clock


def read_time(text: str) -> timedelta | State:
    """What a TIME is."""
    unsigned = text.removeprefix("-")
    found = read_clock(unsigned, 2 if unsigned[2:3] == ":" else 3, 838)
    return found if isinstance(found, State) else -found if text.startswith("-") else found


def read_decimal(text: str, precision: int, scale: int) -> Decimal | State:
    """What a DECIMAL is."""
    try:
        text = decimal(text)
    except MalformedError as error:
        return State.NO_TEXT if str(error) == "no number" else State.NO_ROOM
    digits = text.removeprefix("-").split(".")
    if len(digits) > 2 or not all(part.isascii() and part.isdigit() for part in digits):
        return State.NO_TEXT
    with localcontext() as context:
        context.prec = 200
        try:
            value = Decimal(text)
        except InvalidOperation:
            return State.NO_TEXT
        exact = value.quantize(Decimal(1).scaleb(-scale))
    return exact if exact == value and abs(value) < 10 ** (precision - scale) else State.NO_ROOM


def check(texts: list[str | None], converted: Converted, read: Reading) -> None:
    """Values, nulls and states are those of the slow way."""
    expected = [None if text is None else read(text) for text in texts]
    values = [None if isinstance(value, State) else value for value in expected]
    states = [value if isinstance(value, State) else State.NULL if value is None else State.VALUE for value in expected]
    assert converted.array.to_pylist() == values
    converted.array.validate(full=True)
    if all(state in (State.NULL, State.VALUE) for state in states):
        assert converted.states is None
    else:
        assert converted.states is not None
        assert converted.states.to_pylist() == states


def digits(least: int, most: int) -> st.SearchStrategy[str]:
    """That many decimal digits."""
    return st.text("0123456789", min_size=least, max_size=most)


def number(least: int, most: int) -> st.SearchStrategy[str]:
    """A number of two digits, now and then beyond the range that makes sense."""
    return st.integers(least, most).map(lambda value: f"{value:02d}")


days = st.builds(
    "{}-{}-{}".format, st.integers(0, 9999).map(lambda year: f"{year:04d}"), number(0, 13), number(0, 32)
) | st.dates().map(str)
fractions = st.just("") | digits(0, 7).map(lambda text: "." + text)
clocks = st.builds("{}:{}:{}{}".format, number(0, 24), number(0, 60), number(0, 60), fractions)
times = st.builds(
    "{}{}:{}:{}{}".format, st.sampled_from(["", "-"]), number(0, 900), number(0, 60), number(0, 60), fractions
)
decimals = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    digits(0, 40),
    st.just("") | digits(0, 40).map(lambda d: "." + d),
    st.just("") | st.integers(-50, 50).map(lambda power: f"e{power}"),
)
junk = st.text(max_size=30)


def columns(values: st.SearchStrategy[str]) -> st.SearchStrategy[list[str | None]]:
    """Values of one kind, nulls, and what is no value at all."""
    return st.lists(values | st.none() | values.flatmap(broken) | junk, max_size=20)


def broken(text: str) -> st.SearchStrategy[str]:
    """The text with one character replaced or cut off."""
    return st.integers(0, max(len(text) - 1, 0)).flatmap(
        lambda at: st.sampled_from(["/", ":", "x", " ", "-", "é", ""]).map(lambda c: text[:at] + c + text[at + 1 :])
    )


@settings(deadline=None)  # the first example may wait for an import
@given(columns(days))
def test_dates_are_those_of_the_calendar(texts: list[str | None]) -> None:
    check(texts, Texts(pa.array(texts, pa.utf8())).dates(), read_date)


@settings(deadline=None)  # the first example may wait for an import
@given(columns(st.builds("{} {}".format, days, clocks)))
def test_datetimes_are_those_of_the_calendar(texts: list[str | None]) -> None:
    check(texts, Texts(pa.array(texts, pa.utf8())).datetimes(), read_datetime)


@settings(deadline=None)  # the first example may wait for an import
@given(columns(times))
def test_times_are_durations(texts: list[str | None]) -> None:
    check(texts, Texts(pa.array(texts, pa.utf8())).times(), read_time)


@settings(deadline=None)  # the first example may wait for an import
@given(columns(decimals), st.integers(1, 38).flatmap(lambda p: st.tuples(st.just(p), st.integers(0, p))))
def test_decimals_are_exact_or_refused(texts: list[str | None], size: tuple[int, int]) -> None:
    precision, scale = size
    check(
        texts,
        Texts(pa.array(texts, pa.utf8())).decimals(precision, scale),
        lambda text: read_decimal(text, precision, scale),
    )


@settings(deadline=None)  # the first example may wait for an import
@given(st.lists(st.none() | st.integers(0, 2**64 - 1) | st.integers(0, 300), max_size=20), st.integers(0, 5))
def test_bit_strings_are_big_endian_and_short(numbers: list[int | None], first: int) -> None:
    array = pa.array(numbers, pa.uint64())[first:]
    expected = [None if n is None else n.to_bytes(max((n.bit_length() + 7) // 8, 1), "big") for n in numbers[first:]]
    found = Bits(array).bytes()
    assert found.to_pylist() == expected
    found.validate(full=True)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("0000-00-00", State.NO_DAY),
        ("2020-02-00", State.NO_DAY),
        ("2020-00-00", State.NO_DAY),
        ("0000-01-01", State.NO_DAY),
        ("2021-02-29", State.NO_DAY),
        ("1900-02-29", State.NO_DAY),
        ("2021-13-01", State.NO_DAY),
        ("2021-1-01", State.NO_TEXT),
        ("2021-01-01 ", State.NO_TEXT),
        ("", State.NO_TEXT),
    ],
)
def test_days_that_are_none_are_told_from_text_that_is_none(text: str, state: State) -> None:
    found = Texts(pa.array([text, "2000-02-29", None], pa.utf8())).dates()
    assert found.array.to_pylist() == [None, date(2000, 2, 29), None]
    assert found.states is not None
    assert found.states.to_pylist() == [state, State.VALUE, State.NULL]


def test_the_ends_of_the_ranges() -> None:
    texts = pa.array(["0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "1970-01-01 00:00:00.5"], pa.utf8())
    assert Texts(texts).datetimes().array.to_pylist() == [
        datetime(1, 1, 1),
        datetime(9999, 12, 31, 23, 59, 59, 999999),
        datetime(1970, 1, 1, 0, 0, 0, 500000),
    ]
    durations = Texts(pa.array(["-838:59:59", "838:59:59.000001", "-00:00:00.5", "839:00:00"], pa.utf8())).times()
    assert durations.array.to_pylist() == [
        -timedelta(hours=838, minutes=59, seconds=59),
        timedelta(hours=838, minutes=59, seconds=59, microseconds=1),
        -timedelta(microseconds=500000),
        None,
    ]


def test_thirty_eight_digits_fit_and_thirty_nine_do_not() -> None:
    nines = "9" * 38
    found = Texts(pa.array([nines, "-" + nines, "9" + nines, "0" + nines + ".000"], pa.utf8())).decimals(38, 0)
    assert found.array.to_pylist() == [Decimal(nines), Decimal("-" + nines), None, Decimal(nines)]
    assert found.states is not None
    assert found.states.to_pylist() == [State.VALUE, State.VALUE, State.NO_ROOM, State.VALUE]


def test_a_decimal_may_be_spelled_otherwise() -> None:
    texts = ["0E-10", "1.2E-9", "+5", ".5", "5.", "1e3", "1E999999999", "1E-11", "e5"]
    found = Texts(pa.array(texts, pa.utf8())).decimals(20, 10)
    assert [None if one is None else str(one) for one in found.array.to_pylist()] == [
        "0E-10", "1.2E-9", "5.0000000000", "0.5000000000", "5.0000000000", "1000.0000000000", None, None, None,
    ]  # fmt: skip
    assert found.states is not None
    assert found.states.to_pylist() == [*[State.VALUE] * 6, State.NO_ROOM, State.NO_ROOM, State.NO_TEXT]


def test_a_slice_with_nulls_is_read_where_it_starts() -> None:
    whole = pa.array([None, "x", "2021-01-01", None, "2021-01-03", "y"], pa.utf8())
    assert Texts(whole[2:5]).dates().array.to_pylist() == [date(2021, 1, 1), None, date(2021, 1, 3)]
    assert Texts(whole[:0]).dates().array.to_pylist() == []


def test_other_columns_are_refused() -> None:
    with pytest.raises(TypeError, match="string or binary, not int64"):
        Texts(pa.array([1], pa.int64()))
    with pytest.raises(TypeError, match="uint64, not int64"):
        Bits(pa.array([1], pa.int64()))
    with pytest.raises(ValueError, match="from 0 to 5 fractional"):
        Texts(pa.array(["1"], pa.utf8())).decimals(5, 6)
