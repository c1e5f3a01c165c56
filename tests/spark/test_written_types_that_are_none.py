"""Events with invalid declared types in frames: each fails by itself, as the mode says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame

from tidewire.runtime.errors import TidewireError
from tidewire.spark import from_ticdc, rows_from_ticdc, table_schema, to_ticdc

Frame = Callable[..., DataFrame]
TS = 470607536966860800


def canal(number: int, declared: str) -> bytes:
    said: dict[str, Any] = {
        "id": 0,
        "database": "shop",
        "table": "orders",
        "pkNames": ["id"],
        "isDdl": False,
        "type": "INSERT",
        "es": 1,
        "ts": 1,
        "sql": "",
        "sqlType": {"id": -5, "c": 12},
        "mysqlType": {"id": "bigint", "c": declared},
        "old": None,
        "data": [{"id": str(number), "c": "x"}],
        "_tidb": {"commitTs": TS + number},
    }
    return json.dumps(said).encode()


@pytest.mark.parametrize("declared", ["zzz", "int(", "enum(a,b)", "varchar(99999999999999999999)"])
def test_a_type_that_is_none_costs_its_event(frame: Frame, declared: str) -> None:
    sent = [canal(1, "varchar(10)"), canal(2, declared), canal(3, "varchar(10)")]
    events = from_ticdc(frame(sent).coalesce(1), "canal-json", {"enable-tidb-extension": "true"})
    events = events.sortWithinPartitions("_commit_version")
    rows = to_ticdc(events, "debezium", {"mode": "PERMISSIVE"}).collect()
    assert [row.value is not None for row in rows].count(True) == 2
    (bad,) = [row for row in rows if row.value is None]
    assert "column 'c'" in bad._corrupt_record.reason
    assert to_ticdc(events, "debezium", {"mode": "DROPMALFORMED"}).count() == 2
    with pytest.raises(PythonException, match="column 'c'"):
        to_ticdc(events, "debezium").collect()


WRONG: list[Any] = [
    None,
    5,
    "",
    "x",
    "\0",
    "\ud800",
    b"x",
    [],
    {},
    {"mode": 5},
    {"x\0": "y"},
    {5: 6},
    object(),
    "n" * 5000,
]


@pytest.mark.parametrize("function", [from_ticdc, to_ticdc, rows_from_ticdc, table_schema])
def test_functions_are_given_what_they_cannot_take(frame: Frame, function: Callable[..., Any]) -> None:
    messages = frame([canal(1, "int")])
    own: tuple[Any, ...] = ("shop.orders",) if function in (rows_from_ticdc, table_schema) else ()
    found = []
    for wrong in WRONG:
        calls: list[Callable[[], Any]] = [
            lambda wrong=wrong: function(messages, wrong, *own),  # type: ignore[misc]
            lambda wrong=wrong: function(wrong, "canal-json", *own),  # type: ignore[misc]
            lambda wrong=wrong: function(messages, "canal-json", *own, options=wrong),  # type: ignore[misc]
        ]
        if own:
            calls.append(lambda wrong=wrong: function(messages, "canal-json", wrong))  # type: ignore[misc]
        for at, call in enumerate(calls):
            try:
                call()
            except TidewireError as error:
                if not str(error).isprintable():
                    found.append(f"{at}: {error!r}")
            except Exception as error:
                found.append(f"{at} {type(wrong).__name__}: {type(error).__name__}: {str(error)[:150]}")
    assert found == []
