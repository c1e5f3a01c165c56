"""What is encoded is decoded to the same, and what is decoded is encoded to the same bytes.

Tables of every type, in every batching. HYPOTHESIS_PROFILE=exhaustive tries thousands of random streams instead of some
that are always the same.
"""

from __future__ import annotations

from itertools import pairwise
from math import isnan
from struct import unpack

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from craft import wire
from craft.plain import made, plain
from craft.strategies import rows, single_messages, streams
from craft.twin import read
from craft.wire import FLOATS, STRINGS, TEXTS, Cell, Change, Mark, Plain, Statement
from tidewire import craft
from tidewire.events import Events, RowChange
from tidewire.runtime.batch import Column, EventColumns

pytestmark = pytest.mark.codec

options = st.builds(
    craft.Options,
    max_batch_size=st.sampled_from([1, 2, 3, 16, 2**31 - 1]),
    max_message_bytes=st.sampled_from([1, 100, 1000, 10 << 20, 2**31 - 1]),
)


def weight(event: Plain) -> int:
    """The size of a row change as the producer guesses it."""
    assert isinstance(event, Change)
    assert event.schema is not None
    assert event.table is not None
    size = 32 + len(event.schema.encode()) + len(event.table.encode())
    for cell in (*(event.new or ()), *(event.old or ())):
        size += 16 + len(cell.name.encode()) + len(wire.value_bytes(cell) or b"")
    return size


def batches(events: list[Plain], given: craft.Options) -> list[list[Plain]]:
    """Which events share a message: a row closes it when it reaches the count or exceeds the bytes."""
    found: list[list[Plain]] = []
    size = 0
    for event in events:
        row = isinstance(event, Change)
        last = found[-1] if found else []
        if (
            row
            and last
            and isinstance(last[0], Change)
            and len(last) < given.max_batch_size
            and size <= given.max_message_bytes
        ):
            last.append(event)
            size += weight(event)
        else:
            found.append([event])
            size = weight(event) if row else 0
    return found


def complete(columns: EventColumns) -> EventColumns:
    """The columns, validated: every Arrow array is well formed and as long as it should be."""
    columns.events.validate(full=True)
    for layout in columns.layouts:
        assert 0 <= layout.table < len(columns.tables)
        assert len(layout.arrays) == len(layout.columns)
        for array in layout.arrays:
            array.validate(full=True)
            assert len(array) == layout.num_rows
        assert layout.to_batch().num_rows == layout.num_rows
    return columns


@given(streams(), options)
def test_events_come_back(stream: list[Plain], given: craft.Options) -> None:
    """The same events from the messages, which are the twin's, batched as the producer does it."""
    events = made(stream)
    messages = craft.encode(events, given)
    expected = batches(stream, given)
    assert [message.value for message in messages] == [wire.write(batch) for batch in expected]
    assert [message.events for message in messages] == list(map(len, expected))
    firsts = [0, *(message.first_event + message.events for message in messages)]
    assert firsts == [*(message.first_event for message in messages), len(stream)]
    again = craft.decode_batch([message.value for message in messages])
    complete(again.columns)
    assert again.errors == []
    assert plain(again) == stream
    assert list(again) == events or any(map(isnan, floats_of(stream)))
    numbers = [number for number, message in enumerate(messages) for _ in range(message.events)]
    assert again.columns.events["message"].to_pylist() == numbers


def floats_of(stream: list[Plain]) -> list[float]:
    """All FLOAT and DOUBLE values."""
    cells = [cell for e in stream if isinstance(e, Change) for image in (e.new, e.old) for cell in image or ()]
    return [unpack("<d", cell.value)[0] for cell in cells if cell.type in FLOATS and isinstance(cell.value, bytes)]


@given(single_messages())
def test_bytes_come_back(stream: list[Plain]) -> None:
    """A message of the twin is decoded and encoded to the same bytes; as objects and as columns."""
    message = wire.write(stream)
    events = craft.decode(message)
    assert plain(events) == stream == read(message)
    if all(isinstance(event, Change) for event in stream):
        most = craft.Options(max_batch_size=2**31 - 1, max_message_bytes=2**31 - 1)
        assert [m.value for m in craft.encode(list(events), most)] == [message]
        assert craft.encode_batch(events.columns, most)["value"].to_pylist() == [message]
    else:
        assert [m.value for m in craft.encode(events)] == [wire.write([event]) for event in stream]


@given(streams(), options)
def test_columns_and_objects_are_one(stream: list[Plain], given: craft.Options) -> None:
    """encode_batch of decode_batch is encode of the events, and both are what was decoded."""
    messages = [message.value for message in craft.encode(made(stream), given)]
    columns = craft.decode_batch(messages).columns
    batch = craft.encode_batch(columns, given)
    batch.validate(full=True)
    assert batch["value"].to_pylist() == messages
    assert batch["key"].null_count == len(messages)
    assert [message.value for message in craft.encode(list(Events(columns)), given)] == messages
    assert [tuple(row.values()) for row in batch.to_pylist()] == [
        tuple(m) for m in craft.encode(Events(columns), given)
    ]


@given(st.lists(single_messages(), min_size=1, max_size=6), st.data())
def test_one_decoder_for_many_batches(streamed: list[list[Plain]], data: st.DataObject) -> None:
    """What a decoder and an encoder remember changes nothing: not in another batch, not in another order."""
    decoder, encoder = craft.Decoder(), craft.Encoder()
    messages = [wire.write(events) for events in streamed]
    for _ in range(3):
        order = data.draw(st.permutations(range(len(messages))))
        columns = complete(decoder.decode([messages[k] for k in order]))
        assert plain(Events(columns)) == [event for k in order for event in streamed[k]]
        assert encoder.encode(columns).equals(craft.encode_batch(columns))


@given(streams())
def test_what_was_decoded_stays(stream: list[Plain]) -> None:
    """Columns that were handed out do not change when the decoder goes on."""
    decoder = craft.Decoder()
    messages = [message.value for message in craft.encode(made(stream))]
    first = decoder.decode(messages)
    for other in (messages[::-1], [b"\xff"] * 5, messages):
        decoder.decode(other)
    assert plain(Events(first)) == stream


@given(rows(most=3, wide=True))
def test_wide_tables(stream: list[Change]) -> None:
    """More than 127 columns."""
    message = wire.write(stream)
    assert plain(craft.decode(message)) == list(stream)
    most = craft.Options(max_message_bytes=2**31 - 1)
    assert [m.value for m in craft.encode(made(stream), most)] == [message]


@given(rows(most=4), st.binary(min_size=1, max_size=12))
def test_invalid_text(stream: list[Change], content: bytes) -> None:
    """Bytes in place of text, everywhere: error, replace or bytes, and back to the same bytes."""

    def spoiled(cells: tuple[Cell, ...] | None) -> tuple[Cell, ...] | None:
        kinds = (STRINGS | TEXTS) - {246}  # a DECIMAL of other characters is an error
        return cells and tuple(
            c._replace(value=content) if c.type in kinds and c.value is not None else c for c in cells
        )

    events: list[Plain] = [e._replace(new=spoiled(e.new), old=spoiled(e.old)) for e in stream]
    message = wire.write(events)
    raw = craft.decode(message, options=craft.Options(invalid_text="bytes"))
    most = craft.Options(max_message_bytes=2**31 - 1)
    assert [m.value for m in craft.encode(list(raw), most)] == [message]
    assert craft.encode_batch(raw.columns, most)["value"].to_pylist() == [message]
    complete(raw.columns)
    replaced = craft.decode(message, options=craft.Options(invalid_text="replace"))
    complete(replaced.columns)
    for event, raw_event in zip(plain(replaced), plain(raw), strict=True):
        assert isinstance(event, Change)
        assert isinstance(raw_event, Change)
        for cell, raw_cell in zip(
            (event.new or ()) + (event.old or ()), (raw_event.new or ()) + (raw_event.old or ()), strict=True
        ):
            text = cell.type in TEXTS or (cell.type in STRINGS and not cell.flags & 1)
            same = (
                raw_cell.value.decode(errors="replace")
                if text and isinstance(raw_cell.value, bytes)
                else raw_cell.value
            )
            assert cell.value == same


@given(rows(most=8), st.lists(st.integers(0, 7), min_size=1, max_size=8))
def test_a_choice_of_events_is_encoded(stream: list[Change], chosen: list[int]) -> None:
    """Rows of the events' batch can be taken out, put in another order and repeated, and arrays can be slices."""
    columns = craft.decode(wire.write(stream)).columns
    picks = [k % len(stream) for k in chosen]
    some = EventColumns(columns.events.take(pa.array(picks)), columns.tables, columns.layouts)
    expected = [stream[k] for k in picks]
    given = craft.Options(max_batch_size=3, max_message_bytes=300)
    assert craft.encode_batch(some, given)["value"].to_pylist() == [
        wire.write(b) for b in batches(list(expected), given)
    ]
    part = EventColumns(columns.events.slice(1), columns.tables, columns.layouts)
    assert craft.encode_batch(part, given)["value"].to_pylist() == [
        wire.write(b) for b in batches(list(stream[1:]), given)
    ]


def test_a_row_that_many_events_share_counts_for_each() -> None:
    """Its bytes are in every message that holds it."""
    change = Change("insert", 1, "s", "t", None, (Cell("c", 15, 0, "x" * 1000),), None)
    columns = craft.decode(wire.write([change])).columns
    shared = EventColumns(columns.events.take(pa.array([0] * 100)), columns.tables, columns.layouts)
    batch = craft.encode_batch(shared, craft.Options(max_batch_size=1000, max_message_bytes=10_000))
    assert batch["events"].to_pylist() == [10] * 10


def test_a_table_that_changes() -> None:
    """ADD COLUMN, another type, other flags: each its own layout, in one batch, and each row as it was."""
    forms = [
        (Cell("a", 3, 0, 1),),
        (Cell("a", 3, 0, 1), Cell("b", 15, 64, "x")),
        (Cell("b", 15, 64, "x"), Cell("a", 3, 0, 1)),
        (Cell("a", 8, 0, 1),),
        (Cell("a", 3, 64, None),),
        (Cell("a", 15, 1, b"1"),),
        (Cell("a", 15, 0, "1"),),
    ]
    stream: list[Plain] = [Change("insert", k, "s", "t", None, cells, None) for k, cells in enumerate(forms * 3)]
    stream += [Change("update", 9, "s", "t", None, a, b) for a, b in pairwise(forms)]
    messages = [wire.write(stream[k : k + 4]) for k in range(0, len(stream), 4)]
    events = craft.decode_batch(messages)
    assert plain(events) == stream
    assert [layout.columns for layout in events.columns.layouts] == [
        tuple(Column(*c[:3]) for c in cells) for cells in forms
    ]
    assert [message.value for message in craft.encode(events, craft.Options(max_batch_size=4))] == messages


def test_absent_is_not_null() -> None:
    """A column that is not in the row is no key of it; one that is null is."""
    full, part = (Cell("a", 3, 2, 1), Cell("b", 3, 64, None)), (Cell("a", 3, 2, 1),)
    stream: list[Plain] = [Change("delete", 1, "s", "t", None, None, cells) for cells in (full, part)]
    first, second = craft.decode(wire.write(stream))
    assert isinstance(first, RowChange)
    assert isinstance(second, RowChange)
    assert first.old is not None
    assert second.old is not None
    assert (dict(first.old), dict(second.old)) == ({"a": 1, "b": None}, {"a": 1})
    assert "b" not in second.old
    assert first != second
    assert plain([first, second]) == stream


def test_every_kind_of_event_in_one_batch() -> None:
    stream: list[Plain] = [Mark(0), Statement(1, None, None, 0, ""), Mark(2**64 - 1)]
    events = craft.decode_batch([wire.write([event]) for event in stream])
    assert plain(events) == stream
    assert events.columns.events["kind"].to_pylist() == [5, 4, 5]
