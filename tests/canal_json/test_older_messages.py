"""Messages as TiCDC wrote them before v5.4, and rows that stand without the array that messages have them in.

All messages are made up here.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tidewire import canal_json
from tidewire.events import RowChange
from tidewire.runtime.errors import DecodeError

pytestmark = pytest.mark.codec


def changed(rows: Any, types: dict[str, str], codes: dict[str, int], **more: Any) -> bytes:
    """A message as TiCDC wrote it before v5.4, whose codes are those of the next wider types, whatever the flags."""
    said = {
        "id": 0, "database": "shop", "table": "t", "pkNames": ["id"], "isDdl": False, "type": "INSERT", "es": 1,
        "ts": 1, "sql": "", "sqlType": codes, "mysqlType": types, "data": rows, "old": None, **more,
    }  # fmt: skip
    return json.dumps(said).encode()


BIG = {"id": "bigint"}, {"id": 3}


def columns_of(value: bytes) -> list[tuple[str | None, Any]]:
    (event,) = canal_json.decode(value)
    assert isinstance(event, RowChange)
    assert event.new is not None
    return [(column.mysql_type, event.new[column.name]) for column in event.columns]


@pytest.mark.parametrize(
    ("number", "type"),
    [
        ("5", "bigint"),
        ("-5", "bigint"),
        (str(2**63 - 1), "bigint"),
        (str(2**63), "bigint unsigned"),
        (str(2**64 - 1), "bigint unsigned"),
    ],
)
def test_an_unsigned_bigint_that_is_declared_as_a_bigint(number: str, type: str) -> None:
    assert columns_of(changed([{"id": number}], *BIG)) == [(type, int(number))]
    bare = changed([{"id": "N"}], *BIG).replace(b'"N"', number.encode())
    assert columns_of(bare) == [(type, int(number))]


def test_rows_around_it_stay_what_they_are() -> None:
    numbers = ["5", str(2**64 - 1), "7", "-1", str(2**63), "8"] * 3
    for first in (0, 1):
        sent = [changed([{"id": number}], *BIG) for number in numbers[first:]]
        found = canal_json.decode_batch(sent)
        assert found.errors == []
        rows = [event for event in found if isinstance(event, RowChange)]
        assert [event.new and event.new["id"] for event in rows] == list(map(int, numbers[first:]))
        types = {int(n): "bigint unsigned" if int(n) >= 2**63 else "bigint" for n in numbers}
        assert [event.columns[0].mysql_type for event in rows] == [types[int(n)] for n in numbers[first:]]


def test_several_of_them_and_the_row_before() -> None:
    most = str(2**64 - 1)
    types, codes = {"id": "bigint(20)", "n": "int", "u": "bigint"}, {"id": 3, "n": -5, "u": 3}
    row = {"id": most, "n": "1", "u": most}
    value = changed([row], types, codes, type="UPDATE", old=[{"u": str(2**63)}])
    (event,) = canal_json.decode(value)
    assert isinstance(event, RowChange)
    assert dict(event.new or {}) == {"id": 2**64 - 1, "n": 1, "u": 2**64 - 1}
    assert dict(event.old or {})["u"] == 2**63
    assert [one.mysql_type for one in event.columns] == ["bigint(20) unsigned", "int", "bigint unsigned"]


@pytest.mark.parametrize("number", [str(2**64), "-" + str(2**63 + 1), "9" * 100, "0" * 70 + str(2**63), "x"])
def test_a_number_of_no_bigint_is_refused(number: str) -> None:
    with pytest.raises(DecodeError, match="data/0/id"):
        canal_json.decode(changed([{"id": number}], *BIG))


@pytest.mark.parametrize("type", ["int", "tinyint(4)", "smallint", "mediumint", "int(11)", "year", "tinyint unsigned"])
def test_no_other_type_is_taken_for_one_without_a_sign(type: str) -> None:
    for number in (2**63, 2**64 - 1):
        sent = changed([{"id": str(number), "n": str(number)}], {"n": type, "id": "bigint"}, {"n": 4, "id": 3})
        if type.endswith("unsigned"):
            assert columns_of(sent) == [("bigint unsigned", number), (type, number)]
            continue
        with pytest.raises(DecodeError, match="data/0/n") as caught:
            canal_json.decode(sent)
        assert caught.value.offset == sent.rindex(b'"n": "') + 6


@pytest.mark.parametrize("types", [({"id": "int"}, {"id": 4}), (None, None)])
def test_the_only_row_may_stand_without_an_array(types: Any) -> None:
    def new_of(value: bytes) -> tuple[str, dict[str, Any], dict[str, Any]]:
        (event,) = canal_json.decode(value)
        assert isinstance(event, RowChange)
        return event.kind, dict(event.new or {}), dict(event.old or {})

    seven: Any = "7" if types[0] is None else 7
    six: Any = "6" if types[0] is None else 6
    assert new_of(changed({"id": "7"}, *types)) == ("insert", {"id": seven}, {})
    update = changed({"id": "7"}, *types, type="UPDATE", old={"id": "6"})
    assert new_of(update) == ("update", {"id": seven}, {"id": six})
    assert new_of(changed({"id": "7"}, *types, type="DELETE")) == ("delete", {}, {"id": seven})
    found = canal_json.decode_batch([changed({"id": str(k)}, *types) for k in range(5)])
    assert [int(event.new["id"]) for event in found if isinstance(event, RowChange) and event.new] == list(range(5))
    assert canal_json.dissect(changed({"id": "7"}, *types))
    least = json.dumps({"data": {"id": "7"}, "type": "INSERT"}).encode()
    assert new_of(least) == ("insert", {"id": "7"}, {})


@pytest.mark.parametrize("first", [False, True])
def test_a_member_of_another_protocol_makes_it_none(first: bool) -> None:
    said = json.loads(changed({"id": "7"}, {"id": "int"}, {"id": 4}))
    value = {"buildTs": 5, **said} if first else {**said, "buildTs": 5}
    with pytest.raises(DecodeError, match=r"data: .* where an array is expected"):
        canal_json.decode(json.dumps(value).encode())
    value["data"] = [value["data"]]
    assert canal_json.decode(json.dumps(value).encode())
