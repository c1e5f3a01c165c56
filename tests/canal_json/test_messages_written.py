"""Encoders of JSON messages: options, rows with different columns, and events that they refuse."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from tidewire import canal_json
from tidewire.canal_json import Options
from tidewire.events import Bootstrap, Ddl, Event, Events, RowChange, Watermark
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import EncodeError

pytestmark = pytest.mark.codec

TSO = 429918007904436226
ID = Column("id", 3, 2 | 8, "int(11)")
NAME = Column("<n>", 15, 0, "varchar(20)")
NUMBER = Column("number", 8, 128, "bigint(20) unsigned")
FLOAT = Column("f", 5, 0, "double")
COLUMNS = [ID, NAME, NUMBER, FLOAT]
ROW: dict[str, Any] = {"id": 1, "<n>": "a&b", "number": 2**63, "f": 0.0}


def update(new: dict[str, Any], old: dict[str, Any], **more: Any) -> RowChange:
    """A changed row."""
    return RowChange("update", TSO, "test", "t", new, old, columns=COLUMNS, sent_ms=5, **more)


def written(*events: Event, **options: Any) -> list[bytes]:
    """The values of the messages."""
    messages = canal_json.encode(events, Options(**options))
    return [one.value for one in messages if one.value is not None]


def old_of(new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """The old row as it is written when only changes are."""
    (value,) = written(update({**ROW, **new}, {**ROW, **old}), only_output_updated_columns=True)
    found: dict[str, Any] = json.loads(value)["old"][0]
    return found


def test_a_message_as_it_stands() -> None:
    (value,) = written(update(ROW, {**ROW, "<n>": None, "number": 7}), enable_tidb_extension=True)
    assert value == (
        b'{"id":0,"database":"test","table":"t","pkNames":["id"],"isDdl":false,"type":"UPDATE","es":1640007049196,"ts":5,'
        b'"sql":"",'
        b'"sqlType":{"id":4,"\\u003cn\\u003e":12,"number":3,"f":8},'
        b'"mysqlType":{"id":"int","\\u003cn\\u003e":"varchar","number":"bigint unsigned","f":"double"},'
        b'"old":[{"id":"1","\\u003cn\\u003e":null,"number":"7","f":"0"}],'
        b'"data":[{"id":"1","\\u003cn\\u003e":"a\\u0026b","number":"9223372036854775808","f":"0"}],'
        b'"_tidb":{"commitTs":429918007904436226}}'
    )


@pytest.mark.parametrize(
    ("new", "old", "changed"),
    [
        ({}, {}, {}),
        ({"<n>": "b"}, {}, {"<n>": "a&b"}),
        ({"<n>": None}, {}, {"<n>": "a&b"}),
        ({}, {"<n>": None}, {"<n>": None}),
        ({"<n>": None}, {"<n>": None}, {}),
        ({"<n>": ""}, {"<n>": None}, {"<n>": None}),
        ({"<n>": "a&b "}, {}, {"<n>": "a&b"}),
        ({"f": -0.0}, {}, {}),
        ({"number": 1, "id": 2}, {}, {"id": "1", "number": str(2**63)}),
    ],
)
def test_columns_that_changed(new: dict[str, Any], old: dict[str, Any], changed: dict[str, Any]) -> None:
    assert old_of(new, old) == changed


def test_zeros_differ_for_a_producer_that_compares_what_it_writes() -> None:
    event = update({**ROW, "f": -0.0}, ROW)
    (value,) = written(event, only_output_updated_columns=True, producer="ticdc")
    assert json.loads(value)["old"] == [{"f": "0"}]


@pytest.mark.parametrize("options", [{}, {"only_output_updated_columns": True}, {"content_compatible": True}], ids=str)
@pytest.mark.parametrize(
    ("old", "columns", "column", "reason"),
    [
        (ROW, COLUMNS, "<n>", "`old` has it and `new` has not"),
        ({"id": 1, "f": 1.0}, COLUMNS, "f", "`old` has it and `new` has not"),
        ({"id": "1"}, [ID._replace(type=15, mysql_type="varchar(3)")], "id", "another one in the row image `old`"),
        (
            {"id": 1},
            [ID._replace(flags=128 | 8, mysql_type="int unsigned")],
            "id",
            "another one in the row image `old`",
        ),
        ({"id": 1}, [ID._replace(flags=0)], "id", "another one in the row image `old`"),
    ],
)
def test_an_old_row_that_the_message_does_not_tell(
    old: dict[str, Any], columns: list[Column], column: str, reason: str, options: dict[str, Any]
) -> None:
    """A message says the types of the new row; what it does not say of the old one, its reader does not know."""
    before = Events.of([RowChange("delete", TSO, "test", "t", None, old, columns=columns)])[0].old
    good = RowChange("update", TSO, "test", "t", {"id": 1}, {"id": 2}, columns=[ID])
    event = RowChange("update", TSO, "test", "t", Events.of([good])[0].new, before)
    with pytest.raises(EncodeError, match=reason) as caught:
        canal_json.encode([good, event], Options(**options))
    assert (caught.value.event, caught.value.column) == (1, column)


def test_an_old_row_with_some_of_the_columns() -> None:
    """What it has not, did not change; which it has is another matter in every message."""
    events = [
        update(ROW, {name: ROW[name] for name in names}) for names in (["id"], ["<n>", "f"], [], ["id", "<n>"], ["id"])
    ]
    values = written(*events)
    assert [list(json.loads(value)["old"][0]) for value in values] == [["id"], ["<n>", "f"], [], ["id", "<n>"], ["id"]]
    again = [event for event in canal_json.decode_batch(values) if isinstance(event, RowChange)]
    assert [(event.new, event.old) for event in again] == [(event.new, event.old) for event in events]


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        (Column("c", 3, 0, "no type"), 1, "the declared type 'no type' for another one than type 3 with flags 0"),
        (Column("c", 3, 0, "varchar(3)"), 1, "for another one than type 3 with flags 0"),
        (Column("c", 3, 0, "int unsigned"), 1, "for another one than type 3 with flags 0"),
        (Column("c", 3, 128, "int"), 1, "for another one than type 3 with flags 128"),
        (Column("c", 252, 1, "text"), b"x", "for another one than type 252 with flags 1"),
        (Column("c", 253, 1, "var_string"), b"x", "for another one than type 253 with flags 1"),
        (Column("c", 253, 1, None), b"x", "content-compatible needs|for another one than type 253"),
        (Column("c", 253, 1, "varbinary(3)"), b"x", "for another one than type 253 with flags 1"),
        (Column("c", 200, 0, None), None, "content-compatible needs|200 is no type code"),
        (Column("c", 15, 0, "enum('a"), "x", "for another one than type 15 with flags 0"),
    ],
)
def test_a_declared_type_that_reads_as_another(column: Column, value: Any, reason: str, full: bool) -> None:
    event = RowChange("insert", TSO, "test", "t", {"id": 1, "c": value}, columns=[ID, column])
    with pytest.raises(EncodeError, match=reason) as caught:
        canal_json.encode([update(ROW, ROW), event], Options(content_compatible=full, only_output_updated_columns=full))
    assert (caught.value.event, caught.value.column) == (1, "c")


@pytest.mark.parametrize(("producer", "types"), [("tiflow", {}), ("ticdc", None)])
def test_a_row_without_columns(producer: str, types: object) -> None:
    columns = [NAME, FLOAT]
    event = RowChange("delete", TSO, "test", "t", None, {"<n>": "x", "f": 1.0}, columns=columns, sent_ms=5)
    (value,) = written(event, delete_only_output_handle_key_columns=True, producer=producer)
    found = json.loads(value)
    assert (found["data"], found["sqlType"], found["mysqlType"], found["pkNames"]) == ([{}], None, types, [])


def test_events_without_a_message() -> None:
    events = [Watermark(TSO), update(ROW, ROW), Watermark(TSO), Watermark(TSO)]
    messages = canal_json.encode(events, Options())
    assert [(one.first_event, one.events) for one in messages] == [(1, 1)]
    assert len(canal_json.encode(events, Options(enable_tidb_extension=True))) == 4


def test_rows_that_share_a_value() -> None:
    other = RowChange("insert", TSO, "test", "u", {"id": 1}, None, columns=[ID], sent_ms=5)
    events = [update(ROW, ROW), update(ROW, ROW), other, Watermark(TSO), other, Ddl(TSO, "test", "u", 3, "create")]
    messages = canal_json.encode(events, Options(terminator="\r\n", enable_tidb_extension=True))
    assert [(one.first_event, one.events) for one in messages] == [(0, 2), (2, 1), (4, 1)]
    assert messages[0].value is not None
    assert messages[0].value == 2 * (written(update(ROW, ROW), enable_tidb_extension=True)[0] + b"\r\n")


def test_what_is_absent_and_what_is_zero() -> None:
    (value,) = written(Ddl(0, None, None, 11, None, sent_ms=5), enable_tidb_extension=True)
    assert value == (
        b'{"id":0,"database":"","table":"","pkNames":null,"isDdl":true,"type":"TRUNCATE","es":0,"ts":5,"sql":"",'
        b'"sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{}}'
    )
    event = update(ROW, ROW, handle_key_only=False, claim_check="s3://a/b", row_key=b"key")
    (value,) = written(event, enable_tidb_extension=True, output_row_key=True, producer="ticdc")
    assert value.endswith(
        b'"_tidb":{"commitTs":429918007904436226,"onlyHandleKey":false,"claimCheckLocation":"s3://a/b","rowkey":"a2V5"}}'
    )


@pytest.mark.parametrize(
    ("event", "options", "column", "reason"),
    [
        (update({**ROW, "f": math.nan}, ROW), {}, "f", "has no digits"),
        (Bootstrap(TSO, "test", "t", None, [ID]), {}, None, "cannot carry a bootstrap"),
        (Ddl(TSO, "a", "b", None, "x"), {}, None, "needs ddl_type or ddl_class"),
        (Ddl(TSO, "a", "b", None, "x", ddl_class="INSERT"), {}, None, "ddl_class is one of CREATE"),
        (Ddl(None, "a", "b", 3, "x"), {}, None, "needs commit_ts or commit_ms"),
        (
            RowChange("insert", None, "a", "b", {"id": 1}, None, columns=[ID], commit_ms=4),
            {"enable_tidb_extension": True},
            None,
            "needs commit_ts",
        ),
        (
            RowChange("insert", 1, "a", "b", {"id": 1}, None, columns=[Column("id", 3, 0)]),
            {"content_compatible": True, "only_output_updated_columns": True},
            "id",
            "mysql_type",
        ),
        (RowChange("insert", 1, None, "b", {"id": 1}, None, columns=[ID]), {}, None, "needs a schema"),
    ],
)
def test_events_that_are_refused(event: Event, options: dict[str, Any], column: str | None, reason: str) -> None:
    with pytest.raises(EncodeError, match=reason) as caught:
        canal_json.encode([Ddl(TSO, "a", "b", 3, "x"), event], Options(**options))
    assert (caught.value.event, caught.value.column) == (1, column)


def test_a_batch_after_a_refused_one() -> None:
    encoder = canal_json.Encoder()
    wrong = Events.of([update({**ROW, "f": math.inf}, ROW)]).columns
    with pytest.raises(EncodeError):
        encoder.encode(wrong)
    right = Events.of([update(ROW, ROW)]).columns
    assert encoder.encode(right).column("value").to_pylist() == written(update(ROW, ROW))
