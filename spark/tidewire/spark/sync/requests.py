"""Requests of users to a synchronisation that may be running: files in its state, which its next batch looks for."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from tidewire.spark.sync.changelog import DeadLetter, Manifest, Request, Staged, StateError
from tidewire.spark.sync.dumped import DumpAt
from tidewire.spark.sync.letters import waiting
from tidewire.spark.sync.named import Named
from tidewire.spark.sync.rules import ANEW, MOST_KEYS
from tidewire.spark.sync.storage import storage
from tidewire.spark.sync.walk import BY_LETTERS

_FOLDER = "requests"
AWAITED = (
    "it is to begin with a dump of TSO {}, which is loaded when the resolved ts is greater; if a note says that it was"
    " not done, mend that and ask again, or"
)
"""Why a table waits that is to begin with a dump; the remedy follows it."""
KINDS = ("replay", "resume", "reset", "add")
"""The kinds of requests: read dead letters again; continue a table that waits for the user; rebuild a table from the
topic; build a table that was not kept before.
"""


class Asking(NamedTuple):
    """A request that is not carried out yet.

    Attributes:
        number: orders requests.
        kind: one of `KINDS`.
        table: its table; empty for none.
        dump: the dump that the table is to begin with, as the text of `dumped.DumpAt`; empty for none.
    """

    number: str
    kind: str
    table: str
    dump: str = ""

    def waits(self, resolved: int) -> int:
        """The commit ts for which it waits: the resolved ts has to be greater than the TSO of a dump. 0 if it does not
        wait.
        """
        tso = DumpAt.parse(self.dump).tso if self.dump else 0
        return tso if tso >= resolved else 0


class Asked:
    """The pending requests of a state."""

    def __init__(self, state: str) -> None:
        self.files = storage(state)

    def ask(self, kind: str, table: str = "", dump: str = "") -> str:
        """Stores a request. Returns its number."""
        number = f"{time.time_ns():020d}-{secrets.token_hex(4)}"
        of = {"kind": kind, "table": table, **({"dump": dump} if dump else {})}
        self.files.create(f"{_FOLDER}/{number}.json", json.dumps(of, ensure_ascii=False))
        return number

    def pending(self, newest: Manifest, tidy: bool = True) -> list[Asking]:
        """The pending requests, in order; `tidy` removes those that were carried out before a crash."""
        found = []
        for name in sorted(self.files.names(_FOLDER)):
            number = name.removesuffix(".json")
            if number == name:
                continue
            if number in newest.done:
                if tidy:
                    self.done(number)
                continue
            try:
                of = json.loads(self.files.read(f"{_FOLDER}/{name}"))
                one = Asking(number, str(of["kind"]), str(of["table"]), str(of.get("dump", "")))
                one.waits(0)
                found.append(one)
            except (ValueError, KeyError, TypeError):
                raise StateError(
                    f"{self.files.shown(f'{_FOLDER}/{name}')} is no request: remove it, and ask again"
                ) from None
        return found

    def done(self, number: str) -> None:
        """Removes a request that a manifest includes."""
        self.files.remove(f"{_FOLDER}/{number}.json")


def check(kind: str, table: str, newest: Manifest, wanted: Callable[[str], bool], dump: str = "") -> None:
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
        by_dump = f"tidewire sync reset FILE {table} --dump DIR makes it anew from the dump"
        anew = by_dump if dump else ANEW.format(table)
        raise StateError(f"table {table} is kept already: {anew}")
    if kind == "add" and not wanted(table):
        raise StateError(f"table {table} matches no pattern of tables: add it there first, and ask again")


def replayed(number: str, newest: Manifest, staged: Staged) -> Staged:
    """The dead letters after they were read again, in the form of the next manifest.

    Args:
        number: number of the request.
        newest: the previous manifest.
        staged: what the messages of all dead letters gave.
    """
    named = Named(newest)
    still: dict[str, set[str]] = {}
    for letter in staged.dead:
        still.setdefault(named.at(letter.table, letter.ts), set()).add(letter.key)
    keys = waiting(newest)
    requests = []
    # including tables that do not exist yet
    for name, of in {**newest.names, **{one: one for one in keys if one not in newest.tables}}.items():
        table = newest.tables.get(of)
        left = still.get(of, set())
        wait = keys.get(of, set())
        parked = table is not None and any(one.by in BY_LETTERS for one in table.parks)
        if "" in left or len(left) > MOST_KEYS or not (wait or parked):
            continue
        free = tuple(sorted(wait - left - {""}))
        if free or not left:
            requests.append(Request(number, "replay", name, keys=free if left else ()))
    return replace(
        staged,
        # letters that still cannot be read keep their place
        dead=tuple(_known_before(one, newest) for one in staged.dead),
        requests=tuple(requests) or (Request(number, "replay", ""),),
        read_again=tuple(newest.dead),
        statements=(),
        watermarks={},
    )


def _known_before(letter: DeadLetter, newest: Manifest) -> DeadLetter:
    """A dead letter in a form that parks nothing new."""
    return letter if letter.ts and letter.ts < newest.resolved else letter._replace(table="", ts=0)


def too_old(newest: Manifest, staged: Staged) -> tuple[str, ...]:
    """Notes about replayed rows of tables that are beyond them and did not wait for them."""
    named = Named(newest)
    waited = {named.at(one.table, 0) for one in staged.requests}
    rows = [one for one in staged.rows if one.late and named.at(one.table, one.lo) not in waited]
    late: Mapping[str, int] = {one.table: one.late for one in rows}
    return tuple(
        f"{count} rows of messages that were read again are older than table {name}, which did not know that it had to"
        f" wait for them: {ANEW.format(name)}"
        for name, count in sorted(late.items())
    )


def of_no_name(newest: Manifest, staged: Staged) -> tuple[str, ...]:
    """Notes about replayed rows with a name that no table has any more."""
    named = Named(newest)
    rows = [one for one in staged.rows if named.at(one.table, one.lo) not in newest.tables and one.late]
    names = sorted({one.table for one in rows})
    return tuple(
        f"{sum(one.late for one in rows if one.table == name)} rows of messages that were read again are of {name},"
        " which no table is called any more: if it was renamed, its history lacks them until it is made anew from the"
        " topic, with tidewire sync reset FILE TABLE"
        for name in names
    )
