"""Which tables are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tidewire.reading.table_names import split

if TYPE_CHECKING:
    from tidewire.runtime.batch import TableName


@dataclass(frozen=True)
class Wanted:
    """Which tables are staged. A pattern is ``schema.table`` with ``*``, ``?`` and ``[…]`` in both, or a table name
    alone for any schema; a name with a dot is in backquotes. Names match in any case.

    Attributes:
        only: a table must match one of these patterns.
        skip: a table must match none of these patterns.
    """

    only: tuple[str, ...] = ("*.*",)
    skip: tuple[str, ...] = ()

    def __contains__(self, name: TableName) -> bool:
        return _matches(name, self.only) and not _matches(name, self.skip)

    def named(self, name: str) -> bool:
        """Whether the table with this name (`table_name`) is staged; False for a text that is not such a name."""
        parts = split(name)
        return len(parts) == 2 and parts[1] != "" and (parts[0], parts[1]) in self


EVERYTHING = Wanted()


def _matches(name: TableName, patterns: Iterable[str]) -> bool:
    schema, table = ((part or "").lower() for part in name)
    for pattern in patterns:
        parts = split(pattern.lower())
        of_schema, of_table = parts if len(parts) == 2 else ["*", *parts] if len(parts) == 1 else ["*", ""]
        if fnmatchcase(schema, of_schema or "*") and fnmatchcase(table, of_table):
            return True
    return False
