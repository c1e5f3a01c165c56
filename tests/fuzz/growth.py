"""Inputs of any size, and what is done with them: four times the size takes about four times the CPU time.

`tests/every_protocol/test_growth.py` holds it for each case. Whoever finds an input that takes longer adds it here.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import tidewire
from tidewire.events import Column, Events, RowChange
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.tables import TableStore

KEY = ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY
Work = Callable[[], object]


class Growth(NamedTuple):
    """A case.

    Attributes:
        name: what there is much of.
        made: by its size, what is measured.
        share: the size is divided by it, where each one takes long.
    """

    name: str
    made: Callable[[int], Work]
    share: int = 1


def _module(protocol: str) -> Any:
    return importlib.import_module("tidewire." + protocol.replace("-", "_"))


def _wide(count: int) -> RowChange:
    """A row of so many columns, all of them in its key, of types that are declared in several ways."""
    kinds = ("int", "decimal(20,3)", "varchar(30)")
    types = (ColumnType.INT, ColumnType.DECIMAL, ColumnType.VARCHAR)
    columns = tuple([Column(f"column{k}", types[k % 3], KEY, kinds[k % 3]) for k in range(count)])
    row = {f"column{k}": 1 if k % 3 == 0 else "1.5" for k in range(count)}
    return RowChange("insert", 1 << 40, "shop", "orders", new=row, columns=columns, sent_ms=5)


def _decoded(codec: Any, value: bytes, key: bytes | None, **given: Any) -> Work:
    def work() -> None:
        columns = codec.Decoder(**given).attempt([value], [key])
        assert columns.errors == []
        assert columns.num_events == 1

    return work


def columns_read(protocol: str, count: int) -> Work:
    """A row of so many columns, decoded."""
    codec = _module(protocol)
    (sent,) = codec.encode([_wide(count)])
    return _decoded(codec, sent.value, sent.key)


def columns_written(protocol: str, count: int) -> Work:
    """The same, encoded."""
    codec, columns = _module(protocol), Events.of([_wide(count)]).columns
    return lambda: codec.Encoder().encode(columns)


def columns_dissected(protocol: str, count: int) -> Work:
    """The same, dissected."""
    codec = _module(protocol)
    (sent,) = codec.encode([_wide(count)])
    keyed = () if sent.key is None else (sent.key,)
    return lambda: codec.dissect(sent.value, *keyed)


def columns_detected(protocol: str, count: int) -> Work:
    """The same, of a protocol that is not told."""
    (sent,) = _module(protocol).encode([_wide(count)])
    return lambda: tidewire.detect([sent.value], [sent.key])


def columns_described(count: int) -> Work:
    """A row without a schema block, whose table is described, all of its columns in its key."""
    store = TableStore()
    store.add_sql(f"create table orders ({','.join(f'column{k} int' for k in range(count))})", "shop")
    row = {f"column{k}": k for k in range(count)}
    source = {"db": "shop", "table": "orders", "ts_ms": 1, "name": "n", "connector": "mysql", "snapshot": "false"}
    payload = {"before": None, "after": row, "op": "c", "ts_ms": 1, "source": source}
    value, key = (json.dumps({"payload": one}).encode() for one in (payload, row))
    return _decoded(_module("debezium"), value, key, tables=store)


def labels(protocol: str, count: int) -> Work:
    """An ENUM of so many labels, encoded and decoded."""
    codec = _module(protocol)
    declared = f"enum({','.join(f'{chr(39)}label{k}{chr(39)}' for k in range(count))})"
    columns = (Column("id", ColumnType.INT, KEY, "int"), Column("e", ColumnType.ENUM, 0, declared))
    event = RowChange("insert", 1 << 40, "shop", "orders", new={"id": 1, "e": count}, columns=columns, sent_ms=5)
    events = Events.of([event]).columns

    def work() -> None:
        sent = codec.Encoder().encode(events)
        assert codec.Decoder().attempt(sent.column("value"), sent.column("key")).num_events == 1

    return work


def rows(protocol: str, count: int) -> Work:
    """So many rows of one table, encoded and decoded."""
    codec = _module(protocol)
    columns = (Column("id", ColumnType.INT, KEY, "int"), Column("d", ColumnType.DECIMAL, 0, "decimal(20,10)"))
    events = [
        RowChange("insert", 1 << 40, "shop", "orders", new={"id": k, "d": "1.2E-9"}, columns=columns, sent_ms=5)
        for k in range(count)
    ]

    def work() -> None:
        sent = codec.encode(events)
        found = codec.Decoder().attempt([one.value for one in sent], [one.key for one in sent])
        assert found.num_events == count

    return work


def odd_decimals(count: int) -> Work:
    """So many messages with a DECIMAL that has another spelling, every second one of them with too many digits."""
    text = (
        '{"id":0,"database":"s","table":"t","pkNames":["d"],"isDdl":false,"type":"INSERT","es":1,"ts":1,"sql":"",'
        '"sqlType":{"d":3},"mysqlType":{"d":"decimal(20,10)"},"data":[{"d":"%s"}],"old":null}'
    )
    values = [(text % ("1E999999999" if k % 2 else "+5")).encode() for k in range(count)]
    return lambda: _module("canal-json").Decoder().attempt(values)


def wrong_messages(protocol: str, count: int) -> Work:
    """So many messages without keys, of which none can be read."""
    codec = _module(protocol)

    def work() -> None:
        assert len(codec.Decoder().attempt([b"9"] * count).errors) == count

    return work


def columns_of_sql(count: int) -> Work:
    """A statement that creates a table of so many columns."""
    inside = ",".join(f"c{k} decimal(20,3) not null default '1.5' comment 'x'" for k in range(count))
    return lambda: TableStore().add_sql(f"create table t (id int primary key, {inside})", "s")


PROTOCOLS = ("canal-json", "craft", "debezium", "open-protocol")
CASES = [
    *(Growth(f"columns, {one}, decoded", partial(columns_read, one)) for one in PROTOCOLS),
    *(Growth(f"columns, {one}, encoded", partial(columns_written, one)) for one in PROTOCOLS),
    *(Growth(f"columns, {one}, dissected", partial(columns_dissected, one), 4) for one in PROTOCOLS),
    *(Growth(f"columns, {one}, detected", partial(columns_detected, one), 16) for one in PROTOCOLS),
    Growth("columns of a key, described", columns_described),
    *(Growth(f"labels, {one}", partial(labels, one)) for one in PROTOCOLS),
    *(Growth(f"rows, {one}", partial(rows, one)) for one in PROTOCOLS),
    Growth("decimals of other spellings", odd_decimals),
    *(Growth(f"wrong messages, {one}", partial(wrong_messages, one)) for one in tidewire.protocols()),
    Growth("columns of a statement", columns_of_sql, 8),
]
