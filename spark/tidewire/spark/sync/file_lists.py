"""Lists of staged files: which rows a manifest still needs, and merging lists to keep their number small."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.sync.changelog import FileList, Manifest, StagedRows
from tidewire.spark.sync.rules import DEFAULT, Rules

MOST = 32
"""The most lists of one tier; that many are merged into one of the next tier."""


def floors(manifest: Manifest, rules: Rules) -> tuple[Mapping[str, int], int]:
    """By table name the commit ts from which its rows are needed, and the smallest of all.

    Rows under a name that no table has at present are needed from R on.
    """
    kept = max(0, manifest.resolved - (rules.keep << TSO_SHIFT)) if rules.keep else manifest.resolved
    by_name: dict[str, int] = {}
    for table in manifest.tables.values():
        floor = min(table.applied.ts, kept)
        if table.keys or table.repair:
            floor = min(floor, *table.keys.values(), *table.repair.values())
        name = table.name
        by_name[name] = min(floor, by_name.get(name, floor))
        for event in table.events:
            for action in event.actions:
                if action.kind == "RenameTable":
                    name = action.get("new")
                    by_name[name] = min(floor, by_name.get(name, floor))
    return by_name, min((kept, *by_name.values()))


def needed(manifest: Manifest, rows: Iterable[StagedRows], rules: Rules) -> list[StagedRows]:
    """The rows that a table may still need; files without needed rows are garbage."""
    by_name, _ = floors(manifest, rules)
    kept = max(0, manifest.resolved - (rules.keep << TSO_SHIFT)) if rules.keep else manifest.resolved
    return [one for one in rows if one.hi >= by_name.get(one.table, kept)]


def to_plan(manifest: Manifest) -> list[FileList]:
    """The lists that may have rows of tables that do not wait (`Manifest.held`): while all others wait for hours, those
    of a batch and not those of hours are read.
    """
    tables = {number: one for number, one in manifest.tables.items() if number not in manifest.held}
    _, least = floors(replace(manifest, tables=tables), DEFAULT)
    return [one for one in manifest.lists if one.hi >= least]


def to_merge(manifest: Manifest, most: int = MOST) -> tuple[FileList, ...]:
    """The lists to merge with the next batch: all of the lowest tier with too many lists; empty if there is none."""
    by_tier: dict[int, list[FileList]] = {}
    for one in manifest.lists:
        by_tier.setdefault(one.tier, []).append(one)
    for tier in sorted(by_tier):
        if len(by_tier[tier]) >= most:
            return tuple(by_tier[tier])
    return ()


def listed(path: str, rows: Iterable[StagedRows], tier: int = 0) -> FileList | None:
    """The manifest's entry for a list of these rows; None if there are none, and no list is needed."""
    rows = list(rows)
    if not rows:
        return None
    return FileList(path, min(one.lo for one in rows), max(one.hi for one in rows), len(rows), tier)
