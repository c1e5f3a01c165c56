"""The neutral events and the batches that hold them: fields that not every protocol carries."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from recorded import bench_value

from tidewire import craft
from tidewire.events import (
    BUILDER,
    EVENT_SCHEMA,
    FIELDS,
    ROLES,
    Bootstrap,
    Column,
    Ddl,
    Event,
    Events,
    RowChange,
    Watermark,
)
from tidewire.runtime.batch import EventColumns, Layout
from tidewire.runtime.batch.building import EventBuilder
from tidewire.runtime.batch.event_batches import EventBatches, absent, complete, with_commit_ms, with_sent_ms
from tidewire.runtime.errors import EncodeError

pytestmark = pytest.mark.codec

MS = 1767323045678
TIME = datetime(2026, 1, 2, 3, 4, 5, 678000, UTC)
ID = Column("id", 3, 11, "int(11)")
ROW = RowChange(
    "insert",
    None,
    "s",
    "t",
    {"id": 1},
    columns=[ID],
    commit_ms=MS,
    sent_ms=MS + 1,
    row_key=b"t\x80\xff",
    handle_key_only=False,
    claim_check="s3://bucket/x",
)
EVERY: list[Event] = [
    ROW,
    Ddl(MS << 18, "s", None, None, "create database s", ddl_class="QUERY", sent_ms=5),
    Watermark(None, commit_ms=MS),
    Bootstrap(0, "s", "t", 8, [ID], sent_ms=5),
]


def test_an_event_of_no_kind_is_an_object_like_the_others() -> None:
    event = Event(5)
    assert repr(event) == "Event(commit_ts=5)"
    assert event == Event(5) != Event(6)
    assert hash(event) == hash(Event(5))
    assert pickle.loads(pickle.dumps(event)) == event
    with pytest.raises(EncodeError, match=r"Event\(commit_ts=5\) is no event: its kind is none of insert, "):
        Events.of([event])


def test_events_go_through_columns_whole() -> None:
    found = Events.of(EVERY)
    assert found.columns.events.schema.equals(EVENT_SCHEMA)
    assert list(found) == EVERY
    assert list(map(repr, found))[1:] == list(map(repr, EVERY))[1:]
    assert [getattr(event, "sent_ms", None) for event in found] == [MS + 1, 5, None, 5]
    assert found[0].handle_key_only is False
    assert found[0].columns == found[3].columns == (ID,)
    assert found[1].ddl_class == "QUERY"


@pytest.mark.parametrize("event", EVERY, ids=lambda event: event.kind)
def test_events_are_copied_and_pickled_whole(event: Event) -> None:
    for made in (copy.copy(event), pickle.loads(pickle.dumps(event))):
        assert made == event
        assert repr(made) == repr(event)
        assert made.sent_ms == event.sent_ms  # type: ignore[attr-defined, union-attr]


def test_when_an_event_was_committed() -> None:
    assert ROW.commit_time == Watermark((MS << 18) + 7).commit_time == TIME
    assert Watermark(None).commit_time is None
    assert Bootstrap(None, "s", "t").commit_time is None
    # what is said exactly goes before what is said in milliseconds
    assert Watermark(MS << 18, commit_ms=1).commit_time == TIME


def test_when_a_message_was_written_makes_no_other_event() -> None:
    assert Watermark(1, sent_ms=1) == Watermark(1, sent_ms=2)
    assert Watermark(1, commit_ms=1) != Watermark(1, commit_ms=2)
    assert hash(Watermark(1, sent_ms=1)) == hash(Watermark(1))


def test_what_came_later_is_given_by_name_only() -> None:
    with pytest.raises(TypeError):
        Watermark(1, 2)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ({"handle_key_only": 1}, "handle_key_only is true or false, not 1"),
        ({"row_key": "t"}, "row_key is bytes, not 't'"),
        ({"claim_check": b"x"}, "claim_check is text, not b'x'"),
        ({"commit_ms": 2**63}, "commit_ms is an integer from -9223372036854775808 to 9223372036854775807"),
    ],
)
def test_fields_of_another_type(members: dict[str, Any], sentence: str) -> None:
    event = RowChange("insert", 1, "s", "t", {"id": 1}, columns=[ID])
    for name, value in members.items():
        setattr(event, name, value)
    with pytest.raises(EncodeError, match=sentence):
        Events.of([event])


def test_a_declared_type_is_text() -> None:
    wrong = Column("id", 3, 11, 7)  # type: ignore[arg-type]
    with pytest.raises(EncodeError, match="mysql_type 7 is not text"):
        Events.of([RowChange("insert", 1, "s", "t", {"id": 1}, columns=[wrong])])


def test_a_decoded_batch_has_all_columns() -> None:
    columns = craft.Decoder().decode([bench_value(4)])
    assert columns.events.schema.equals(EVENT_SCHEMA)
    columns.events.validate(full=True)
    carried = {name for name in craft.CARRIES if name != "schema"}
    for name in set(EVENT_SCHEMA.names) & {name for name, _ in FIELDS} - {"message", *carried}:
        if not name.endswith(("_layout", "_row")):
            assert columns.events.column(name).null_count == 4, name
    assert len(BUILDER.storages) == len(FIELDS) == len(EVENT_SCHEMA)


def test_what_the_encoder_cannot_do_without() -> None:
    with pytest.raises(EncodeError, match="an event needs commit_ts"):
        craft.encode([Watermark(None, commit_ms=MS)])


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64(), pa.utf8(), pa.binary()])
@pytest.mark.parametrize("rows", [0, 1, 9, 100_000])
def test_absent_columns_are_null(kind: pa.DataType, rows: int) -> None:
    made = absent(rows, kind)
    made.validate(full=True)
    assert made.equals(pa.nulls(rows, kind))
    assert made.null_count == rows


def test_batches_are_completed() -> None:
    schema = pa.schema([("a", pa.int64()), ("b", pa.utf8()), ("c", pa.uint64())])
    batches = EventBatches(schema, (1,))
    for texts in (["x"], ["y"], [], ["x", None]):
        array = pa.array(texts, pa.utf8())
        expected = pa.record_batch(
            [pa.nulls(len(texts), pa.int64()), array, pa.nulls(len(texts), pa.uint64())], schema=schema
        )
        assert batches.batch([array], len(texts)).equals(expected)
        assert complete(schema, {"b": array}, len(texts)).equals(expected)


def test_times_that_follow_from_others() -> None:
    batch = Events.of([Watermark(MS << 18 | 3), Watermark(None, commit_ms=MS, sent_ms=4), Watermark(2**64 - 1)]).columns
    assert with_commit_ms(batch.events, ROLES).column("commit_ms").to_pylist() == [MS, MS, (2**64 - 1) >> 18]
    assert with_sent_ms(batch.events, ROLES, 9).column("sent_ms").to_pylist() == [9, 4, 9]
    assert with_sent_ms(batch.events, ROLES).column("sent_ms")[0].as_py() > MS


def test_a_builder_keeps_truth_values_as_numbers() -> None:
    built = EventBuilder(FIELDS, {"insert": 1}, lambda type, flags: "int").build([ROW])
    assert built.events.column("handle_key_only").to_pylist() == [0]


CHANGES = [RowChange("insert", 5, "s", "t", {"id": k}, columns=[ID]) for k in range(3)] + [
    RowChange("update", 6, "s", "t", {"id": 4}, {"id": 3}, columns=[ID]),
    RowChange("delete", 7, "s", "t", None, {"id": 4}, columns=[ID]),
]


def columns_of_changes() -> EventColumns:
    return Events.of(CHANGES).columns


def test_events_at_some_rows() -> None:
    """In the order that is asked for, more than once too."""
    for rows in ([], [0], [4, 0, 4], range(5)):
        assert list(Events(columns_of_changes().take(list(rows)))) == [CHANGES[row] for row in rows]
    columns = columns_of_changes()
    assert list(Events(columns.without({1, 3}))) == [CHANGES[row] for row in (0, 2, 4)]
    assert columns.without([]) is columns
    assert columns.without(range(5)).num_events == 0


def test_events_with_other_values() -> None:
    """In one column; tables, row images and errors stay, and the batch that was asked stays as it is."""
    columns = columns_of_changes()
    columns.tombstones = [9]
    found = columns.with_columns({"commit_ts": pa.array([8] * 5, pa.uint64())})
    assert [event.commit_ts for event in Events(found)] == [8] * 5
    assert found.tombstones == [9]
    assert [event.commit_ts for event in Events(columns)] == [5, 5, 5, 6, 7]
    (layout,) = columns.layouts
    other = Layout(layout.table, layout.columns, [pa.array(range(10, 15), pa.int64())], layout.num_rows)
    assert Events(columns.with_columns({}, [other]))[3].new.to_dict() == {"id": 13}


def test_row_images_of_an_event() -> None:
    columns = Events.of([*CHANGES, Watermark(8), Bootstrap(0, "s", "t", 8, [ID])]).columns

    def values(row: int) -> list[object]:
        return [layout.arrays[0][place].as_py() for layout, place in columns.images(row)]

    assert [values(row) for row in range(7)] == [[0], [1], [2], [4, 3], [4], [], []]
