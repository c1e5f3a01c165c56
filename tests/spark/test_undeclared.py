"""Columns whose types no message carries get those of the declared schema; all messages are constructed here."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import ByteType, DataType, DecimalType, FloatType, LongType
from spark_frames import Frame

from tidewire.reading.kernels.convert import State
from tidewire.reading.undeclared import converter
from tidewire.spark import rows_from_ticdc
from tidewire.spark.arrow_types import arrow_type

SCHEMA = """id BIGINT, price DECIMAL(10,2), ratio DOUBLE, gone BOOLEAN, born DATE, seen TIMESTAMP_NTZ, at TIMESTAMP,
    took INTERVAL DAY TO SECOND, pic BINARY, note STRING"""
ROW = {
    "id": "7",
    "price": "12.50",
    "ratio": "0.1",
    "gone": "0",
    "born": "2020-02-29",
    "seen": "2020-02-29 01:02:03.5",
    "at": "2020-02-29 01:02:03",
    "took": "25:00:00",
    "pic": "\0\u00ff",
    "note": "\u00e9",
}


def message(row: dict[str, Any], **members: Any) -> bytes:
    named = {"database": "shop", "table": "orders", "pkNames": ["id"]}
    return json.dumps({"data": [row], **named, "type": "INSERT", "es": 1, **members}).encode()


def test_the_declared_schema_types_them(frame: Frame) -> None:
    bare = {**ROW, "id": 7, "price": 12.5, "ratio": 0.1, "gone": False}
    values: list[dict[str, Any]] = [ROW, bare, dict.fromkeys(ROW)]
    messages = frame([*map(message, values), message(ROW, mysqlType={"id": "int"})])
    options = {"timezone": "UTC", "mode": "FAILFAST"}
    rows = rows_from_ticdc(messages, "canal-json", "shop.orders", SCHEMA, options).drop("_commit_timestamp").collect()
    wanted = (
        7,
        Decimal("12.50"),
        0.1,
        False,
        date(2020, 2, 29),
        datetime(2020, 2, 29, 1, 2, 3, 500000),
        timedelta(hours=25),
        b"\0\xff",
        "\u00e9",
    )
    for row in (rows[0], rows[1], rows[3]):
        assert (*row[:6], *row[7:10]) == wanted
    assert rows[2][:10] == (None,) * 10


def test_what_does_not_fit_costs_its_value_alone(frame: Frame) -> None:
    messages = frame([message({**ROW, "id": "x", "ratio": "y", "born": "soon"})])
    (row,) = rows_from_ticdc(messages, "canal-json", "shop.orders", SCHEMA, {"timezone": "UTC"}).collect()
    assert (row.id, row.ratio, row.born, row.note) == (None, None, None, "\u00e9")
    for name in ("'id'", "'ratio'", "'born'"):
        assert name in row._corrupt_record.reason


@pytest.mark.parametrize(
    ("kind", "text", "value", "state"),
    [
        (LongType(), "9223372036854775807", 2**63 - 1, State.VALUE),
        (LongType(), "9223372036854775808", None, State.NO_ROOM),
        (ByteType(), "-128", -128, State.VALUE),
        (ByteType(), "128", None, State.NO_ROOM),
        (ByteType(), "true", 1, State.VALUE),
        (ByteType(), "", None, State.NO_TEXT),
        (FloatType(), "1e39", None, State.NO_ROOM),
        (FloatType(), "nan", None, State.NO_TEXT),
        (FloatType(), "-2.5e-1", -0.25, State.VALUE),
        (DecimalType(4, 1), "123.4", Decimal("123.4"), State.VALUE),
        (DecimalType(4, 1), "1234.5", None, State.NO_ROOM),
    ],
)
def test_values(kind: DataType, text: str, value: object, state: State) -> None:
    """Beside a value that fits, and a null."""
    convert = converter(arrow_type(kind), lambda array: pytest.fail("no instant"))
    assert convert is not None
    found, states = convert(pa.array(["1", text, None]))
    assert found.to_pylist() == [found[0].as_py(), value, None]
    assert found[0].as_py() == 1
    if state != State.VALUE:
        assert states is not None
        assert states.to_pylist() == [State.VALUE, state, State.NULL]
