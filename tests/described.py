"""Table descriptions for tests of protocols whose rows do not describe their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import type_text
from tidewire.runtime.batch import Column
from tidewire.tables import TableStore

VERSION = 7
"""Of the tables of rows that tests make: any number but None."""
SCHEMAS = MemorySchemas()
"""Of rows that tests make."""


class AnyTable(TableStore):
    """Stands for a store that has every table, in every version, with columns that the test has."""

    def __init__(self, columns_of: Callable[[int | None], Iterable[Column]]) -> None:
        super().__init__()
        self._columns_of = columns_of

    def find(self, schema: str | None, table: str, version: int | None) -> Any:
        """The table of a version."""
        return _AnyDescription(self._columns_of, version)


class _AnyDescription:
    """Stands for the description of a table in a version."""

    def __init__(self, columns_of: Callable[[int | None], Iterable[Column]], version: int | None) -> None:
        self._columns_of = columns_of
        self._version = version

    def row_columns(self) -> list[Column]:
        """The columns of its rows, each once, with declared types that say no more than type and flags."""
        found: dict[str, Column] = {}
        for name, kind, flags, _ in self._columns_of(self._version):
            found.setdefault(name, Column(name, kind, flags, type_text(kind, flags)))
        return list(found.values())


def tables_of(module: Any, columns: Iterable[Column]) -> dict[str, Any]:
    """What a protocol's functions are given so that they can read rows with these columns."""
    kept = tuple(columns)
    tables = {"tables": AnyTable(lambda version: kept)} if module.FACTS.described else {}
    return {**tables, **schemas_of(module)}


def schemas_of(module: Any) -> dict[str, Any]:
    """What a protocol's functions are given so that they can write rows, and read them again."""
    return {} if module.FACTS.registry is None else {"schemas": SCHEMAS}
