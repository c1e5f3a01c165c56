"""All DDL statements that are recorded: what they are taken apart into makes of the table before the table after."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from archives import unpacked
from recorded import GOLDEN, OWN

from tidewire.runtime.tables.sql_altered import (
    Action,
    AddColumn,
    ChangedKey,
    CreateTable,
    DeclaredColumn,
    DropColumn,
    DropTable,
    ModifyColumn,
    RenameColumn,
    RenameTable,
    Unknown,
    actions_of,
)
from tidewire.spark.sync.sql_converted import type_meaning, value_of_default
from tidewire.tables import TableDescription

TYPES = TableDescription.TYPES
SCENARIOS = Path(__file__).parents[1] / "scenarios"


@cache
def recorded() -> tuple[dict[str, Any], ...]:
    """The events of all recordings that are DDL, each once."""
    root = unpacked(*sorted(GOLDEN.glob("*.tar.xz")), *sorted(OWN.glob("*.tar.xz")))
    lines = {line for path in root.rglob("events.jsonl") for line in path.read_text("utf-8").splitlines()}
    found = [json.loads(line) for line in sorted(lines) if '"ddl"' in line]
    return tuple(event for event in found if event.get("kind") == "ddl" and event.get("query"))


def statements() -> list[str]:
    """What was executed for the recordings, and how it was published."""
    found = {event["query"] for event in recorded()} | {event["sql"] for event in recorded() if event.get("sql")}
    for path in SCENARIOS.glob("*.yaml"):
        found |= {step["ddl"] for step in yaml.safe_load(path.read_text("utf-8"))["steps"] if "ddl" in step}
    return sorted(found)


def test_every_statement_is_understood() -> None:
    every = statements()
    assert len(every) > 400
    unknown = [one for text in every for one in actions_of(text, TYPES, "test") if isinstance(one, Unknown)]
    assert unknown == []


def changed(columns: list[str], action: Action) -> list[str]:
    """The names of a table's columns after an action."""
    if isinstance(action, DropColumn):
        return [name for name in columns if name.lower() != action.name.lower()]
    if isinstance(action, RenameColumn):
        return [action.new if name.lower() == action.old.lower() else name for name in columns]
    if isinstance(action, AddColumn | ModifyColumn):
        known = [name.lower() for name in columns]
        if isinstance(action, AddColumn) and action.conditional and action.name.lower() in known:
            return columns
        at = known.index(action.name.lower()) if isinstance(action, ModifyColumn) else len(columns)
        rest = columns[:at] + columns[at + 1 :]
        if action.position is not None:
            at = 0
            if action.after is not None:
                at = [name.lower() for name in rest].index(action.after.lower()) + 1
        return [*rest[:at], action.name, *rest[at:]]
    return columns


def columns_of(event: dict[str, Any]) -> list[dict[str, Any]]:
    """The columns of a table but those that TiDB makes for indexes on expressions."""
    return [dict(one) for one in event.get("columns") or [] if not one["name"].startswith("_V$_")]


def altered() -> Iterator[tuple[dict[str, Any], tuple[Action, ...]]]:
    for event in recorded():
        actions = actions_of(event["query"], TYPES, event["schema"] or "")
        if event.get("columns"):
            yield event, actions


def test_columns_after_are_those_before_changed() -> None:
    seen = 0
    for event, actions in altered():
        before = (event.get("pre_table_info") or {}).get("columns")
        if before is None or any(isinstance(one, CreateTable | DropTable) for one in actions):
            continue
        names = [column["name"] for column in columns_of(event["pre_table_info"])]
        for action in actions:
            names = changed(names, action)
        assert names == [column["name"] for column in columns_of(event)], event["query"]
        seen += 1
    assert seen > 60


def same(column: DeclaredColumn, found: dict[str, Any], query: str) -> None:
    """An error unless a column is as TiDB says it is."""
    known = type_meaning(column, TYPES)
    assert known.declared.type == found["type"], query
    wanted = TYPES.types.declared(found["mysql_type"])
    unsigned = known.flags & TYPES.flag("UNSIGNED")
    assert bool(unsigned) == bool(wanted.flags & TYPES.flag("UNSIGNED")), query
    assert list(known.declared.members) == (found["elems"] or []), query
    if known.precision:
        assert (known.precision, known.scale) == (wanted.length, wanted.decimals or 0), query
    if known.facts.fractions:
        assert known.scale == (wanted.decimals or 0), query
    assert (known.storage == "bytes") == (found["charset"] == "binary" and known.facts.storage == "text" and (
        TYPES.types.storage(found["type"], TYPES.flag("BINARY")) == "bytes"
    )), query  # fmt: skip
    if not found["is_pk"]:
        assert column.nullable == found["nullable"], query
    assert (column.generated is not None) == found["is_generated"], query


def test_columns_are_what_was_declared() -> None:
    seen = 0
    for event, actions in altered():
        by_name = {column["name"].lower(): column for column in columns_of(event)}
        for action in actions:
            columns = action.columns if isinstance(action, CreateTable) else ()
            if isinstance(action, CreateTable) and action.like is None:
                assert [one.name for one in columns] == [one["name"] for one in columns_of(event)]
                assert {one.lower() for one in action.key} == {name for name, one in by_name.items() if one["is_pk"]}, (
                    event["query"]
                )
            if isinstance(action, AddColumn | ModifyColumn) and action.name.lower() in by_name:
                columns = (action,)
            for column in columns:
                same(column, by_name[column.name.lower()], event["query"])
                seen += 1
    assert seen > 1000


def test_rows_get_what_tidb_keeps_as_the_original_default() -> None:
    """TiDB keeps with a column what rows have that were there when it was added."""
    seen = 0
    for event, actions in altered():
        by_name = {column["name"]: column for column in columns_of(event)}
        for action in actions:
            if not isinstance(action, AddColumn) or action.generated is not None:
                continue
            origin, value = by_name[action.name]["origin_default"], value_of_default(action, TYPES)
            if origin is None:
                assert value is None, event["query"]
            elif "bytes" in origin:
                assert value == int.from_bytes(base64.b64decode(origin["bytes"]), "big"), event["query"]
            else:
                assert str(value) == origin["text"], event["query"]
            seen += 1
    assert seen > 15


def test_keys_that_are_told_to_change_change() -> None:
    seen = 0
    for event, actions in altered():
        before = (event.get("pre_table_info") or {}).get("columns")
        if before is None or any(isinstance(one, CreateTable | RenameTable) for one in actions):
            continue
        keys = [sorted(one["name"] for one in columns if one["is_pk"]) for columns in (before, columns_of(event))]
        told = any(isinstance(one, ChangedKey) for one in actions)
        assert told == (keys[0] != keys[1]), event["query"]
        seen += told
    assert seen


@pytest.mark.parametrize("scenario", ["nulls-and-defaults", "defaults"])
def test_there_are_recordings_of_defaults(scenario: str) -> None:
    assert any(scenario in path.stem for path in SCENARIOS.glob("*.yaml"))
