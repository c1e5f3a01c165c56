"""Without any one of the guards a history is found at which what is published is wrong."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from typing import Any

import pytest

from sync import driver, in_memory
from sync.driver import Driver
from sync.test_histories import crash_after
from tidewire.spark.sync import changelog, file_lists, plan, resolved, rules, walk
from tidewire.spark.sync.rehearsal.histories import History

Patch = pytest.MonkeyPatch
MOST = 4000
"""Histories that are tried."""


def greatest(patch: Patch) -> None:
    """R is the greatest watermark of all partitions."""
    patch.setattr(
        resolved, "least", lambda marks: max((ts for each in marks.values() for ts in each.values()), default=0)
    )


def heard_of(patch: Patch) -> None:
    """R is of the partitions that have sent a watermark."""
    was = resolved.least

    def least(marks: changelog.Watermarks) -> int:
        return was({topic: {p: ts for p, ts in each.items() if ts} for topic, each in marks.items()})

    patch.setattr(resolved, "least", least)


def backwards(patch: Patch) -> None:
    """R goes back when a partition comes."""
    was = resolved._resolved
    patch.setattr(
        resolved, "_resolved", lambda marks, statements, r0, names, rules: was(marks, statements, 0, names, rules)
    )


def inclusive(patch: Patch) -> None:
    """A watermark promises its own commit ts, too: <= for <."""
    was = resolved.least
    patch.setattr(resolved, "least", lambda marks: was(marks) + 1)


def without_rank(patch: Patch) -> None:
    """Changes of one key at one commit ts have no order."""
    patch.setattr(driver, "DELETE_RANK", changelog.UPSERT_RANK)


def not_cut_at_r0(patch: Patch) -> None:
    """What is below the position of a table is applied again."""
    was = plan._Cut._apply
    patch.setattr(plan._Cut, "_apply", lambda self, lo, hi: was(self, 0, hi))


def not_cut_at_ddl(patch: Patch) -> None:
    """Rows before a statement are applied with those behind it."""
    was_event, was = plan._Cut._event, plan._Cut._apply
    low: dict[int, int] = {}
    within: list[plan._Cut] = []

    def event(self: plan._Cut, one: changelog.TableEvent) -> None:
        low.setdefault(id(self), self.here.ts)
        within.append(self)
        was_event(self, one)
        within.pop()

    def apply(self: plan._Cut, lo: int, hi: int) -> None:
        if not within:
            was(self, low.pop(id(self), lo), hi)

    patch.setattr(plan._Cut, "_apply", apply)
    patch.setattr(plan._Cut, "_event", event)


def not_cut_at_handle_keys(patch: Patch) -> None:
    """Rows with an old handle key are applied with those of the new one."""
    patch.setattr(plan, "by_handle_key", lambda files, lo, hi: [(lo, hi)])


def without_fence(patch: Patch) -> None:
    """Whoever comes may commit."""
    patch.setattr(in_memory.InMemory, "fence", lambda self, found, at: None)


def each_delivery(patch: Patch) -> None:
    """A statement is done for each partition that delivers it."""
    patch.setattr(changelog.Statement, "same", property(lambda self: object()))


def not_again(patch: Patch) -> None:
    """Statements below R0 are done when they are replayed."""
    patch.setattr(resolved, "_statements", _all_statements(resolved._statements))


def _all_statements(was: Callable[..., Any]) -> Callable[..., Any]:
    return lambda pending, staged, r0: was(pending, staged, 0)


def ended_by_any_row(patch: Patch) -> None:
    """The wait of a key ends with a row that is older than what cannot be read."""
    was = changelog.TargetTable.waiting
    patch.setattr(changelog.TargetTable, "waiting", lambda self, key: (*was(self, key), 0))


def without_repair(patch: Patch) -> None:
    """A dead letter that was read after all is not applied."""
    patch.setattr(plan._Cut, "_repair", lambda self: None)


def never_parked(patch: Patch) -> None:
    """A table goes on behind an exchanged partition."""
    patch.setattr(rules.Rules, "parks", lambda self, table, ts, action: None)


def kept_from_r(patch: Patch) -> None:
    """Staged files are removed when the tables in step have them, whatever waits."""
    was = file_lists.floors

    def floors(manifest: changelog.Manifest, rules: rules.Rules) -> tuple[Mapping[str, int], int]:
        tables = {
            number: table._replace(keys={}, repair={}, applied=changelog.Position(manifest.before))
            if table.parks or table.keys
            else table
            for number, table in manifest.tables.items()
        }
        return was(dataclasses.replace(manifest, tables=tables), rules)

    patch.setattr(file_lists, "floors", floors)
    patch.setattr(resolved, "floors", floors)


def by_name(patch: Patch) -> None:
    """A table that is renamed is a new one."""
    was = walk.Walk._act

    def act(self: walk.Walk, one: Any, ts: int, action: changelog.Action, displaced: dict[str, str]) -> None:
        if action.kind != "RenameTable":
            was(self, one, ts, action, displaced)

    patch.setattr(walk.Walk, "_act", act)


def one_table_for_all(patch: Patch) -> None:
    """CREATE after DROP is the same table as before."""
    patch.setattr(walk.Walk, "_end", lambda self, number, ts: self.names.setdefault(self.tables[number].name, number))


def from_the_beginning(patch: Patch) -> None:
    """A table that stopped between two actions of a statement does it from the beginning."""
    was = plan._Cut.__init__

    def begin(self: plan._Cut, *given: Any) -> None:
        was(self, *given)
        self.here = changelog.Position(self.here.ts)

    patch.setattr(plan._Cut, "__init__", begin)


def without_partitions(patch: Patch) -> None:
    """Partitions that the offset log names, and that were never heard of, do not count."""
    was = resolved._watermarks

    def watermarks(before: Any, new: Any, partitions: Mapping[str, Collection[int]]) -> Any:
        return was(before, new, {})

    patch.setattr(resolved, "_watermarks", watermarks)


GUARDS = [
    greatest,
    heard_of,
    without_partitions,
    backwards,
    inclusive,
    without_rank,
    not_cut_at_r0,
    not_cut_at_ddl,
    not_cut_at_handle_keys,
    without_fence,
    each_delivery,
    not_again,
    ended_by_any_row,
    without_repair,
    never_parked,
    kept_from_r,
    by_name,
    one_table_for_all,
    from_the_beginning,
]


@pytest.mark.parametrize("take_away", GUARDS, ids=lambda one: str(one.__name__))
def test_a_history_finds_that_a_guard_is_gone(take_away: Callable[[Patch], None], monkeypatch: Patch) -> None:
    take_away(monkeypatch)
    for seed in range(MOST):
        try:
            Driver(History(seed), crash_after(seed)).run()
        except (AssertionError, in_memory.WrongShapeError, KeyError):
            return
    pytest.fail(f"{MOST} histories are as they should be without this guard: {take_away.__doc__}")
