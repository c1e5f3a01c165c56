"""Events that describe tables: as objects, as columns, in event files and in Spark's frames, and what other protocols
lose of them.
"""

from __future__ import annotations

import json
import pickle
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given

from tables.described import simple_descriptions, tables
from tidewire import canal_json, craft
from tidewire.cli.conform.compare import events as differences
from tidewire.cli.eventjson import EventJsonError, from_json, to_json
from tidewire.cli.shortjson import ShortReader, to_short
from tidewire.events import EVENT_SCHEMA, KINDS, ROLES, Bootstrap, Ddl, Event, Events, RowChange, Watermark
from tidewire.messages.delivery.ddl_types import EventFacts
from tidewire.messages.delivery.losses import Loss
from tidewire.messages.delivery.splicing import splice
from tidewire.messages.delivery.transcoding import Transcoder
from tidewire.mysql import DDL_TYPES, ddl_class, ddl_type_of, flag_name
from tidewire.runtime.batch import Column
from tidewire.runtime.batch.roles import described
from tidewire.runtime.errors import EncodeError
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription

pytestmark = pytest.mark.codec

FACTS = EventFacts(KINDS, ddl_type_of, ddl_class, DDL_TYPES, flag_name, ROLES)
KEY = IndexDescription("PRIMARY", ("id",), True, True, False)
ID = ColumnDescription("id", "int", length=11, nullable=False, charset="binary")
FIRST = TableDescription("s", "t", [ID], [KEY], 8, 5)
SECOND = FIRST.replaced(columns=[ID, ColumnDescription("v", "varchar", length=5, charset="utf8mb4")], version=6)
COLUMNS = [Column("id", 3, 11, "int(11)")]
ROW = RowChange(
    "insert",
    10,
    "s",
    "t",
    {"id": 1},
    columns=COLUMNS,
    table_version=2**64 - 1,
    time_zone="Asia/Shanghai",
    checksum=2**32 - 1,
    checksum_before=0,
    checksum_version=1,
    checksum_corrupted=False,
)
EVERY: list[Event] = [
    Bootstrap(0, "s", "t", 8, table_after=FIRST),
    Ddl(9, "s", "t", 5, "alter table t add column v varchar(5)", table_after=SECOND, table_before=FIRST),
    ROW,
    Bootstrap(0, "s", "t", 8, columns=COLUMNS, table_after=SECOND),
    Watermark(11),
]


def test_events_say_what_tables_are() -> None:
    found = Events.of(EVERY)
    assert found.columns.events.schema.equals(EVENT_SCHEMA)
    assert list(found) == EVERY
    assert [repr(one) for one in found if one.kind != "insert"] == [repr(one) for one in EVERY if one.kind != "insert"]
    assert pickle.loads(pickle.dumps(list(found))) == EVERY
    assert found.columns.descriptions == [FIRST, SECOND]
    assert found.columns.events.column("table_after").to_pylist() == [0, 1, None, 1, None]
    assert found.columns.events.column("table_before").to_pylist() == [None, 0, None, None, None]
    first, statement, row = found[:3]
    assert statement.table_after is SECOND
    assert (row.table_version, row.time_zone, row.checksum, row.checksum_before) == (
        2**64 - 1,
        "Asia/Shanghai",
        2**32 - 1,
        0,
    )
    assert (row.checksum_version, row.checksum_corrupted) == (1, False)
    assert first.columns == tuple(FIRST.row_columns())
    assert "TableDescription(schema='s', table='t'" in repr(statement)


def test_a_bootstrap_has_the_columns_of_its_description_and_keeps_them_once() -> None:
    found = Events.of(EVERY).columns
    assert found.events.column("new_layout").to_pylist() == [-1, -1, 0, 0, -1]
    assert len(found.layouts) == 1  # of the row, which the bootstrap with columns of its own shares
    assert Bootstrap(0, "s", "t").columns == ()


@pytest.mark.parametrize(
    ("name", "value", "same"),
    [
        ("time_zone", "UTC", False),
        ("table_version", 7, False),
        ("checksum", 7, True),
        ("checksum_before", 7, True),
        ("checksum_version", 7, True),
        ("checksum_corrupted", True, True),
    ],
)
def test_what_makes_events_equal(name: str, value: Any, same: bool) -> None:
    other = pickle.loads(pickle.dumps(ROW))
    setattr(other, name, value)
    assert (other == ROW) is same
    assert Ddl(1, "s", "t", 3, "", table_after=FIRST) != Ddl(1, "s", "t", 3, "", table_after=SECOND)


@pytest.mark.parametrize("value", ["t", 5, FIRST.to_json(), (FIRST,)])
def test_only_a_description_describes(value: Any) -> None:
    with pytest.raises(EncodeError, match="table_after is a TableDescription, not "):
        Events.of([Ddl(1, "s", "t", 3, "q", table_after=value)])


def test_descriptions_go_with_the_columns_of_events() -> None:
    whole = Events.of(EVERY).columns
    assert list(Events(whole.take([1, 0]))) == [EVERY[1], EVERY[0]]
    assert list(Events(whole.without([0]))) == EVERY[1:]
    again = pickle.loads(pickle.dumps(whole))
    assert again == whole
    assert again.descriptions == whole.descriptions
    other = Events.of(EVERY).columns
    other.descriptions[0] = SECOND
    assert other != whole
    assert "descriptions=[TableDescription(" in repr(whole)


def test_events_with_descriptions_are_put_among_others() -> None:
    outer, inner = Events.of(EVERY[:3]).columns, Events.of([EVERY[1], EVERY[4]]).columns
    both = splice(outer, [2], inner, [2, 2], described(ROLES))
    assert list(Events(both)) == [EVERY[0], EVERY[1], EVERY[1], EVERY[4]]


@pytest.mark.parametrize("protocol", [craft, canal_json])
def test_protocols_without_descriptions_lose_them(protocol: Any) -> None:
    given = Events.of([EVERY[1], ROW]).columns
    _, report = Transcoder(craft, protocol, None, None, FACTS).encode(given)
    lost = {loss.name for loss in report.losses if loss.what == "field" and loss.detail == "is not carried"}
    assert lost >= {"table_after", "table_before", "table_version", "time_zone", "checksum", "checksum_before"}
    assert lost >= {"checksum_version", "checksum_corrupted"}
    assert report.losses[Loss("field", "table_after", "is not carried")] == 1


def test_descriptions_are_compared_by_what_they_say() -> None:
    from tidewire.messages.delivery.losses import losses

    given = Events.of([EVERY[1], EVERY[0]]).columns
    again = Events.of([EVERY[1], EVERY[0]]).columns
    again.events = again.events.set_column(0, "message", pa.array([0, 1], pa.int64()))
    again.descriptions.reverse()
    for name in described(ROLES):
        numbers = [None if one is None else 1 - one for one in again.events.column(name).to_pylist()]
        at = again.events.schema.get_field_index(name)
        again.events = again.events.set_column(at, name, pa.array(numbers, pa.int64()))
    messages = pa.record_batch({"first_event": [0, 1], "events": [1, 1]})
    names = {code: name for name, code in KINDS.items()}
    assert not losses(given, again, messages, names, ddl_class, ROLES)
    again.descriptions[0] = FIRST.replaced(comment="other")
    assert losses(given, again, messages, names, ddl_class, ROLES) == {
        Loss("field", "table_after", "is another one"): 1,
        Loss("field", "table_before", "is another one"): 1,
    }


@given(tables())
def test_event_files_have_descriptions(one: TableDescription) -> None:
    for event in (Ddl(1, "s", "t", 3, "q", table_after=one, table_before=one), Bootstrap(0, "s", "t", table_after=one)):
        line = json.dumps(to_json(event))
        assert from_json(json.loads(line)) == event
        assert "columns" not in to_json(event)


def test_event_files_have_all_that_events_say() -> None:
    for event in EVERY:
        assert from_json(json.loads(json.dumps(to_json(event)))) == event
    again = from_json(to_json(ROW))
    assert isinstance(again, RowChange)
    assert (again.checksum, again.checksum_before, again.checksum_version) == (2**32 - 1, 0, 1)
    assert again.checksum_corrupted is False
    with pytest.raises(EventJsonError, match=r"table_after describes no table: .*columns/0/mysql_type: it is missing"):
        from_json({**to_json(EVERY[1]), "table_after": {"table": "t", "columns": [{"name": "a"}]}})


def test_the_short_form_says_of_rows_where_their_times_are() -> None:
    line = to_short(ROW)
    assert (line["time_zone"], line["table_version"], line["checksum_corrupted"]) == ("Asia/Shanghai", 2**64 - 1, False)
    again = ShortReader().event(json.loads(json.dumps(line)))
    assert isinstance(again, RowChange)
    assert (again.time_zone, again.table_version, again.checksum_corrupted) == ("Asia/Shanghai", 2**64 - 1, False)
    assert to_short(EVERY[0])["columns"] == ["id"]


def test_conform_compares_descriptions_where_both_are_known() -> None:
    other = Ddl(9, "s", "t", 5, EVERY[1].query, table_after=SECOND.replaced(id=9))  # type: ignore[attr-defined]
    assert [one.where for one in differences([EVERY[1]], [other])] == ["table_after"]
    plain = Ddl(9, "s", "t", 5, other.query)
    assert differences([plain], [other]) == differences([other], [plain]) == []
    assert [one.where for one in differences([ROW], [_with(ROW, checksum=1, time_zone="UTC")])] == [
        "time_zone",
        "checksum",
    ]


def _with(row: RowChange, **changes: Any) -> RowChange:
    other: RowChange = pickle.loads(pickle.dumps(row))
    for name, value in changes.items():
        setattr(other, name, value)
    return other


def test_every_recorded_description_goes_through_events() -> None:
    events = [Ddl(1, one.schema, one.table, 3, sql, table_after=one) for sql, one in simple_descriptions()]
    found = Events.of(events)
    assert list(found) == events
    assert len(found.columns.descriptions) < len(events)
