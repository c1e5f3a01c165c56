"""Runs in a process of its own, in a package that has a protocol from outside. Prints what came of it as JSON.

Arguments: recorded streams of Simple, whose events the protocol from outside carries.
"""

from __future__ import annotations

import base64
import importlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import tidewire
import tidewire.runtime
from tidewire.events import Bootstrap, Column, Ddl, Event, Events, RowChange, Watermark
from tidewire.runtime.errors import DecodeError, EncodeError
from tidewire.tables import TableDescription, TableStore

maxwell: Any = importlib.import_module("tidewire.maxwell")
simple: Any = importlib.import_module("tidewire.simple")

NAMES = ["database", "table"]
"""The members with which keys begin."""
NAMED = {"type": "delete", "database": "s", "table": "t"}
NOTHING = {"database": "", "table": "", "columns": None, "primary-key": None}
ALTERED = {
    "type": "table-alter",
    "old": {**NOTHING, "charset": "utf8mb4"},
    "def": {
        "database": "s",
        "charset": "utf8mb4",
        "table": "t",
        "columns": [
            {"type": "int", "name": "id", "signed": True},
            {"type": "enum", "name": "e", "enum-values": ["a", "b"]},
            {"type": "timestamp", "name": "c", "column-length": 6},
        ],
        "primary-key": ["id"],
    },
    "ts": 1477053308000,
    "sql": "alter table t add column c timestamp(6)",
    "database": "s",
    "table": "t",
    "position": "master.000006:804398",
}
"""A statement as Maxwell's documentation has them: its members come in another order, and are more."""


COLUMNS = [Column("id", 3, 11, "int"), Column("n", 15, 0, "varchar")]


def recorded(paths: list[str]) -> Iterator[Event]:
    """The events of streams."""
    for path in paths:
        store = TableStore()
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                value = json.loads(line).get("value")
                if value is not None:
                    yield from simple.decode(base64.b64decode(value), tables=store)


def types_of(event: Any) -> str:
    """The types of a row's columns, as an option says them."""
    columns = ", ".join(f"{quoted(one.name)} {one.mysql_type}" for one in event.columns)
    return f"{quoted(event.schema)}.{quoted(event.table)} ({columns})"


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return "`" + name.replace("`", "``") + "`"


def differences(event: Any, found: Any) -> Iterator[str]:
    """What of an event is another thing when it was written and read: times are cut to seconds."""
    if type(event) is not type(found):
        yield "class"
        return
    if (event.schema or None, event.table or None) != (found.schema, found.table):
        yield "names"
    if isinstance(event, RowChange) and isinstance(found, RowChange):
        committed: Any = event.commit_ts
        if found.commit_ms != (committed >> 18) // 1000 * 1000:
            yield "time"
        if event.kind != found.kind or event.new != found.new:
            yield "row"
        old = event.old if event.kind == "delete" else event.old and changed(event)
        if old != found.old:
            yield "old row"
    elif isinstance(event, Ddl) and isinstance(found, Ddl):
        if event.commit_ts != found.commit_ts or event.query != found.query:
            yield "statement"
        for mine, theirs in ((event.table_before, found.table_before), (event.table_after, found.table_after)):
            if columns(mine) != columns(theirs):
                yield "description"


def changed(event: Any) -> dict[str, Any]:
    """The columns of an old row whose value is another one in the new row."""
    return {name: value for name, value in event.old.items() if event.new[name] != value}


def columns(table: Any) -> list[tuple[str, str]] | None:
    """What is told of a table."""
    return None if table is None else [(one.name, one.mysql_type) for one in table.columns]


def carried() -> dict[str, Any]:
    """Every recorded event written, read, and written again."""
    counts: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    values, options = [], []
    for event in recorded(sys.argv[1:]):
        try:
            ((key, value, *_),) = maxwell.encode([event])
        except EncodeError as error:
            refused[f"{type(event).__name__}: {error.reason}"] += 1
            continue
        option = maxwell.Options(column_types=types_of(event)) if isinstance(event, RowChange) else maxwell.Options()
        (found,) = maxwell.decode(value, options=option)
        counts[type(event).__name__] += 1
        counts.update(differences(event, found))
        counts["again"] += [one.value for one in maxwell.encode([found])] == [value]
        counts["trouble"] += sum(one.type == "trouble" for one in maxwell.dissect(value, key))
        counts["keys"] += [one.path for one in maxwell.dissect(value, key) if one.part == "key"][:2] == NAMES
        values.append(value)
        options.append(option)
    together = maxwell.decode_batch(values)
    counts["batch"] = len(together) - len(values)
    return {"counts": dict(counts), "refused": dict(refused)}


def cut() -> int:
    """How many messages that are cut off are taken for whole ones."""
    found = 0
    for message in maxwell.encode(made()):
        for size in range(1, len(message.value)):
            read = maxwell.decode_batch([message.value[:size], message.value])
            found += [error.message for error in read.errors] != [0]
    return found


def made() -> list[Event]:
    """An event of every kind that the protocol carries."""
    shape = TableDescription.from_json(
        {"schema": "s", "table": "t", "columns": [{"name": "id", "mysql_type": "int"}], "indexes": []}
    )
    at: dict[str, Any] = {"commit_ms": 1600000001000, "columns": COLUMNS}
    return [
        RowChange("insert", None, "s", "t", new={"id": 1, "n": "ä<"}, **at),
        RowChange("update", None, "s", "t", {"id": 1, "n": None}, {"id": 1, "n": "ä<"}, **at),
        RowChange("delete", None, "s", "t", old={"id": 1, "n": None}, **{**at, "commit_ms": -1}),
        Ddl(400 << 18, "s", "t", None, "create table t (id int)", table_after=shape),
        Ddl(401 << 18, "s", "t", 5, "alter table t add column x int", table_before=shape, table_after=shape),
        Ddl(402 << 18, "s", None, 2, "drop database s"),
    ]


def refusals() -> list[str]:
    """What an encoder says of events that have no message."""
    found = []
    for event in (
        Ddl(1, "s", "t", 21, "create view v as select 1"),
        Ddl(1, "s", "t", None, "optimize table t"),
        Watermark(1),
        Bootstrap(1, "s", "t"),
    ):
        try:
            maxwell.encode([event])
            found.append("")
        except EncodeError as error:
            found.append(error.reason)
    return found


def spoiled() -> list[list[Any]]:
    """What a reader says of messages that say something else than what they are."""
    old = {**ALTERED, "old": {"id": 1}}
    cases: list[dict[str, Any]] = [
        {**NAMED, "ts": 2**63 // 1000 + 1, "old": {"id": 1}},
        {**NAMED, "ts": "1", "old": {"id": 1}},
        {"ts": "1", **NAMED, "old": {"id": 1}},
        {**ALTERED, "ts": -1},
        old,
        {"old": old["old"], **{key: value for key, value in old.items() if key != "old"}},
        {**NAMED, "ts": 1, "old": {"id": 1}, "sql": "drop table t"},
        {**NAMED, "ts": 1, "old": {"id": 1}, "data": {"id": 1}},
        {**NAMED, "type": "bootstrap-complete", "data": {"id": 1}},
        {**NAMED, "type": "table-rename"},
    ]
    found = []
    for case in cases:
        try:
            found.append(["read", len(maxwell.decode(json.dumps(case).encode()))])
        except DecodeError as error:
            found.append([error.code, error.field])
    return found


def documented() -> list[Any]:
    """Messages as Maxwell writes them, in any order of their members."""
    first = maxwell.decode(json.dumps({"old": {"id": 1, "n": None}, "ts": 7, **NAMED}).encode())[0]
    second = maxwell.decode(json.dumps({**ALTERED, "old": NOTHING, "made_at_us": -1}).encode())[0]
    third = maxwell.decode(json.dumps({**NAMED, "type": "bootstrap-insert", "ts": 7, "data": {"id": 1}}).encode())[0]
    labels = [list(one.labels) for one in second.table_after.columns]
    table = [second.commit_ts, second.sent_ms, second.table_before is None, second.table_after.charset, labels]
    return [[first.kind, first.commit_ms, dict(first.old)], table, [third.kind, dict(third.new)]]


def typed() -> list[Any]:
    """Rows with the types of Spark, without Spark."""
    messages = [{"value": message.value} for message in maxwell.encode(made()[:3])]
    options = {"column-types": "s.t (id int, n varchar(10))"}
    table = tidewire.read_table(messages, "s.t", protocol="maxwell", options=options)
    kept = table.select(["id", "n", "_change_type", "_commit_timestamp"])
    rows = [[str(value) for value in row.values()] for row in kept.to_pylist()]
    return [str(kept.schema.field("id").type), str(kept.schema.field("n").type), *rows]


def shown() -> list[Any]:
    """What the dissector says of `old` of a statement."""
    (message,) = maxwell.encode(made()[4:5])
    return [[one.path, one.type, one.meaning] for one in maxwell.dissect(message.value)][3:6]


def keyed() -> dict[str, Any]:
    """What keys are, that a reader does not look at them, and what the dissector says of them."""
    messages = maxwell.encode(made())
    (insert,) = messages[:1]
    events = [list(maxwell.decode(message.value)) for message in messages]
    for keys in ([message.key for message in messages], [b"\0\xff"] * len(messages), [None] * len(messages)):
        found = maxwell.decode_batch([message.value for message in messages], keys)
        assert [[event] for event in found] == events
        assert not found.errors
    option = maxwell.Options(column_types="s.t (id int, n varchar(9))")
    typed = maxwell.decode(insert.value, insert.key, option)
    nothing = maxwell.encode([RowChange("insert", 1 << 18, "s", "t", new={"n": "x"}, columns=[COLUMNS[1]])])
    return {
        "keys": [message.key.decode() for message in messages],
        "batch": maxwell.encode_batch(Events.columns_of(made())).column("key").to_pylist()
        == [message.key for message in messages],
        "typed": typed[0].columns[0].mysql_type,
        "without": nothing[0].key.decode(),
        "shown": [
            [one.part, one.path, one.type, one.value, one.meaning]
            for one in maxwell.dissect(insert.value, insert.key)
            if one.part == "key"
        ],
        "strange": [
            [one.start, one.path, one.type, one.meaning]
            for one in maxwell.dissect(insert.value, b'{"database":"s","pk.id":1}\0\xff')
            if one.part == "key"
        ],
        "lost": [one.part for one in maxwell.dissect(insert.value) if one.part == "key"],
        "broken": [[one.part, one.type] for one in maxwell.dissect(b"{", insert.key)][-1:],
    }


print(
    json.dumps(
        {
            "compiled": tidewire.runtime.compiled,
            "carried": carried(),
            "cut": cut(),
            "messages": [message.value.decode() for message in maxwell.encode(made())],
            "refusals": refusals(),
            "spoiled": spoiled(),
            "documented": documented(),
            "typed": typed(),
            "shown": shown(),
            "keyed": keyed(),
        }
    )
)
