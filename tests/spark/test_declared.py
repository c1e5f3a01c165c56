"""Schemas from declared types, for protocols that carry them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import Row, StructType

from tidewire.events import Column, Event, Events, RowChange
from tidewire.reading.message_batch import MessageBatch
from tidewire.reading.options import ReadOptions
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.infer import FOUND, ColumnsTask, schemas_of

TSO = 470607709161390080
DECIMAL, ENUM, SET, TINYINT, BIT, INT, VARCHAR = 246, 247, 248, 1, 16, 3, 15


def change(
    columns: Sequence[Column],
    new: Mapping[str, Any] | None,
    old: Mapping[str, Any] | None = None,
    at: int = 0,
    **more: Any,
) -> RowChange:
    """A change of shop.orders."""
    kind = "insert" if old is None else "delete" if new is None else "update"
    return RowChange(
        kind, None if more.get("commit_ms") else TSO + at, "shop", "orders", new, old, columns=columns, **more
    )


def schema(*batches: Sequence[Event], options: ReadOptions | None = None) -> StructType:
    """The schema of shop.orders, from batches of events."""
    chosen = options or ReadOptions()
    task = ColumnsTask("none", chosen, arrow_schema(FOUND), None)
    seen: list[Row] = []
    for events in batches:
        messages = MessageBatch(pa.record_batch({"value": pa.array([b""] * len(events), pa.binary())}))
        found = task.process(messages, Events.of(events).columns)
        assert found is not None
        seen += [Row(**row) for row in found.to_pylist()]
    (one,) = schemas_of(seen, chosen).values()
    return one


def column_type(*types: tuple[int, str | None, Any]) -> str:
    """The type of a column that was declared so, one after the other, with a value each."""
    events = [
        change([Column("c", kind, 64, text)], {"c": value}, at=at) for at, (kind, text, value) in enumerate(types)
    ]
    return schema(events)["c"].dataType.simpleString()


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ([(DECIMAL, "decimal(10,2)", "1.5")], "decimal(10,2)"),
        ([(DECIMAL, "decimal(10)", "1")], "decimal(10,0)"),
        ([(DECIMAL, "decimal(38,30)", None)], "decimal(38,30)"),
        ([(DECIMAL, "decimal(65,30)", "1")], "string"),
        ([(DECIMAL, "decimal", "1.25")], "decimal(38,2)"),
        ([(DECIMAL, None, "1.25")], "decimal(38,2)"),
        # altered: both fit
        ([(DECIMAL, "decimal(10,2)", "1.5"), (DECIMAL, "decimal(8,5)", "1.5")], "decimal(13,5)"),
        ([(DECIMAL, "decimal(30,0)", "1"), (DECIMAL, "decimal(30,20)", "1")], "string"),
        ([(DECIMAL, "decimal(10,2)", "1.5"), (DECIMAL, "decimal", "1.125")], "decimal(38,3)"),
        ([(INT, "int(11)", 5), (DECIMAL, "decimal(10,2)", "1.5")], "decimal(22,2)"),
        ([(TINYINT, "tinyint(1)", 1)], "tinyint"),
        ([(TINYINT, "tinyint", 1)], "tinyint"),
        ([(BIT, "bit(1)", 1)], "binary"),
        ([(ENUM, "enum('a','b')", 1)], "int"),
        ([(SET, "set('a','b')", 3)], "decimal(20,0)"),
        ([(VARCHAR, "no type at all(", "x")], "string"),
    ],
)
def test_types_are_those_that_were_declared(types: list[tuple[int, str | None, Any]], expected: str) -> None:
    assert column_type(*types) == expected


def test_metadata_keeps_what_was_declared() -> None:
    columns = [
        Column("id", INT, 2 | 8 | 128, "int(10) unsigned"),
        Column("colour", ENUM, 64, "enum('red','it''s, blue')"),
        Column("bare", ENUM, 64, "enum"),
        Column("unsaid", INT, 64),
    ]
    found = schema([change(columns, {"id": 1, "colour": 1, "bare": 1, "unsaid": 1})])
    assert found["id"].metadata == {
        "tidb_type": "int",
        "handle_key": True,
        "unsigned": True,
        "mysql_type": "int(10) unsigned",
    }
    assert found["colour"].metadata["members"] == ["red", "it's, blue"]
    assert "members" not in found["bare"].metadata
    assert found["bare"].metadata["mysql_type"] == "enum"
    assert "mysql_type" not in found["unsaid"].metadata


COLUMNS = [Column("a", INT, 64, "int(11)"), Column("id", INT, 10, "int(11)"), Column("b", VARCHAR, 64, "varchar(9)")]


def test_the_order_is_that_of_whole_rows() -> None:
    whole = {"a": 1, "id": 1, "b": "x"}
    events = [
        change(COLUMNS, whole),
        change(COLUMNS, whole, {"b": "y"}, at=1),
        change(COLUMNS, {"id": 1}, {"id": 1}, at=2, handle_key_only=True),
        change(COLUMNS, {"id": 1}, at=3, claim_check="there"),
    ]
    assert schema(events).names == ["a", "id", "b"]
    assert schema(events[2:], events[:1], events[1:2]).names == ["a", "id", "b"]


def test_the_latest_is_told_by_milliseconds_too() -> None:
    later = [Column("b", VARCHAR, 64), Column("a", INT, 64)]
    events = [
        change(later, {"b": "x", "a": 1}, commit_ms=(TSO >> 18) + 5),
        change(later[::-1], {"b": "x", "a": 1}, commit_ms=(TSO >> 18) + 4),
    ]
    assert schema(events).names == ["b", "a"]
    assert schema(events[1:], events[:1]).names == ["b", "a"]
