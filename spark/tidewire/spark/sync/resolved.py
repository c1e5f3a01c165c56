"""Computes the next manifest: what a micro-batch resolved, and which table each resolved statement belongs to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.sync.began import began
from tidewire.spark.sync.changelog import (
    Action,
    DeadLetter,
    FileList,
    Manifest,
    Patterns,
    Staged,
    StagedRows,
    StateError,
    Statement,
    Watermarks,
    partitions_of,
)
from tidewire.spark.sync.file_lists import floors
from tidewire.spark.sync.holding import held
from tidewire.spark.sync.named import is_dropped_with, tables_of
from tidewire.spark.sync.reserved import TAKEN
from tidewire.spark.sync.rules import ADDED, ANEW, DEFAULT, MOST_KEYS, Rules
from tidewire.spark.sync.walk import ALL, KEY, REPLAY, Walk, in_order
from tidewire.spark.sync.wanted import Wanted

_WHOLE = (
    "send whole rows with keys, or keep {} as a history table (mode: history); where messages are claim checks, the"
    " option claim-check says where the files are"
)
_RENAMED = (
    "rename the column in the source; tidewire sync reset FILE {} makes the table anew when its topic has no rows with"
    " the old name any more"
)
_PROMISE = "whoever writes the topic broke the promise of a watermark; compare the tables with the source"


def advance(
    previous: Manifest, staged: Staged, partitions: Mapping[str, Collection[int]], rules: Rules = DEFAULT
) -> Manifest:
    """The manifest after a micro-batch.

    Args:
        staged: what the batch staged.
        partitions: all partitions in Spark's offset log, including those without messages so far.
        rules: the choices for tables.
    """
    r0 = previous.resolved
    watermarks = _watermarks(previous.watermarks, staged.watermarks, partitions)
    wanted = _wanted(previous, rules)
    walk = Walk(previous, rules, (*staged.pending, *staged.rows), wanted, staged.awaited)
    for number, outcome in staged.outcomes.items():
        walk.happened(number, outcome)
    for number, (reason, ts) in staged.failures.items():
        walk.failed(number, reason, ts)
    statements = previous.statements
    if wanted != previous.wanted:
        walk.forget()
    for request in staged.requests:
        if request.kind == "load" and any(one.path not in staged.without for one in previous.lists):
            raise StateError(f"to load {request.table}, all lists have to be merged: files that it needed may be gone")
        try:
            statements = walk.asked(request, statements)
        except StateError as error:
            walk.notes.append(f"{request.kind} {request.table} was not done: {error}")
    statements = _statements(statements, staged, r0)
    spans = _spans(previous.spans, staged.rows, r0)
    since = {name: lo for name, (lo, _) in spans.items()} | dict.fromkeys(walk.names, 0)
    resolved, stopped = _resolved(watermarks, statements, r0, since, rules)
    if rules.late == "stop" and staged.unknown:
        resolved, stopped = r0, _broken(staged.unknown)
    walk.notes += [
        f"{count} rows of table {name} came below the resolved ts, and the changelog does not have them: {_PROMISE}"
        for name, count in staged.unknown.items()
    ]
    walk.notes += _not_kept(previous, staged)
    walk.resolve([one for one in statements if one.ts < resolved], spans, resolved)
    manifest = Manifest(
        previous.source,
        previous.number + 1,
        staged.batch,
        r0,
        resolved,
        watermarks,
        _lists(previous.lists, staged),
        tuple(one for one in statements if one.ts >= resolved),
        {name: (max(lo, resolved), hi) for name, (lo, hi) in spans.items() if hi >= resolved},
        walk.done(),
        walk.names,
        walk.next_id,
        _dead(previous.dead, staged),
        {**previous.descriptions, **staged.descriptions} if staged.descriptions else previous.descriptions,
        tuple(one.number for one in staged.requests),
        _counted(previous.late, ((one.table, one.late) for one in staged.rows if one.late)),
        _counted(previous.unknown, staged.unknown.items()),
        staged.messages,
        tuple(walk.notes),
        stopped,
        staged.query,
        {topic: {**previous.offsets.get(topic, {}), **each} for topic, each in staged.offsets.items()}
        if staged.offsets
        else previous.offsets,
        _kept_from(previous, resolved, rules),
        wanted,
        began=began(previous, staged) if staged.offsets else previous.began,
        hold=rules.hold,
    )
    manifest = replace(manifest, held=held(previous, manifest, (*staged.pending, *staged.rows), rules.hold))
    return _without_what_nobody_needs(manifest, rules)


def _watermarks(
    before: Watermarks, new: Mapping[str, Mapping[int, int]], partitions: Mapping[str, Collection[int]]
) -> Watermarks:
    """The greatest watermark of each partition; 0 for one that has none yet."""
    found = partitions_of(partitions)
    for more in (before, new):
        for topic, each in more.items():
            of = found.setdefault(topic, {})
            for partition, ts in each.items():
                if ts > of.get(partition, 0):
                    of[partition] = ts
                else:
                    of.setdefault(partition, 0)
    return found


def least(watermarks: Watermarks) -> int:
    """The smallest watermark over all partitions of all topics; one without a watermark counts as 0."""
    return min((ts for each in watermarks.values() for ts in each.values()), default=0)


def _resolved(
    watermarks: Watermarks, statements: Iterable[Statement], r0: int, names: Mapping[str, int], rules: Rules
) -> tuple[int, str]:
    """The resolved ts, which never decreases, and why the synchronisation must stop there; empty if it need not."""
    resolved = max(r0, least(watermarks))
    for one in statements:
        if one.ts >= resolved:
            break
        for action in one.actions:
            if action.kind in (KEY, ALL):
                continue
            tables: Iterable[str] = tables_of(one, action)
            if action.kind == "DropDatabase":
                tables = [name for name, lo in names.items() if lo < one.ts and is_dropped_with(name, action)]
            for name in tables:
                if rules.stops(name, action):
                    return one.ts, (
                        f"table {name} is changed at {one.ts} ({action.kind}), and its schema_changes is stop: all"
                        " tables are as they were before; choose another mode for it and start again"
                    )
    return resolved, ""


def _broken(unknown: Mapping[str, int]) -> str:
    """The reason to stop for rows below R that were not staged before."""
    which = ", ".join(sorted(unknown))
    return (
        f"{sum(unknown.values())} rows below the resolved ts, which the changelog does not have, came for {which}:"
        f" {_PROMISE}, and start again with late=count"
    )


def may_lack_rows(manifest: Manifest, name: str) -> bool:
    """Whether rows of a table may have come while it was not kept, and it was not made from the topic since."""
    number = manifest.names.get(name)
    if number is not None:
        return manifest.tables[number].waits_for_rows
    return not all(Wanted(*one).named(name) for one in manifest.wanted)


def _not_kept(previous: Manifest, staged: Staged) -> list[str]:
    """Notes about tables of which nothing but replays came since they are kept."""
    late = _counted({}, ((one.table, one.late) for one in staged.rows if one.late))
    known = {*previous.names, *(name for table in previous.tables.values() for name in table.former)}
    return [
        f"{count} rows of table {name} came below the resolved ts, and it was not kept when they came first: if the"
        f" source has it, {ADDED.format(name)}"
        for name, count in sorted(late.items())
        if name not in known and may_lack_rows(previous, name)
    ]


def _wanted(previous: Manifest, rules: Rules) -> tuple[Patterns, ...]:
    """The patterns by which batches were staged, including the current one."""
    new = rules.wanted.only, rules.wanted.skip
    if previous.wanted[-1:] == (new,):
        return previous.wanted
    return (*(one for one in previous.wanted if one != new), new)


def _statements(pending: tuple[Statement, ...], staged: Staged, r0: int) -> tuple[Statement, ...]:
    """The statements at or above R0, by commit ts, and within one commit ts in the order of the source.

    Every partition delivers the statements of one commit ts in the same order; the known ones are the longest prefix
    delivered so far. So a new statement follows all known ones.
    """
    known = {one.same: one for one in pending}
    before = len(known)
    for one in (*staged.statements, *_parking(staged, r0), *_missed(staged, r0)):
        if one.ts >= r0:
            known.setdefault(one.same, one)
    if len(known) == before:
        return pending
    return tuple(sorted(known.values(), key=in_order))


def _parking(staged: Staged, r0: int) -> list[Statement]:
    """Parks keys and tables because of rows that could not be read or merged."""
    found = [
        _park(table, ts, reason, (_RENAMED if TAKEN in reason else _WHOLE).format(table), "rows")
        for table, (ts, reason) in staged.unmergeable.items()
    ]
    of: dict[str, list[DeadLetter]] = {}
    for one in staged.dead:
        # a letter below R0 with a commit ts was seen before
        if one.table and (one.ts >= r0 or not one.ts):
            of.setdefault(one.table, []).append(one)
    for table, letters in of.items():
        waiting = {(one.ts, one.key) for one in letters}
        if len(waiting) > MOST_KEYS or not all(ts and key for ts, key in waiting):
            ts = min(one.ts or r0 for one in letters)
            by = "letters" if all(ts for ts, _ in waiting) else "message"
            found.append(_park(table, ts, f"a row cannot be read ({letters[0].reason})", REPLAY, by))
        else:
            found += [Statement(ts, table, (Action(KEY, (("key", key),)),)) for ts, key in sorted(waiting)]
    return found


def _missed(staged: Staged, r0: int) -> list[Statement]:
    """Parks tables with rows below R in a partition that was unknown when R advanced: these are no replays."""
    found = []
    for name, (topic, partition) in sorted(staged.missed.items()):
        reason = (
            f"partition {partition} of {topic or 'the frame'} was heard of when all changes below {r0} were resolved,"
            " and rows below came in it"
        )
        found.append(_park(name, r0, reason, ANEW.format(name), "late"))
    return found


def _park(table: str, ts: int, reason: str, remedy: str, by: str) -> Statement:
    return Statement(ts, table, (Action(ALL, (("reason", reason), ("remedy", remedy), ("by", by))),))


def _spans(before: Mapping[str, tuple[int, int]], rows: Iterable[StagedRows], r0: int) -> dict[str, tuple[int, int]]:
    """By table, the range of commit timestamps at or above R0 in which there may be rows."""
    spans = dict(before)
    for one in rows:
        if one.hi >= r0:
            lo, hi = spans.get(one.table, (one.hi, one.hi))
            spans[one.table] = min(lo, max(one.lo, r0)), max(hi, one.hi)
    return spans


def _lists(before: tuple[FileList, ...], staged: Staged) -> tuple[FileList, ...]:
    """The lists of staged files: merged lists in place of their sources, and the list of the batch."""
    kept = [one for one in before if one.path not in staged.without]
    kept += [one for one in (staged.merged, staged.listed) if one is not None]
    return tuple(kept)


def _dead(before: Mapping[str, int], staged: Staged) -> Mapping[str, int]:
    """The number of dead letters in each file, without files that were read again."""
    if staged.read_again:
        before = {path: count for path, count in before.items() if path not in staged.read_again}
    return _counted(before, staged.letters.items())


def _counted(before: Mapping[str, int], more: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    """The counts of `before`, increased by those of `more`."""
    after: dict[str, int] | None = None
    for name, count in more:
        if after is None:
            after = dict(before)
        after[name] = after.get(name, 0) + count
    return before if after is None else after


def _kept_from(previous: Manifest, resolved: int, rules: Rules) -> int | None:
    """The commit ts from which all staged files still exist: the previous manifest let older ones be removed."""
    if not rules.keep:
        return None
    before = previous.resolved if previous.kept_from is None else previous.kept_from
    return max(before, resolved - (rules.keep << TSO_SHIFT))


def _without_what_nobody_needs(manifest: Manifest, rules: Rules) -> Manifest:
    """The manifest without lists of staged files whose rows are already in all tables."""
    if not manifest.lists:
        return manifest
    _, least_of_all = floors(manifest, rules)
    kept = tuple(one for one in manifest.lists if one.hi >= least_of_all)
    if len(kept) == len(manifest.lists):
        return manifest
    return replace(manifest, lists=kept)
