"""Requests of users to a synchronisation that may be running: files in its state, which its next batch looks for."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from tidewire.spark.sync.changelog import DeadLetter, Manifest, Request, Staged, StateError
from tidewire.spark.sync.rules import MOST_KEYS
from tidewire.spark.sync.storage import storage
from tidewire.spark.sync.walk import KEY

_FOLDER = "requests"
KINDS = ("replay", "resume", "reset", "add")
"""The kinds of requests: read dead letters again; continue a table that waits for the user; rebuild a table from the
topic; build a table that was not kept before.
"""
_BY_LETTERS = ("letters", "keys", "many")


class Asked:
    """The pending requests of a state."""

    def __init__(self, state: str) -> None:
        self.files = storage(state)

    def ask(self, kind: str, table: str = "") -> str:
        """Stores a request. Returns its number."""
        number = f"{time.time_ns():020d}-{secrets.token_hex(4)}"
        self.files.create(f"{_FOLDER}/{number}.json", json.dumps({"kind": kind, "table": table}, ensure_ascii=False))
        return number

    def pending(self, newest: Manifest) -> list[tuple[str, str, str]]:
        """Number, kind and table of each pending request, in order."""
        found = []
        for name in sorted(self.files.names(_FOLDER)):
            number = name.removesuffix(".json")
            if number == name:
                continue
            if number in newest.done:
                self.done(number)  # already carried out before a crash
                continue
            try:
                of = json.loads(self.files.read(f"{_FOLDER}/{name}"))
                found.append((number, str(of["kind"]), str(of["table"])))
            except (ValueError, KeyError, TypeError):
                raise StateError(
                    f"{self.files.shown(f'{_FOLDER}/{name}')} is no request: remove it, and ask again"
                ) from None
        return found

    def done(self, number: str) -> None:
        """Removes a request that a manifest includes."""
        self.files.remove(f"{_FOLDER}/{number}.json")


def check(kind: str, table: str, newest: Manifest, wanted: Callable[[str], bool]) -> None:
    """Refuses a request that cannot be carried out.

    Raises:
        StateError: the text says why.
    """
    if kind == "replay":
        if not newest.dead:
            raise StateError("there are no messages that could not be read: nothing is to be replayed")
        return
    known = table in newest.names
    if kind in ("resume", "reset") and not known:
        raise StateError(f"there is no table {table} to {kind}: tidewire sync status FILE names all tables")
    there = newest.tables.get(newest.names.get(table, ""))
    if kind == "add" and known and not (there is not None and there.waits_for_rows):
        anew = f"tidewire sync reset FILE {table} makes it anew from the topic"
        raise StateError(f"table {table} is kept already: {anew}")
    if kind == "add" and not wanted(table):
        raise StateError(f"table {table} matches no pattern of tables: add it there first, and ask again")


def replayed(number: str, newest: Manifest, staged: Staged) -> Staged:
    """What the dead letters gave when they were read again, in the form that the next manifest includes.

    Args:
        number: of the request.
        newest: the previous manifest.
        staged: what the messages of all dead letters gave.
    """
    still: dict[str, set[str]] = {}
    for one in staged.dead:
        still.setdefault(one.table, set()).add(one.key)
    requests = []
    for name, of in newest.names.items():
        table = newest.tables[of]
        left = still.get(name, set())
        waiting = {*table.keys, *_pending(newest, name)}
        if "" in left or len(left) > MOST_KEYS or not (waiting or any(one.by in _BY_LETTERS for one in table.parks)):
            continue
        free = tuple(sorted(waiting - left))
        if free or not left:
            requests.append(Request(number, "replay", name, keys=free if left else ()))
    return replace(
        staged,
        # letters that still cannot be read wait where they did
        dead=tuple(_known_before(one, newest) for one in staged.dead),
        requests=tuple(requests) or (Request(number, "replay", ""),),
        read_again=tuple(newest.dead),
        statements=(),
        watermarks={},
    )


def _pending(newest: Manifest, name: str) -> list[str]:
    """The keys of a table that wait from a commit ts on that is not yet resolved."""
    found = []
    for one in newest.statements:
        if one.table == name and one.actions and one.actions[0].kind == KEY:
            found.append(str(one.actions[0].get("key")))
    return found


def _known_before(letter: DeadLetter, newest: Manifest) -> DeadLetter:
    """A letter that parks nothing new."""
    return letter if letter.ts and letter.ts < newest.resolved else letter._replace(table="", ts=0)


def too_old(newest: Manifest, staged: Staged) -> tuple[str, ...]:
    """Notes about replayed rows that are older than tables which did not wait for them."""
    waited = {one.table for one in staged.requests}
    late: Mapping[str, int] = {one.table: one.late for one in staged.rows if one.late and one.table not in waited}
    return tuple(
        f"{count} rows of messages that were read again are older than table {name}, which did not know that it had to"
        f" wait for them: tidewire sync reset FILE {name} makes it anew from the topic"
        for name, count in sorted(late.items())
    )


def loaded(number: str, table: str, staged: Staged) -> Staged:
    """What a topic has of one table from its start, in the form that the next manifest includes.

    Raises:
        StateError: a message of it cannot be read, or there is none.
    """
    for one in staged.dead:
        if one.table in ("", table):
            raise StateError(
                f"table {table} cannot be made from the topic: the message at offset {one.offset} of partition"
                f" {one.partition} of {one.topic or 'the frame'} cannot be read ({one.reason})"
            )
    if not staged.rows and not staged.statements:
        raise StateError(f"table {table} cannot be made from the topic: no message that is there is of it")
    request = Request(number, "load", table, statements=staged.statements)
    return replace(staged, statements=(), watermarks={}, requests=(request,))
