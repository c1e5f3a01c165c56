"""Every cell of the tables in TYPES.md matches the recordings, and the streams named in FACTS.md exist."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from native_debezium.recordings import Message, streams, truth

FACTS, TYPES = ((Path(__file__).parent / name).read_text("utf-8") for name in ("FACTS.md", "TYPES.md"))


class Number(str):
    """A JSON number as it is written."""


def parsed(data: bytes) -> Any:
    return json.loads(data, parse_float=Number, parse_int=Number)


def written(value: Any) -> str:
    """JSON text as the converter writes it: numbers as they were, characters outside the BMP and controls escaped."""
    if isinstance(value, Number):
        return value
    if isinstance(value, dict):
        return "{" + ",".join(f"{written(name)}:{written(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    text = json.dumps(value, ensure_ascii=False)
    text = re.sub(r"[\U00010000-\U0010ffff]", lambda found: json.dumps(found[0])[1:-1], text)
    return re.sub(r"\\u[0-9a-f]{4}", lambda found: "\\u" + found[0][2:].upper(), text)


def stored(value: dict[str, str] | None) -> str:
    """A value of an event as the tables name it."""
    if value is None:
        return "NULL"
    kind, text = next(iter(value.items()))
    return f"x'{base64.b64decode(text).hex()}'" if kind == "bytes" else text


def unwrapped(message: Message) -> tuple[Any, Any]:
    """Schema (None if there is none) and payload of a row."""
    assert message.value is not None
    found = parsed(message.value)
    return (found["schema"], found["payload"]) if list(found) == ["schema", "payload"] else (None, found)


@cache
def seen(scenario: str, option_set: str) -> dict[tuple[str, str, str], set[str]]:
    """JSON texts by table, column and stored value; of sets of a snapshot only what its rows have."""
    found: dict[tuple[str, str, str], set[str]] = {}
    for stream in forms(scenario, option_set):
        for message in stream.messages:
            if message.kind != "row" or "columns" not in (event := truth(scenario)[message.events[0]]):
                continue
            _, payload = unwrapped(message)
            if stream.header["snapshot"] != (payload["op"] == "r"):
                continue
            for side, image in (("after", event["new"]), ("before", event["old"])):
                for column, value in zip(event["columns"], image or (), strict=image is not None):
                    texts = found.setdefault((event["table"], column["name"], stored(value)), set())
                    texts.add(written(payload[side][column["name"]]) if column["name"] in payload[side] else "absent")
    return found


@cache
def schemas(scenario: str, option_set: str) -> dict[tuple[str, str], list[str]]:
    """JSON texts of a column's field in the value's schema, in the order in which they came."""
    found: dict[tuple[str, str], list[str]] = {}
    for stream in forms(scenario, option_set):
        for message in stream.messages:
            if message.kind != "row" or (described := unwrapped(message)[0]) is None:
                continue
            table = truth(scenario)[message.events[0]].get("table", "")
            for field in described["fields"][1]["fields"]:
                text = written({name: member for name, member in field.items() if name != "field"})
                texts = found.setdefault((table, field["field"]), [])
                if text not in texts:
                    texts.append(text)
    return found


def forms(scenario: str, option_set: str) -> list[Any]:
    """The streams of a scenario in an option set, in each form."""
    wanted = re.compile(rf"{option_set}-(schema|plain|nulls.*|numeric.*|mixed)")
    found = [stream for stream in streams(scenario) if wanted.fullmatch(stream.name)]
    assert found, f"{scenario}/{option_set} is not recorded"
    return found


def tables() -> list[tuple[list[str], list[str]]]:
    """Heads and cells of each line of the tables whose first head is `column`, code marks removed."""
    lines: list[tuple[list[str], list[str]]] = []
    heads: list[str] = []
    for line in TYPES.split("\n"):  # values have other ends of lines
        cells = [cell.strip().removeprefix("`").removesuffix("`") for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            heads = []
        elif not heads:
            heads = cells
        elif heads[0] == "column" and not set(line) <= set("|-"):
            lines.append((heads, cells))
    return lines


VALUES = [(heads, cells) for heads, cells in tables() if heads[1] == "stored"]
SCHEMAS = [(heads, cells) for heads, cells in tables() if heads[1] == "set"]


def test_there_are_tables_of_both_kinds_and_no_others() -> None:
    assert len(VALUES) > 100
    assert len(SCHEMAS) > 80
    assert len(VALUES) + len(SCHEMAS) == len(tables())


@pytest.mark.parametrize(("heads", "cells"), VALUES, ids=lambda cells: "-".join(cells[:2]))
def test_values_look_as_said(heads: list[str], cells: list[str]) -> None:
    scenario, table, column = cells[0].split(".")
    for option_set, cell in zip(heads[2:], cells[2:], strict=True):
        assert seen(scenario, option_set)[table, column, cells[1]] == {cell}, option_set


@pytest.mark.parametrize(("heads", "cells"), SCHEMAS, ids=lambda cells: "-".join(cells[:2]))
def test_schemas_look_as_said(heads: list[str], cells: list[str]) -> None:
    scenario, table, column = cells[0].split(".")
    assert cells[2] in schemas(scenario, cells[1])[table, column]


@pytest.mark.parametrize("named", sorted(set(re.findall(r"`([a-z-]+/[a-z-]+)`", FACTS + TYPES))))
def test_streams_that_are_named_are_there(named: str) -> None:
    assert forms(*named.split("/"))
