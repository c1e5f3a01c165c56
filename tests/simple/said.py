"""The recorded messages of Simple as JSON, selected by the facts in FACTS.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import recorded

from simple.recordings import STREAMS, plain

Json = dict[str, Any]
FACTS = (Path(__file__).parent / "FACTS.md").read_text("utf-8")
ROWS = ("INSERT", "UPDATE", "DELETE")


class Said(NamedTuple):
    """A message: its stream, its bytes and members, and what happened."""

    producer: str
    scenario: str
    option_set: str
    stream: Path
    data: bytes
    value: Json
    event: Json


@cache
def said() -> tuple[Said, ...]:
    """All recorded messages."""
    found = []
    for stream in STREAMS:
        truth = recorded.stream_truth(stream)
        producer, scenario = stream.parts[-3:-1]
        for message, data in plain(stream):
            where = (producer, scenario, recorded.option_set(stream), stream)
            found.append(Said(*where, data, json.loads(data), truth[message.events[0]]))
    return tuple(found)


def of(name: str, producer: str = "tiflow") -> list[Said]:
    """The messages of a stream, `scenario/option set`."""
    found = [one for one in said() if (f"{one.scenario}/{one.option_set}", one.producer) == (name, producer)]
    assert found, name
    return found


def rows(name: str = "", table: str = "", producer: str = "tiflow") -> list[Said]:
    """Row messages, of one stream and table or of all."""
    chosen = of(name, producer) if name else said()
    return [one for one in chosen if one.value["type"] in ROWS and table in ("", one.value["table"])]


def images(one: Said) -> Iterator[Json]:
    """The images of a row."""
    yield from (one.value[side] for side in ("data", "old") if side in one.value)


def schemas() -> Iterator[tuple[Said, Json]]:
    """All table schemas, with their messages."""
    for one in said():
        for member in ("tableSchema", "preTableSchema"):
            if member in one.value:
                yield one, one.value[member]


def columns() -> Iterator[tuple[Said, Json, Json]]:
    """All columns of all table schemas, with their tables."""
    for one, table in schemas():
        for column in table["columns"]:
            yield one, table, column


def described(name: str, table: str, producer: str = "tiflow") -> Json:
    """The columns of a table's first table schema in a stream, by name."""
    found = next(one.value["tableSchema"] for one in of(name, producer) if names(one) == table)
    return {column["name"]: column for column in found["columns"]}


def names(one: Said) -> str:
    """The table that a table schema is of."""
    return str(one.value.get("tableSchema", {}).get("table", ""))


def kind(column: Json) -> Json:
    """A column's type."""
    found: Json = column["dataType"]
    return found


def truths(one: Said) -> dict[str, Json]:
    """The columns of the truth by name."""
    return {column["name"]: column for column in one.event["columns"]}


def changed(name: str) -> list[Said]:
    """The messages of statements of a kind with both table schemas."""
    found = [one for one in said() if one.event["ddl_type_name"] == name and "preTableSchema" in one.value]
    assert found, name
    return found


def statements() -> list[Said]:
    """All DDL messages."""
    return [one for one in said() if "sql" in one.value]


def cells() -> Iterator[tuple[Said, str, Any]]:
    """All values of all rows with the MySQL type of their column."""
    for one in rows():
        kinds = {name: column["mysql_type"].replace("(", " ").split()[0] for name, column in truths(one).items()}
        for image in images(one):
            for name, value in image.items():
                yield one, kinds[name], value
