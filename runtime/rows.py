"""Row images as Python mappings, over the columns that hold them: nothing is made before it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tidewire.runtime.source import Source
from tidewire.runtime.storage import BYTES, FLOAT, INT, NOTHING, RAW_TEXT, TEXT, UINT

if TYPE_CHECKING:
    import cython

    from tidewire.runtime.batch import Column, Layout

STORAGE_OF_ARROW = {
    "null": NOTHING,
    "int64": INT,
    "uint64": UINT,
    "double": FLOAT,
    "string": TEXT,
    "binary": BYTES,
}
"""What an array holds, by its type."""


class RowSet:
    """The row images of one layout."""

    def __init__(self, layout: Layout, text: tuple[bool, ...]) -> None:
        """
        Args:
            layout: columns and arrays.
            text: for each column, whether it is text; text that is stored as bytes is tried as UTF-8.
        """
        storages = [STORAGE_OF_ARROW[str(array.type)] for array in layout.arrays]
        storages = [RAW_TEXT if storage == BYTES and text[c] else storage for c, storage in enumerate(storages)]
        self.columns = layout.columns
        self.lacks = layout.lacks
        self.names = [column.name for column in layout.columns]
        self.places = {name: c for c, name in enumerate(self.names)}
        self.width = len(self.names)
        self.source = Source(layout.arrays, storages)


class Row:
    """One row image: a mapping of column names to values, in the order of the wire. Absent columns are not keys,
    null is None.
    """

    def __init__(self, rows: RowSet, row: cython.Py_ssize_t) -> None:
        self.rows = rows
        self.row = row

    @property
    def columns(self) -> tuple[Column, ...]:
        """Name, type and flags of each column."""
        return self.rows.columns

    @property
    def lacks(self) -> tuple[str, ...]:
        """Columns that the table is known to have and this image has not."""
        return self.rows.lacks

    def __getitem__(self, name: str) -> object:
        return self.rows.source.value(self.rows.places[name], self.row)

    def __contains__(self, name: object) -> bool:
        return name in self.rows.places

    def __len__(self) -> int:
        return self.rows.width

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows.names)

    def get(self, name: str, default: object = None) -> object:
        """The value of a column, or default when it is absent."""
        place = self.rows.places.get(name)
        return default if place is None else self.rows.source.value(place, self.row)

    def keys(self) -> list[str]:
        """The names of the columns."""
        return list(self.rows.names)

    def values(self) -> list[object]:
        """The values, in the order of the columns."""
        c: cython.int
        found = []
        for c in range(self.rows.width):
            found.append(self.rows.source.value(c, self.row))
        return found

    def items(self) -> list[tuple[str, object]]:
        """Names and values, in the order of the columns."""
        return list(zip(self.rows.names, self.values(), strict=True))

    def to_dict(self) -> dict[str, object]:
        """A dict of its own."""
        c: cython.int
        found = {}
        for c in range(self.rows.width):
            found[self.rows.names[c]] = self.rows.source.value(c, self.row)
        return found

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
