"""How a Delta table's log records the position of a table, for Spark and for workers."""

from __future__ import annotations

from tidewire.spark.sync.changelog import Position

OWNER = "tidewire.table"
"""The property of a table that has its owner."""
TWICE = "#again"
"""What follows the owner in the identifier of commits that do not change the position; their version is the table's
before them.
"""


def identifier(owner: str, to: Position) -> str:
    """The identifier of the transaction that brings a table to a position; its version is the commit ts."""
    return f"{owner}#{to.done}" if to.done else owner


def position(owner: str, identifier: str, version: int) -> Position | None:
    """The position in a transaction's identifier and version; None if it is another owner's."""
    if identifier == owner:
        return Position(version)
    other, _, done = identifier.rpartition("#")
    return Position(version, int(done)) if other == owner and done.isdigit() else None
