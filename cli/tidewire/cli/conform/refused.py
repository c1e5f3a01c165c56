"""Conditions under which producers refuse an event: the values of a defect's `refused`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, TypeAlias

from tidewire.events import RowChange
from tidewire.mysql import declared
from tidewire.runtime.connect.defaults import parsed_float
from tidewire.runtime.tables import DescribedTable

TOO_GREAT = 2.0**63
"""The smallest non-negative number that does not fit into Avro's long."""
TableCheck: TypeAlias = Callable[[DescribedTable, RowChange, Sequence[int]], bool]
"""A check of a row's table: description of the table, row, and type codes of the defect."""


def _has_calendar_date(text: str) -> bool:
    """Whether a text begins with a date that exists."""
    try:
        return bool(date.fromisoformat(text[:10]))
    except ValueError:
        return False


def _lacks_columns(described: DescribedTable, event: RowChange, types: Sequence[int]) -> bool:
    """Whether the table has a column that the row lacks."""
    image = event.new if event.new is not None else event.old
    return any(one.name not in (image or ()) for one in described.columns)


def _has_great_default(described: DescribedTable, event: RowChange, types: Sequence[int]) -> bool:
    """Whether a column of these types has a default that, parsed as a double, is too great for a long."""
    defaults = (one.default for one in described.columns if declared(one.mysql_type).type in types)
    return any(default is not None and parsed_float(default) >= TOO_GREAT for default in defaults)


VALUES: Mapping[str, Callable[[Any], bool]] = {
    "nulls": lambda value: value is None,
    "dates": lambda value: isinstance(value, str) and not _has_calendar_date(value),
}
"""By value of `refused`: whether a column value causes the refusal."""
TABLES: Mapping[str, TableCheck] = {"unsent": _lacks_columns, "defaults": _has_great_default}
"""By value of `refused`: whether the row's table causes the refusal."""
