"""Histories (`histories.py`) as messages of a protocol, in files as a streaming source of frames reads them."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tidewire
from sync.histories import Batch, History
from sync.source import Message, Row
from tidewire.events import Column, Ddl, Event, Events, RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType, ddl_type_of
from tidewire.reading.table_names import split
from tidewire.spark.sync.changelog import Action, Statement

START = 450_000_000 << 28
SCHEMA = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT"
OPTIONS: dict[str, dict[str, Any]] = {
    "canal-json": {"enable_tidb_extension": True, "content_compatible": True},
    "open-protocol": {},
    "craft": {},
    "simple": {},
}
KEY = ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY


class Files:
    """The batches of a history, each as a file."""

    def __init__(self, history: History, protocol: str, folder: Path) -> None:
        self.history = history
        self.folder = folder
        self.offsets: dict[tuple[str, int], int] = {}
        module = tidewire.protocols()[protocol].load()
        self.encoder = module.Encoder(module.Options(**OPTIONS[protocol]))
        folder.mkdir(parents=True)

    @property
    def partitions(self) -> dict[str, int]:
        """How many partitions each topic has."""
        return {topic: len(each) for topic, each in self.history.partitions.items()}

    def write(self, number: int) -> None:
        """The file of a batch, which is there at once."""
        path = self.folder / f"{number:04d}.json"
        made = path.with_suffix(".made")
        made.write_text("".join(json.dumps(one) + "\n" for one in self.lines(self.history.batches[number])))
        os.utime(made, (1_700_000_000 + number,) * 2)
        made.rename(path)

    def lines(self, batch: Batch) -> Iterable[dict[str, Any]]:
        for (topic, partition), key, value in self.messages(batch):
            offset = self.offsets[topic, partition] = self.offsets.get((topic, partition), -1) + 1
            yield {
                "key": None if key is None else base64.b64encode(key).decode(),
                "value": None if value is None else base64.b64encode(value).decode(),
                "topic": topic,
                "partition": partition,
                "offset": offset,
            }

    def messages(self, batch: Batch) -> Iterable[tuple[tuple[str, int], bytes | None, bytes | None]]:
        """Topic and partition, key and value of each message."""
        for place, items in batch.items():
            for item in items:
                for key, value in self.encoded(events_of(item)):
                    yield place, key, value

    def encoded(self, events: list[Event]) -> Iterable[tuple[bytes | None, bytes | None]]:
        for event in events:
            found = self.encoder.encode(Events.of([event]).columns)
            yield from zip(found.column("key").to_pylist(), found.column("value").to_pylist(), strict=True)


def events_of(item: Message | Statement | int) -> list[Event]:
    """What a partition delivers, as events."""
    if isinstance(item, int):
        return [Watermark(START + item)]
    if isinstance(item, Statement):
        schema, table = split(item.table)
        return [Ddl(START + item.ts, schema, table, ddl_type_of(one), one) for one in sql_of(item)]
    if len(item.changes) == 2:
        gone, there = item.changes
        assert there.row is not None
        return [changed("update", item.ts, there.table, there.row, {**there.row, "id": gone.key})]
    (one,) = item.changes
    if one.row is None:
        return [changed("delete", item.ts, one.table, None, {"id": one.key})]
    return [changed("insert", item.ts, one.table, one.row)]


def changed(kind: Any, ts: int, name: str, new: Row | None, old: Row | None = None) -> RowChange:
    schema, table = split(name)
    return RowChange(
        kind, START + ts, schema=schema, table=table, new=new, old=old, columns=columns_of(new or old or {}), table_id=1
    )


def columns_of(row: Mapping[str, Any]) -> tuple[Column, ...]:
    return tuple(
        Column(name, ColumnType.VARCHAR, KEY, "varchar(20)")
        if name == "id"
        else Column(name, ColumnType.INT, ColumnFlag.NULLABLE, "int")
        if isinstance(value, int)
        else Column(name, ColumnType.VARCHAR, ColumnFlag.NULLABLE, "varchar(64)")
        for name, value in row.items()
    )


def sql_of(statement: Statement) -> list[str]:
    """A statement's text; what it does to names of tables is one statement, and so is what it does to columns."""
    actions = statement.actions
    name = statement.table
    if actions[0].kind == "RenameTable":
        return ["RENAME TABLE " + ", ".join(f"{one.get('old')} TO {one.get('new')}" for one in actions)]
    if actions[0].kind == "CreateTable":
        return [f"CREATE TABLE {name} (`id` varchar(20) PRIMARY KEY, `v` int)"]
    if actions[0].kind == "DropTable":
        return [f"DROP TABLE {name}"]
    if actions[0].kind == "Truncate":
        return [f"TRUNCATE TABLE {name}"]
    return [f"ALTER TABLE {name} " + ", ".join(_part(one) for one in actions)]


def _part(action: Action) -> str:
    if action.kind == "AddColumn":
        return f"ADD COLUMN {action.get('name')} int DEFAULT {action.get('default')}"
    if action.kind == "DropColumn":
        return f"DROP COLUMN {action.get('name')}"
    if action.kind == "RenameColumn":
        return f"RENAME COLUMN {action.get('old')} TO {action.get('new')}"
    if action.kind == "ModifyColumn":
        return f"MODIFY COLUMN {action.get('name')} varchar(64)"
    assert action.kind == "NoEffect", action
    return "ADD INDEX i (v)"
