"""Builds a table from its messages in a topic, including those under its former names: from all of them, or from those
after a dump.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from tidewire.spark.sync.changelog import Manifest, Request, Staged, StateError
from tidewire.spark.sync.letters import of_no_table
from tidewire.spark.sync.named import Origin, origin, spelled, tables_of
from tidewire.spark.sync.walk import in_order
from tidewire.spark.sync.wanted import Wanted

Place = tuple[str, int, int]
"""Topic, partition and offset of a message."""


class Dumped(NamedTuple):
    """The dump that a table begins with.

    Attributes:
        since: the commit ts of the first change that it lacks.
        text: of `dumped.DumpAt`.
        check: refuses a table, by its name at the time of the dump, that the dump does not have.
    """

    since: int
    text: str
    check: Callable[[str], None]


def from_topic(
    number: str,
    table: str,
    before: Manifest,
    state: str,
    stage: Callable[[Wanted], Staged],
    check: Callable[[Staged], None],
    dump: Dumped | None = None,
) -> tuple[Staged, tuple[str, ...]]:
    """Stages the messages of one table in a topic, in the form of the next manifest. Returns that and notes for the
    user.

    Args:
        number: number of the request.
        table: name of the table.
        before: the newest manifest.
        state: folder of the state.
        stage: stages the messages of some tables up to what was read so far: all, or those after the dump.
        check: refuses messages of which some are gone.
        dump: the dump that the table begins with; None to build it from the topic alone.

    Raises:
        StateError: a message of the table cannot be read, there is none, or the topic has dropped some.
        DumpError: the dump does not have the table.
    """
    since = 0 if dump is None else dump.since
    names: tuple[str, ...] = ()
    more: tuple[str, ...] = (table,)
    while len(more) > len(names):
        names = more
        found = stage(Wanted(names))
        check(found)
        came = _origin(table, found, since, before.resolved)
        more = tuple(dict.fromkeys((*names, *came.names)))
    if dump is not None and came.start <= since:
        dump.check(came.names[0])
    table = spelled(table, _names(found)) if table not in before.names else table
    unread = of_no_table(state, found.letters)
    known = of_no_table(state, before.dead).keys() if unread else ()
    dead = tuple(one for one in found.dead if one.table) + tuple(unread.values())
    made = loaded(
        number, table, replace(found, dead=dead), before.resolved, known, since, "" if dump is None else dump.text
    )
    return made, _without(table, len(unread))


def _names(staged: Staged) -> Iterator[str]:
    """The names of tables in rows and statements."""
    yield from (one.table for one in staged.rows)
    for one in staged.statements:
        for action in one.actions:
            yield from tables_of(one, action)
            if action.kind == "RenameTable":
                yield action.get("new")


def _origin(table: str, staged: Staged, since: int, below: int) -> Origin:
    statements = sorted((one for one in staged.statements if since <= one.ts < below), key=in_order)
    return origin(table, {one.same: one for one in statements}.values())


def loaded(
    number: str,
    table: str,
    staged: Staged,
    below: int,
    known: Collection[Place] = (),
    since: int = 0,
    load: str = "",
) -> Staged:
    """The messages of one table, in the form of the next manifest.

    Args:
        number: number of the request.
        table: name of the table.
        staged: what the messages gave.
        below: R; statements from there on have not been applied.
        known: unreadable messages of unknown tables that are dead letters already.
        since: the commit ts from which rows and statements count; 0 for all.
        load: the dump that has the rows before it, as in `Request.load`.

    Raises:
        StateError: a message of the table cannot be read, there is none, or the table is gone.
    """
    came = _origin(table, staged, since, below)
    for one in staged.dead:
        if one.ts and one.ts < since:
            continue
        if (one.table and came.has(one.table, one.ts)) or (
            not one.table and (one.topic, one.partition, one.offset) not in known
        ):
            raise StateError(
                f"table {table} cannot be made from the topic: the message at offset {one.offset} of partition"
                f" {one.partition} of {one.topic or 'the frame'} cannot be read ({one.reason})"
            )
    if came.start > since and not came.statements and not any(came.has(one.table, one.hi) for one in staged.rows):
        raise StateError(
            f"table {table} was dropped or renamed at {came.start}, and no table has the name since then: ask for it by"
            " the name that it has now"
        )
    if not load and not staged.rows and not staged.statements:
        raise StateError(f"table {table} cannot be made from the topic: no message that is there is of it")
    request = Request(number, "load", table, since, load, statements=staged.statements)
    # unreadable messages are dead letters since they were read first
    return replace(staged, statements=(), watermarks={}, requests=(request,), dead=(), letters={})


def _without(table: str, count: int) -> tuple[str, ...]:
    """A note that unreadable messages of unknown tables may belong to the rebuilt table."""
    if not count:
        return ()
    return (
        f"table {table} was made without {count} messages that cannot be read, of which nothing tells what they are of:"
        " tidewire sync status FILE says why",
    )
