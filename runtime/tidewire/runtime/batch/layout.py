"""Row images that share their columns; Arrow arrays of their values are made on demand.

An array takes some hundred bytes even for few rows, a hostile message can have a layout for each row, and most users of
a batch read the layouts of only a few tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tidewire.runtime import cython
from tidewire.runtime.arrow.arrays import arrays_of, batch_of
from tidewire.runtime.arrow.column_reader import ColumnReader, fits
from tidewire.runtime.arrow.columns import ARROW_TYPES
from tidewire.runtime.arrow.storage import BYTES, FLOAT, INT, NOTHING, RAW_TEXT, TEXT, UINT
from tidewire.runtime.batch.columns_cache import ColumnsCache

if cython.compiled:
    from cython.cimports.tidewire.runtime.arrow.columns import untrack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.batch.table_parts import Column

STORAGE_OF_ARROW = {
    pa.null(): NOTHING,
    pa.int64(): INT,
    pa.uint64(): UINT,
    pa.float64(): FLOAT,
    pa.utf8(): TEXT,
    pa.binary(): BYTES,
}
"""The storage of an array, by its type."""
SCHEMAS = ColumnsCache()
"""Cache: by columns of layouts, their storages and Arrow schema, whose creation takes longer than that of a batch."""


def schema_of(columns: tuple[Column, ...], storages: list[int]) -> pa.Schema:
    """The schema of a record batch of columns with these storages."""
    known = SCHEMAS.find(columns)
    if known is not None and known[0] == storages:
        return known[1]
    fields = zip(columns, storages, strict=True)
    schema = pa.schema([pa.field(column.name, ARROW_TYPES[storage]) for column, storage in fields])
    SCHEMAS.remember(columns, (storages, schema))
    return schema


class Layout:
    """The row images of a batch that have the same columns of the same table.

    All rows have all the columns; a missing column is absent, a null value is null in its array.

    Attributes:
        table: index into `EventColumns.tables`.
        num_rows: how many row images there are.
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
        self.named_lacks: tuple[str, ...] | None = lacks
        self.num_rows = num_rows
        self.named: tuple[Column, ...] | None = columns
        self.made: list[pa.Array] | None = arrays
        self.images: Columns | None = None
        self.block: bytearray | None
        # for values in the memory of a decoder or builder, the texts; later the arrays: one attribute for both, as
        # there are thousands of layouts
        self.data: list[Any] | None = None
        self.room: int
        self.replace_invalid: bool

    @staticmethod
    def of(
        table: cython.Py_ssize_t, columns: tuple[Column, ...] | None, images: Columns, replace_invalid: cython.bint
    ) -> Layout:
        """Row images in the memory of `images`, which must not be used afterwards.

        Args:
            table: index into `EventColumns.tables`.
            columns: columns of the images; None if the images have them (`LayoutBuilder`).
            images: the rows; their number is `images.rows`.
            replace_invalid: whether to decode unchecked text columns, with U+FFFD for bytes that are not UTF-8.
        """
        layout: Layout = Layout.__new__(Layout)
        layout.table = table
        layout.num_rows = images.rows
        layout.named = columns
        layout.named_lacks = None if columns is None else ()
        layout.made = None
        layout.images = images
        layout.block = images.block
        layout.data = images.data
        layout.room = images.room
        layout.replace_invalid = replace_invalid
        if cython.compiled:
            # a batch may have a layout for each of thousands of tables, and nothing that a layout refers to refers to a
            # layout: the garbage collector would look at all of them again and again while they are made
            untrack(layout)
        images.begin()
        return layout

    @property
    def lacks(self) -> tuple[str, ...]:
        """Columns that the table is known to have and these rows lack, which makes them partial rows. Empty for the old
        images of updates, as their new images have this information.
        """
        if self.named_lacks is None:
            self.named_lacks = self.images.lacks  # type: ignore[union-attr]
        return self.named_lacks

    @property
    def columns(self) -> tuple[Column, ...]:
        """Name, type and flags, in wire order."""
        if self.named is None:
            self.named = self.images.columns  # type: ignore[union-attr]
        return self.named

    @property
    def arrays(self) -> list[pa.Array]:
        """One for each column: int64, uint64, float64, utf8, binary or null, `num_rows` long."""
        if self.made is None:
            images: Columns = self.images  # type: ignore[assignment]
            self.made = arrays_of(images, self.block, self.data, self.num_rows, self.room, self.replace_invalid)
            self.block = None
            self.data = list(self.made)
        return self.made

    @arrays.setter
    def arrays(self, arrays: list[pa.Array]) -> None:
        self.made = arrays

    def storages(self) -> list[int]:
        """The storage of each column (tidewire.runtime.arrow.storage)."""
        c: cython.int
        if self.laid():
            return [self.images.cells[c].storage for c in range(self.images.width)]  # type: ignore[union-attr]
        return [STORAGE_OF_ARROW[array.type] for array in self.arrays]

    def lies(self, chosen: Sequence[int], storages: Sequence[int]) -> cython.bint:
        """Whether these columns are still in the memory of a decoder or builder, and can be read by these storages.

        Args:
            chosen: the columns, by position.
            storages: the storage by which each is read; -1 for an unknown one.
        """
        k: cython.Py_ssize_t
        if not self.laid():
            return False
        for k in range(len(chosen)):
            if storages[k] < 0 or not fits(self.images.cells[chosen[k]].storage, storages[k]):  # type: ignore[union-attr]
                return False
        return True

    def lying(self, chosen: Sequence[int], storages: Sequence[int]) -> ColumnReader | None:
        """A reader of some columns in the memory of a decoder or builder; None if they are not there or have another
        storage.
        """
        if not self.lies(chosen, storages):
            return None
        images: Columns = self.images  # type: ignore[assignment]
        return ColumnReader.of(images, self.block, self.data, self.num_rows, self.room, chosen, storages)

    def source(self, chosen: Sequence[int], storages: Sequence[int]) -> ColumnReader:
        """A reader of the values of some columns.

        Args:
            chosen: the columns, by position.
            storages: the storage by which each is read.

        Raises:
            TypeError: a column has another type.
        """
        found = self.lying(chosen, storages)
        return ColumnReader([self.arrays[c] for c in chosen], storages) if found is None else found

    def holds(self, storage: cython.int) -> cython.bint:
        """Whether a column of this storage is still in the memory of a decoder or builder."""
        c: cython.int
        if self.laid():
            for c in range(self.images.width):  # type: ignore[union-attr]
                if self.images.cells[c].storage == storage:  # type: ignore[union-attr]
                    return True
        return False

    def whole(self, texts: bytes) -> ColumnReader:
        """A reader of the values of all columns.

        Args:
            texts: a byte for each column, nonzero for a binary column that is read as text where it is UTF-8; empty if
                there is none.
        """
        c: cython.int
        storages: list[int]
        if self.laid():
            images: Columns = self.images  # type: ignore[assignment]
            return ColumnReader.whole(images, self.block, self.data, self.num_rows, self.room, texts)
        storages = self.storages()
        for c in range(len(texts)):
            if texts[c] and storages[c] == BYTES:
                storages[c] = RAW_TEXT
        return ColumnReader(self.arrays, storages)

    def laid(self) -> cython.bint:
        """Whether the values are still in the memory of a decoder or builder, and need no replacements as arrays."""
        return self.made is None and not self.replace_invalid

    def is_own(self) -> cython.bint:
        """Whether the values are in the memory of a decoder or builder: no other arrays were set."""
        c: cython.Py_ssize_t
        if self.made is None:
            return True
        if self.data is None or len(self.data) != len(self.made):
            return False
        for c in range(len(self.data)):
            if self.data[c] is not self.made[c]:
                return False
        return True

    def to_batch(self) -> pa.RecordBatch:
        """The rows as an Arrow record batch with the columns' names. In compiled code, and before `arrays` was used,
        the fastest way to Arrow: for a few rows, a Python object per array takes longer than everything else.
        """
        if cython.compiled and self.laid() and self.num_rows > 0 and self.block is not None:
            images: Columns = self.images  # type: ignore[assignment]
            schema = schema_of(self.columns, self.storages())
            return batch_of(
                images, self.block, self.data, self.num_rows, self.room, schema, None, bytes(images.width)
            )
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
