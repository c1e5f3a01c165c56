"""The recorded Debezium messages as JSON, selected by the facts in FACTS.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import recorded
from json_twin import DECODER, Pairs

from debezium.recordings import STREAMS, plain

Json = dict[str, Any]
FACTS = (Path(__file__).parent / "FACTS.md").read_text("utf-8")


class Said(NamedTuple):
    """A message: its stream, its bytes and members, and what happened."""

    producer: str
    scenario: str
    option_set: str
    stream: Path
    raw_key: bytes
    raw: bytes
    key: Json
    value: Json
    event: Json

    @property
    def payload(self) -> Json:
        """The value's payload."""
        found: Json = self.value["payload"]
        return found

    @property
    def op(self) -> str:
        """The operation; of DDL, which has none, `ddl`."""
        return str(self.payload.get("op", "ddl"))

    @property
    def options(self) -> Json:
        """The stream's options."""
        found: Json = recorded.header(self.stream)["options"]
        return found


@cache
def said() -> tuple[Said, ...]:
    """All recorded messages."""
    found = []
    for stream in STREAMS:
        truth = recorded.stream_truth(stream)
        producer, scenario = stream.parts[-3:-1]
        for message, key, value in plain(stream):
            where = (producer, scenario, recorded.option_set(stream), stream, key, value)
            found.append(Said(*where, json.loads(key), json.loads(value), truth[message.events[0]]))
    return tuple(found)


def of(name: str, producer: str = "tiflow") -> list[Said]:
    """The messages of a stream, `scenario/option set`."""
    found = [one for one in said() if (f"{one.scenario}/{one.option_set}", one.producer) == (name, producer)]
    assert found, name
    return found


def rows(name: str = "", table: str = "", producer: str = "tiflow") -> list[Said]:
    """Row messages, of one stream and table or of all."""
    chosen = of(name, producer) if name else said()
    return [one for one in chosen if one.op in "cud" and table in ("", one.event["table"])]


def images(one: Said) -> Iterator[tuple[Json, dict[str, Any]]]:
    """The images of a row, each with what is in the database, by column name."""
    for member, side in (("after", "new"), ("before", "old")):
        if one.payload.get(member) is not None:
            names = [column["name"] for column in one.event["columns"]]
            yield one.payload[member], dict(zip(names, one.event[side], strict=True))


def fields(one: Said, side: str = "after") -> list[Json]:
    """The fields of a row's columns in its schema block."""
    (found,) = (field for field in one.value["schema"]["fields"] if field["field"] == side)
    return list(found["fields"])


def field(name: str, table: str, column: str) -> Json:
    """A column's field in a stream."""
    return next(one for one in fields(rows(name, table)[0]) if one["field"] == column)


def value(name: str, table: str, column: str, row: int = 0) -> Any:
    """A column's value in the newest image of a row of a stream."""
    payload = rows(name, table)[row].payload
    return (payload["after"] or payload["before"])[column]


def statements() -> list[Said]:
    """All DDL messages."""
    return [one for one in said() if one.op == "ddl"]


def changes() -> Iterator[tuple[Said, Json]]:
    """All changes of tables with a table, with their messages."""
    for one in statements():
        for change in one.payload["tableChanges"]:
            if change["table"] is not None:
                yield one, change


def described(name: str, table: str, producer: str = "tiflow") -> Json:
    """The columns of a table's first change in a stream, by name."""
    found = next(change for one, change in changes() if one in of(name, producer) and one.event["table"] == table)
    return {column["name"]: column for column in found["table"]["columns"]}


def kind(column: Json) -> str:
    """The MySQL type of a column of the truth, bare."""
    return str(column["mysql_type"]).replace("(", " ").split()[0]


def twice(data: bytes) -> set[str]:
    """Names of members that stand twice in one object."""
    found: set[str] = set()

    def look(value: Any) -> None:
        if isinstance(value, Pairs):
            names = [name for name, _ in value]
            found.update(name for name in names if names.count(name) > 1)
            for _, one in value:
                look(one)
        elif isinstance(value, list):
            for one in value:
                look(one)

    look(DECODER.decode(data.decode()))
    return found
