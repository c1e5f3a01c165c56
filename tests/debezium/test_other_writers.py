"""Debezium's envelope by other programs, with fewer members than connectors write."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tidewire import debezium
from tidewire.debezium import Options
from tidewire.runtime.errors import DecodeError, MissingTableError
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

pytestmark = pytest.mark.codec

ID = {"type": "int32", "optional": False, "field": "id"}
NAME = {"type": "string", "optional": True, "field": "name"}
IMAGES = [
    {"type": "struct", "optional": True, "field": one, "fields": [ID, NAME]} for one in ("before", "after")
]  # fmt: skip
BLOCK = {"type": "struct", "optional": False, "fields": [*IMAGES, {"type": "string", "optional": False, "field": "op"}]}
NEW: dict[str, Any] = {"before": None, "after": {"id": 1, "name": "ann"}, "op": "c"}
OLD: dict[str, Any] = {"before": {"id": 1, "name": "ann"}, "after": None, "op": "d"}
SHOP = Options(table="shop.orders")


def text(value: Any) -> bytes:
    return json.dumps(value).encode()


def store(schema: str = "shop", table: str = "orders") -> TableStore:
    columns = [ColumnDescription("id", "int"), ColumnDescription("name", "varchar", length=20)]
    return TableStore([TableDescription(schema, table, columns, [IndexDescription("primary", ("id",), True, True)])])


def read(value: Any, options: Options | None = None, tables: TableStore | None = None, key: bytes | None = None) -> Any:
    (event,) = debezium.decode(text(value), key, options, tables=tables)
    return event


@pytest.mark.parametrize("more", [{}, {"ts_ms": None}, {"ts_ms": None, "source": None, "transaction": None}])
def test_rows_of_flink_have_types_by_a_description_and_the_table_that_an_option_names(more: Any) -> None:
    event = read(NEW | more, SHOP, store())
    assert (event.kind, event.schema, event.table, event.sent_ms) == ("insert", "shop", "orders", None)
    assert (event.commit_ts, event.commit_ms, event.types_from) == (None, None, "described")
    assert event.new == {"id": 1, "name": "ann"}
    gone = read(OLD | more, SHOP, store())
    assert (gone.kind, gone.new, gone.old) == ("delete", None, {"id": 1, "name": "ann"})


def test_a_row_that_tells_neither_is_an_error_that_says_what_to_give() -> None:
    (error,) = debezium.decode_batch([text(NEW)], [None]).errors
    assert (error.field, error.code) == ("source/table", "missing")
    assert "no schema block says what the columns are. Option table names the table of such rows" in error.detail
    assert "the types of its columns are those of its description" in error.detail
    with pytest.raises(MissingTableError, match=r"`shop`\.`orders` is not described"):
        read(NEW, SHOP)


def test_a_column_that_the_description_lacks_is_an_error_about_the_description() -> None:
    with pytest.raises(DecodeError, match="after/more: the description of the table has no column `more`: give"):
        read(NEW | {"after": {"id": 1, "more": 2}}, SHOP, store())


@pytest.mark.parametrize("wrapped", [{}, {"ts_ms": None}, {"source": None}, {"source": {}}, {"source": {"db": "shop"}}])
def test_a_block_says_the_types_whatever_the_table_is_called(wrapped: Any) -> None:
    for value in ({"schema": BLOCK, "payload": NEW | wrapped}, {"payload": NEW | wrapped, "schema": BLOCK}):
        event = read(value)
        assert (event.table, event.new, event.types_from) == (None, {"id": 1, "name": "ann"}, "connect")
        named = read(value, SHOP)
        assert (named.schema, named.table) == ("shop", "orders")


@pytest.mark.parametrize(
    ("source", "named"),
    [
        (None, ("shop", "orders")),
        ({}, ("shop", "orders")),
        ({"db": "", "table": ""}, ("shop", "orders")),
        ({"table": "orders"}, ("shop", "orders")),
        ({"db": "shop"}, ("shop", "orders")),
        ({"db": "shop", "table": "orders"}, ("shop", "orders")),
        ({"db": "shop", "table": "other"}, ("shop", "other")),
        ({"db": "other", "table": "orders"}, ("other", "orders")),
        ({"table": "other"}, (None, "other")),
        ({"db": "other"}, ("other", None)),
    ],
)
def test_the_option_names_the_table_where_the_message_does_not(source: Any, named: tuple[str, str]) -> None:
    payload = NEW | {"source": source, "ts_ms": 5}
    event = read({"schema": BLOCK, "payload": payload}, SHOP)
    assert (event.schema, event.table) == named
    values = [text({"schema": BLOCK, "payload": NEW | {"source": one}}) for one in (None, source, {"db": "a"}, source)]
    found: Any = debezium.decode_batch(values, [None] * 4, options=SHOP)
    assert [(one.schema, one.table) for one in found][1::2] == [named] * 2


def test_the_option_says_nothing_of_what_is_no_row() -> None:
    mark, statement = (
        {"source": {"commit_ts": 5}, "op": "m", "ts_ms": 1},
        {"source": {}, "ddl": "create database d", "databaseName": "d"},
    )
    for value in (mark, statement):
        event = read(value, SHOP)
        assert getattr(event, "table", None) is None


def test_rows_of_seatunnel_and_risingwave() -> None:
    source = {"db": "shop", "table": "orders", "ts_ms": 1700000000000}
    event = read(NEW | {"source": source, "ts_ms": 1700000000123}, None, store())
    assert (event.commit_ms, event.sent_ms, event.new["name"]) == (1700000000000, 1700000000123, "ann")
    value = {"payload": {**NEW, "op": "r", "source": source, "ts_ms": 1}, "schema": BLOCK}
    event = read(value, key=text({"payload": {"id": 1}, "schema": {"type": "struct", "fields": [ID]}}))
    assert (event.kind, event.schema, event.table) == ("insert", "shop", "orders")


def test_all_kinds_of_messages_beside_one_another() -> None:
    """What becomes of a message does not depend on those around it."""
    values = [
        text(NEW),
        text({"schema": BLOCK, "payload": NEW}),
        text({**NEW, "source": {"db": "shop", "table": "orders", "commit_ts": 9}, "ts_ms": 4}),
        text(OLD),
        text({"schema": BLOCK, "payload": {**OLD, "source": {"db": "a", "table": "b"}, "ts_ms": 7}}),
    ]
    alone: list[Any] = [debezium.decode(one, None, SHOP, tables=store())[0] for one in values]
    for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 2, 0, 0, 4, 1, 4]):
        given = [values[k] for k in order]
        found: Any = debezium.decode_batch(given, [None] * len(order), options=SHOP, tables=store())
        assert [str(one) for one in found] == [str(alone[k]) for k in order]
        assert [one.sent_ms for one in found] == [alone[k].sent_ms for k in order]


def test_names_with_dots_stand_in_backquotes() -> None:
    event = read({"schema": BLOCK, "payload": NEW}, Options(table="`a.b`.`c``d`"))
    assert (event.schema, event.table) == ("a.b", "c`d")
