"""Histories (`histories.py`) as messages of a protocol, in files that a streaming source reads."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tidewire
from sync.histories import Batch, History
from sync.source import Message, Row, alter
from sync.staged_histories import described
from tidewire.events import Bootstrap, Column, Ddl, Event, Events, RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType, ddl_type_of
from tidewire.reading.table_names import split
from tidewire.spark.sync.changelog import Action, Statement, table_name
from tidewire.tables import TableDescription

START = 450_000_000 << 28
SCHEMA = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT"
OPTIONS: dict[str, dict[str, Any]] = {
    "canal-json": {"enable_tidb_extension": True, "content_compatible": True},
    "open-protocol": {},
    "craft": {},
    "simple": {},
    "debezium": {"enable_tidb_extension": True, "producer": "ticdc"},
}
KEY = ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY


class Encoded:
    """A history in messages of a protocol."""

    def __init__(self, history: History, protocol: str) -> None:
        self.history = history
        module = tidewire.protocols()[protocol].load()
        self.encoder = module.Encoder(module.Options(**OPTIONS[protocol]))
        self.described = Described(history) if protocol == "simple" else None

    def messages(self, batch: Batch) -> Iterable[tuple[tuple[str, int], bytes | None, bytes | None]]:
        """Topic and partition, key and value of each message."""
        for place, items in batch.items():
            events = [event for item in items for event in events_of(item)]
            if self.described is not None:
                events = self.described.events(place, events)
            for event in events:
                found = self.encoder.encode(Events.of([event]).columns)
                for key, value in zip(found.column("key").to_pylist(), found.column("value").to_pylist(), strict=True):
                    yield place, key, value


class Described:
    """What the tables of a history are from each commit ts on, for a protocol whose rows name a version of that."""

    def __init__(self, history: History) -> None:
        self.first = dict(history.columns)
        self.versions: dict[str, list[tuple[int, dict[str, str]]]] = {}
        self.said: set[tuple[tuple[str, int], str, int]] = set()
        """By place, what a partition has heard of."""
        for one in history.log:
            if isinstance(one, Statement):
                for action in one.actions:
                    self._stated(one.ts, one.table, action)

    def _stated(self, ts: int, name: str, action: Action) -> None:
        columns = dict(self.first) if action.kind == "CreateTable" else self._at(name, ts)[1]
        if action.kind == "RenameTable":
            name, columns = action.get("new"), self._at(action.get("old"), ts)[1]
        elif action.kind not in ("CreateTable", "DropTable", "NoEffect"):
            columns = alter(columns, {}, action)
        self.versions.setdefault(name, []).append((ts, columns))

    def _at(self, name: str, ts: int) -> tuple[int, dict[str, str]]:
        """The version of a table, and its columns."""
        return next((one for one in reversed(self.versions.get(name, [])) if one[0] <= ts), (1, self.first))

    def _table(self, name: str, version: int, columns: Mapping[str, str]) -> TableDescription:
        schema, table = split(name)
        row = {one: 0 if of == "int" and one != "id" else "" for one, of in columns.items()}
        return described(table, columns_of(row), version, schema)

    def events(self, place: tuple[str, int], events: Iterable[Event]) -> list[Event]:
        """The events of a partition, with what describes a table before its first row of each version."""
        found: list[Event] = []
        for event in events:
            if not isinstance(event, RowChange | Ddl):
                found.append(event)
                continue
            name = table_name(event.schema or "", event.table or "")
            if isinstance(event, Ddl) and event.query is not None and event.query.startswith("RENAME TABLE"):
                name = event.query.split(" TO ")[1].split(",")[0]
            version, columns = self._at(name, (event.commit_ts or 0) - START)
            table = self._table(name, version, columns)
            if isinstance(event, Ddl):
                event = Ddl(event.commit_ts, event.schema, event.table, event.ddl_type, event.query, table_after=table)
            else:
                event.table_version = version
                if (place, name, version) not in self.said:
                    self.said.add((place, name, version))
                    found.append(Bootstrap(event.commit_ts, event.schema, event.table, table_after=table))
            found.append(event)
        return found


class Files(Encoded):
    """The batches of a history, each as a file."""

    def __init__(self, history: History, protocol: str, folder: Path) -> None:
        super().__init__(history, protocol)
        self.folder = folder
        self.offsets: dict[tuple[str, int], int] = {}
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
