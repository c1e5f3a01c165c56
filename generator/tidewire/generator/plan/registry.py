"""The facts that a protocol's facade has about records with schemas in a registry."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlannedRegistry:
    """Location of schemas, and what records carry of rows."""

    option: str
    """The option with the location of schemas."""
    keys: tuple[tuple[str, int], ...]
    """By producer: the flag of the key columns as a bit; 0: all columns."""
    kind: tuple[str, ...]
    """Options that add the operation to records (one suffices); empty: records always contain it."""
    before: tuple[str, ...]
    """Options that add the row before the change."""
    commit_ts: tuple[str, ...]
    """Options that add the commit ts."""
    deleted: tuple[str, ...]
    """Options that write a mark for deletes whose message has no record."""
    deleted_by: tuple[str, ...]
    """The producers that write this mark."""
    unsent: tuple[str, ...]
    """The producers whose schemas contain columns that rows lack."""
    keyless: str
    """Name of the loss of deletes in tables without a key; empty: they are not lost."""
    others: bool
    """Whether there are messages without a row, which describe tables."""
    blocks: bool
    """Whether schemas are translated from Kafka Connect schemas."""
