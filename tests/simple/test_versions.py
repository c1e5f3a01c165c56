"""Table versions in any order: rows are read by their own version, and many versions cost no more than few."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tidewire import simple
from tidewire.events import RowChange
from tidewire.tables import ColumnDescription, TableDescription, TableStore

pytestmark = pytest.mark.codec


def row(version: int, **data: str) -> bytes:
    """A row of the table in a version."""
    said = {"version": 1, "database": "s", "table": "t", "tableID": 1, "type": "INSERT", "commitTs": 5, "buildTs": 1}
    return json.dumps({**said, "schemaVersion": version, "data": data}).encode()


def described(version: int, *names: str) -> TableDescription:
    """The table in a version, with these columns of one type."""
    return TableDescription("s", "t", [ColumnDescription(name, "int") for name in names], version=version)


def test_versions_go_back_and_forth() -> None:
    store = TableStore([described(5, "a", "b"), described(3, "a"), described(4, "b")])
    found = simple.decode_batch(
        [row(5, a="1", b="2"), row(3, a="3"), row(4, b="4"), row(4, a="5"), row(5, a="6", b="7")], tables=store
    )
    assert [event.new and dict(event.new) for event in found if isinstance(event, RowChange)] == [
        {"a": 1, "b": 2},
        {"a": 3},
        {"b": 4},
        {"a": 6, "b": 7},
    ]
    assert [(error.message, error.field) for error in found.errors] == [(3, "data/a")]


@pytest.mark.parametrize(("same", "layouts"), [(True, 1), (False, 100)])
def test_rows_of_many_versions_have_a_layout_for_each_that_differs(same: bool, layouts: int) -> None:
    """However often they take turns: 100 versions, three times, in batches and one by one."""
    names = ["a" if same else f"c{version}" for version in range(100)]
    decoder = simple.Decoder(tables=TableStore(described(version, name) for version, name in enumerate(names)))
    rows = [row(version, **{name: str(version)}) for version, name in enumerate(names)] * 3
    for _ in range(2):
        found = decoder.decode(rows)
        assert not found.errors
        assert len(found.layouts) == layouts
        events: list[Any] = list(simple.decode_batch(rows, tables=decoder.tables))
        assert [dict(event.new) for event in events] == [{name: version} for version, name in enumerate(names)] * 3
    for message, name in zip(rows[:100], names, strict=True):
        (layout,) = decoder.decode([message]).layouts
        assert [column.name for column in layout.columns] == [name]


@pytest.mark.parametrize("tables", [{}, [], TableStore, "tables.sql"])
def test_what_is_no_store_is_refused_in_words(tables: Any) -> None:
    for use in (
        lambda: simple.decode(row(5, a="1"), tables=tables),
        lambda: simple.decode_batch([], tables=tables),
        lambda: simple.Decoder(tables=tables),
        lambda: simple.Encoder(tables=tables),
        lambda: simple.encode([], tables=tables),
        lambda: simple.dissect(row(5, a="1"), tables=tables),
    ):
        with pytest.raises(TypeError, match="tables: a TableStore is expected, not "):
            use()
