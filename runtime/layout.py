"""Row images that share their columns; the Arrow arrays of their values are made when they are asked for.

An array takes some hundred bytes of Python's and Arrow's, however few rows it has, and a hostile message can have a
layout for each row; most users of a batch look at the layouts of a table or two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    import cython

    from tidewire.runtime.batch import Column
    from tidewire.runtime.catalog import RowImages
    from tidewire.runtime.columns import Columns


class Layout:
    """The row images of a batch that have the same columns of the same table.

    All rows have all the columns; a column that is not here is absent, one that is null in a row is null in its array.

    Attributes:
        table: index into `EventColumns.tables`.
        num_rows: how many row images there are.
        lacks: columns that the table is known to have and these rows have not: they are parts of rows. Of the old
            images of updates it is not said, as the new ones tell.
    """

    def __init__(
        self,
        table: cython.Py_ssize_t,
        columns: tuple[Column, ...],
        arrays: list[pa.Array],
        num_rows: cython.Py_ssize_t,
        lacks: tuple[str, ...] = (),
    ) -> None:
        self.table = table
        self.lacks = lacks
        self.num_rows = num_rows
        self.named: tuple[Column, ...] | None = columns
        self.made: list[pa.Array] | None = arrays
        self.images: RowImages
        self.block: bytearray | None
        self.data: list[bytearray | None] | None
        self.room: int
        self.replace_invalid: bool

    @staticmethod
    def of(table: cython.Py_ssize_t, images: RowImages, replace_invalid: bool) -> Layout:
        """What has been read into these row images, which keep their columns and give away their memory.

        Args:
            table: index into `EventColumns.tables`.
            images: as a batch leaves them.
            replace_invalid: makes text of unchecked columns, with U+FFFD for what is not UTF-8.
        """
        rows: Columns = images
        layout: Layout = Layout.__new__(Layout)
        layout.table = table
        layout.num_rows = rows.rows
        layout.named = layout.made = None
        layout.lacks = images.lacks
        layout.images = images
        layout.block = rows.block
        layout.data = rows.data
        layout.room = rows.room
        layout.replace_invalid = replace_invalid
        return layout

    @property
    def columns(self) -> tuple[Column, ...]:
        """Name, type and flags, in the order of the wire."""
        return self.images.columns if self.named is None else self.named

    @property
    def arrays(self) -> list[pa.Array]:
        """One for each column: int64, uint64, float64, utf8, binary or null, `num_rows` long."""
        if self.made is None:
            self.made = self.images.arrays(self.block, self.data, self.num_rows, self.room, self.replace_invalid)
            self.block = self.data = None
        return self.made

    @arrays.setter
    def arrays(self, arrays: list[pa.Array]) -> None:
        self.made = arrays

    def to_batch(self) -> pa.RecordBatch:
        """The rows as an Arrow record batch with the columns' names."""
        return pa.RecordBatch.from_arrays(self.arrays, [column.name for column in self.columns])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        mine = (self.table, self.columns, self.arrays, self.num_rows, self.lacks)
        return mine == (other.table, other.columns, other.arrays, other.num_rows, other.lacks)

    def __reduce__(self) -> tuple[object, ...]:
        return Layout, (self.table, self.columns, self.arrays, self.num_rows, self.lacks)

    def __repr__(self) -> str:
        return (
            f"Layout(table={self.table!r}, columns={self.columns!r}, arrays={self.arrays!r}, "
            f"num_rows={self.num_rows!r}, lacks={self.lacks!r})"
        )
