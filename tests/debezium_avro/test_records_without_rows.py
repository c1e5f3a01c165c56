"""Records without a row: skipped if nothing in them can be a row, otherwise an error."""

from __future__ import annotations

from typing import Any

import pytest

from tidewire import debezium_avro
from tidewire.runtime.errors import DecodeError

from .envelopes import ENVELOPE, known, record
from .recordings import framed


def of(name: str, /, **types: Any) -> dict[str, Any]:
    fields = [{"name": field, "type": ["null", type], "default": None} for field, type in types.items()]
    return {"type": "record", "name": name, "fields": fields}


def called(schema: Any, name: str) -> Any:
    """The same with a namespace of its own, as Confluent's converter writes it."""
    space, _, last = name.rpartition(".")
    return {**schema, "namespace": space, "name": last, "connect.name": name}


COUNT = of("Count", data_collection="string", event_count="long")
TIMES = {"ts_ms": "long", "ts_us": "long", "ts_ns": "long"}
COMMON = "io.debezium.connector.common"
HEARTBEAT = of(f"{COMMON}.Heartbeat", **TIMES)
TRANSACTION = of(
    f"{COMMON}.TransactionMetadataValue", status="string", id="string", event_count="long",
    data_collections={"type": "array", "items": COUNT}, ts_ms="long",
)  # fmt: skip


def outcome(schema: Any, found: dict[str, Any]) -> tuple[int, list[DecodeError]]:
    """How many events a message has, and what is wrong with it, whatever is around it."""
    value = framed(1, schema, found)
    columns = debezium_avro.Decoder(schemas=known(schema)).decode([value])
    again = debezium_avro.Decoder(schemas=known(schema)).decode([value, None, value], [None, None, None])
    assert again.num_events == 2 * columns.num_events
    assert [str(one) for one in again.errors] == [str(one) for one in columns.errors] * 2
    return columns.num_events, columns.errors


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        (HEARTBEAT, {"ts_ms": 5}),
        (HEARTBEAT, {"ts_ms": 5, "ts_us": 6, "ts_ns": 7}),
        (called(HEARTBEAT, f"{COMMON}.Heartbeat"), {"ts_ms": 5}),
        (TRANSACTION, {"status": "BEGIN", "id": "x", "ts_ms": 5}),
        (called(TRANSACTION, f"{COMMON}.TransactionMetadataValue"), {"status": "BEGIN", "id": "x", "ts_ms": 5}),
        (TRANSACTION, {"status": "END", "id": "x", "data_collections": [{"data_collection": "a", "event_count": 1}]}),
    ],
)
def test_heartbeats_and_transactions_have_no_events(schema: Any, found: dict[str, Any]) -> None:
    assert outcome(schema, found) == (0, [])


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        (of("Value", id="int", ts_ms="long", name="string"), {"id": 5, "ts_ms": 1700000000000, "name": "q"}),
        (of("Value", id="int", name="string"), {"id": 5, "name": "q"}),
        (of("Value", ts_ms="long", name="string"), {"ts_ms": 5}),
        (of("Value", **TIMES, status="string"), {"ts_ms": 5, "status": "paid"}),
        (of("Value", id="int", status="string", ts_ms="long"), {"id": 5, "status": "END", "ts_ms": 5}),
        (HEARTBEAT, {}),
        (of("s.t.Value", **TIMES), {"ts_ms": 5}),
        (of("s.t.Value", ts_ms="long"), {"ts_ms": 5}),
        (of("Heartbeat", ts_ms="long"), {"ts_ms": 5}),
        (called(HEARTBEAT, "s.t.Value"), {"ts_ms": 5}),
        (of("s.t.Value", status="string", id="string", ts_ms="long"), {"status": "END", "id": "7", "ts_ms": 5}),
        (of(f"{COMMON}.TransactionMetadataValue", status="string", id="string"), {"status": "END", "id": "7"}),
        (called(TRANSACTION, f"{COMMON}.Heartbeat"), {"status": "END", "id": "7"}),
    ],
)
def test_a_row_without_its_envelope_is_an_error_that_says_so(schema: Any, found: dict[str, Any]) -> None:
    events, errors = outcome(schema, found)
    assert events == 0
    assert "this seems to be a row without its envelope" in errors[0].detail


@pytest.mark.parametrize(("op", "image"), [("c", "before"), ("r", "before"), ("d", "after")])
def test_no_row_is_lost_beside_another(op: str, image: str) -> None:
    row = record()["after"]
    events, errors = outcome(ENVELOPE, record(op=op, before=row, after=row))
    assert events == 0
    assert errors[0].code == "rows"
    assert outcome(ENVELOPE, record(op=op, **{"before": row, "after": row, image: None}))[0] == 1


@pytest.mark.parametrize(("statement", "field"), [("drop table t", "ddl"), ("", None), (None, None)])
def test_a_row_with_a_statement_is_an_error(statement: str | None, field: str | None) -> None:
    said = {"name": "ddl", "type": ["null", "string"], "default": None}
    schema: Any = {**ENVELOPE, "fields": [*ENVELOPE["fields"], said]}
    events, errors = outcome(schema, record() | {"ddl": statement})
    assert events == (field is None)
    assert [one.field for one in errors] == ([] if field is None else [field])
    assert all("the statement would be lost" in one.detail for one in errors)
