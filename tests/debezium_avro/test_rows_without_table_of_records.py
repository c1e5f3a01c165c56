"""Envelopes whose source names no table, or without a source: an option names it, and unknown parts are reported."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import pytest

from tidewire import debezium_avro
from tidewire.events import Events, RowChange
from tidewire.runtime.decoding.rows_without_table import UnnamedTableWarning
from tidewire.tables import TableStore

from .envelopes import known
from .recordings import framed
from .test_unknown_types_of_records import envelope

pytestmark = pytest.mark.codec

WHOLE = envelope(["null", "string"])
SOURCE: dict[str, Any] = {"version": "3", "ts_ms": 5, "snapshot": "false", "server_id": 1, "more": {}}


def without(*names: str) -> dict[str, Any]:
    """The schema, whose source lacks these; the source itself is called so."""
    found = copy.deepcopy(WHOLE)
    if "source" in names:
        found["fields"] = [one for one in found["fields"] if one["name"] != "source"]
        return found
    (source,) = [one["type"] for one in found["fields"] if one["name"] == "source"]
    source["fields"] = [one for one in source["fields"] if one["name"] not in names]
    return found


ROWS = [
    (without("table"), {"db": "shop"}, ("shop", "orders"), ("shop", None)),
    (without("table", "db"), {}, ("shop", "orders"), (None, None)),
    (without("source"), {}, ("shop", "orders"), (None, None)),
    (WHOLE, {"db": "shop", "table": None}, ("shop", "orders"), ("shop", None)),
    (WHOLE, {"db": "", "table": ""}, ("shop", "orders"), (None, None)),
    (without("db"), {"table": "orders"}, ("shop", "orders"), (None, "orders")),
    (WHOLE, {"db": "other", "table": None}, ("other", None), ("other", None)),
]


def message(schema: dict[str, Any], names: dict[str, Any], v: str = "x") -> bytes:
    row = {"id": 1, "v": v}
    return framed(1, schema, {"before": None, "after": row, "source": {**SOURCE, **names}, "op": "c", "ts_ms": 1})


def read(schema: dict[str, Any], *values: bytes, store: TableStore | None = None, **options: Any) -> Any:
    """The events, and what was warned of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        decoder = debezium_avro.Decoder(debezium_avro.Options(**options), schemas=known(schema), tables=store)
        events = list(Events(decoder.decode(list(values))))
        events += list(Events(decoder.decode(list(values))))
    return events, [str(one.message) for one in found if one.category is UnnamedTableWarning]


@pytest.mark.parametrize(("schema", "names", "wanted", "_own"), ROWS)
def test_the_option_names_what_the_message_does_not(
    schema: dict[str, Any], names: dict[str, Any], wanted: tuple[str | None, str | None], _own: object
) -> None:
    value = message(schema, names)
    events, said = read(schema, value, value, table="shop.orders")
    assert [(one.schema, one.table, one.new) for one in events] == [(*wanted, {"id": 1, "v": "x"})] * 4
    assert len(said) == (None in wanted)
    if said:
        assert "of another table than option table names, shop.orders" in said[0]


@pytest.mark.parametrize(("schema", "names", "_wanted", "own"), ROWS)
def test_what_stays_unknown_is_said_once(
    schema: dict[str, Any], names: dict[str, Any], _wanted: object, own: tuple[str | None, str | None]
) -> None:
    value = message(schema, names)
    events, said = read(schema, value, value)
    assert [(one.schema, one.table, one.new) for one in events] == [(*own, {"id": 1, "v": "x"})] * 4
    assert len(said) == 1
    assert 'options={"table": "shop.orders"}' in said[0]


def test_the_table_of_the_option_is_read_by_its_description() -> None:
    store = TableStore()
    store.add_sql("create table shop.orders (id int primary key, v varchar(7))", version=1)
    schema = without("source")
    (event, _), said = read(schema, message(schema, {}), store=store, table="shop.orders")
    assert isinstance(event, RowChange)
    assert (event.types_from, event.columns[1].mysql_type) == ("described", "varchar(7)")
    assert said == []


def test_rows_that_name_their_table_are_not_warned_of() -> None:
    events, said = read(WHOLE, message(WHOLE, {"db": "d", "table": "t"}), table="shop.orders")
    assert [(one.schema, one.table) for one in events] == [("d", "t")] * 2
    assert said == []


def test_of_a_damaged_row_the_error_tells_alone() -> None:
    schema = without("source")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(debezium_avro.decode_batch([message(schema, {})[:-1]], schemas=known(schema)).errors) == 1
