"""What statements and rows say of columns: their declared types, and which of them tell rows apart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache

from tidewire.spark.sync.changelog import Action, StagedRows, TargetTable

BEFORE = "before"
"""The fact of a `ModifyColumn` that no statement has: the type that was declared before, where that is known."""


@lru_cache(maxsize=4096)
def key_said(shape: str) -> frozenset[str]:
    """The handle key of rows of a shape (`shapes.Shape.text`), in lower case; empty where they have none."""
    return frozenset(name.lower() for name, _, _, key in json.loads(shape)[0] if key) if shape else frozenset()


@lru_cache(maxsize=4096)
def types_said(shape: str) -> Mapping[str, str]:
    """The declared types that rows of a shape say, by the names of their columns in lower case."""
    return {name.lower(): said for name, _, said, _ in json.loads(shape)[0] if said} if shape else {}


def by_rows(table: TargetTable, name: str, rows: Iterable[StagedRows], ts: int) -> TargetTable:
    """The table, with what rows below a commit ts say that is newer than the last statement."""
    known = dict(table.declared)
    since = table.since
    # what has no rows with values, as deletes, says the types of its key alone
    for one in sorted((one for one in rows if one.table == name and table.since < one.lo < ts), key=lambda one: one.lo):
        for column, said in types_said(one.shape).items():
            if column not in known or not _less(said, known[column]):
                known[column] = said
        since = max(since, one.lo)
    return table if since == table.since else table._replace(declared=known, since=since)


def _less(said: str, known: str) -> bool:
    """Whether rows say less than what is known: the name of the type alone."""
    return "(" not in said and said == known.partition("(")[0].strip()


def by_statement(table: TargetTable, ts: int, action: Action) -> tuple[TargetTable, Action]:
    """The table behind an action, and the action with what its column was declared as before."""
    known = dict(table.declared)
    kind, name = action.kind, str(action.get("name") or "").lower()
    if kind == "CreateTable":
        columns = [dict(one) for one in action.get("columns") or () if isinstance(one, tuple)]
        known = {one["name"].lower(): one["type"] for one in columns}
    elif kind == "AddColumn":
        known[name] = action.get("type")
    elif kind == "ModifyColumn":
        action = Action(kind, (*action.facts, (BEFORE, known.get(name))))
        known[name] = action.get("type")
    elif kind == "DropColumn":
        known.pop(name, None)
    elif kind == "RenameColumn":
        old = known.pop(action.get("old").lower(), None)
        known.pop(action.get("new").lower(), None)
        if old is not None:
            known[action.get("new").lower()] = old
    elif kind != "RenameTable":
        return table, action
    return table._replace(declared=known, since=max(ts, table.since)), action
