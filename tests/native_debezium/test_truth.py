"""The recorder's account of what happened, on small made-up logs and tables: it needs neither a server nor Java."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from native_debezium.lines import Record, Written, lines_of
from native_debezium.server import SqlError
from native_debezium.truth import Change, Table, changes, in_order, operations, value

KEYED = [{"name": "id", "mysql_type": "int(11)", "is_pk": True}, {"name": "v", "mysql_type": "int(11)", "is_pk": False}]
UNKEYED = [{**column, "is_pk": False} for column in KEYED]
T = ("test", "t")

BINLOG = """\
#260102  3:04:05 server id 223344  end_log_pos 1041 CRC32 0x1 \tWrite_rows: table id 18 flags: STMT_END_F
### INSERT INTO `test`.`t`
### SET
###   @1='### DELETE FROM `no`.`no`'
### INSERT INTO `test`.`t`
#260102  3:04:06 server id 223344  end_log_pos 1041 CRC32 0x1 \tUpdate_rows: table id 18 flags: STMT_END_F
### UPDATE `odd``db`.`a.b`
### WHERE
"""


def table(columns: list[dict[str, Any]], *rows: tuple[str, str]) -> Table:
    return Table(columns, [], list(rows))


def kinds(found: list[list[Change]]) -> list[list[tuple[str, Any, Any]]]:
    return [[(change.kind, change.old, change.new) for change in together] for together in found]


def test_operations_come_by_second_and_in_order() -> None:
    insert, update = ("insert", ("test", "t")), ("update", ("odd`db", "a.b"))
    assert operations(BINLOG) == {1767323045: [insert, insert], 1767323046: [update]}


def test_a_changed_key_is_a_delete_and_an_insert_that_belong_together() -> None:
    done = changes({T: table(KEYED, ("1", "a"), ("3", "c"))}, {T: table(KEYED, ("2", "a"), ("3", "d"))})
    together = in_order([("update", T), ("update", T)], [done])
    assert kinds(together) == [
        [("update", ("3", "c"), ("3", "d"))],
        [("delete", ("1", "a"), None), ("insert", None, ("2", "a"))],
    ]


def test_an_update_without_a_key_is_one_event() -> None:
    done = changes({T: table(UNKEYED, ("1", "a"), ("1", "a"))}, {T: table(UNKEYED, ("1", "a"), ("1", "b"))})
    assert kinds(in_order([("update", T)], [done])) == [[("update", ("1", "a"), ("1", "b"))]]


def test_a_row_that_was_replaced_is_a_delete_and_an_insert_if_the_log_says_so() -> None:
    done = changes({T: table(KEYED, ("1", "a"))}, {T: table(KEYED, ("1", "b"))})
    together = in_order([("delete", T), ("insert", T)], [done])
    assert kinds(together) == [[("delete", ("1", "a"), None)], [("insert", None, ("1", "b"))]]


@pytest.mark.parametrize(
    "done", [[], [("insert", T)], [("delete", T), ("delete", T)], [("delete", ("test", "other"))]], ids=str
)
def test_a_log_that_says_something_else_is_an_error(done: list[Any]) -> None:
    with pytest.raises(SqlError, match="binlog has"):
        in_order(done, [changes({T: table(KEYED, ("1", "a"))}, {T: table(KEYED)})])


@pytest.mark.parametrize(
    ("declared", "shown", "expected"),
    [
        ("int(10) unsigned zerofill", b"0000000007", {"uint": "7"}),
        ("bigint(20)", b"-9223372036854775808", {"int": "-9223372036854775808"}),
        ("float", b"1.10000002384185791", {"f32": "1.1"}),
        ("float", b"3.4028234663852886e38", {"f32": "3.4028235e+38"}),
        ("double", b"1e21", {"f64": "1e+21"}),
        ("set('a','b')", b"9223372036854775808", {"uint": "9223372036854775808"}),
        ("varbinary(4)", b"\x00\xff", {"bytes": "AP8="}),
        ("decimal(65,30)", b"-0.000000000000000000000000000001", {"text": "-0.000000000000000000000000000001"}),
    ],
)
def test_values_are_exact(declared: str, shown: bytes, expected: dict[str, str]) -> None:
    column = {"mysql_type": declared, "unsigned": "unsigned" in declared, "type": 0}
    assert value(column, shown.hex()) == expected
    assert value(column, None) is None


def record(value: Any, headers: Any = ()) -> Record:
    data = None if value is None else json.dumps(value, separators=(",", ":")).encode()
    return Record("native.test.t", None, {"plain": Written(b'{"id":1}', data, list(headers))}, None)


ROW = {"op": "c", "source": {"db": "test", "table": "t", "ts_ms": 1767323045000}, "ts_ms": 1800000000123}
EVENT = {"n": 0, "kind": "insert", "step": 0, "ts_ms": 1767323045000, "schema": "test", "table": "t"}
WINDOW = (1799999999.0, 1800000001.0)


def test_clocks_and_ids_of_a_run_are_replaced_and_nothing_else() -> None:
    headers = [("__debezium.context.runId", b"01a204e7-34df-740e-b332-8632c354d94c"), ("other", b"01a204e7")]
    line = next(lines_of([record(ROW, headers)], "plain", [EVENT], False, WINDOW))
    assert json.loads(base64.b64decode(line["value"])) == {**ROW, "ts_ms": 1767323045678}
    assert [base64.b64decode(data) for _, data in line["headers"]] == [
        b"00000000-0000-7000-8000-000000000000",
        b"01a204e7",
    ]
    assert line["events"] == [0]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], r"events \[0\] are in no record"),
        ([record(ROW), record(ROW)], "no event for the record"),
        ([record({**ROW, "op": "d"})], "event 0 is insert"),
        ([record({**ROW, "source": {**ROW["source"], "ts_ms": 1767323046000}})], "event 0 is insert"),  # type: ignore[dict-item]
    ],
)
def test_a_stream_with_other_rows_than_the_truth_is_an_error(records: list[Record], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(lines_of(records, "plain", [EVENT], False, WINDOW))
