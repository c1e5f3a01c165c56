"""Tables made anew from all that a topic has of them, also under the names that they had."""

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
    """What a topic has of one table from its start on, as the next manifest takes it in, and what to know of it.

    Args:
        number: of the request.
        table: its name.
        before: the newest manifest.
        state: the folder.
        stage: stages all messages of tables that were read.

    Raises:
        StateError: a message of it cannot be read, there is none, or the topic has lost some.
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
    """What a topic has of one table from its start on, as the next manifest takes it in.

    Args:
        number: of the request.
        table: its name.
        staged: what the messages gave.
        below: R: what statements say from there on is not done yet.
        known: messages of which nobody knows what they are of, and that are kept as such.

    Raises:
        StateError: a message of it cannot be read, or there is none.
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
    # what cannot be read is known since the messages came first
    return replace(staged, statements=(), watermarks={}, requests=(request,), dead=(), letters={})


def _without(table: str, count: int) -> tuple[str, ...]:
    """What to know of messages of which nobody knows whether they are of a table that was made anew."""
    if not count:
        return ()
    return (
        f"table {table} was made without {count} messages that cannot be read, of which nothing tells what they are of:"
        " tidewire sync status FILE says why",
    )
