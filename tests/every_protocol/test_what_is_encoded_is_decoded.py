"""Decoders read what encoders write: rows whose images have different columns, and extreme numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from tidewire import avro, canal_json, craft, debezium, debezium_avro, open_protocol, simple
from tidewire.events import Bootstrap, Column, Ddl, RowChange, Watermark
from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.errors import EncodeError, MissingTableError
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

pytestmark = pytest.mark.codec

NUMBERS = [0, 1, -1, 2**31, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1]
COLUMNS = [
    Column("id", ColumnType.BIGINT, ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY, "bigint"),
    Column("a", ColumnType.VARCHAR, ColumnFlag.NULLABLE, "varchar(20)"),
    Column("b", ColumnType.BIGINT, ColumnFlag.NULLABLE, "bigint"),
]
ROW: dict[str, Any] = {"id": 1, "a": "x", "b": 2}
PARTS = [{name: ROW[name] for name in chosen} for count in range(4) for chosen in combinations(ROW, count)]
DESCRIBED = TableDescription(
    "s",
    "t",
    [ColumnDescription("id", "bigint"), ColumnDescription("a", "varchar", length=20), ColumnDescription("b", "bigint")],
    [IndexDescription("primary", ("id",), True, True, False)],
    version=5,
)
SENT: dict[str, Any] = {"enable_tidb_extension": True, "avro_enable_watermark": True}
CODECS: dict[str, tuple[Any, dict[str, Any]]] = {
    "craft": (craft, {}),
    "canal-json": (canal_json, {}),
    "canal-json extended": (canal_json, {"enable_tidb_extension": True}),
    "open-protocol": (open_protocol, {}),
    "open-protocol of ticdc": (open_protocol, {"producer": "ticdc"}),
    "simple": (simple, {}),
    "simple as records": (simple, {"encoding_format": "avro"}),
    "debezium": (debezium, {}),
    "debezium extended": (debezium, {"enable_tidb_extension": True, "producer": "ticdc"}),
    "debezium without blocks": (debezium, {"enable_tidb_extension": True, "debezium_disable_schema": True}),
    "debezium-avro": (debezium_avro, SENT),
    "avro": (avro, SENT),
    "avro with the row before": (avro, {**SENT, "avro_include_before_value": True, "producer": "ticdc"}),
}


def numbered() -> Iterator[Any]:
    for number in NUMBERS:
        yield lambda number=number: Watermark(number)
        yield lambda number=number: Watermark(5, sent_ms=number)
        yield lambda number=number: Bootstrap(number, "s", "t", columns=COLUMNS, table_after=DESCRIBED)
        yield lambda number=number: Bootstrap(0, "s", "t", columns=COLUMNS, table_after=DESCRIBED, sent_ms=number)
        yield lambda number=number: Ddl(number, "s", "t", 3, "create table t (id int)", table_after=DESCRIBED)
        yield lambda number=number: Ddl(5, "s", "t", number, "create table t (id int)", table_after=DESCRIBED)
        yield lambda number=number: Ddl(5, "s", "t", 3, "create table t (id int)", sent_ms=number)
        yield lambda number=number: RowChange("insert", number, "s", "t", new=ROW, columns=COLUMNS, table_version=5)
        for name in ("sent_ms", "commit_ms", "start_ts", "table_id", "partition_id", "row_id", "table_version"):
            more = {"table_version": 5, name: number}
            yield lambda more=more: RowChange("insert", 7, "s", "t", new=ROW, columns=COLUMNS, **more)


def odd_rows() -> Iterator[Any]:
    for kind in ("insert", "update", "delete"):
        for new in (None, *PARTS):
            for old in (None, *PARTS):
                for columns in (COLUMNS, COLUMNS[:2], COLUMNS[1:]):
                    yield lambda kind=kind, new=new, old=old, columns=columns: RowChange(
                        kind, 7, "s", "t", new=new, old=old, columns=columns, table_version=5
                    )


def made(events: Iterator[Any]) -> list[Any]:
    """Those that can be events."""
    found = []
    for make in events:
        try:
            found.append(make())
        except (ValueError, TypeError, OverflowError):
            continue
    return found


@pytest.mark.parametrize("make", [numbered, odd_rows])
@pytest.mark.parametrize("name", CODECS)
def test_what_is_encoded_is_decoded(name: str, make: Any) -> None:
    module, chosen = CODECS[name]
    options = module.Options(**chosen)
    written = 0
    for event in made(make()):
        given: dict[str, Any] = {"schemas": MemorySchemas()} if module in (avro, debezium_avro) else {}
        if module in (simple, debezium, debezium_avro, avro):
            given["tables"] = TableStore([DESCRIBED])
        try:
            messages = module.encode([event], options, **given)
        except EncodeError:
            continue
        for one in messages:
            written += 1
            key = {"key": one.key} if module in (open_protocol, debezium, debezium_avro, avro) else {}
            try:
                found = module.decode(one.value, options=options, **key, **given)
            except MissingTableError:
                assert event.table_version != 5  # it says another version than is described
                continue
            # a row without a key that is gone is a message that says nothing, and the only loss
            lost = "keyless-row" in module.FACTS.losses and one.value is None
            assert len(found) == one.events or lost, event
    assert written


def test_a_block_has_the_columns_of_one_row_image() -> None:
    event = RowChange("update", 7, "s", "t", new={"id": 1}, old={"id": 1, "a": "x"}, columns=COLUMNS)
    with pytest.raises(EncodeError, match="column 'a': the row image `old` has it and `new` has not"):
        debezium.encode([event])
    fewer = RowChange("update", 7, "s", "t", new={"id": 1, "a": "y"}, old={"id": 1}, columns=COLUMNS)
    (message,) = debezium.encode([fewer])
    found: Any = debezium.decode(message.value, message.key)[0]
    assert (found.new, found.old) == ({"id": 1, "a": "y"}, {"id": 1})
    # where nothing stands of the row before, or a description tells the columns, there is no block to lack them
    (message,) = debezium.encode([event], debezium.Options(debezium_output_old_value=False))
    found = debezium.decode(message.value, message.key)[0]
    assert found.old is None
    options = debezium.Options(debezium_disable_schema=True)
    (message,) = debezium.encode([event], options)
    found = debezium.decode(message.value, message.key, options, tables=TableStore([DESCRIBED]))[0]
    assert found.old == {"id": 1, "a": "x"}


@pytest.mark.parametrize("time", [2**63, 2**64 - 1])
def test_a_time_that_a_long_has_no_room_for_is_refused(time: int) -> None:
    options = debezium_avro.Options(**SENT)
    with pytest.raises(EncodeError, match="has no room in the field 'commit_ts': 64 bits"):
        debezium_avro.encode([Watermark(time)], options, schemas=MemorySchemas())
    registry = MemorySchemas()
    (message,) = debezium_avro.encode([Watermark(2**63 - 1)], options, schemas=registry)
    event: Any = debezium_avro.decode(message.value, message.key, schemas=registry)[0]
    assert event.commit_ts == 2**63 - 1


def test_a_row_without_columns_is_refused_where_nobody_reads_it() -> None:
    for event in (
        RowChange("insert", 7, "s", "t", new={}, columns=COLUMNS, table_version=5),
        RowChange("delete", 7, "s", "t", old={}, columns=COLUMNS, table_version=5),
        RowChange("update", 7, "s", "t", new=ROW, old={}, columns=COLUMNS, table_version=5),
    ):
        with pytest.raises(EncodeError, match="has no columns, and a message that says so is not read"):
            simple.encode([event])
