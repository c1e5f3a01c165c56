"""Partial rows (binlog_row_image=MINIMAL) are marked as partial and never treated as complete."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from commands import tidewire as command

import tidewire
from tidewire import canal_json
from tidewire.runtime.errors import EncodeError

pytestmark = pytest.mark.codec

TYPES = {"id": "int", "v": "varchar(9)", "w": "int"}
WHOLE = {"id": "1", "v": "a", "w": "3"}


def message(
    kind: str, data: dict[str, Any], old: dict[str, Any] | None = None, types: Any = TYPES, **more: Any
) -> bytes:
    found = {"database": "s", "table": "t", "type": kind, "es": 1, "ts": 2, "pkNames": ["id"], "mysqlType": types}
    return json.dumps({**found, "data": [data], "old": None if old is None else [old], **more}).encode()


def lacks(*values: bytes) -> list[tuple[str, ...]]:
    events: list[Any] = list(canal_json.decode_batch(values))
    assert len(events) == len(values)
    return [event.lacks for event in events]


MINIMAL = message("UPDATE", {"v": "new"}, {}, {"v": "varchar(9)"})


def test_an_update_without_its_key() -> None:
    event: Any
    (event,) = canal_json.decode(MINIMAL)
    assert (dict(event.new), dict(event.old), event.lacks) == ({"v": "new"}, {}, ("id",))
    assert pickle.loads(pickle.dumps(canal_json.decode_batch([MINIMAL]).columns.layouts[0])).lacks == ("id",)


def test_what_the_message_says_of_its_table_counts() -> None:
    assert lacks(
        message("INSERT", WHOLE),
        message("INSERT", {"id": "1", "v": "a"}),
        message("UPDATE", WHOLE, {"v": "b"}),
        message("DELETE", {"id": "1"}),
        message("DELETE", {"id": "1"}, types={"id": "int"}),
        message("INSERT", WHOLE, types=None),
        message("INSERT", {"v": "a"}, types=None),
        message("INSERT", {"v": "a"}, types=None, pkNames=None),
        message("INSERT", WHOLE),
        message("INSERT", {"id": "1", "v": "a"}),
    ) == [(), ("w",), (), ("v", "w"), (), (), ("id",), (), (), ("w",)]


def test_a_whole_row_is_never_taken_for_a_part_that_lacks_its_last_column() -> None:
    """Layouts are found by a hash, of which several can meet in one place: they are told apart there."""
    part, whole = {"id": "1", "v": "a"}, WHOLE
    for number in range(400):
        table = f"t{number}"
        rows = (part, whole) if number % 2 else (whole, part)
        found: list[Any] = list(canal_json.decode_batch([message("INSERT", row, table=table) for row in rows]))
        assert [(len(event.new), event.lacks) for event in found] == [
            (len(row), ("w",)[len(row) - 2 :]) for row in rows
        ]


CODES = {"id": 4, "v": 12, "w": 4}


@pytest.mark.parametrize("types", ["left out", None, {}])
@pytest.mark.parametrize("order", ["types first", "rows first", "codes last"])
def test_sql_types_tell_what_a_row_lacks_where_declared_types_do_not(types: Any, order: str) -> None:
    """Whatever the order of the members, and whatever messages of the table said before."""

    def told(value: bytes) -> bytes:
        members = json.loads(value)
        if types == "left out":
            del members["mysqlType"]
        else:
            members["mysqlType"] = types
        if order == "rows first":
            members = dict(reversed(members.items()))
        if order == "codes last":
            members["sqlType"] = members.pop("sqlType")
        return json.dumps(members).encode()

    values = [
        told(message("INSERT", WHOLE, sqlType=CODES)),
        told(message("UPDATE", {"v": "b"}, {}, sqlType=CODES, pkNames=None)),
        told(message("UPDATE", {"id": "1", "v": "b"}, {"v": "a"}, sqlType=CODES)),
        told(message("INSERT", {"v": "b"}, sqlType={"v": 12}, pkNames=None)),
        told(message("INSERT", {"v": "b"}, sqlType=None, pkNames=None)),
        told(message("DELETE", {"v": "b"}, sqlType={"w": 4, "v": {"a": [1]}, "x\u00e9": 0}, pkNames=["id"])),
    ]
    expected = [(), ("id", "w"), ("w",), (), (), ("id", "w", "x\u00e9")]
    assert lacks(*values) == expected
    described = [message("INSERT", WHOLE), message("INSERT", {"id": "1", "v": "a"}, sqlType={"id": 4})]
    mixed = [one for value in values for one in (value, *described)]
    assert lacks(*mixed) == [one for own in expected for one in (own, (), ("w",))]


def test_declared_types_count_before_sql_types() -> None:
    assert lacks(message("INSERT", {"id": "1"}, types={"id": "int"}, sqlType=CODES)) == [()]


def test_no_more_than_eight_are_named() -> None:
    """However many there are: a message of many columns and many rows costs what its bytes are."""
    types = {f"c{k}": "int" for k in range(3000)}
    rows = [{f"c{k}": "1"} for k in range(3000)]
    value = message("INSERT", {}, types=types, pkNames=["c9", "key"]).replace(b"[{}]", json.dumps(rows).encode())
    found: list[Any] = list(canal_json.decode(value))
    assert found[0].lacks == ("c9", "key", "c1", "c2", "c3", "c4", "c5", "c6")
    assert found[9].lacks == ("key", "c0", "c1", "c2", "c3", "c4", "c5", "c6")


def test_the_order_of_members_makes_no_difference() -> None:
    text = json.loads(message("INSERT", {"id": "1", "v": "a"}))
    assert lacks(json.dumps(dict(reversed(text.items()))).encode()) == [("w",)]


def test_a_part_is_not_written_as_a_whole() -> None:
    whole = message("INSERT", WHOLE)
    events = canal_json.decode_batch([whole, MINIMAL])
    for given in (events, list(events)):
        with pytest.raises(EncodeError, match="`id`") as caught:
            canal_json.encode(given)
        assert caught.value.event == 1
    _, report = tidewire.transcode([whole, MINIMAL, whole], "canal-json", "canal-json")
    assert [(one.event, one.kind) for one in report.refused] == [(1, "update")]
    assert (report.events, report.written) == (3, 2)


@pytest.mark.parametrize("form", [(), ("--exact",)])
def test_the_command_line_says_so(form: tuple[str, ...]) -> None:
    found = command("decode", "canal-json", "--hex", MINIMAL.hex(), *form)
    (line,) = found.stdout.splitlines()
    assert json.loads(line)["lacks"] == ["id"]
    again = command("encode", "canal-json", "--to", "hex", stdin=found.stdout)
    assert again.exit_code == 1
    assert "`id`" in again.stderr
