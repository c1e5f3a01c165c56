"""For what producers write no message of an event: `refused` of a defect, by the words of the spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, TypeAlias

from tidewire.events import RowChange
from tidewire.mysql import declared
from tidewire.runtime.connect.defaults import parsed_float
from tidewire.runtime.tables import DescribedTable

TOO_GREAT = 2.0**63
"""The least number from 0 on that has no room in a long of Avro."""
TableCheck: TypeAlias = Callable[[DescribedTable, RowChange, Sequence[int]], bool]
"""Takes the table of a row, the row, and the codes of the types that the defect is of."""


def _has_calendar_date(text: str) -> bool:
    """Whether a text begins with a date that the calendar has."""
    try:
        return bool(date.fromisoformat(text[:10]))
    except ValueError:
        return False


def _lacks_columns(described: DescribedTable, event: RowChange, types: Sequence[int]) -> bool:
    """Whether the table of a row has a column that the row lacks."""
    image = event.new if event.new is not None else event.old
    return any(one.name not in (image or ()) for one in described.columns)


def _has_great_default(described: DescribedTable, event: RowChange, types: Sequence[int]) -> bool:
    """Whether a column of these types has a default that is too great for a long once it has become a double."""
    defaults = (one.default for one in described.columns if declared(one.mysql_type).type in types)
    return any(default is not None and parsed_float(default) >= TOO_GREAT for default in defaults)


VALUES: Mapping[str, Callable[[Any], bool]] = {
    "nulls": lambda value: value is None,
    "dates": lambda value: isinstance(value, str) and not _has_calendar_date(value),
}
"""By word of the spec whether a value of the row is what it is refused for."""
TABLES: Mapping[str, TableCheck] = {"unsent": _lacks_columns, "defaults": _has_great_default}
"""By word of the spec whether the row's table is what it is refused for."""
