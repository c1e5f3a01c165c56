"""What a rehearsal found, as lines of text and as an object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tidewire.cli.shell import many
from tidewire.cli.sync_maintain import done

if TYPE_CHECKING:
    from tidewire.cli.rehearsal import Rehearsed

_MOST = 10
"""The most letters and notes that are listed; --json has all."""


def object_of(found: Rehearsed) -> dict[str, Any]:
    """The output of `rehearse --json`."""
    of = {one.name: getattr(found, one.name) for one in fields(found)}
    return {"right": found.right, **of, "batches": list(found.batches.values())}


def lines_of(found: Rehearsed) -> Iterator[str]:
    """The output of `rehearse`."""
    from tidewire.spark.sync.rehearsal.encoded import START

    partitions = ", ".join(f"{topic} ({many(count, 'partition')})" for topic, count in found.partitions.items())
    yield f"topic: {many(found.messages, 'message')} of {found.protocol} in {partitions}, seed {found.seed}"
    yield f"tables: {', '.join(found.tables)}" + (f"; not kept: {found.skipped}" if found.skipped else "")
    if found.left_out:
        yield f"settings left out, as they may name a place of yours: {', '.join(found.left_out)}"
    yield f"batches: {len(found.batches)}; +N is a commit ts, counted from the start of the topic"
    for number, one in sorted(found.batches.items()):
        at = f"resolved to +{one['resolved'] - START}" if one["resolved"] else "nothing resolved yet"
        yield f"    {number + 1}: {many(one['messages'], 'message')}, {at}"
    again = f", and {found.again} times again after maintenance" if found.again else ""
    yield f"published versions: {len(found.versions)}, each compared with the source at its TSO{again}"
    for of in found.versions:
        waits = f", {many(len(of['parked']), 'table')} waiting" if of["parked"] else ""
        right = "WRONG" if of["wrong"] else "right"
        yield f"    +{of['resolved'] - START}: {right}, {many(of['tables'], 'table')}, {many(of['rows'], 'row')}{waits}"
        yield from (f"        {one}" for one in of["wrong"])
    yield f"DDL: {len(found.statements)}, and what your settings make of each"
    yield from (f"    +{one['ts']} {one['text']}: {one['what']}" for one in found.statements)
    yield from _kills(found, START)
    if of := found.maintained:
        what = done(of["compacted"], of["expired"], of["removed"]) or "nothing to do"
        yield f"maintenance: {many(of['times'], 'time')}, {of['finished']} of them to the end: {what}"
    for name, reason in found.parked.items():
        yield f"parked {name}: {reason}"
    for name, count in found.keys.items():
        yield f"waits in {name}: {many(count, 'key')} of which a row cannot be read"
    yield f"messages that cannot be read: {len(found.letters)}, of {found.damaged} that were sent damaged"
    reasons = Counter(one["reason"] for one in found.letters)
    yield from (f"    {many(count, 'time')}: {reason}" for reason, count in reasons.most_common(_MOST))
    yield from _late(found)
    yield from (f"note: {note}" for note in found.notes[:_MOST])
    if found.stopped:
        yield f"stopped: {found.stopped}"
    yield from (f"WRONG: {one}" for one in found.wrong)
    yield (
        "every published version was right, and nothing was silent"
        if found.right
        else f"not right: tidewire sync rehearse FILE --seed {found.seed} --events {found.events} shows it again"
    )


def _kills(found: Rehearsed, start: int) -> Iterator[str]:
    """Where the process was killed, and what was there."""
    from tidewire.spark.sync.rehearsal.kills import EVERY

    yield f"kills: {len(found.kills)}"
    for one in found.kills:
        published = f"published up to +{one['published'] - start}" if one["published"] else "nothing published"
        there = f"manifests up to batch {one['batch'] + 1}" if one["batch"] >= 0 else "no manifest"
        files = f", {many(one['unnamed'], 'staged file')} that no manifest names" if one["unnamed"] else ""
        yield f"    {EVERY[one['where']].where}: found {there}, {published}{files}; the next process went on from there"
    if found.unreached:
        yield f"    {many(found.unreached, 'more kill')} asked for, and the topic ended before"


def _late(found: Rehearsed) -> Iterator[str]:
    if found.late is not None:
        name, batch = found.late
        yield f"a row of {name} came late, in batch {batch + 1}, below the resolved ts: it is in no table"
    for name, count in found.late_counted.items():
        yield f"below the resolved ts of {name}: {many(count, 'row')}, replays and the late one, left out"
    for name, count in found.unknown.items():
        yield f"    of {name} {many(count, 'row')} that the changelog does not have (late: verify, or stop)"
    if found.late is not None and not found.unknown and not found.stopped:
        yield "    late: verify would tell late rows from replays"
