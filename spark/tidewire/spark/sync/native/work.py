"""What the driver hands to a worker for one table, and what comes back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from tidewire.reading.options import ReadOptions
from tidewire.spark.sync.changelog import Position, SourceError

MOST_CHANGES = 32 << 20
"""The most bytes of staged changes, unpacked, that a worker takes for one table: it holds them several times."""
_LONGEST = 500


class Decoding(NamedTuple):
    """How staged messages of a table are decoded.

    Attributes:
        protocol, options: with which they were staged.
        name: of the table (`changelog.table_name`).
        descriptions: of tables, in the manifest.
    """

    protocol: str
    options: ReadOptions
    name: str
    descriptions: Mapping[str, Any]


class Work(NamedTuple):
    """The changes of one table with lo <= commit ts < hi.

    Attributes:
        number: the table's id.
        place: its folder.
        owner: the owner that it must have (`targets.Table.owner`).
        rows: paths of staged files with rows of this table only.
        messages: paths of staged files with messages of several tables.
        decoding: for these messages.
        columns: the columns of the rows.
        keys: those of the handle key.
        at, to: the position that the table must have, and the one that it gets.
        ignores: whether columns are passed over that rows have and the table lacks.
        leave: keys whose rows at these commit timestamps are left out.
        only: keys whose rows are included, from a commit ts on; None: all.
        known: a version of the table at which its position is known to be `at`; -1 for none.
    """

    number: str
    place: str
    owner: str
    rows: tuple[str, ...]
    messages: tuple[str, ...]
    decoding: Decoding
    lo: int
    hi: int
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    at: Position
    to: Position
    ignores: bool = False
    leave: Mapping[str, tuple[int, ...]] = {}
    only: Mapping[str, int] | None = None
    known: int = -1


class Merged(NamedTuple):
    """The changes are in the table.

    Attributes:
        number: the table's id.
        name: the name that it has in the target.
        version: its version with them.
        seconds: the time that it took.
    """

    number: str
    name: str
    version: int
    seconds: float


class Left(NamedTuple):
    """Nothing was written.

    Attributes:
        number: the table's id.
        reason: why workers do not merge the changes.
        mend: what the driver can do so that they will, one of the constants below; empty for nothing.
    """

    number: str
    reason: str
    mend: str = ""


AGAIN = "again"
"""Another program changed the table meanwhile."""
POSITION = "position"
"""The table is at another position, or at one that a worker does not find."""
PLACE = "place"
"""The table is not there."""
COLUMNS = "columns"
"""Rows have columns that the table lacks."""
SOURCE = "source"
"""A registry does not answer."""
FAILED = "failed"
"""Something failed: the reason is the text of an error."""


class Unsuited(Exception):
    """Workers do not merge these changes; the text is the reason."""

    def __init__(self, reason: str, mend: str = "") -> None:
        """Args:
            reason: why.
            mend: of `Left`.
        """
        super().__init__(reason)
        self.mend = mend


def left(number: str, error: BaseException) -> Left:
    """The result for a table when an error ended its work.

    Raises:
        BaseException: the error, if the process is to end.
    """
    if isinstance(error, Unsuited):
        return Left(number, str(error), error.mend)
    if isinstance(error, SourceError):
        return Left(number, str(error), SOURCE)
    if isinstance(error, FileNotFoundError):
        path = error.filename or "".join(re.findall(r"/[^']+", str(error))[:1])  # Arrow's errors have it in the text
        return Left(number, f"Path does not exist: {path}", FAILED)  # as Spark says it, for `sentence_of`
    # an error of Rust that nobody caught is no Exception
    if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
        raise error
    text = (str(error).strip().splitlines() or [""])[0]
    return Left(number, f"{type(error).__name__}: {text}"[:_LONGEST], FAILED)
