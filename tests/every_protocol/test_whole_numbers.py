"""Integers of every length, in texts and as JSON numbers, which are read eight digits at a time."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from debezium.blocks import ID, KEY, field, message

from tidewire import debezium
from tidewire.events import Column, RowChange
from tidewire.mysql import ColumnFlag, ColumnType

pytestmark = pytest.mark.codec

COLUMNS = [
    Column("id", ColumnType.BIGINT, ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY, "bigint"),
    Column("u", ColumnType.BIGINT, ColumnFlag.UNSIGNED, "bigint unsigned"),
]
UNSIGNED = sorted({n for k in range(20) for n in (10**k - 1, 10**k, 10**k + 1, 12345678901234567890 // 10**k)})
LARGEST = [2**63 - 1, 2**63, 2**64 - 1]


def signed(value: int) -> int:
    """A number of 64 bits with a sign that has as many digits, where there is one."""
    return value if value < 2**63 else 2**63 - value


@pytest.mark.parametrize("protocol", ["canal-json", "open-protocol", "debezium"])
def test_numbers_of_every_length(protocol: str) -> None:
    codec: Any = importlib.import_module("tidewire." + protocol.replace("-", "_"))
    rows = [
        {"id": sign * signed(value), "u": value} for value in [*UNSIGNED, *LARGEST] if value < 2**64 for sign in (1, -1)
    ]
    events = [RowChange("insert", 1 << 40, "s", "t", new=row, columns=COLUMNS, sent_ms=5) for row in rows]
    given: dict[str, Any] = {"enable_tidb_extension": True} if protocol in ("canal-json", "debezium") else {}
    options = codec.Options(**given)
    sent = codec.encode(events, options)
    found = codec.decode_batch([one.value for one in sent], [one.key for one in sent], options)
    assert not found.errors
    assert [dict(event.new) for event in found if isinstance(event, RowChange) and event.new] == rows


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("-0", 0), ("7", 7), ("-12345678", -12345678), ("123456789012345678", 123456789012345678)],
)
def test_numbers_as_json_writes_them(text: str, value: int) -> None:
    found = debezium.decode_batch([message('{"id":1,"v":%s}' % text, [ID, field("int64")])], [KEY])  # noqa: UP031
    assert [dict(event.new or {}) for event in found if isinstance(event, RowChange)] == [{"id": 1, "v": value}]


@pytest.mark.parametrize(
    "text",
    [
        "007",
        "-",
        "-07",
        "+1",
        "--1",
        "1.5",
        "1e2",
        "12345678.",
        "123456789012345678x",
        "9223372036854775808",
        "0x1",
        "",
    ],
)
def test_what_is_no_whole_number(text: str) -> None:
    found = debezium.decode_batch([message('{"id":1,"v":%s}' % text, [ID, field("int64")])], [KEY])  # noqa: UP031
    assert len(found.errors) == 1
    assert not list(found)
