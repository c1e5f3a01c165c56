"""Encoders are given columns that anybody may have made.

They write them, and their decoder reads the same again, or they raise `EncodeError`, which names the event and, where
it is about one, the column. Nothing else escapes them.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

import pyarrow as pa
import pytest
from craft.strategies import NAMES, TYPES, U64
from described import AnyTable, schemas_of, tables_of
from hypothesis import example, given
from hypothesis import strategies as st

import tidewire
from tidewire.events import EVENT_SCHEMA, Events, RowChange
from tidewire.runtime.batch import Column, EventColumns, Layout
from tidewire.runtime.connect.blocks import adjusted
from tidewire.runtime.errors import EncodeError

pytestmark = pytest.mark.codec

TSO = 470607536966860800
ROWS = 3
EVENT_FIELDS = ("kind", "table", "new_layout", "new_row", "old_layout", "old_row")


def encoders() -> list[tuple[str, Callable[[EventColumns], pa.RecordBatch], Any]]:
    """Every protocol with options that say the most, by name: encode and what reads it again."""
    found: list[tuple[str, Callable[[EventColumns], pa.RecordBatch], Any]] = []
    for name, protocol in tidewire.protocols().items():
        module = protocol.load()
        specs = {one.name for one in module.OPTIONS}
        for given_options in ({}, {"content-compatible": "true"}, {"delete-only-output-handle-key-columns": "true"}):
            if not given_options.keys() <= specs:
                continue
            more = {name: "true" for name in ("enable-tidb-extension", "avro-include-before-value") if name in specs}
            more |= {"producer": "ticdc"} if len(more) == 2 else {}
            options = module.Options.from_strings({**given_options, **more})
            schemas = schemas_of(module)
            reader = module.Decoder(replace(options, invalid_text="bytes"), **schemas)
            reader.carries = module.CARRIED_FLAGS if not given_options else None
            found.append(
                (f"{name} {' '.join(given_options)}".strip(), module.Encoder(options, **schemas).encode, reader)
            )
    return found


ENCODERS = encoders()
every_encoder = pytest.mark.parametrize(
    ("encode", "reader"), [one[1:] for one in ENCODERS], ids=[x for x, _, _ in ENCODERS]
)

SINGLES = [0.0, -0.0, 1.5, 2.0**-149, 2.0**-126, 3.4028234663852886e38, -1.0 / 3]
DOUBLES = [
    0.1,
    5e-324,
    7.957484216e-315,
    3.4028235677973366e38,
    1e300,
    math.inf,
    -math.inf,
    math.nan,
    2.0**-150,
    *SINGLES,
]
TEXTS = ["", "x", "-1", "\0", "\u2028<&>", "\U0001f600" * 20, "x" * 70]
BLOBS = [b"", b"\xff", b"\xed\xa0\x80", b"\xc3\xa9", bytes(range(256))]
ARRAYS: list[Callable[[], st.SearchStrategy[pa.Array]]] = []


def arrays(values: list[Any], kind: pa.DataType) -> st.SearchStrategy[pa.Array]:
    """Arrays of three of these values or nulls."""
    some = st.lists(st.sampled_from([*values, None]), min_size=ROWS, max_size=ROWS)
    return some.map(lambda found: pa.array(found, kind))


some_arrays = st.one_of(
    arrays([-(2**63), 2**63 - 1, 0, -1, 255, 2**40], pa.int64()),
    arrays([0, 1, 2**64 - 1, 2**63], pa.uint64()),
    arrays(DOUBLES, pa.float64()),
    arrays(TEXTS, pa.utf8()),
    arrays(TEXTS, pa.large_utf8()),
    arrays(BLOBS, pa.binary()),
    arrays(BLOBS, pa.large_binary()),
    arrays([], pa.null()),
    arrays([-1, 2**31 - 1], pa.int32()),
    arrays([0.5], pa.float32()),
    arrays([True, False], pa.bool_()),
    arrays([Decimal("1.50")], pa.decimal128(5, 2)),
    arrays([0], pa.timestamp("us")),
    arrays([[1], []], pa.list_(pa.int64())),
    arrays([{"a": 1}], pa.struct([("a", pa.int64())])),
    arrays(TEXTS, pa.utf8()).map(lambda found: found.dictionary_encode()),
    arrays([1, 2], pa.int64()).map(lambda found: pa.chunked_array([found])),
    arrays([1, 2], pa.int64()).map(lambda found: found[1:]),
    arrays([1, 2], pa.int64()).map(lambda found: pa.concat_arrays([found, found])[2:5]),
    st.just([1, 2, 3]),
)
"""What may be given for the values of a column: right, wrong, too short, sliced."""
names = st.sampled_from([*NAMES, "", "\ud800", "x\0y"]) | st.sampled_from([None, 5, b"id"])
kinds = st.sampled_from([*TYPES, 4, 5, 253, -1, 256, 2**63, 2**70]) | st.sampled_from([None, "3", 3.0])
flag_sets = st.sampled_from([0, 1, 2, 8, 11, 64, 128, U64, -1, 2**64, 2**70]) | st.sampled_from([None, "1", 1.0])
DECLARED = [
    *("int", "int(10) unsigned zerofill", "bigint unsigned", "float", "double", "varchar(20)", "varbinary(20)", "text"),
    *("blob", "enum('a','b')", "enum('2','1')", "set('x','y')", "bit(3)", "year", "json", "decimal(5,2)", "var_string"),
    *("", "no type", "enum('", "int(", "varchar(99999999999)", "\0", "INT", "unsigned int", "\ud800"),
]
declared_types = st.sampled_from([None, *DECLARED, 7])
columns = st.builds(lambda *one: Column(*one), names, kinds, flag_sets, declared_types)
right_columns = st.builds(
    lambda *one: Column(*one),
    st.sampled_from(NAMES),
    st.sampled_from(TYPES),
    st.sampled_from([0, 1, 2, 10, 128]),
    st.none(),
)


def right_array(column: Column) -> st.SearchStrategy[pa.Array]:
    """Values that a column of that type can have, and extreme ones."""
    from tidewire.mysql import storage

    found: dict[str, st.SearchStrategy[pa.Array]] = {
        "int": arrays([-(2**63), 2**63 - 1, 0, -1], pa.int64()),
        "uint": arrays([0, 1, 2**63, 2**64 - 1], pa.uint64()),
        "float": arrays(DOUBLES, pa.float64()) | arrays(SINGLES, pa.float64()),
        "text": arrays(TEXTS, pa.utf8()) | arrays(BLOBS, pa.binary()),
        "bytes": arrays(BLOBS, pa.binary()),
        "nothing": arrays([], pa.null()),
    }
    return found[storage(column.type, column.flags)]


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Row images: mostly right ones, in which one or two columns are anything."""
    own = draw(st.lists(right_columns, min_size=1, max_size=4, unique_by=lambda one: one.name))
    values = [draw(right_array(column)) for column in own]
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(own) - 1))
        if draw(st.booleans()):
            values[place] = draw(some_arrays)
        else:
            own[place] = draw(columns)
    if draw(st.integers(0, 19)) == 0:
        values = values[1:]
    return Layout(0, tuple(own), values, ROWS)


@st.composite
def batches(draw: st.DrawFn) -> EventColumns:
    """Row changes of such layouts."""
    found = draw(st.lists(layouts(), min_size=1, max_size=3))
    events = []
    for _ in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from([1, 2, 3]))
        new = draw(st.integers(0, len(found) - 1)) if kind != 3 else -1
        old = (new if new >= 0 and draw(st.booleans()) else draw(st.integers(0, len(found) - 1))) if kind != 1 else -1
        row = draw(st.integers(0, ROWS - 1))
        events.append((kind, 0, new, row if new >= 0 else -1, old, row if old >= 0 else -1))
    return event_columns(events, [("s", "t")], found)


def event_columns(events: list[tuple[Any, ...]], tables: Any, found: list[Layout]) -> EventColumns:
    """Events by their kind, table, and layout and row of both images."""
    given_columns: dict[str, list[Any]] = dict(zip(EVENT_FIELDS, map(list, zip(*events, strict=True)), strict=True))
    given_columns |= {
        "commit_ts": [TSO] * len(events),
        "sent_ms": [5] * len(events),
        "table_version": [*range(len(events))],
    }
    arrays_of = [pa.array(given_columns.get(one.name, [None] * len(events)), one.type) for one in EVENT_SCHEMA]
    return EventColumns(pa.RecordBatch.from_arrays(arrays_of, EVENT_SCHEMA.names), tables, found)


def number(value: Any) -> Any:
    """A value that compares as its bytes: NaN and zeros with a sign too."""
    return struct.pack("<d", value) if isinstance(value, float) else value


def same(column: Column, value: Any, again: Any) -> bool:
    """Whether a value came back: text may come as the bytes it is, and 0.1 in a FLOAT is the nearest FLOAT."""
    if isinstance(value, float) and isinstance(again, float) and column.type == 4 and number(value) != number(again):
        return again == struct.unpack("<f", struct.pack("<f", value))[0] and float(f"{again:.8g}") == float(
            f"{value:.8g}"
        )
    if {type(value), type(again)} == {str, bytes}:
        value, again = (one.encode() if isinstance(one, str) else one for one in (value, again))
    return bool(number(value) == number(again))


def images(events: Any) -> list[tuple[Any, ...]]:
    """The row images of events, as names and values with their columns."""
    return [
        tuple(
            None if one is None else [(column, one[column.name]) for column in one.columns]
            for one in (event.new, event.old)
        )
        for event in events
    ]


def attempt(encode: Any, given_columns: Any) -> tuple[Any, EncodeError | None]:
    """The messages, or the error."""
    try:
        return encode(given_columns), None
    except EncodeError as error:
        return None, error


def columns_at(given_columns: EventColumns, event: int | None) -> list[Column]:
    """The columns of both row images of an event; its number is the version of its table."""
    assert event is not None
    return [column for layout, _ in given_columns.images(event) for column in layout.columns]


def narrow(given_columns: EventColumns) -> EventColumns:
    """The same where strings have offsets of 32 bits, as events over columns need them."""
    kinds = {pa.large_utf8(): pa.utf8(), pa.large_binary(): pa.binary()}
    found = []
    for layout in given_columns.layouts:
        own = [one.cast(kinds[one.type]) if getattr(one, "type", None) in kinds else one for one in layout.arrays]
        found.append(Layout(layout.table, layout.columns, own, layout.num_rows))
    return EventColumns(given_columns.events, given_columns.tables, found)


def check(encode: Any, reader: Any, given_columns: EventColumns) -> EncodeError | None:
    """Success means that the same is read again; everything else is an error that names its place."""
    messages, error = attempt(encode, given_columns)
    if error is not None:
        assert error.event is not None
        assert 0 <= error.event < given_columns.num_events
        about_events = (
            "row image",
            "Column",
            "handle_key",
            "UTF-8",
            "event",
            "needs",
            "kind",
            "table",
            "says nothing",
        )
        assert error.column is not None or any(word in error.reason for word in about_events), error
        return error
    if reader.FACTS.described:
        reader = type(reader)(reader.options, AnyTable(partial(columns_at, given_columns)), **schemas_of(reader))
        reader.carries = None
    again = reader.decode(messages.column("value"), messages.column("key"))
    assert again.errors == []
    # schemas of registries have fewer types, and some names of letters, digits and underlines only
    registered = reader.FACTS.registry is not None
    renamed = registered and not reader.FACTS.blocks
    for before, after in zip(images(Events(narrow(given_columns))), images(Events(again)), strict=True):
        for one, other in zip(before, after, strict=True):
            assert (one is None) == (other is None)
            own = {adjusted(column.name) if renamed else column.name: (column, value) for column, value in one or ()}
            if reader.carries is not None:
                assert sorted(column.name for column, _ in other or ()) == sorted(own)
                for column, _ in other or ():
                    assert not (column.flags ^ own[column.name][0].flags) & reader.carries
            for column, value in other or ():
                assert registered or column.type == own[column.name][0].type
                assert same(column, own[column.name][1], value), (column, own[column.name][1], value)
    return None


@every_encoder
@given(batches())
def test_columns_of_any_kind(encode: Any, reader: Any, given_columns: EventColumns) -> None:
    """Names, types, flags, declared types and arrays that nobody promised."""
    check(encode, reader, given_columns)


GOOD = Layout(
    0,
    (Column("id", 3, 10, "int"), Column("v", 15, 0, "varchar(9)")),
    [pa.array([1, 2, 3]), pa.array(["a", "b", None])],
    3,
)


@every_encoder
@given(
    st.lists(
        st.tuples(
            st.sampled_from([1, 2, 3, 4, 5, 6, 0, 9, -1, None]),
            st.sampled_from([0, 1, -1, 2**62, None]),
            st.sampled_from([0, 1, -1, -2, 2**62, None]),
            st.sampled_from([0, 2, 3, -1, 2**62, None]),
            st.sampled_from([0, 1, -1, -2, None]),
            st.sampled_from([0, 2, 3, -1, None]),
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([("s", "t"), (None, "t"), ("\ud800", "t"), ("s", 5), "st", None, ("s", "t", "u")]),
)
@example([(5, 0, -1, -1, -1, -1)], ("\ud800", "t"))
def test_events_of_any_kind(encode: Any, reader: Any, events: list[tuple[Any, ...]], table: Any) -> None:
    """Numbers of kinds, tables, layouts and rows that are not there."""
    given_columns = event_columns(events, [table], [GOOD])
    _, error = attempt(encode, given_columns)
    assert error is None or error.event is not None


@every_encoder
@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("kind", pa.array(["insert"])),
        ("table", pa.array([0.5])),
        ("new_row", pa.array([[0]])),
        ("commit_ts", pa.array([5])),
        ("commit_ts", pa.array([b"5"])),
        ("query", pa.array([7])),
        ("query", pa.array([b"\xff"])),
        ("ddl_class", pa.array([b"\xff"])),
        ("ddl_type", pa.array([2.5])),
    ],
    ids=lambda one: one if isinstance(one, str) else str(one.type),
)
@pytest.mark.parametrize("kind", [1, 4])
def test_a_batch_of_events_with_other_columns(encode: Any, reader: Any, kind: int, name: str, array: pa.Array) -> None:
    """Columns of the events that hold something else, or are not there."""
    given_columns = event_columns([(kind, 0, 0 if kind == 1 else -1, 0, -1, -1)], [("s", "t")], [GOOD])
    place = given_columns.events.schema.get_field_index(name)
    for events in (given_columns.events.set_column(place, name, array), given_columns.events.drop_columns([name])):
        _, error = attempt(encode, EventColumns(events, given_columns.tables, given_columns.layouts))
        assert error is None or error.event is not None or name in error.reason


@every_encoder
def test_an_error_names_the_first_event_with_the_columns(encode: Any, reader: Any) -> None:
    """What is wrong with a layout or a table is the error of an event that has it; what no event has is no error."""
    bad = Layout(0, (Column("f", 3, 2**64),), [pa.array([1, 2, 3])], 3)
    for layout in (
        bad,
        Layout(0, (Column("f", 3, 0),), [pa.array(["x"] * 3)], 3),
        Layout(0, (Column("f", 3, 0),), [], 3),
    ):
        events = [(1, 0, 0, 0, -1, -1), (1, 0, 0, 1, -1, -1), (1, 0, 1, 0, -1, -1), (1, 0, 1, 1, -1, -1)]
        with pytest.raises(EncodeError) as caught:
            encode(event_columns(events, [("s", "t")], [GOOD, layout]))
        assert caught.value.event == 2
        assert len(encode(event_columns(events[:2], [("s", "t"), ("\ud800", "t")], [GOOD, layout]))) > 0
        with pytest.raises(EncodeError) as caught:
            encode(event_columns([(1, 0, 0, 0, -1, -1), (1, 1, 0, 0, -1, -1)], [("s", "t"), ("\ud800", "t")], [GOOD]))
        assert caught.value.event == 1


@every_encoder
def test_arrays_that_are_shorter_than_their_rows(encode: Any, reader: Any) -> None:
    """Nothing is read behind the end of an array."""
    for values in ([pa.array([1]), pa.array(["a", "b", None])], [pa.array([1, 2, 3]), pa.array([], pa.utf8())]):
        short = Layout(0, GOOD.columns, values, 3)
        with pytest.raises(EncodeError) as caught:
            encode(event_columns([(1, 0, 0, 2, -1, -1)], [("s", "t")], [short]))
        assert (caught.value.event, caught.value.column) == (0, "id" if len(values[0]) == 1 else "v")


@pytest.mark.parametrize("value", [value for value in DOUBLES if value not in SINGLES and value != 0.1])
def test_a_float_that_is_none(value: float) -> None:
    """A double that no 32-bit float is cannot be said where FLOAT has the digits of one."""
    own = (Column("id", 3, 10), Column("f", 4, 0))
    event = RowChange("insert", TSO, "s", "t", {"id": 1, "f": value}, columns=own, table_version=1)
    good = RowChange("insert", TSO, "s", "t", {"id": 1, "f": 0.1}, columns=own, table_version=1)
    for name, protocol in tidewire.protocols().items():
        encode = partial(protocol.load().encode, **schemas_of(protocol.load()))
        messages, error = attempt(encode, [good, event])
        if error is not None:
            assert (error.event, error.column) == (1, "f")
            assert "no digits" in error.reason or "is no 32-bit float" in error.reason
        else:
            (again,) = protocol.load().decode(messages[-1].value, **tables_of(protocol.load(), own))[-1:]
            assert number(again.new["f"]) == number(value), name


@every_encoder
def test_more_messages_than_an_array_holds(encode: Any, reader: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The event is named with which they are too many."""
    monkeypatch.setattr("tidewire.runtime.encoding.checks.MOST_BYTES", 1000)
    events = [(1, 0, 0, 0, -1, -1)] * 200
    with pytest.raises(EncodeError, match="encode fewer events at once") as caught:
        encode(event_columns(events, [("s", "t")], [GOOD]))
    assert caught.value.event is not None
    assert 0 <= caught.value.event < 200  # the first of the message's: messages of some protocols hold several
