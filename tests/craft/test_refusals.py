"""What an encoder refuses, naming event, column and reason; and what options refuse, naming the legal ones."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pytest

from tidewire import craft
from tidewire.events import Bootstrap, Ddl, Event, Events, RowChange, Watermark
from tidewire.runtime.batch import Column, EventColumns, Layout
from tidewire.runtime.errors import EncodeError, TidewireError

pytestmark = pytest.mark.codec

GOOD = Watermark(1)
ID = Column("id", 3, 0)


def insert(columns: Iterable[Column], new: Any, **more: Any) -> RowChange:
    return RowChange("insert", 1, "s", "t", new=new, columns=list(columns), **more)


def one(kind: int, flags: int, value: object) -> RowChange:
    return insert([Column("c", kind, flags)], {"c": value})


def refused(*events: Event, **options: bool) -> EncodeError:
    """The error of encoding the events."""
    with pytest.raises(EncodeError) as caught:
        craft.encode(events, craft.Options(**options))  # type: ignore[arg-type]
    error = caught.value
    assert isinstance(error, TidewireError)
    assert isinstance(error, ValueError)
    assert error.protocol == "craft"
    assert error.reason in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), vars(again)) == (str(error), vars(error))
    return error


INT_ENDS = "-9223372036854775808 and 9223372036854775807"
VALUES: list[tuple[int, int, object, str]] = [
    (3, 0, "7", "int is expected, not str ('7')"),
    (3, 0, 7.0, "int is expected, not float (7.0)"),
    (3, 0, b"7", "int is expected, not bytes (b'7')"),
    (8, 0, 2**63, f"9223372036854775808 is not between {INT_ENDS}"),
    (8, 0, -(2**63) - 1, f"-9223372036854775809 is not between {INT_ENDS}"),
    (8, 0x80, 2**64, "18446744073709551616 is not between 0 and 18446744073709551615"),
    (8, 0x80, -1, "-1 is not between 0 and 18446744073709551615"),
    (16, 0, -1, "-1 is not between 0 and 18446744073709551615"),
    (247, 0, "red", "int is expected, not str ('red')"),
    (5, 0, "1.5", "float or int is expected, not str ('1.5')"),
    (246, 0, 1.5, "str or bytes is expected, not float (1.5)"),
    (10, 0, 20240229, "str or bytes is expected, not int (20240229)"),
    (15, 1, "text", "bytes or bytearray or memoryview is expected, not str ('text')"),
    (6, 0, b"\0", "its type has no values, only null; b'\\x00' was given"),
    (200, 0, 1, "its type has no values, only null; 1 was given"),
]


@pytest.mark.parametrize(("kind", "flags", "value", "reason"), VALUES)
def test_values(kind: int, flags: int, value: object, reason: str) -> None:
    error = refused(GOOD, one(kind, flags, value))
    assert str(error) == f"craft event 1, column 'c': {reason}"
    assert (error.event, error.column, error.reason) == (1, "c", reason)


@pytest.mark.parametrize(
    ("kind", "flags", "value"),
    [(5, 0, 10**400), (4, 0, -(10**309)), (15, 0, "\ud800"), (246, 0, "x\udfff")],
    ids=["double", "float", "varchar", "decimal"],
)
def test_values_that_have_no_bytes(kind: int, flags: int, value: object) -> None:
    """A number beyond every float, and text with half a character."""
    error = refused(GOOD, one(kind, flags, value))
    assert (error.event, error.column) == (1, "c")


@pytest.mark.parametrize("flags", [0, 0x80])
def test_a_bool_is_one_or_nothing_else(flags: int) -> None:
    """BOOLEAN is TINYINT: True is 1."""
    message = craft.encode([one(1, flags, True), one(1, flags, False)])[0].value
    assert message == craft.encode([one(1, flags, 1), one(1, flags, 0)])[0].value


EVENTS: list[tuple[Event, str]] = [
    (RowChange("insert", 1, "s", "t"), "insert needs a row image `new`"),
    (RowChange("update", 1, "s", "t", new={"id": 1}, columns=[ID]), "update needs a row image `old`"),
    (RowChange("update", 1, "s", "t", old={"id": 1}, columns=[ID]), "update needs a row image `new`"),
    (RowChange("delete", 1, "s", "t"), "delete needs a row image `old`"),
    (
        RowChange("delete", 1, "s", "t", new={"id": 1}, old={"id": 1}, columns=[ID]),
        "delete has no row image `new`, this one has: is it an update?",
    ),
    (
        RowChange("insert", 1, "s", "t", new={"id": 1}, old={"id": 1}, columns=[ID]),
        "insert has no row image `old`, this one has: is it an update?",
    ),
    (RowChange("insert", 1, None, "t", new={"id": 1}, columns=[ID]), "insert needs a schema"),
    (RowChange("insert", 1, "", "t", new={"id": 1}, columns=[ID]), "insert needs a schema"),
    (RowChange("update", 1, "s", None, new={"id": 1}, old={"id": 1}, columns=[ID]), "update needs a table"),
    (RowChange("delete", 1, "s", "", old={"id": 1}, columns=[ID]), "delete needs a table"),
    (insert([ID], {}), "a row image without columns"),
    (insert([], {"id": 1}), "its rows are plain mappings and it has no columns: give columns=[Column(...), ...]"),
    (Ddl(1, "s", "t", None, "x"), "ddl needs ddl_type"),
    (Ddl(1, "s", "t", 256, "x"), "ddl_type is 0 to 255 on the wire"),
    (Ddl(1, "s", "t", -1, "x"), "ddl_type is 0 to 255 on the wire"),
    (Ddl(1, "s", "t", 3, None), "ddl needs query"),
    (Bootstrap(1, "s", "t", 7, [ID]), "TiCDC Craft cannot carry a bootstrap event"),
    (Watermark(2**64), "commit_ts is an integer from 0 to 18446744073709551615, not 18446744073709551616"),
    (Watermark(-1), "commit_ts is an integer from 0 to 18446744073709551615, not -1"),
]


@pytest.mark.parametrize(("event", "reason"), EVENTS, ids=[f"{event.kind}: {reason}" for event, reason in EVENTS])
def test_events(event: Event, reason: str) -> None:
    error = refused(GOOD, GOOD, event)
    assert str(error) == f"craft event 2: {reason}"
    assert (error.event, error.column) == (2, None)


def test_what_is_no_event() -> None:
    with pytest.raises(
        EncodeError, match="craft event 1: 3 is no event: its kind is none of insert, update, delete, ddl"
    ):
        craft.encode([GOOD, 3])  # type: ignore[list-item]
    with pytest.raises(EncodeError, match=r"event 0: .* is no event: its kind is none of"):
        craft.encode([RowChange("replace", 1, "s", "t", new={"id": 1}, columns=[ID])])


def test_columns_that_are_not_those_of_the_row() -> None:
    error = refused(GOOD, insert([ID], {"id": 1, "other": 2}))
    assert str(error) == "craft event 1, column 'other': the row has it, the event's columns do not"


@pytest.mark.parametrize("kinds", [(3, 3), (3, 8)])
@pytest.mark.parametrize("row", [{"a": 1}, {"a": 1, "b": 2}])
def test_one_column_twice(kinds: tuple[int, int], row: dict[str, int]) -> None:
    """A row is a mapping; the decoder would refuse the message."""
    error = refused(GOOD, insert([Column("a", kind, 0) for kind in kinds], row))
    assert (error.event, error.column) in ((1, "a"), (1, "b"))


def test_one_column_twice_in_columns() -> None:
    columns = Events.of([insert([Column("a", 3, 0), Column("b", 3, 0)], {"a": 1, "b": 2})]).columns
    layout = columns.layouts[0]
    twice = Layout(layout.table, (layout.columns[0], layout.columns[0]), layout.arrays, layout.num_rows)
    with pytest.raises(EncodeError, match="'a'"):
        craft.encode_batch(EventColumns(columns.events, columns.tables, [twice]))


@pytest.mark.parametrize(("kind", "flags"), [(256, 0), (-1, 0), (3, -1), (3, 2**64)])
def test_columns_that_cannot_be_said(kind: int, flags: int) -> None:
    error = refused(insert([Column("c", kind, flags)], {"c": None}))
    reason = f"type {kind} and flags {flags}: at most 255 and 64 bits can be said"
    assert str(error) == f"craft event 0, column 'c': {reason}"


@pytest.mark.parametrize("place", ["schema", "table", "column", "query"])
def test_names_that_are_not_text(place: str) -> None:
    """Half a character is no character in UTF-8."""
    names = {name: f"x{chr(0xD800)}" if name == place else "x" for name in ("schema", "table", "column", "query")}
    events = [Ddl(1, names["schema"], names["table"], 3, names["query"])]
    if place == "column":
        column = Column(names["column"], 3, 0)
        refused(RowChange("insert", 1, "s", "t", new={column.name: 1}, columns=[column]))
    else:
        refused(*events)


def test_a_partition_that_says_that_there_is_none() -> None:
    """-1 is what is written for no partition: it would come back as None."""
    error = refused(GOOD, insert([ID], {"id": 1}, partition_id=-1))
    assert error.event == 1


def test_an_encoder_works_on_after_an_error() -> None:
    encoder = craft.Encoder()
    good = Events.of([insert([ID], {"id": 1}), insert([ID], {"id": 2})]).columns
    expected = encoder.encode(good)
    for bad in (
        Ddl(1, None, None, 300, "x"),
        insert([Column("c", 999, 0)], {"c": None}),
        Ddl(1, "\ud800", None, 3, "x"),
    ):
        with pytest.raises(EncodeError):
            encoder.encode(Events.of([insert([ID], {"id": 1}), bad]).columns)
        assert encoder.encode(good).equals(expected)


def test_columns_that_are_not_what_they_say() -> None:
    """Tables, layouts and rows that are not there; arrays of another type than the column's values have."""
    columns = Events.of([insert([ID], {"id": 1})]).columns
    (layout,) = columns.layouts

    def changed(name: str, value: int) -> pa.RecordBatch:
        place = columns.events.schema.get_field_index(name)
        return columns.events.set_column(place, name, pa.array([value], columns.events.schema.field(name).type))

    for name, value, reason in (
        ("table", 1, "its table is number 1, but there are 1"),
        ("table", -1, "its table is number -1, but there are 1"),
        ("new_layout", 1, "its row image has the layout number 1, but there are 1"),
        ("new_row", 1, "its row image is row 1 of 1"),
        ("new_row", -1, "its row image is row -1 of 1"),
        ("kind", 9, "there is no kind 9 of events"),
        ("kind", 0, "there is no kind 0 of events"),
    ):
        with pytest.raises(EncodeError, match=f"craft event 0: {reason}"):
            craft.encode_batch(EventColumns(changed(name, value), columns.tables, columns.layouts))
    other = Layout(0, layout.columns, [pa.array([1.5])], 1)
    with pytest.raises(
        EncodeError,
        match="column 'id': type 3 with flags 0 has other values: an array of int64 is expected, not of double",
    ):
        craft.encode_batch(EventColumns(columns.events, columns.tables, [other]))
