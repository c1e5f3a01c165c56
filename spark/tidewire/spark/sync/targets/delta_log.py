"""How a Delta table's log records the position of a table, for Spark and for workers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from tidewire.spark.sync.changelog import Position, StateError
from tidewire.spark.sync.storage import Storage

OWNER = "tidewire.table"
"""The property of a table that has its owner."""
TWICE = "#again"
"""What follows the owner in the identifier of commits that do not change the position; their version is the table's
before them.
"""

LOG = "_delta_log"
"""The folder of a table's log."""
_COMMIT = re.compile(r"\d{20}\.json")


def identifier(owner: str, to: Position) -> str:
    """The identifier of the transaction that brings a table to a position; its version is the commit ts."""
    return f"{owner}#{to.done}" if to.done else owner


def position(owner: str, identifier: str, version: int) -> Position | None:
    """The position in a transaction's identifier and version; None if it is another owner's."""
    if identifier == owner:
        return Position(version)
    other, _, done = identifier.rpartition("#")
    return Position(version, int(done)) if other == owner and done.isdigit() else None


def newest_in(files: Storage) -> int:
    """The newest commit in a table's folder; -1 if there is none."""
    return max((int(one[:20]) for one in files.names(LOG) if _COMMIT.fullmatch(one)), default=-1)


def lines_in(files: Storage, version: int) -> list[str] | None:
    """The actions of a commit in a table's folder, a text of JSON each; None if it is not there."""
    try:
        return files.read(f"{LOG}/{version:020d}.json").splitlines()
    except StateError:
        return None


def last_position(lines: Callable[[int], Iterable[str] | None], owner: str, newest: int, most: int) -> Position | None:
    """The position in the newest commit that has one.

    Args:
        lines: gives the actions of a commit, a text of JSON each; None if it is not there any more.
        owner: of the table.
        newest: the version of the newest commit.
        most: the most commits that are read.

    Returns:
        None if none of these commits has a position, if one of them is not there, or if a later one gave the table
        another owner.
    """
    for version in range(newest, max(newest - most, -1), -1):
        described, actions = False, lines(version)
        if actions is None:
            return None
        for line in actions:
            if line.startswith('{"txn"'):
                txn: dict[str, Any] = json.loads(line)["txn"]
                if (found := position(owner, txn["appId"], txn["version"])) is not None:
                    return found
            elif line.startswith('{"metaData"'):
                described = json.loads(line)["metaData"].get("configuration", {}).get(OWNER) != owner
        if described:
            return None
    return None
