"""Records of TiCDC before v6.1, whose schemas lack TiDB's type names, and Avro's logical types of times."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from typing import Any

import fastavro
import pytest

from avro.images import new_of, values_of
from avro.test_schemas import read
from tidewire import avro
from tidewire.messages.registry import MemorySchemas, RegisteredSchema
from tidewire.runtime.errors import DecodeError

pytestmark = pytest.mark.codec

U64 = 2**64 - 1


def number(precision: int, **more: Any) -> dict[str, Any]:
    return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": 0, **more}


def record_of(*kinds: Any) -> dict[str, Any]:
    """As those versions wrote it: named after the table, without a namespace."""
    fields = [{"name": f"c{k}", "type": ["null", kind], "default": None} for k, kind in enumerate(kinds)]
    return {"type": "record", "name": "orders", "fields": fields}


def logical(type: str, name: str) -> dict[str, str]:
    return {"type": type, "logicalType": name}


def unscaled(number: int) -> bytes:
    """A number in two's complement, as short as it is."""
    return number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True)


def sent(schema: Any, plain: Any, values: dict[str, Any]) -> tuple[bytes, MemorySchemas]:
    """A message and its registry.

    Args:
        schema: what is registered.
        plain: the same without logical types, by which it is written.
        values: of the row.
    """
    out = io.BytesIO()
    fastavro.schemaless_writer(out, plain, values)
    return b"\0\0\0\0\1" + out.getvalue(), MemorySchemas([RegisteredSchema(1, "s", 1, json.dumps(schema))])


def read_as(schema: Any, plain: Any, values: dict[str, Any]) -> Any:
    message, schemas = sent(schema, plain, values)
    (event,) = avro.decode(message, schemas=schemas)
    return event


def raw(kind: Any, value: bytes) -> Any:
    """What comes of a value by its bytes."""
    schemas = MemorySchemas([RegisteredSchema(1, "s", 1, json.dumps(record_of(kind)))])
    (event,) = avro.decode(b"\0\0\0\0\1\2" + value, schemas=schemas)
    return values_of(event)["c0"]


@pytest.mark.parametrize("precision", [8, 64])
@pytest.mark.parametrize("value", [0, 1, 127, 128, 99_999_999, 100_000_000, 2**63, U64, None])
def test_decimals_stand_for_numbers_without_a_sign(precision: int, value: int | None) -> None:
    schema = record_of(number(precision))
    event = read_as(schema, record_of("bytes"), {"c0": None if value is None else unscaled(value)})
    assert values_of(event) == {"c0": value}
    assert new_of(event).columns[0].mysql_type == "bigint unsigned"


@pytest.mark.parametrize(
    "kind",
    [
        number(9),
        {**number(8), "scale": 2},
        number(8, **{"connect.name": "org.apache.kafka.connect.data.Decimal"}),
        number(64, **{"connect.parameters": {"tidb_type": "DECIMAL"}}),
    ],
)
def test_other_decimals_are_decimals(kind: dict[str, Any]) -> None:
    event = read(record_of(kind), {"c0": Decimal("-5")})
    assert Decimal(values_of(event)["c0"]) == -5
    assert str(new_of(event).columns[0].mysql_type).startswith("decimal(")


@pytest.mark.parametrize("value", [b"\2\x80", b"\x12\1" + bytes(8), b"\x14\0\1" + bytes(8), b"\4\xff\xff"])
def test_what_is_no_number_without_a_sign_is_refused(value: bytes) -> None:
    with pytest.raises(DecodeError, match="no number without a sign of 64 bits"):
        raw(number(8), value)


def test_zeros_before_a_number_do_not_matter() -> None:
    assert raw(number(8), b"\0") == 0
    assert raw(number(8), b"\x16" + bytes(10) + b"\7") == 7
    assert raw(number(8), b"\x12\0" + b"\xff" * 8) == U64


@pytest.mark.parametrize(
    ("kind", "number", "text", "type"),
    [
        (logical("long", "timestamp-millis"), 1_577_923_200_000, "2020-01-02 00:00:00", "datetime"),
        (logical("long", "timestamp-millis"), 1_577_923_200_120, "2020-01-02 00:00:00.12", "datetime"),
        (logical("long", "timestamp-millis"), -1, "1969-12-31 23:59:59.999", "datetime"),
        (logical("long", "timestamp-millis"), -62_135_596_800_000, "0001-01-01 00:00:00", "datetime"),
        (logical("long", "timestamp-micros"), 1_577_923_200_000_001, "2020-01-02 00:00:00.000001", "datetime(6)"),
        (logical("long", "local-timestamp-millis"), 1_577_923_200_000, "2020-01-02 00:00:00", "datetime"),
        (logical("long", "local-timestamp-micros"), -1, "1969-12-31 23:59:59.999999", "datetime(6)"),
        (logical("int", "time-millis"), 3_600_123, "01:00:00.123", "time"),
        (logical("int", "time-millis"), -3_600_000, "-01:00:00", "time"),
        (logical("long", "time-micros"), 3_020_399_000_000, "838:59:59", "time"),
        (logical("int", "date"), 18_263, "2020-01-02", "date"),
        (logical("int", "date"), -1, "1969-12-31", "date"),
    ],
)
def test_dates_and_times_that_are_numbers(kind: dict[str, str], number: int, text: str, type: str) -> None:
    message, schemas = sent(record_of(kind), record_of(kind["type"]), {"c0": number})
    (event,) = avro.decode(message, schemas=schemas)
    assert values_of(event) == {"c0": text}
    assert new_of(event).columns[0].mysql_type == type
    columns = avro.Decoder(schemas=schemas).decode([message] * 40)
    assert (columns.num_events, columns.errors) == (40, [])
    (span,) = [one for one in avro.dissect(message, schemas=schemas) if one.path.endswith("c0")]
    assert number in (span.value, str(span.value)) or text in str(span)


def test_a_date_that_no_calendar_has_is_refused() -> None:
    with pytest.raises(DecodeError, match="c0"):
        raw(logical("long", "timestamp-millis"), b"\xfe" + b"\xff" * 8 + b"\1")


def test_a_row_of_version_5() -> None:
    kinds: list[Any] = [logical("long", "timestamp-millis"), logical("int", "time-millis"), number(8)]
    kinds += ["string", "long", "bytes"]
    values = {"c0": None, "c1": None, "c2": unscaled(U64), "c3": "1.50", "c4": 2020, "c5": b"\xff"}
    event = read_as(record_of(*kinds), record_of("long", "int", "bytes", "string", "long", "bytes"), values)
    assert (event.schema, event.table) == (None, "orders")
    assert values_of(event) == {**values, "c2": U64}
    assert event.types_from == "record"
