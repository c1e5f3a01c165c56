"""One history of two tables as messages of five protocols, and the result of staging without Spark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

import tidewire
from tidewire.events import Column, Ddl, Event, Events, RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.sync.equal_rows import NTH
from tidewire.spark.sync.facts import FACTS, Facts
from tidewire.spark.sync.rehearsal.encoded import described
from tidewire.spark.sync.shapes import Shape
from tidewire.spark.sync.stage_task import StageTask
from tidewire.spark.sync.staging import staging_options

SECOND = 1000 << 18
START = 450_000_000 * SECOND // 1000
KEY = ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY
VERSION = 7
PROTOCOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "canal-json": ("canal-json", {"enable_tidb_extension": True, "content_compatible": True}),
    "canal-json, changed columns": ("canal-json", {"enable_tidb_extension": True, "only_output_updated_columns": True}),
    "craft": ("craft", {}),
    "craft, keys of deletes": ("craft", {"delete_only_output_handle_key_columns": True}),
    "open-protocol": ("open-protocol", {}),
    "simple": ("simple", {}),
    "debezium": ("debezium", {"enable_tidb_extension": True, "producer": "ticdc"}),
}
"""By name the protocol, and the options of its encoder."""
ACCOUNTS = (
    Column("id", ColumnType.BIGINT, KEY, "bigint"),
    Column("owner", ColumnType.VARCHAR, ColumnFlag.NULLABLE, "varchar(20)"),
    Column("balance", ColumnType.DECIMAL, ColumnFlag.NULLABLE, "decimal(12,2)"),
    Column("opened", ColumnType.DATETIME, ColumnFlag.NULLABLE, "datetime"),
    Column("data", ColumnType.BLOB, ColumnFlag.NULLABLE | ColumnFlag.BINARY, "blob"),
)
PAIRS = (
    Column("a", ColumnType.INT, KEY, "int"),
    Column("b", ColumnType.VARCHAR, KEY, "varchar(9)"),
    Column("n", ColumnType.BIGINT, ColumnFlag.NULLABLE, "bigint"),
)
TABLES = {"accounts": ACCOUNTS, "pairs": PAIRS}


def account(number: int, **values: Any) -> dict[str, Any]:
    row = {
        "id": number,
        "owner": f"o{number}",
        "balance": f"{number}.50",
        "opened": "2024-02-29 10:00:00",
        "data": b"\0",
    }
    return {**row, **values}


def change(
    kind: str,
    ts: int,
    table: str,
    new: Mapping[str, Any] | None,
    old: Mapping[str, Any] | None = None,
    columns: Sequence[Column] | None = None,
) -> RowChange:
    """A changed row; `ts` counts from `START`."""
    return RowChange(
        kind,
        START + ts,
        schema="shop",
        table=table,
        table_version=VERSION,
        table_id=11,
        new=new,
        old=old,
        columns=TABLES[table] if columns is None else columns,
    )


def history() -> list[Event]:
    """Two tables: inserted, updated, with keys that are changed and swapped, deleted."""
    events: list[Event] = [
        Ddl(START, "shop", name, 3, f"CREATE TABLE `{name}` (id int)", table_after=described(name, columns))
        for name, columns in TABLES.items()
    ]
    events += [change("insert", 1 + n, "accounts", account(n)) for n in range(6)]
    events += [change("insert", 10, "pairs", {"a": n, "b": "x", "n": n}) for n in range(3)]
    events.append(change("update", 20, "accounts", account(1, balance="7.00", owner=None), account(1)))
    # a key that is changed, and two that are swapped in a transaction
    events.append(change("update", 21, "accounts", account(100, owner="o2"), account(2)))
    events.append(change("update", 22, "pairs", {"a": 1, "b": "x", "n": 0}, {"a": 0, "b": "x", "n": 0}))
    events.append(change("update", 22, "pairs", {"a": 0, "b": "x", "n": 1}, {"a": 1, "b": "x", "n": 1}))
    events.append(change("update", 23, "pairs", {"a": 2, "b": "y", "n": 2}, {"a": 2, "b": "x", "n": 2}))
    events.append(change("delete", 24, "accounts", None, account(3)))
    events.append(change("insert", 24, "accounts", account(3, balance="0.01")))
    events.append(Watermark(START + 30))
    return events


def messages(events: Iterable[Event], name: str, **more: Any) -> tuple[list[bytes | None], list[bytes | None]]:
    """Keys and values of the messages that say these events in a protocol."""
    protocol, options = PROTOCOLS[name]
    module = tidewire.protocols()[protocol].load()
    encoder = module.Encoder(module.Options(**{**options, **more}))
    found = encoder.encode(Events.of(list(events)).columns)
    return found.column("key").to_pylist(), found.column("value").to_pylist()


def batch_of(
    keys: Sequence[bytes | None], values: Sequence[bytes | None], topic: str = "t", partition: int = 0
) -> pa.RecordBatch:
    """Messages as a task gets them."""
    origin = [f"{partition} {offset} {topic}" for offset in range(len(values))]
    return pa.record_batch(
        {
            "key": pa.array(keys, pa.binary()),
            "value": pa.array(values, pa.binary()),
            "origin": pa.array(origin, pa.utf8()),
        }
    )


def task(state: Path, protocol: str, options: Mapping[str, Any] | None = None, **more: Any) -> StageTask:
    return StageTask(
        protocol, staging_options(protocol, options, "UTC"), arrow_schema(FACTS), str(state), "b1", **{"few": 0, **more}
    )


def staged(one: StageTask, *batches: pa.RecordBatch) -> Facts:
    """What a task says of these messages."""
    facts = Facts()
    for out in one(iter(batches)):
        for fact in out.to_pylist():
            facts.take(fact["kind"], json.loads(fact["fact"]))
    return facts


def read(state: Path, facts: Facts, table: str) -> list[dict[str, Any]]:
    """All staged rows of a table, in the order in which they are applied, with the columns that their shapes have."""
    found: list[dict[str, Any]] = []
    for one in facts.rows:
        if one.table == table:
            rows = parquet.read_table(state / one.path)
            if not Shape.parse(one.shape).keys:
                rows = rows.drop_columns([NTH])
            assert rows.column_names[:-3] == [column.name for column in Shape.parse(one.shape).columns]
            assert rows.num_rows == one.rows
            found += rows.to_pylist()
    return sorted(found, key=lambda row: (row["_commit_version"], row["_commit_rank"], str(row)))


def declared_history() -> list[Event]:
    """The same history, with statements that say all columns."""
    return [
        Ddl(one.commit_ts, one.schema, one.table, 3, created(one.table or ""), table_after=one.table_after)
        if isinstance(one, Ddl)
        else one
        for one in history()
    ]


def created(table: str) -> str:
    """The statement that creates a table."""
    columns = TABLES[table]
    keys = ", ".join(one.name for one in columns if one.flags & ColumnFlag.HANDLE_KEY)
    declared = ", ".join(f"{one.name} {one.mysql_type}" for one in columns)
    return f"CREATE TABLE shop.{table} ({declared}, PRIMARY KEY ({keys}))"
