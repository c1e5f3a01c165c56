"""Finds table descriptions by the commit time of an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime.errors import ContradictionError, MissingTableError
from tidewire.runtime.tables.store import MOST_TIME

if TYPE_CHECKING:
    from tidewire.runtime.tables.description import DescribedTable
    from tidewire.runtime.tables.store import DescribedTables


def described_at(
    store: DescribedTables[Any] | None, names: tuple[str, str], time: int | None
) -> DescribedTable | None:
    """The description of a table at a time; None: unknown.

    Args:
        store: known descriptions; None: there are none.
        names: names of schema and table; an empty name is no name.
        time: a TSO; None: the latest description.
    """
    schema, table = names
    if store is None or not table or not store.may_find(schema or None, table):
        return None
    try:
        found: DescribedTable = store.at(schema or None, table, time)
    except MissingTableError:
        return None
    return found


def described_alike(
    store: DescribedTables[Any] | None, names: tuple[str, str], time: int | None
) -> tuple[int, int]:
    """The range of times for which a table has the same description as at this time; empty, as 1 and 0, without a time.

    Args:
        store, names, time: as in `described_at`.
    """
    if time is None:
        return 1, 0
    if store is None:
        return 0, MOST_TIME
    schema, table = names
    found: tuple[int, int] = store.times(schema or None, table or "", time)
    return found


def learned(store: DescribedTables[Any], description: DescribedTable, time: int | None) -> bool:
    """Adds a description that applies from a time on; returns whether it is new.

    If several events of the same time describe a table, the first one applies, as it does for readers.

    Args:
        store: receives the description.
        time: a TSO; None: the version of the description.
    """
    try:
        known: bool = store.add(
            description if time is None or description.version == time else description.replaced(version=time)
        )
    except ContradictionError:
        return False
    return known
