"""Writes manifests and lists as JSON, and reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from tidewire.spark.sync.changelog import (
    Action,
    FileList,
    Held,
    Hold,
    Manifest,
    Parked,
    Position,
    Source,
    StagedRows,
    StateError,
    Statement,
    TableEvent,
    TargetTable,
)

FORMAT = 1
"""The version of the format. Other versions are refused."""
OF_WAITING = 2
"""That of a manifest with tables that wait: a version that applies each batch must not go on with it."""


def written(manifest: Manifest) -> str:
    """The manifest as JSON."""
    of: dict[str, Any] = {one.name: getattr(manifest, one.name) for one in fields(manifest)}
    of["source"] = {"topics": manifest.source.topics, "protocol": manifest.source.protocol}
    of["statements"] = [_of_statement(one) for one in manifest.statements]
    of["tables"] = {number: _of_table(one) for number, one in manifest.tables.items()}
    format = OF_WAITING
    if manifest.hold is None:
        format = FORMAT
        del of["hold"], of["held"]
    return json.dumps({"format": format, **of}, separators=(",", ":"), ensure_ascii=False)


def read(text: str, source: Source, where: str) -> Manifest:
    """The manifest in a text.

    Args:
        text: written by `written`.
        source: what is read now; the state of another source is refused.
        where: the manifest's path, for errors.
    """
    try:
        of = json.loads(text)
        version = of["format"]
    except (ValueError, KeyError, TypeError):
        raise StateError(
            f"{where} is no manifest: the file is damaged or something else lies there; name another folder as state,"
            " or restore it"
        ) from None
    if version not in (FORMAT, OF_WAITING):
        raise StateError(
            f"{where} is of format {version}, and this version of Tidewire reads {FORMAT} and {OF_WAITING}: run the"
            " version that wrote it, or begin anew with another folder as state"
        )
    found = Source(**of["source"])
    if found != source:
        raise StateError(
            f"the state {where} is of {found.topics} ({found.protocol}), and {source.topics} ({source.protocol}) was"
            " asked for: name another folder as state for another source"
        )
    try:
        return _manifest(of, source)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StateError(f"{where} is damaged ({type(error).__name__}): restore it from a copy") from error


def written_list(rows: Iterable[StagedRows]) -> str:
    """A list of staged files as JSON: one array for each table, so that names are not repeated."""
    tables: dict[str, list[list[Any]]] = {}
    for one in rows:
        tables.setdefault(one.table, []).append(list(one[1:]))
    return json.dumps({"format": FORMAT, "tables": tables}, separators=(",", ":"), ensure_ascii=False)


def read_list(text: str, where: str) -> list[StagedRows]:
    """The staged files of a list."""
    try:
        of = json.loads(text)
        if of["format"] != FORMAT:
            raise StateError(f"{where} is of format {of['format']}, and this version of Tidewire reads {FORMAT}")
        return [StagedRows(table, *one) for table, each in of["tables"].items() for one in each]
    except StateError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StateError(f"{where} is no list of staged files: restore it from a copy") from error


def _manifest(of: dict[str, Any], source: Source) -> Manifest:
    """The manifest of parsed JSON."""
    of = {name: value for name, value in of.items() if name not in ("format", "source")}
    for name in ("watermarks", "offsets", "began"):
        of[name] = {topic: {int(p): at for p, at in each.items()} for topic, each in of.get(name, {}).items()}
    of["lists"] = tuple(FileList(*one) for one in of["lists"])
    of["statements"] = tuple(_statement(one) for one in of["statements"])
    of["spans"] = {name: (lo, hi) for name, (lo, hi) in of["spans"].items()}
    of["tables"] = {number: _table(one) for number, one in of["tables"].items()}
    of["held"] = {number: Held(*one) for number, one in of.get("held", {}).items()}
    of["hold"] = Hold(*of["hold"]) if "hold" in of else None
    of["done"] = tuple(of["done"])
    of["notes"] = tuple(of["notes"])
    of["wanted"] = _tuples(of.get("wanted", []))
    return Manifest(source, **of)


def _of_statement(statement: Statement) -> dict[str, Any]:
    return {**statement._asdict(), "actions": _of_actions(statement.actions)}


def _statement(of: dict[str, Any]) -> Statement:
    return Statement(**{**of, "actions": _actions(of["actions"])})


def _of_actions(actions: Iterable[Action]) -> list[list[Any]]:
    return [[one.kind, dict(one.facts)] for one in actions]


def _actions(of: Iterable[Any]) -> tuple[Action, ...]:
    return tuple(Action(kind, tuple((name, _tuples(value)) for name, value in facts.items())) for kind, facts in of)


def _tuples(value: Any) -> Any:
    """Converts JSON arrays back to tuples."""
    return tuple(_tuples(one) for one in value) if isinstance(value, list) else value


def _of_table(table: TargetTable) -> dict[str, Any]:
    """A table without its empty fields."""
    of = {name: value for name, value in table._asdict().items() if value}
    if table.events:
        of["events"] = [[one.ts, _of_actions(one.actions)] for one in table.events]
    return of


def _table(of: dict[str, Any]) -> TargetTable:
    made = {
        **of,
        "start": of.get("start", 0),
        "applied": Position(*of["applied"]),
        "committed": Position(*of["committed"]) if "committed" in of else None,
        "events": tuple(TableEvent(ts, _actions(actions)) for ts, actions in of.get("events", ())),
        "parks": tuple(Parked(*one) for one in of.get("parks", ())),
        "unread": {key: tuple(each) for key, each in of.get("unread", {}).items()},
    }
    return TargetTable(**made)
