"""What tables are described as at the time of an event."""

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
    """What is known of a table.

    Args:
        store: the descriptions that are known; None: none are.
        names: of its schema and table; an empty one is no name.
        time: a TSO; None: whenever.
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
    """The first and the last time at which a table is described as it is at that time; none, and so 1 and 0, where
    there is no time.

    Args:
        store, names, time: as those of `described_at`.
    """
    if time is None:
        return 1, 0
    if store is None:
        return 0, MOST_TIME
    schema, table = names
    found: tuple[int, int] = store.times(schema or None, table or "", time)
    return found


def learned(store: DescribedTables[Any], description: DescribedTable, time: int | None) -> bool:
    """Adds a description that holds from a time on; whether it is new.

    Of several events of one moment that describe a table the first one holds, as it does for readers.

    Args:
        store: gets it.
        description: of a table.
        time: a TSO; None: that of the description, which is its version.
    """
    try:
        known: bool = store.add(
            description if time is None or description.version == time else description.replaced(version=time)
        )
    except ContradictionError:
        return False
    return known
