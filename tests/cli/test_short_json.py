"""The short form of events: output, and reading it again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from commands import events, tidewire

from tidewire.cli.shortjson import ShortReader, to_short
from tidewire.events import Ddl, RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column

TS = 470607537376067584


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        (Column("c", 8, 0), -(2**63), "-9223372036854775808"),
        (Column("c", 8, 128), 2**64 - 1, "18446744073709551615"),
        (Column("c", 5, 0), 1.0, "1.0"),
        (Column("c", 5, 0), float("nan"), '"NaN"'),
        (Column("c", 5, 0), float("-inf"), '"-Infinity"'),
        (Column("c", 246, 0), "0.10", '"0.10"'),
        (Column("c", 12, 0), "0000-00-00 00:00:00", '"0000-00-00 00:00:00"'),
        (Column("c", 252, 1), b"\x00\xff", '{"base64": "AP8="}'),
        (Column("c", 15, 0), None, "null"),
    ],
)
def test_values(column: Column, value: Any, said: str) -> None:
    line = to_short(RowChange("insert", TS, "s", "t", {"c": value}, columns=[column]))
    assert json.dumps(line["new"]["c"]) == said


def test_names_with_dots_stand_apart() -> None:
    row = RowChange("insert", TS, "a.b", "c", {"x": 1}, columns=[Column("x", 8, 0)])
    assert to_short(row).items() >= {"schema": "a.b", "table": "c"}.items()
    for event in (row, Ddl(TS, "s", None, 1, "create database s"), Ddl(TS, "s", "t", 3, "create table t (a int)")):
        back = ShortReader().event(to_short(event))
        assert (back.schema, back.table) == (event.schema, event.table)  # type: ignore[attr-defined]


def test_an_event_without_a_time_that_a_calendar_has() -> None:
    assert "time" not in to_short(Watermark(None, commit_ms=2**62))
    assert to_short(Watermark(None, commit_ms=5))["time"] == "1970-01-01T00:00:00.005Z"


def test_what_is_read_of_it_is_what_it_says() -> None:
    columns = [
        Column("id", ColumnType.BIGINT, ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY),
        Column("u", ColumnType.BIGINT, ColumnFlag.UNSIGNED | ColumnFlag.NULLABLE),
        Column("d", ColumnType.DOUBLE, ColumnFlag.NULLABLE),
        Column("t", ColumnType.VARCHAR, ColumnFlag.NULLABLE),
        Column("b", ColumnType.BLOB, ColumnFlag.BINARY | ColumnFlag.NULLABLE),
    ]
    new = {"id": 1, "u": 2**64 - 1, "d": 1.5, "t": "x", "b": b"\xff"}
    old = {"id": 1, "u": 5, "d": 2.0, "t": None, "b": None}
    event = RowChange("update", TS, "s", "t", new, old, columns=columns)
    back = ShortReader().event(json.loads(json.dumps(to_short(event))))
    assert back == event
    assert back.columns == tuple(columns)  # type: ignore[attr-defined]


def test_columns_stay_what_they_were() -> None:
    reader = ShortReader()
    line = {"op": "insert", "table": "s.t", "commit_ts": TS}
    reader.event({**line, "new": {"a": 5, "d": 1.5}})
    back = reader.event({**line, "new": {"a": None, "d": 2}})
    assert [column.type for column in back.columns] == [ColumnType.BIGINT, ColumnType.DOUBLE]  # type: ignore[attr-defined]
    assert back.new == {"a": None, "d": 2.0}  # type: ignore[attr-defined]


def test_the_short_form_is_encoded_and_said_to_have_no_types() -> None:
    line = {
        "op": "insert",
        "table": "s.t",
        "time": "2026-11-21T01:41:26.011Z",
        "key": ["id"],
        "new": {"id": 1, "v": "x"},
    }
    result = tidewire("encode", "canal-json", stdin=json.dumps(line) + "\n")
    assert result.exit_code == 0
    assert "1 row came in the short form, which has no types of columns" in result.stderr
    (back,) = events(tidewire("decode", "canal-json", stdin=result.stdout))
    assert (back["table"], back["time"], back["key"], back["new"]) == (
        "s.t",
        "2026-11-21T01:41:26.011Z",
        ["id"],
        {"id": 1, "v": "x"},
    )


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"op": "upsert"}, 'op is "upsert", which is no event'),
        ({"op": "bootstrap"}, "use --exact"),
        ({"new": [1]}, "new is [1]; it is an object"),
        ({"new": {"id": True}}, "new/id is true; a value is"),
        ({"new": {"id": [1]}}, "new/id is [1]; a value is"),
        ({"new": {"id": 2**64}}, "more than 64 bits"),
        ({"new": {"id": {"base64": "*"}}}, "new/id is not base64"),
        ({"key": "id"}, 'key is "id"; it is a list'),
        ({"commit_ts": None}, "commit_ts and time are missing"),
        ({"commit_ts": None, "time": "soon"}, 'time is "soon"'),
        ({"table": 5}, "table is 5"),
    ],
)
def test_lines_that_are_no_events_are_named(change: dict[str, Any], text: str) -> None:
    line = {"op": "insert", "table": "s.t", "commit_ts": TS, "new": {"id": 1}}
    result = tidewire("encode", "craft", stdin=json.dumps({**line, **change}))
    assert result.exit_code == 1
    assert text in result.stderr
