"""The status of a synchronisation as lines of text."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tidewire.cli.shell import many
from tidewire.runtime.tso import TSO_SHIFT

if TYPE_CHECKING:
    from tidewire.spark.sync.changelog import Held
    from tidewire.spark.sync.how_far import Status
    from tidewire.spark.sync.planned import PlannedTable

_ALIKE = 20
"""More tables than this of which the same is true are one line."""
_LISTED = 20
"""Number of tables listed that do not exist yet; the others are counted."""
_MOST_REASON = 300
"""Maximum characters of the reason why a message cannot be read; --json contains all."""
_MORE = "a file has no later watermark: append newer messages, or read the topic"
_ADVICE = re.compile(r"(tidewire sync(?: [a-z]+)?) FILE\b( TABLE\b)?")


def lines_of(found: Status, path: str, of_files: bool) -> list[str]:
    """The output of `status`.

    Args:
        found: the status.
        path: path of the synchronisation file as given, for recommended commands.
        of_files: whether the source is files.
    """
    from tidewire.spark.sync.publish import time_of

    lines = [f"batches: {found.batches:,}"]
    if found.published:
        nothing = "" if found.tables else ", no table"
        lines.append(f"published: {time_of(found.published)} ({found.published}), {ago(found.lag or 0)}{nothing}")
    elif found.consistency == "tables":
        lines.append("published: nothing yet")
    else:
        lines.append("published: nothing, as each key is kept by itself (consistency: key)")
    if found.waiting is not None:
        lines.append(f"waits for: {_awaited(found)}")
    lines += _held(found)
    lines += [f"no watermark yet: {place_of(topic, one)}" for topic, one in found.silent]
    lines += _tables(found)
    lines += _not_yet(found, of_files)
    lines += _asked(found)
    lines += [with_file(f"parked {name}: {one.reason}; {one.remedy}", path, name) for name, one in found.parked.items()]
    lines += [
        f"waits in {name}: {many(count, 'key')} of which a row cannot be read; see the reasons below, then run tidewire"
        " sync replay FILE"
        for name, count in found.keys.items()
    ]
    lines += [f"below the resolved ts of {name}: {many(count, 'row')}, left out" for name, count in found.late.items()]
    lines.append(f"messages that cannot be read: {found.dead:,}")
    for one in found.letters:
        of_table = f", table {one.table}" if one.table else ""
        key = f", key {one.key}" if one.key else ""
        reason = one.reason if len(one.reason) <= _MOST_REASON else f"{one.reason[:_MOST_REASON]}…"
        lines.append(f"    offset {one.offset} of {place_of(one.topic, one.partition)}{of_table}{key}: {reason}")
    if found.dead > len(found.letters):
        lines.append(f"    and {found.dead - len(found.letters):,} more")
    lines += [f"note: {note}" for note in found.notes]
    if found.stopped:
        lines.append(f"stopped: {found.stopped}")
    return [with_file(line, path) for line in lines]


def object_of(found: Status) -> dict[str, Any]:
    """The output of `status --json`."""
    of = {name: getattr(found, name) for name in found.__dataclass_fields__}
    not_yet = {name: one._asdict() for name, one in found.not_yet.items()}
    engines = {name: one._asdict() for name, one in found.engines.items()}
    listed = {name: [one._asdict() for one in getattr(found, name)] for name in ("letters", "asked")}
    held = {name: one._asdict() for name, one in found.held.items()}
    bound = None if found.bound is None else found.bound._asdict()
    maintained = None if found.maintained is None else found.maintained._asdict()
    of |= {"not_yet": not_yet, "engines": engines, "maintained": maintained, "held": held, "bound": bound}
    return {**of, **listed}


def _merged_by(found: Status, name: str) -> str:
    """Whether workers or MERGE merged the newest changes of a table; for MERGE also why workers did not."""
    engine = found.engines.get(name)
    if engine is None:
        return ""
    if engine.name == "native":
        return ", merged by workers"
    return f", merged by MERGE{f': {engine.why}' if engine.why else ''}"


def held_text(held: Mapping[Any, Held]) -> str:
    """The changes that wait to be applied; empty if there are none."""
    rows = sum(one.rows for one in held.values())
    return f"{many(rows, 'change')} of {many(len(held), 'table')} wait to be applied" if held else ""


def _held(found: Status) -> Iterator[str]:
    """What waits to be applied, and for how long at most."""
    if found.held and found.bound is not None:
        behind = (found.resolved - min(one.since for one in found.held.values())) >> TSO_SHIFT
        yield (
            f"{held_text(found.held)}, the oldest {behind / 1000:,.0f} s behind the resolved ts: all are applied when"
            f" it is {found.bound.seconds:,g} s behind, those of a table also when they are {found.bound.rows:,}"
        )


def _tables(found: Status) -> Iterator[str]:
    """A line for each table; one for all of which the same is true, where they are many."""
    from tidewire.spark.sync.publish import time_of

    alike: dict[str, list[str]] = {}
    for name, ts in found.tables.items():
        alike.setdefault(f"at {time_of(ts)}{_merged_by(found, name)}", []).append(name)
    for text, names in alike.items():
        if len(names) > _ALIKE:
            yield f"{len(names):,} tables: {text}; {names[0]}, {names[1]}, … {names[-1]} (--json lists them)"
        else:
            yield from (f"table {name}: {text}" for name in names)


def _not_yet(found: Status, of_files: bool) -> Iterator[str]:
    """Tables that do not exist yet, and what they wait for."""
    from tidewire.spark.sync.publish import time_of

    for name, one in list(found.not_yet.items())[:_LISTED]:
        yield f"not made yet: {name}, {many(one.rows, 'row')} staged, the first of {time_of(one.first)} ({one.first})"
    if len(found.not_yet) > _LISTED:
        yield f"not made yet: {many(len(found.not_yet) - _LISTED, 'other table')}"
    if found.not_yet:
        first = min(one.first for one in found.not_yet.values())
        yield (
            "    all of their changes are above the resolved ts: a table is made when each partition has sent a"
            f" watermark above its first change, so not before {first}" + (f"; {_MORE}" if of_files else "")
        )


def _asked(found: Status) -> Iterator[str]:
    """Lines about the pending requests of `tidewire sync reset` and the like."""
    from tidewire.spark.sync.publish import time_of

    for one in found.asked:
        when = "the next batch comes"
        if one.beyond:
            when = f"the resolved ts is beyond its dump, of {time_of(one.beyond)} ({one.beyond})"
        yield f"asked for: {one.kind} {one.table}".rstrip() + f"; done when {when}"


def _awaited(found: Status) -> str:
    """The partition that holds back the others, and its progress."""
    from tidewire.spark.sync.publish import time_of

    if found.waiting is None:
        return "the first messages"
    place = place_of(*found.waiting)
    if not found.watermark:
        return f"{place}, which has sent no watermark yet"
    return f"{place}, whose newest watermark is of {time_of(found.watermark)} ({found.watermark})"


def place_of(topic: str, partition: int) -> str:
    """The name of a partition."""
    return f"partition {partition} of {topic or 'the frame'}"


def ago(seconds: float) -> str:
    """An elapsed time: in seconds, then in hours and minutes, from two days on in days and hours."""
    if seconds < 2 * 3600:
        return f"{seconds:,.0f} s ago"
    hours, minutes = int(seconds // 3600), int(seconds % 3600 // 60)
    if hours < 48:
        return f"{hours} h {minutes} min ago"
    return f"{hours // 24:,} days {hours % 24} h ago"


def with_file(text: str, path: str, table: str = "") -> str:
    """A text that recommends commands, with the file (quoted for a shell) and optionally the table inserted."""
    if not path:
        return text
    file, name = shlex.quote(path), f" {shlex.quote(table)}" if table else ""
    return _ADVICE.sub(lambda found: f"{found[1]} {file}{(name or found[2]) if found[2] else ''}", text)


def tables_not_yet(first: Mapping[str, int]) -> str:
    """Tables that do not exist yet, for the line of a batch."""
    which = ", ".join(list(first)[:3])
    return f"{many(len(first), 'table')} not made yet ({which}{', …' if len(first) > 3 else ''})" if first else ""


def plan_lines(one: PlannedTable) -> list[str]:
    """A line of `plan` for each fact of a table."""
    key = f"key {', '.join(one.key)}" if one.key else "no key"
    return [
        f"{one.table} -> {one.into} ({one.format}, {one.mode}, {one.schema_changes}, {key})",
        f"    {'is there; ' if one.exists else ''}{one.engine}{f': {one.not_native}' if one.not_native else ''}",
        *(f"    {name} {kind}{' (new)' if name in one.adds else ''}" for name, kind in one.columns.items()),
        *([f"    waits: {one.waits}"] if one.waits else []),
        *([f"    not made yet: {one.not_yet}"] if one.not_yet else []),
        *([f"    {one.limits}"] if one.limits else []),
    ]
