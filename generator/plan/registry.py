"""What a protocol's facade says of records whose schemas a registry has."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlannedRegistry:
    """Where schemas are, and what records tell of rows."""

    option: str
    """The option that says where schemas are."""
    keys: tuple[tuple[str, int], ...]
    """By producer the flag of the columns of keys, as a bit; 0: all columns."""
    kind: tuple[str, ...]
    """The options with one of which a record says what happened; none: it always does."""
    before: tuple[str, ...]
    """Those with one of which it has the row before."""
    commit_ts: tuple[str, ...]
    """Those with one of which it says when the transaction committed."""
    deleted: tuple[str, ...]
    """Those with one of which a deleted row without a record says that."""
    deleted_by: tuple[str, ...]
    """The producers who write it."""
    unsent: tuple[str, ...]
    """The producers whose records have the columns that rows lack."""
    keyless: str
    """The name of the loss of rows that are gone and have no key; empty: nothing says it."""
    others: bool
    """Whether there are messages of no row, which describe tables."""
    blocks: bool
    """Whether schemas stand for those of Kafka Connect."""
