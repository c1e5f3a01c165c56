"""Rows whose messages name no table or no database: an option names it, and unknown parts are reported."""

from __future__ import annotations

import json
import warnings
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from tidewire.runtime.decoding.rows_without_table import UnnamedTableWarning

pytestmark = pytest.mark.codec

ROW = {
    "type": "struct",
    "fields": [
        {"type": "struct", "field": one, "fields": [{"type": "int64", "field": "id"}]} for one in ("before", "after")
    ],
}
NAMES: list[tuple[dict[str, str | None], tuple[str | None, str | None]]] = [
    ({}, ("shop", "orders")),
    ({"database": None, "table": None}, ("shop", "orders")),
    ({"database": "", "table": ""}, ("shop", "orders")),
    ({"database": "shop"}, ("shop", "orders")),
    ({"database": "SHOP"}, ("shop", "orders")),
    ({"table": "orders"}, ("shop", "orders")),
    ({"database": "shop", "table": "orders"}, ("shop", "orders")),
    ({"database": "other"}, ("other", None)),
    ({"table": "other"}, (None, "other")),
    ({"database": "other", "table": "orders"}, ("other", "orders")),
]


def message(protocol: str, names: dict[str, str | None], kind: str = "insert") -> bytes:
    """A row without more than its values, the names, and what tells that it is one."""
    row = {"id": 1}
    if protocol == "canal_json":
        return json.dumps({"data": [{"id": "1"}], "type": kind.upper(), **names}).encode()
    source = {{"database": "db"}.get(name, name): value for name, value in names.items()}
    images: dict[str, Any] = {"before": row, "after": None} if kind == "delete" else {"before": None, "after": row}
    payload = {**images, "op": kind[0] if kind == "delete" else "c", "source": source}
    return json.dumps({"schema": ROW, "payload": payload}).encode()


def read(module: ModuleType, *values: bytes, **options: Any) -> tuple[Any, list[str]]:
    """The events, and what was warned of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        events = list(module.Events(module.Decoder(module.Options(**options)).decode(list(values))))
    return events, [str(one.message) for one in found if one.category is UnnamedTableWarning]


@pytest.fixture(params=["canal_json", "debezium"])
def protocol(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.mark.parametrize(("names", "wanted"), NAMES)
@pytest.mark.parametrize("kind", ["insert", "delete"])
def test_the_option_names_what_the_message_does_not(
    protocol: str, kind: str, names: dict[str, str | None], wanted: tuple[str | None, str | None]
) -> None:
    module = import_module(f"tidewire.{protocol}")
    value = message(protocol, names, kind)
    events, said = read(module, value, value, table="shop.orders")
    assert [(one.kind, one.schema, one.table) for one in events] == [(kind, *wanted)] * 2
    assert len(said) == (None in wanted)
    if said:
        assert "of another table than option table names, shop.orders" in said[0]


@pytest.mark.parametrize(("names", "wanted"), NAMES)
def test_what_stays_unknown_is_said_once(
    protocol: str, names: dict[str, str | None], wanted: tuple[str | None, str | None]
) -> None:
    module = import_module(f"tidewire.{protocol}")
    value = message(protocol, names)
    whole = message(protocol, {"database": "a", "table": "b"})
    events, said = read(module, whole, value, whole, value)
    assert [(one.schema, one.table) for one in events][0::2] == [("a", "b")] * 2
    own = (names.get("database") or None, names.get("table") or None)
    assert [(one.schema, one.table) for one in events][1::2] == [own] * 2
    assert len(said) == (None in own)
    for sentence in said:
        assert 'Options(table="shop.orders")' in sentence
        assert 'options={"table": "shop.orders"}' in sentence
        assert "-o table=shop.orders" in sentence


@pytest.mark.parametrize("names", [{}, {"table": ""}, {"table": None}, {"database": "shop"}])
@pytest.mark.parametrize("table", ["", "other.orders"])
def test_of_a_row_that_is_an_error_the_error_tells_alone(names: dict[str, str | None], table: str) -> None:
    module = import_module("tidewire.debezium")
    if table and "database" not in names:
        names = {**names, "database": "shop"}
    blockless = json.dumps(json.loads(message("debezium", names))["payload"]).encode()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        columns = module.decode_batch([blockless], options=module.Options(table=table))
    assert [one.field for one in columns.errors] == ["source/table"]
    assert [one for one in found if one.category is UnnamedTableWarning] == []


def test_of_a_damaged_row_the_error_tells_alone(protocol: str) -> None:
    module = import_module(f"tidewire.{protocol}")
    damaged = message(protocol, {}).replace(b'"id": 1}', b'"id": tru}').replace(b'"id": "1"', b'"id": tru')
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert len(module.decode_batch([damaged]).errors) == 1
    assert [one for one in found if one.category is UnnamedTableWarning] == []
