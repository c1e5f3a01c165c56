"""`tidewire sync maintain`: what was done for each table, or would be, as text and as JSON."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tidewire.cli.shell import many

if TYPE_CHECKING:
    from tidewire.spark.sync.maintaining.last import Last
    from tidewire.spark.sync.maintaining.upkeep import Upkeep

_KINDS = {"table": "", "history": " (history)", "order": " (order of changes)"}


def lines_of(one: Upkeep, dry: bool) -> Iterator[str]:
    """The maintenance of a table as lines of text."""
    what = done(one.compacted, one.expired, one.removed)
    would = "would be done: " if dry and what else ""
    yield f"{one.table}{_KINDS[one.kind]}: {would}{what or 'nothing to do'}"
    yield from (f"    {note}" for note in one.notes)
    yield from (f"    failed: {failure}" for failure in one.failures)


def done(compacted: int, expired: int, removed: int) -> str:
    """What was done, in words; empty for nothing."""
    what = [
        *([f"{many(compacted, 'small file')} written into fewer"] if compacted else []),
        *([f"{many(expired, 'version')} expired"] if expired else []),
        *([f"{many(removed, 'file')} of no version removed"] if removed else []),
    ]
    return ", ".join(what)


def schedule(options: Mapping[str, Any]) -> str:
    """When the stream maintains its tables, by the options of `sync`."""
    if "maintainEvery" not in options:
        return "not by the stream (maintain.every), only by tidewire sync maintain FILE"
    return f"every {options['maintainEvery']}, between two batches"


def status_lines(last: Last | None, options: Mapping[str, Any]) -> Iterator[str]:
    """When the tables were and are maintained, for `status`."""
    from tidewire.cli.sync_status import ago

    if last is None:
        if "maintainEvery" in options:
            yield f"maintenance: {schedule(options)}; none yet"
        return
    began = f"the last one began {ago(max(0.0, time.time() - last.began))}"
    if last.seconds is None:
        yield f"maintenance: {schedule(options)}; {began}, and goes on or was killed"
        return
    what = done(last.compacted, last.expired, last.removed) or "nothing to do"
    took = f"took {last.seconds:,.0f} s: {many(last.tables, 'table')}, {what}"
    yield f"maintenance: {schedule(options)}; {began} and {took}"
    yield from (f"maintenance of {name} failed: {reason}" for name, reason in last.failures.items())


def object_of(one: Upkeep, dry: bool) -> dict[str, Any]:
    """The maintenance of a table as an object of JSON."""
    return {**one._asdict(), "dry_run": dry}


def summary(every: Sequence[Upkeep], dry: bool) -> str:
    """The last line."""
    failed = sum(bool(one.failures) for one in every)
    if not every:
        return "no table is published yet: there is nothing to maintain"
    told = f"{many(len(every), 'table')} {'looked at; nothing was changed' if dry else 'maintained'}"
    return f"{told}; of {failed:,} something failed, and is tried again at the next time" if failed else told
