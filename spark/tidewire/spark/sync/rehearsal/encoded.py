"""Histories (`histories.py`) as messages of a protocol, in files that a streaming source reads."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tidewire
from tidewire.events import Bootstrap, Column, Ddl, Event, Events, RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType, ddl_type_of
from tidewire.reading.table_names import split
from tidewire.spark.sync.changelog import Action, Statement, table_name
from tidewire.spark.sync.rehearsal.histories import UNREADABLE, Batch, History
from tidewire.spark.sync.rehearsal.source import Damaged, Message, Row, alter
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription

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
        self.damaged = False
        """Whether the newest message is not as it was encoded."""

    def messages(self, batch: Batch) -> Iterable[tuple[tuple[str, int], bytes | None, bytes | None]]:
        """Topic with partition, key and value of each message of a batch; some are damaged on purpose."""
        for place, items in batch.items():
            for item in items:
                damaged = isinstance(item, Damaged)
                of = item.of if isinstance(item, Damaged) else item
                events = events_of(of)
                # messages that describe tables are never damaged
                whole = 0
                if self.described is not None:
                    events = self.described.events(place, events)
                    whole = len(events) - 1
                for at, event in enumerate(events):
                    for key, value in self._encoded(event):
                        bad = value
                        if isinstance(of, Message) and at >= whole:
                            bad = _cut(value) if damaged or of.lost else _unreadable(value) if of.dead else value
                        self.damaged = bad is not value
                        yield place, key, bad

    def _encoded(self, event: Event) -> Iterable[tuple[bytes | None, bytes | None]]:
        found = self.encoder.encode(Events.of([event]).columns)
        return zip(found.column("key").to_pylist(), found.column("value").to_pylist(), strict=True)


def _cut(value: bytes | None) -> bytes:
    """The first half of a message, with a wrong first byte."""
    return b"\0" + (value or b"")[1 : len(value or b"") // 2]


def _unreadable(value: bytes | None) -> bytes:
    """The message with letters in place of the number `UNREADABLE`."""
    number = str(UNREADABLE)
    old = f'"{number}"'.encode()
    assert value is not None
    return value.replace(old, b'"abcdefg"') if old in value else value.replace(number.encode(), b'"abcde"')


class Described:
    """The versions of all tables of a history by commit ts, for a protocol whose rows refer to a table version."""

    def __init__(self, history: History) -> None:
        self.first = dict(history.columns)
        self.versions: dict[str, list[tuple[int, dict[str, str]]]] = {}
        self.said: set[tuple[tuple[str, int], str, int]] = set()
        """Topic with partition, table and version of each description sent so far."""
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
        """Version and columns of a table at a commit ts."""
        return next((one for one in reversed(self.versions.get(name, [])) if one[0] <= ts), (1, self.first))

    def _table(self, name: str, version: int, columns: Mapping[str, str]) -> TableDescription:
        schema, table = split(name)
        row = {one: 0 if of == "int" and one != "id" else "" for one, of in columns.items()}
        return described(table, columns_of(row), version, schema)

    def events(self, place: tuple[str, int], events: Iterable[Event]) -> list[Event]:
        """The events of a partition, with a description of the table before its first row of each version."""
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


def described(name: str, columns: Sequence[Column], version: int = 7, schema: str = "shop") -> TableDescription:
    """The description of a table with these columns."""
    found = []
    for column in columns:
        said = (column.mysql_type or "").partition("(")
        numbers = [int(one) for one in said[2].rstrip(")").split(",") if one.isdigit()]
        found.append(
            ColumnDescription(
                column.name,
                said[0],
                length=numbers[0] if numbers else None,
                scale=numbers[1] if len(numbers) > 1 else None,
                nullable=bool(column.flags & ColumnFlag.NULLABLE),
            )
        )
    keys = tuple(column.name for column in columns if column.flags & ColumnFlag.HANDLE_KEY)
    indexes = [IndexDescription("PRIMARY", keys, True, True, False)] if keys else []
    return TableDescription(schema, name, found, indexes, version=version, id=11)


class Files(Encoded):
    """The batches of a history, each as a file."""

    def __init__(self, history: History, protocol: str, folder: Path) -> None:
        super().__init__(history, protocol)
        self.folder = folder
        self.offsets: dict[tuple[str, int], int] = {}
        self.written = 0
        """How many messages the newest file has."""
        self.spoiled: list[tuple[str, int, int]] = []
        """Topic, partition and offset of the damaged messages in the newest file."""
        folder.mkdir(parents=True)

    @property
    def partitions(self) -> dict[str, int]:
        """How many partitions each topic has."""
        return {topic: len(each) for topic, each in self.history.partitions.items()}

    def write(self, number: int) -> None:
        """Writes the file of a batch; it appears whole, by renaming."""
        path = self.folder / f"{number:04d}.json"
        made = path.with_suffix(".made")
        made.write_text("".join(json.dumps(one) + "\n" for one in self.lines(self.history.batches[number])))
        os.utime(made, (1_700_000_000 + number,) * 2)
        made.rename(path)

    def lines(self, batch: Batch) -> Iterable[dict[str, Any]]:
        self.written, self.spoiled = 0, []
        for (topic, partition), key, value in self.messages(batch):
            offset = self.offsets[topic, partition] = self.offsets.get((topic, partition), -1) + 1
            self.written += 1
            if self.damaged:
                self.spoiled.append((topic, partition, offset))
            yield {
                "key": None if key is None else base64.b64encode(key).decode(),
                "value": None if value is None else base64.b64encode(value).decode(),
                "topic": topic,
                "partition": partition,
                "offset": offset,
            }


def events_of(item: Message | Statement | int) -> list[Event]:
    """The events of an item of a history; a number is a watermark."""
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
    """The SQL texts of a statement, each with all its actions of a kind."""
    actions = statement.actions
    name = _sql(statement.table)
    if actions[0].kind == "RenameTable":
        return ["RENAME TABLE " + ", ".join(f"{_sql(one.get('old'))} TO {_sql(one.get('new'))}" for one in actions)]
    if actions[0].kind == "CreateTable":
        return [f"CREATE TABLE {name} (`id` varchar(20) PRIMARY KEY, `v` int)"]
    if actions[0].kind == "DropTable":
        return [f"DROP TABLE {name}"]
    if actions[0].kind == "Truncate":
        return [f"TRUNCATE TABLE {name}"]
    return [f"ALTER TABLE {name} " + ", ".join(_part(one) for one in actions)]


def _sql(name: str) -> str:
    """A table's name in a statement."""
    parts = split(name)
    if all(part.isidentifier() for part in parts):
        return name
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


def _part(action: Action) -> str:
    if action.kind == "AddColumn":
        return f"ADD COLUMN {action.get('name')} int DEFAULT {action.get('default')}"
    if action.kind == "DropColumn":
        return f"DROP COLUMN {action.get('name')}"
    if action.kind == "RenameColumn":
        return f"RENAME COLUMN {action.get('old')} TO {action.get('new')}"
    if action.kind == "ModifyColumn":
        return f"MODIFY COLUMN {action.get('name')} varchar(64)"
    if action.kind == "ExchangePartition":
        return f"EXCHANGE PARTITION p0 WITH TABLE {_sql(action.get('table'))}"
    if action.kind == "ChangedKey":
        return "DROP PRIMARY KEY, ADD PRIMARY KEY (v)"
    if action.kind == "Unknown":
        return "ADD COLUMN computed int AS (v + 1) STORED"
    assert action.kind == "NoEffect", action
    return "ADD INDEX i (v)"
