"""Tables whose changes wait, so that the changes of many batches are applied by one commit (`applyAfter`).

Merging a table costs the same for one change as for thousands, and all tables are published at one TSO. So the changes
of all tables wait until the oldest of them is a chosen time behind the resolved ts; then every table is brought up to
it, and published. A table with many changes does not wait for that: its own are applied at once.

Ages are differences of commit timestamps, so that which tables wait follows from the manifest before and from what a
batch staged, as all of a manifest does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidewire.spark.sync.changelog import Held, Hold, Manifest, StagedRows, TargetTable


def held(previous: Manifest, made: Manifest, rows: Iterable[StagedRows], hold: Hold | None) -> dict[str, Held]:
    """By id, the tables that are not brought up to the resolved ts of a manifest.

    Args:
        previous: the manifest before.
        made: the manifest, without those tables.
        rows: the staged rows that may be at or above the R of the manifest before.
        hold: the user's choice; None: no table waits.
    """
    if hold is None or made.stopped:
        return {}
    r0, resolved = made.before, made.resolved
    new: dict[str, Held] = {}
    for one in rows:
        if one.hi >= r0 and one.lo < resolved:
            # a file's rows count when all of them are resolved
            count = one.rows if one.hi < resolved else 0
            new[one.table] = _with(new.get(one.table), count, max(one.lo, r0))
    found = {}
    for number, table in made.tables.items():
        more = new.get(table.name)
        known = previous.held.get(number)
        if known is not None and more is not None:
            known = _with(known, more.rows, more.since)
        elif known is None and table.applied.ts < r0:
            continue  # it has older changes, as one that was parked until now: their number is not known
        known = known or more
        if known is not None and known.rows < hold.rows and _may_wait(table):
            found[number] = known
    oldest = min((one.since for one in found.values()), default=resolved)
    return {} if resolved - oldest >= hold.age else found


def _with(known: Held | None, rows: int, since: int) -> Held:
    return Held(rows, since) if known is None else Held(known.rows + rows, min(known.since, since))


def _may_wait(table: TargetTable) -> bool:
    """Whether a table has nothing to do but to merge rows: statements, parked keys and new tables do not wait."""
    others = table.events or table.parks or table.keys or table.repair or table.ended
    return table.committed is not None and not others and table.applied.ts >= table.start


def waiting(held: Mapping[str, Held]) -> Held:
    """The changes of all tables that wait: how many, and since when."""
    return Held(sum(one.rows for one in held.values()), min(one.since for one in held.values()))
