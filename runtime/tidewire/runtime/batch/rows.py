"""Row images as Python mappings over columns; values are made on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import BYTES
from tidewire.runtime.batch.columns_cache import ColumnsCache

if TYPE_CHECKING:
    from tidewire.runtime.batch import Column, Layout


class RowNames:
    """The column names of a layout, prepared for its rows."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        self.columns = columns
        self.names = [column.name for column in columns]
        self.positions = {name: c for c, name in enumerate(self.names)}
        self.template: dict[str, object] = dict.fromkeys(self.names)
        self.texts: bytes | None = None

    def texts_of(self, storage: Callable[[int, int], str]) -> bytes:
        """A byte for each column, 1 for one that is text by its type and flags."""
        if self.texts is None:
            self.texts = bytes([storage(column.type, column.flags) == "text" for column in self.columns])
        return self.texts


_known = ColumnsCache()


def row_names(columns: tuple[Column, ...]) -> RowNames:
    """The names of these columns, from a cache."""
    found: RowNames | None = _known.find(columns)
    if found is None:
        found = RowNames(columns)
        _known.remember(columns, found)
    return found


class RowSet:
    """The row images of one layout."""

    def __init__(self, layout: Layout, storage: Callable[[int, int], str]) -> None:
        """Args:
            layout: columns and values.
            storage: gives the storage of columns by type and flags; text in a binary column is decoded where it is
                UTF-8.
        """
        self.names = row_names(layout.columns)
        self.lacks = layout.lacks
        # values that are no longer in a decoder's memory are read from the arrays, whose types are all checked
        tried = not layout.laid() or layout.holds(BYTES)
        self.source = layout.whole(self.names.texts_of(storage) if tried else b"")
        self.width = self.source.width
        self.latest: dict[str, object] = self.names.template.copy()
        self.latest_row: cython.Py_ssize_t = -1

    def as_dict(self, row: cython.Py_ssize_t) -> dict[str, object]:
        """A row as a new dict. It is copied from a template with the values of the previously requested row: putting a
        value into a dict costs more than comparing it, and the two images of an update differ in few columns.
        """
        before: cython.Py_ssize_t = self.latest_row
        if before < 0:
            self.latest = self.names.template.copy()
        # no row while it is being filled, and after an error
        self.latest_row = -1
        self.source.fill(self.latest, self.names.names, row, before)
        self.latest_row = row
        return self.latest.copy()


class Row:
    """One row image: a mapping from column name to value, in wire order. Absent columns are not keys, null is None."""

    def __init__(self, rows: RowSet, row: cython.Py_ssize_t) -> None:
        self.rows = rows
        self.row = row

    @property
    def columns(self) -> tuple[Column, ...]:
        """Name, type and flags of each column."""
        return self.rows.names.columns

    @property
    def lacks(self) -> tuple[str, ...]:
        """Columns that the table is known to have and this image lacks."""
        return self.rows.lacks

    def __getitem__(self, name: str) -> object:
        return self.rows.source.value(self.rows.names.positions[name], self.row)

    def __contains__(self, name: object) -> bool:
        return name in self.rows.names.positions

    def __len__(self) -> int:
        return self.rows.width

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows.names.names)

    def get(self, name: str, default: object = None) -> object:
        """The value of a column, or default when it is absent."""
        position = self.rows.names.positions.get(name)
        return default if position is None else self.rows.source.value(position, self.row)

    def keys(self) -> list[str]:
        """The names of the columns."""
        return list(self.rows.names.names)

    def values(self) -> list[object]:
        """The values, in the order of the columns."""
        c: cython.int
        found = []
        for c in range(self.rows.width):
            found.append(self.rows.source.value(c, self.row))
        return found

    def items(self) -> list[tuple[str, object]]:
        """Names and values, in the order of the columns."""
        return list(zip(self.rows.names.names, self.values(), strict=True))

    def to_dict(self) -> dict[str, object]:
        """The row as a new dict."""
        rows: RowSet = self.rows
        return rows.as_dict(self.row)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Mapping):
            return self.to_dict() == dict(other.items())
        return NotImplemented

    def __hash__(self) -> int:
        raise TypeError("a row is a mapping and cannot be hashed")

    def __reduce__(self) -> tuple[object, ...]:
        return dict, (self.to_dict(),)

    def __repr__(self) -> str:
        return f"Row({self.to_dict()!r})"


Mapping.register(Row)
