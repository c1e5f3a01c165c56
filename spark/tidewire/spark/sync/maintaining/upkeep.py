"""The result of maintenance for one table, and what each format does for it."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple, Protocol

TABLE, HISTORY, ORDER = "table", "history", "order"
"""What a maintained table is: one with rows of the source, the history table beside it, or the order of its changes
with consistency=key.
"""


class Spared(NamedTuple):
    """For how long maintenance spares what others may be using.

    Attributes:
        read: snapshots of Iceberg younger than this stay: a query may be reading them.
        removed: Delta keeps files that a commit removed for this much longer than records.
        writing: a writer of Delta notes a file as removed this long before its commit at most.
        clean_every: files of no version are looked for once in this time: folders are listed for it.
    """

    read: timedelta = timedelta(hours=1)
    removed: timedelta = timedelta(days=1)
    writing: timedelta = timedelta(hours=1)
    clean_every: timedelta = timedelta(days=1)


class Upkeep(NamedTuple):
    """What was done for one table, or would be.

    Attributes:
        table: its name in the source, `schema.table`.
        kind: `TABLE`, `HISTORY` or `ORDER`.
        compacted: how many files were written into fewer.
        expired: how many versions were removed.
        removed: how many files were removed that no version has.
        notes: sentences for the user.
        failures: what could not be done, with the reasons; it is tried again at the next time.
    """

    table: str
    kind: str
    compacted: int = 0
    expired: int = 0
    removed: int = 0
    notes: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


class Postponed(Exception):
    """A step of maintenance cannot be done safely now, and a later one tries it again; the text is the reason."""


class Maintainable(Protocol):
    """The steps of maintenance of one table. With `dry`, each says what it would do, and does nothing.

    Attributes:
        place: its folder or URL; empty if there is none.
    """

    place: str

    def compact(self, dry: bool) -> int:
        """Writes small files into fewer. Returns how many were small."""
        ...

    def expire(self, dry: bool) -> int:
        """Removes versions that no kept record needs, with files that only they have. Returns how many."""
        ...

    def clean(self, dry: bool) -> int:
        """Removes files that no version has. Returns how many.

        Raises:
            Postponed: it cannot be done now.
        """
        ...
