"""What statements and rows state about columns: their declared types, and which columns are the key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache

from tidewire.spark.sync.changelog import Action, StagedRows, TargetTable

BEFORE = "before"
"""A fact added to `ModifyColumn`: the previously declared type, if known. Statements do not have it."""
CHANGED = "changed"
"""A fact of a `NoEffect` that was a `RenameColumn`: the column that the next action declares, with no effect either."""


@lru_cache(maxsize=4096)
def key_said(shape: str) -> frozenset[str]:
    """The handle key of rows of a shape (`shapes.Shape.text`), in lower case; empty if they have none."""
    return frozenset(name.lower() for name, _, _, key in json.loads(shape)[0] if key) if shape else frozenset()


@lru_cache(maxsize=4096)
def types_said(shape: str) -> Mapping[str, str]:
    """The declared types in a shape, by lower-case column name; empty for columns whose type is not stated."""
    return {name.lower(): said or "" for name, _, said, _ in json.loads(shape)[0]} if shape else {}


def by_rows(table: TargetTable, name: str, rows: Iterable[StagedRows], ts: int) -> TargetTable:
    """The table, updated with what rows below a commit ts state since the last statement."""
    known = dict(table.declared)
    since = table.since
    # rows without values, such as deletes, state the types of their key only
    for one in sorted((one for one in rows if one.table == name and table.since < one.lo < ts), key=lambda one: one.lo):
        for column, said in types_said(one.shape).items():
            if column not in known or (said and not _only_name(said, known[column])):
                known[column] = said
        since = max(since, one.lo)
    return table if since == table.since else table._replace(declared=known, since=since)


def _only_name(stated: str, known: str) -> bool:
    """Whether a declared type in rows has only the name of the already known type, without its parameters."""
    return "(" not in stated and stated == known.partition("(")[0].strip()


def by_statement(
    table: TargetTable, ts: int, action: Action, before: Action | None = None
) -> tuple[TargetTable, Action]:
    """The table after an action, and the action with the previous declaration of its column.

    Args:
        table: before it.
        ts: the commit ts.
        before: the previous one of the same commit ts, as it was returned.
    """
    known = dict(table.declared)
    kind, name = action.kind, str(action.get("name") or "").lower()
    if kind == "CreateTable":
        columns = [dict(one) for one in action.get("columns") or () if isinstance(one, tuple)]
        known = {one["name"].lower(): one["type"] for one in columns}
    elif kind == "AddColumn":
        if action.get("conditional") and name in known:
            return table, Action("NoEffect", (("reason", "the column is there"),))
        known[name] = action.get("type")
    elif kind == "ModifyColumn":
        if before is not None and before.get(CHANGED) == action.get("name"):
            return table, Action("NoEffect", (("reason", "the column is not there"),))
        action = Action(kind, (*action.facts, (BEFORE, known.get(name) or None)))
        if name in known or not action.get("conditional"):
            known[name] = action.get("type")
    elif kind == "DropColumn":
        known.pop(name, None)
    elif kind == "RenameColumn":
        new = action.get("new").lower()
        if action.get("conditional") and new in known and new != action.get("old").lower():
            # CHANGE COLUMN IF EXISTS of a column that was not there: otherwise its new name would be taken
            return table, Action("NoEffect", (("reason", "the column is not there"), (CHANGED, action.get("new"))))
        old = known.pop(action.get("old").lower(), None)
        known.pop(action.get("new").lower(), None)
        if old is not None:
            known[action.get("new").lower()] = old
    elif kind != "RenameTable":
        return table, action
    return table._replace(declared=known, since=max(ts, table.since)), action
