"""Rebuilds a table from all of its messages in a topic, including those under its former names."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from tidewire.spark.sync.began import check_whole
from tidewire.spark.sync.changelog import Manifest, Request, Staged, StateError
from tidewire.spark.sync.letters import of_no_table
from tidewire.spark.sync.named import Origin, origin
from tidewire.spark.sync.walk import in_order
from tidewire.spark.sync.wanted import Wanted

Place = tuple[str, int, int]
"""Topic, partition and offset of a message."""


def from_topic(
    number: str, table: str, before: Manifest, state: str, stage: Callable[[Wanted], Staged]
) -> tuple[Staged, tuple[str, ...]]:
    """Stages all messages of one table in a topic, in the form of the next manifest. Returns that and notes for the
    user.

    Args:
        number: number of the request.
        table: name of the table.
        before: the newest manifest.
        state: folder of the state.
        stage: stages all messages of some tables, from the start of the topic up to what was read so far.

    Raises:
        StateError: a message of the table cannot be read, there is none, or the topic has dropped some.
    """
    names: tuple[str, ...] = ()
    more: tuple[str, ...] = (table,)
    while len(more) > len(names):
        names = more
        found = stage(Wanted(names))
        check_whole(before, found, table)
        more = tuple(dict.fromkeys((*names, *_origin(table, found, before.resolved).names)))
    unread = of_no_table(state, found.letters)
    known = of_no_table(state, before.dead).keys() if unread else ()
    dead = tuple(one for one in found.dead if one.table) + tuple(unread.values())
    made = loaded(number, table, replace(found, dead=dead), before.resolved, known)
    return made, _without(table, len(unread))


def _origin(table: str, staged: Staged, below: int) -> Origin:
    statements = sorted((one for one in staged.statements if one.ts < below), key=in_order)
    return origin(table, {one.same: one for one in statements}.values())


def loaded(number: str, table: str, staged: Staged, below: int, known: Collection[Place] = ()) -> Staged:
    """All messages of one table, in the form of the next manifest.

    Args:
        number: number of the request.
        table: name of the table.
        staged: what the messages gave.
        below: R; statements from there on have not been applied.
        known: unreadable messages of unknown tables that are dead letters already.

    Raises:
        StateError: a message of the table cannot be read, or there is none.
    """
    came = _origin(table, staged, below)
    for one in staged.dead:
        if (one.table and came.has(one.table, one.ts)) or (
            not one.table and (one.topic, one.partition, one.offset) not in known
        ):
            raise StateError(
                f"table {table} cannot be made from the topic: the message at offset {one.offset} of partition"
                f" {one.partition} of {one.topic or 'the frame'} cannot be read ({one.reason})"
            )
    if not staged.rows and not staged.statements:
        raise StateError(f"table {table} cannot be made from the topic: no message that is there is of it")
    request = Request(number, "load", table, statements=staged.statements)
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
