"""Columns whose names differ only in case, which Spark does not distinguish, are never confused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import DataFrame

from tidewire import craft
from tidewire.events import RowChange
from tidewire.reading.types import SchemaError
from tidewire.runtime.batch import Column
from tidewire.spark import from_ticdc, rows_from_ticdc, table_schema

Frame = Callable[..., DataFrame]
TSO = 470607536966860800
ID = Column("id", 3, 2 | 8)


def messages(*rows: dict[str, Any]) -> list[bytes | None]:
    """Inserts, one after the other."""
    events = []
    for at, row in enumerate(rows):
        columns = [ID if name == "id" else Column(name, 15, 64) for name in row]
        events.append(RowChange("insert", TSO + at, "shop", "orders", new=row, columns=columns))
    return [one.value for one in craft.encode(events)]


BOTH = {"id": 1, "A": "upper", "a": "lower"}


def test_a_schema_is_refused(frame: Frame) -> None:
    with pytest.raises(
        SchemaError, match=r"columns '[aA]' and '[aA]', which Spark does not tell apart: read them with from_ti"
    ):
        table_schema(frame(messages(BOTH)), "craft", "shop.orders")
    with pytest.raises(SchemaError, match="does not tell apart"):
        rows_from_ticdc(frame(messages(BOTH)), "craft", "shop.orders")


def test_a_column_that_was_spelled_anew_is_one(frame: Frame) -> None:
    found = table_schema(frame(messages({"id": 1, "A": "x"}, {"id": 2, "a": "y"})), "craft", "shop.orders")
    assert [field.name for field in found] == ["id", "a"]
    rows = rows_from_ticdc(frame(messages({"id": 1, "A": "x"}, {"id": 2, "a": "y"})), "craft", "shop.orders").collect()
    assert sorted(row.a for row in rows) == ["x", "y"]


def test_typed_rows_have_neither_and_say_so(frame: Frame) -> None:
    sent = messages({"id": 0, "a": "only"}, BOTH)
    rows = rows_from_ticdc(frame(sent), "craft", "shop.orders", "id int, a string").orderBy("id").collect()
    assert [(row.id, row.a) for row in rows] == [(0, "only"), (1, None)]
    assert rows[0]._corrupt_record is None
    assert "columns 'A' and 'a', which Spark does not tell apart" in rows[1]._corrupt_record.reason
    # what does not ask for them is not concerned
    (row,) = rows_from_ticdc(frame(messages(BOTH)), "craft", "shop.orders", "id int").collect()
    assert (row.id, row._corrupt_record) == (1, None)


def test_events_have_both(frame: Frame) -> None:
    (event,) = from_ticdc(frame(messages(BOTH)), "craft").collect()
    assert event.new.toPython() == BOTH
