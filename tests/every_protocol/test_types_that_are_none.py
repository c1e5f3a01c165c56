"""Columns with invalid declared types affect only their own events."""

from __future__ import annotations

import json
from typing import Any

import pytest
from described import schemas_of

import tidewire
from tidewire import canal_json
from tidewire.events import RowChange
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import EncodeError

pytestmark = pytest.mark.codec

TS = 470607536966860800
NO_TYPES = ("zzz", "int(", "enum(a,b)", "", "varchar(99999999999999999999)", "enum('a'", "\0", "é" * 70_000, "int int")
MODULES = {name: one.load() for name, one in tidewire.protocols().items()}
TARGETS = [name for name in MODULES if name != "simple"]  # whose rows name descriptions of their tables


def change(declared: str | None, code: int = ColumnType.VARCHAR, value: object = "x") -> RowChange:
    columns = [Column("id", ColumnType.BIGINT, ColumnFlag.HANDLE_KEY, "bigint"), Column("c", code, 0, declared)]
    return RowChange("insert", TS, "shop", "orders", {"id": 1, "c": value}, columns=columns)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("declared", NO_TYPES)
def test_no_encoder_raises_anything_but_its_own_error(name: str, declared: str) -> None:
    module = MODULES[name]
    found: list[EncodeError] = []
    for code, value in ((ColumnType.VARCHAR, "x"), (ColumnType.ENUM, 1), (ColumnType.BIGINT, 8)):
        try:
            module.encode([change(declared, code, value)], **schemas_of(module))
        except EncodeError as error:
            found.append(error)
    assert {(one.protocol, one.event, one.column) for one in found} <= {(name, 0, "c")}
    assert all(len(str(one)) < 1000 for one in found)


@pytest.mark.parametrize("name", ["debezium", "debezium-avro", "avro"])
def test_the_type_is_named(name: str) -> None:
    module = MODULES[name]
    with pytest.raises(EncodeError) as caught:
        module.encode([change("varchar(10)"), change("enum(a,b)")], **schemas_of(module))
    assert caught.value.event == 1
    assert "declared type cannot be read: 'enum(a,b)'" in caught.value.reason


def canal(declared: str) -> bytes:
    """A message as anybody can write it."""
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
        "data": [{"id": "1", "c": "x"}],
        "_tidb": {"commitTs": TS},
    }
    return json.dumps(said).encode()


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("declared", NO_TYPES)
def test_a_transcoder_keeps_the_others(name: str, declared: str) -> None:
    bad = canal(declared)
    assert canal_json.decode(bad)
    module = MODULES[name]
    batch, report = tidewire.transcode(
        [canal("varchar(10)"), bad, canal("varchar(10)")],
        "canal-json",
        name,
        {"enable-tidb-extension": "true"},
        {"enable-tidb-extension": "true"} if "enable-tidb-extension" in {one.name for one in module.OPTIONS} else {},
        **schemas_of(module),
    )
    assert [one.message for one in report.refused] in ([], [1])
    assert sum(batch.column("events").to_pylist()) == 3 - len(report.refused)
    assert report.refused or name not in ("debezium", "debezium-avro", "avro")


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("image", [5, "text", b"id", [], [1], {"id"}, object(), 1.5, True])
def test_rows_that_are_no_mappings(name: str, image: Any) -> None:
    module = MODULES[name]
    for more in ({"new": image}, {"new": {"id": 1}, "old": image}):
        event = RowChange("update", TS, "s", "t", columns=[Column("id", 8, int(ColumnFlag.HANDLE_KEY))], **more)
        with pytest.raises(EncodeError) as caught:
            module.encode([event], **schemas_of(module))
        assert caught.value.event == 0
        assert "mapping" in caught.value.reason
