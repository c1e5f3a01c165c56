"""Columns of the source that are named like columns that Tidewire adds to changes. Their table waits until the source
renames or drops them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tidewire.spark.sync.changelog import Action, StateError, TableEvent

RESERVED = frozenset({"_change_type", "_commit_version", "_commit_rank", "_tidewire_nth"})
"""The columns that follow a table's columns in staged changes."""
TAKEN = "has the name of a column that Tidewire adds to changes"
"""The text for errors about a column with such a name."""


def reserved(action: Action) -> str:
    """The reserved name that an action gives to a column; empty if it gives none."""
    names: list[str] = []
    if action.kind == "AddColumn":
        names = [action.get("name")]
    elif action.kind == "RenameColumn":
        names = [action.get("new")]
    elif action.kind == "CreateTable":
        names = [dict(one)["name"] for one in action.get("columns") or () if isinstance(one, tuple)]
    return next((name for name in names if name.lower() in RESERVED), "")


def with_other_names(events: Sequence[TableEvent], ts: int) -> tuple[TableEvent, ...]:
    """The events, rewritten so that columns that got reserved names at `ts` have the later names that the source gave
    them, or are absent if it dropped them.

    Raises:
        StateError: a column still has its reserved name.
    """
    found = [(event.ts, action) for event in events for action in event.actions]
    at = 0
    while at < len(found):
        name = reserved(found[at][1]) if found[at][0] == ts else ""
        if not name:
            at += 1
            continue
        later = next((i for i in range(at + 1, len(found)) if _ends(found[i][1], name)), None)
        if later is None:
            raise StateError(
                f"its column {name!r} still has that name: rename it in the source, and resume the table when that"
                " statement is below the resolved ts"
            )
        new = found[later][1].get("new")
        # statements in between use the other name, too
        named = [(of, _named(one, name, new)) for of, one in found[at:later]]
        found = [*found[:at], *((of, one) for of, one in named if one is not None), *found[later + 1 :]]
    times = dict.fromkeys(of for of, _ in found)
    return tuple(TableEvent(of, tuple(one for at, one in found if at == of)) for of in times)


def _ends(action: Action, name: str) -> bool:
    """Whether an action renames or drops the column with this name."""
    of = {"RenameColumn": "old", "DropColumn": "name"}.get(action.kind)
    return of is not None and action.get(of).lower() == name.lower()


def _named(action: Action, name: str, new: str | None) -> Action | None:
    """The action with another name for a column; if `new` is None, without the column, and None if nothing is left."""
    lower, facts = name.lower(), dict(action.facts)
    if action.kind == "CreateTable":
        columns = tuple(dict(one) for one in facts.get("columns") or () if isinstance(one, tuple))
        kept = [one for one in columns if new is not None or one["name"].lower() != lower]
        facts["columns"] = tuple(
            tuple((one | {"name": new} if one["name"].lower() == lower else one).items()) for one in kept
        )
        return Action(action.kind, tuple(facts.items()))
    of = {"AddColumn": "name", "ModifyColumn": "name", "RenameColumn": "new"}.get(action.kind)
    if of is None or str(facts.get(of)).lower() != lower:
        return action
    if new is not None:
        return Action(action.kind, tuple((facts | {of: new}).items()))
    return Action("DropColumn", (("name", facts["old"]),)) if action.kind == "RenameColumn" else None
