"""Messages without events are checked: one that contains, or may contain, a row is an error rather than skipped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tidewire import canal_json, debezium, open_protocol, simple
from tidewire.runtime.errors import DecodeError

SOURCE = {"db": "shop", "table": "t", "commit_ts": 470607536966860800, "ts_ms": 1}
ROW = {"id": 1}
HEARTBEAT: dict[str, Any] = {"ts_ms": 1700000000000, "ts_us": 1700000000000000, "ts_ns": None}
COUNTS = [{"data_collection": "shop.t", "event_count": 2}, {"data_collection": None, "event_count": None}]
TRANSACTION: dict[str, Any] = {"status": "END", "id": "7", "event_count": 2, "data_collections": COUNTS, "ts_ms": 5}


def refusal(module: Any, value: Mapping[str, Any], *more: bytes) -> DecodeError | None:
    """The error of a message; None where it has none, and no event either."""
    text = json.dumps(value).encode()
    found = module.Decoder().decode([text], *([one] for one in more))
    assert found.num_events == 0
    # alone it becomes what it becomes in a batch, whatever is around it
    again = module.Decoder().decode([text, b"x", text], *([one] * 3 for one in more))
    assert [str(one) for one in again.errors if one.message != 1] == [str(one) for one in found.errors] * 2
    return found.errors[0] if found.errors else None


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize(
    "value",
    [
        {"ts_ms": 1},
        HEARTBEAT,
        TRANSACTION,
        TRANSACTION | {"status": "BEGIN", "event_count": None, "data_collections": None},
        {name: one for name, one in TRANSACTION.items() if name != "ts_ms"},
        TRANSACTION | {"ts_us": 1, "ts_ns": 1},
    ],
)
def test_heartbeats_and_transactions_have_no_events(value: Mapping[str, Any], wrapped: bool) -> None:
    assert refusal(debezium, {"payload": value} if wrapped else value) is None


FLAT = [
    {"id": 5, "ts_ms": 1700000000000, "name": "q"},
    {"id": 5, "name": "q"},
    {"ts_ms": 1, "name": None},
    {"ts_ms": None},
    {"ts_us": 1},
    {},
    HEARTBEAT | {"id": 1},
    HEARTBEAT | {"source": None},
    TRANSACTION | {"status": "paid"},
    TRANSACTION | {"status": None},
    TRANSACTION | {"id": 5},
    TRANSACTION | {"amount": 3},
    TRANSACTION | {"data_collections": [ROW]},
    TRANSACTION | {"data_collections": [[ROW]]},
    TRANSACTION | {"data_collections": {"data_collection": "shop.t"}},
    TRANSACTION | {"event_count": ROW},
    {"status": "END", "id": "7"},
    {"status": "BEGIN", "id": "7", "ts_ms": 5, "event_count": None},
    {"status": "END", "id": "7", "data_collections": COUNTS},
]


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("value", FLAT)
def test_a_row_without_its_envelope_is_an_error_that_says_so(value: Mapping[str, Any], wrapped: bool) -> None:
    error = refusal(debezium, {"payload": value, "schema": None} if wrapped else value)
    assert error is not None
    assert (error.code, error.field, error.part) == ("missing", "op", "value")
    assert "this seems to be a row without its envelope. Send it with its envelope" in error.detail
    assert "that are skipped have only `ts_ms`, `ts_us`, `ts_ns`, or only `status`, `id`" in error.detail


HEARTBEAT_NAME = "io.debezium.connector.common.Heartbeat"
TRANSACTION_NAME = "io.debezium.connector.common.TransactionMetadataValue"


def with_block(value: Mapping[str, Any], name: Any, *more: str, first: bool = True) -> dict[str, Any]:
    fields = [{"type": "string", "optional": True, "field": one} for one in (*value, *more)]
    block = {"type": "struct", "optional": False, "name": name, "version": 1, "fields": fields}
    found = {"schema": block, "payload": value}
    return found if first else dict(reversed(found.items()))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("value", [HEARTBEAT, TRANSACTION])
def test_a_schema_that_is_beside_them_has_their_name(value: Mapping[str, Any], first: bool) -> None:
    own, other = (HEARTBEAT_NAME, TRANSACTION_NAME)[:: 1 if value is HEARTBEAT else -1]
    for one in (own, None, ""):
        assert refusal(debezium, with_block(value, one, first=first)) is None
    others: list[Any] = ["srv.shop.t.Value", "Heartbeat", own.upper(), other, 5, [own], "x" * 5000]
    for name in others:
        error = refusal(debezium, with_block(value, name, first=first))
        assert error is not None
        assert (error.code, error.field) == ("missing", "op")
        assert "this seems to be a row without its envelope" in error.detail
        assert len(error.detail) < 900
    error = refusal(debezium, with_block(value, "srv.shop.t.Value"))
    assert error is not None
    assert f"their schema is `{HEARTBEAT_NAME}` or `{TRANSACTION_NAME}`" in error.detail
    assert "where this one's is 'srv.shop.t.Value'" in error.detail


@pytest.mark.parametrize("name", [HEARTBEAT_NAME, None])
def test_a_schema_that_is_beside_them_has_no_other_fields(name: str | None) -> None:
    """A writer can leave out what is null."""
    assert refusal(debezium, with_block({"ts_ms": 5}, name, "ts_us", "ts_ns")) is None
    for more in ("name", "id", "before", "after"):
        error = refusal(debezium, with_block({"ts_ms": 5}, name, "ts_us", more))
        assert error is not None
        assert "this seems to be a row without its envelope" in error.detail


@pytest.mark.parametrize("first", [True, False])
def test_what_a_message_without_events_is_does_not_depend_on_those_around(first: bool) -> None:
    right = with_block(HEARTBEAT, HEARTBEAT_NAME, first=first)
    wrong = with_block(HEARTBEAT, "srv.shop.t.Value", first=first)
    bare = {"payload": HEARTBEAT}
    texts = [json.dumps(one, separators=(",", ":")).encode() for one in (right, wrong, bare, wrong, HEARTBEAT, wrong)]
    found = debezium.Decoder().decode(texts)
    assert (found.num_events, [one.message for one in found.errors]) == (0, [1, 3, 5])


@pytest.mark.parametrize("image", ["before", "after"])
def test_an_envelope_that_does_not_say_what_happened_is_an_error(image: str) -> None:
    for value in ({image: ROW, "ts_ms": 1}, {image: ROW, "source": SOURCE, "ts_ms": 1, "op": None}, {image: None}):
        error = refusal(debezium, value)
        assert error is not None
        assert f"it is missing, so that nobody knows what happened to the row in `{image}`" in error.detail


def test_numbers_of_any_length_are_no_trouble() -> None:
    long = int("7" * 4000)
    assert refusal(debezium, {"ts_ms": 1, "ts_us": long, "ts_ns": -long}) is None


@pytest.mark.parametrize("image", ["before", "after"])
@pytest.mark.parametrize("said", [{"op": "m"}, {"op": "t"}, {"ddl": "truncate table t"}])
def test_debezium_loses_no_row_in_what_is_no_row(said: Mapping[str, Any], image: str) -> None:
    value = {"source": SOURCE, "ts_ms": 1, **said}
    nothings: list[Any] = [None, {}, []]
    for nothing in nothings:
        assert debezium.Decoder().decode([json.dumps(value | {image: nothing}).encode()]).num_events == 1
    for filled in (ROW, [ROW], 1, "x"):
        error = refusal(debezium, value | {image: filled})
        assert error is not None
        assert (error.code, error.field) == ("rows", image)


@pytest.mark.parametrize(("op", "image"), [("c", "before"), ("r", "before"), ("d", "after")])
def test_debezium_loses_no_row_beside_another(op: str, image: str) -> None:
    block = {"type": "struct", "field": image, "fields": [{"type": "int32", "field": "id", "optional": False}]}
    both = {"before": ROW, "after": ROW, "op": op, "source": SOURCE, "ts_ms": 1}
    schema = {"type": "struct", "fields": [block | {"field": "before"}, block | {"field": "after"}]}
    error = refusal(debezium, {"schema": schema, "payload": both})
    assert error is not None
    assert (error.code, error.field) == ("rows", image)
    right = json.dumps({"schema": schema, "payload": both | {image: None}}).encode()
    assert debezium.Decoder().decode([right]).num_events == 1


def test_a_watermark_says_its_time() -> None:
    """Else it is a message of another kind: connectors write those of applications with the same letter."""
    said = {"op": "m", "source": {"ts_ms": 5}, "ts_ms": 1, "message": {"prefix": "p", "content": "YQ=="}}
    error = refusal(debezium, said)
    assert error is not None
    assert (error.code, error.field) == ("missing", "source/commit_ts")


CANAL: dict[str, Any] = {
    "id": 4,
    "database": "shop",
    "table": "t",
    "pkNames": ["id"],
    "isDdl": False,
    "es": 1700000000000,
    "ts": 1700000000456,
    "sql": "",
    "sqlType": {"id": 4},
    "mysqlType": {"id": "int"},
    "data": None,
    "old": None,
    "gtid": "",
}
SKIPPED = ("GTID", "XACOMMIT", "XAROLLBACK", "MHEARTBEAT", "QUERY")


STATED = {"XACOMMIT": "XA COMMIT 'a',''", "XAROLLBACK": "XA ROLLBACK 'a',''", "QUERY": "INSERT INTO t VALUES (1)"}


@pytest.mark.parametrize("type", SKIPPED)
@pytest.mark.filterwarnings("ignore::tidewire.runtime.json.skipped.SkippedStatementWarning")
def test_canal_skips_what_says_nothing_of_rows(type: str) -> None:
    others: list[dict[str, Any]] = [{"data": [], "old": []}, {"sql": STATED.get(type, ""), "gtid": "a-b:5"}]
    for more in [{}, *others, {"_tidb": {}}]:
        assert refusal(canal_json, {"type": type, **CANAL, **more}) is None


@pytest.mark.parametrize("type", ["GTID", "XACOMMIT", "XAROLLBACK", "MHEARTBEAT"])
@pytest.mark.parametrize("more", [{"sql": "grant all on *.* to u"}, {"isDdl": True}])
def test_canal_loses_no_statement_in_what_it_skips(type: str, more: Mapping[str, Any]) -> None:
    error = refusal(canal_json, {"type": type, **CANAL, **more})
    assert error is not None
    assert error.code == "rows"


@pytest.mark.parametrize("type", SKIPPED)
@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"data": [{"id": "1"}]}, "data"),
        ({"old": [{"id": "1"}]}, "old"),
        ({"data": {"id": "1"}}, "data"),
        ({"rows": [{"id": "1"}]}, "`rows`"),
        ({"after": {"id": "1"}}, "`after`"),
        ({"sqlType": {"id": {"id": 1}}}, "`sqlType`"),
        ({"gtid": [1]}, "`gtid`"),
        ({"_tidb": {"row": 1}}, "`_tidb`"),
    ],
)
def test_canal_loses_no_row_in_what_it_skips(type: str, more: Mapping[str, Any], name: str) -> None:
    error = refusal(canal_json, {"type": type, **CANAL, **more})
    assert error is not None
    assert error.code == "rows"
    assert name in str(error)


@pytest.mark.parametrize("type", ["TIDB_WATERMARK", "ALTER", "QUERY", "INSERT", "DELETE"])
def test_canal_loses_no_row_in_another_message(type: str) -> None:
    images = {"INSERT": "data", "DELETE": "data"}
    for name in {"data", "old"} - {images.get(type, "")}:
        right = {"data": [{"id": "1"}]} if type in images else {}
        value = {"type": type, **CANAL, "isDdl": type != "TIDB_WATERMARK", **right}
        assert canal_json.Decoder().decode([json.dumps(value).encode()]).num_events == 1
        error = refusal(canal_json, value | {name: [{"id": "1"}]})
        assert error is not None
        assert (error.code, error.field) == ("rows", name)


@pytest.mark.parametrize("type", ["WATERMARK", "BOOTSTRAP", "ALTER", "INSERT", "DELETE"])
@pytest.mark.parametrize("image", ["data", "old"])
def test_simple_loses_no_row(type: str, image: str) -> None:
    if (type, image) in (("INSERT", "data"), ("DELETE", "old")):
        return
    value = {"version": 1, "type": type, "commitTs": 5, "buildTs": 5, "sql": "x", "database": "d", "table": "t"}
    error = refusal(simple, value | {image: {"id": "1"}})
    assert error is not None
    if type not in ("INSERT", "DELETE"):  # there the row is missed first, or its description
        assert (error.code, error.field) == ("rows", image)


def framed(value: Mapping[str, Any], head: bytes = b"") -> bytes:
    text = json.dumps(value).encode()
    return head + len(text).to_bytes(8, "big") + text


@pytest.mark.parametrize("other", ["u", "p"])
def test_open_protocol_loses_no_row_beside_a_deleted_one(other: str) -> None:
    key = framed({"ts": 5, "scm": "d", "tbl": "t", "t": 1}, (1).to_bytes(8, "big"))
    image = {"id": {"t": 3, "f": 11, "v": 1}}
    rest: list[dict[str, Any]] = [{}, {other: None}, {other: {}}]
    for more in rest:
        assert open_protocol.Decoder().decode([framed({"d": image, **more})], [key]).num_events == 1
    found = open_protocol.Decoder().decode([framed({"d": image, other: image})], [key])
    assert found.num_events == 0
    assert (found.errors[0].code, found.errors[0].field) == ("rows", f"0/{other}")


INSERT: dict[str, Any] = {
    "type": "INSERT",
    "database": "shop",
    "table": "t",
    "data": [{"id": "1"}],
    "mysqlType": {"id": "int"},
}
ENVELOPE: dict[str, Any] = {"op": "c", "before": None, "after": ROW, "source": SOURCE}
BLOCK = {
    "type": "struct",
    "fields": [{"type": "struct", "field": "after", "fields": [{"type": "int32", "field": "id"}]}],
}


@pytest.mark.parametrize("kind", ["INSERT", "UPDATE", "DELETE", "INIT"])
def test_a_row_that_says_that_it_is_a_statement_is_an_error(kind: str) -> None:
    row = INSERT | {"type": kind} | ({"old": [{"id": "2"}]} if kind == "UPDATE" else {})
    for more in ({"isDdl": True}, {"sql": "drop table t"}, {"isDdl": False, "sql": "insert into t"}, {"sql": ""}):
        assert canal_json.Decoder().decode([json.dumps(row | more).encode()]).num_events == 1
    for more in ({"isDdl": True, "sql": "drop table t"}, {"sql": "drop table t", "isDdl": True}):
        error = refusal(canal_json, row | more)
        assert error is not None
        assert (error.code, error.field) == ("rows", "sql")
        assert "the statement would be lost" in error.detail


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_row_with_a_statement_is_an_error(wrapped: bool) -> None:
    for more in ({"ddl": None}, {"ddl": ""}):
        value = {"payload": ENVELOPE | more, "schema": BLOCK}
        assert debezium.Decoder().decode([json.dumps(value).encode()]).num_events == 1
    row = ENVELOPE | {"ddl": "drop table t"}
    error = refusal(debezium, {"payload": row, "schema": BLOCK} if wrapped else row)
    assert error is not None
    if wrapped:
        assert (error.code, error.field) == ("rows", "ddl")
        assert "the statement would be lost" in error.detail
