"""Warns in the executor's log, once each, when a table gains or loses columns while its rows are read, and when the
time zone of its values is unknown.
"""

from __future__ import annotations

import logging
from collections.abc import Collection

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.reading.tables import MOST_KEPT, MOST_LETTERS, dotted, same
from tidewire.reading.whole import incomplete
from tidewire.runtime.batch import EventColumns, Layout, TableName

MOST_COLUMNS = 4096
"""The most columns of a table that are remembered before the last layout adds its own; TiDB's limit for a table."""

_log = logging.getLogger("tidewire.spark")
_known: dict[TableName, set[str]] = {}
"""By table, the columns of its rows seen in this process, in lower case."""
_told: set[tuple[TableName, str]] = set()
"""Table and column of each warning given; an empty column stands for the time zone warning."""


def whole_layouts(decoded: EventColumns, layouts: Collection[Layout]) -> list[Layout]:
    """The layouts of new row images with all columns."""
    whole = decoded.events.filter(pc.invert(incomplete(decoded)))
    used = set(pc.unique(whole.column("new_layout").cast(pa.int64())).to_pylist())
    return [layout for at, layout in enumerate(decoded.layouts) if at in used and any(layout is one for one in layouts)]


def watch(table: TableName, layout: Layout, declared: Collection[str]) -> None:
    """Warns if rows have a column that neither earlier rows nor the schema have, or lack a column of the schema that
    earlier rows had.

    Args:
        layout: of rows with all columns.
        declared: the columns of the schema.
    """
    names = {column.name.lower() for column in layout.columns if len(column.name) <= MOST_LETTERS}
    wanted = {name.lower() for name in declared}
    if same(table) not in _known and len(_known) >= MOST_KEPT:
        _known.clear()
    known = _known.setdefault(same(table), set())
    if known:
        _tell(table, names - known - wanted, "have got", "which the schema lacks: it is left out")
        _tell(table, (wanted & known) - names, "no longer have", "which is null in them")
    if len(known) <= MOST_COLUMNS:
        known |= names


def tell_zone(table: TableName, timezone: str) -> None:
    """Warns that the time zone of TIMESTAMP values is unknown."""
    if (same(table), "") not in _told and len(_told) < MOST_KEPT:
        _told.add((same(table), ""))
        _log.warning(
            "tidewire: %s has TIMESTAMP columns, and neither its messages nor option timezone say the time zone of the "
            "changefeed: they are read as in %s, the session's",
            *(dotted(table), timezone),
        )


def _tell(table: TableName, names: Collection[str], what: str, consequence: str) -> None:
    for name in sorted(names):
        if (same(table), name) not in _told and len(_told) < MOST_KEPT:
            _told.add((same(table), name))
            _log.warning(
                "tidewire: rows of %s %s a column %r, %s; option rescuedDataColumn says so in each row",
                *(dotted(table), what, name, consequence),
            )
