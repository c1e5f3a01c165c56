"""Rows as maps of column names to values, read into the columns of their layout without an object for each value.

A row is scanned twice: first its values are found, in any order, then they are put into the layout that they
determine, whose columns are in the order of the table's description.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Memory, Numbers
from tidewire.runtime.arrow.storage import BYTES, FLOAT, INT, RAW_TEXT, TEXT, UINT
from tidewire.runtime.decoding.row_table import NO_COLUMNS
from tidewire.runtime.decoding.table_columns import NAME_COPIES
from tidewire.runtime.errors import CONTRADICTION, DUPLICATE, KIND, MISSING, UNKNOWN, UTF8, VALUE, StatedError
from tidewire.runtime.record.branches import (
    BYTES_VALUE,
    DOUBLE_VALUE,
    FLOAT_VALUE,
    LOCATED_VALUE,
    LONG_VALUE,
    NAMES,
    NULL_VALUE,
    STRING_VALUE,
    WRAPPED_VALUE,
)
from tidewire.runtime.record.fields import COUNT_FIELD, UNSIGNED
from tidewire.runtime.wire.excerpts import shown
from tidewire.runtime.wire.part import Part

if cython.compiled:
    from cython.cimports.tidewire.runtime.record.rows import RecordCell

if TYPE_CHECKING:
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.decoding.layout_cache import LayoutCache
    from tidewire.runtime.decoding.row_layouts import RowLayoutBuilder
    from tidewire.runtime.decoding.row_table import RowTable
    from tidewire.runtime.decoding.table_columns import TableColumns
    from tidewire.runtime.record.cursor import RecordCursor


class _RecordCell:
    """One value; interpreted replacement for the C struct of rows.pxd."""

    kind: int
    offset: int
    start: int
    end: int
    number: int
    real: float


class RecordRows:
    """The row in one field of a message.

    Attributes:
        kinds: types of the branches of the values' union (branches.py).
        cells: position of the value of each column, by the column's number.
        numbers: columns of the row, in the order of the table's description.
        location: the location that values of the row carry; all of them carry the same one.
        slots, row_numbers: layout and row in the batch; empty before a row is read.
        count: number of rows: 1, or -1 for none.
        bare: offset of a row without columns; -1: it has some.
    """

    def __init__(self, kinds: bytes) -> None:
        self.kinds = kinds
        self.branches = len(kinds)
        self.location = Part()
        self.numbers = Numbers()
        self.memory = Memory(1)
        self.slots = Numbers()
        self.row_numbers = Numbers()
        self.room = 0
        if not cython.compiled:
            self.cells: list[Any] = []
        self.clear()

    def clear(self) -> cython.int:
        """Resets to no row."""
        self.count = self.bare = -1
        self.slots.size = self.row_numbers.size = 0
        self.location.start = -1
        return 0

    def columned(self, r: RecordCursor, field: cython.int) -> cython.int:
        """Refuses a row without columns.

        Args:
            field: field of the row.
        """
        if self.bare >= 0:
            raise StatedError(MISSING, field, self.bare, NO_COLUMNS)
        return 0

    def enlarge(self, columns: cython.Py_ssize_t) -> cython.int:
        """Allocates room for the values of this many columns."""
        room: cython.Py_ssize_t = columns + columns // 2 + 16
        if cython.compiled:
            self.memory.reserve(room * cython.sizeof(RecordCell))
            self.cells = cython.cast(cython.pointer(RecordCell), self.memory.u8)
        else:
            self.cells += [_RecordCell() for _ in range(room - self.room)]
        self.room = room
        return 0

    def read(
        self,
        r: RecordCursor,
        table: RowTable,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
        member: cython.Py_ssize_t,
        field: cython.int,
        column_field: cython.int,
    ) -> cython.int:
        """Reads the map at the cursor.

        Args:
            table: table of the row; its columns are known.
            message: number of the message in the batch.
            member: number of this field among those that hold rows.
            field: field of the row.
            column_field: field of a value.
        """
        row: cython.Py_ssize_t
        k: cython.Py_ssize_t
        start: cython.Py_ssize_t = r.pos
        columns: TableColumns = table.columns
        images: RowLayoutBuilder | None = table.last[member]
        found: cython.Py_ssize_t
        self.clear()
        found = self.scan(r, columns, field, column_field)
        if found == 0:
            self.bare = start
        if (
            images is None
            or not self.has(columns, images, found)
            or (
                (images.descriptions_version != columns.descriptions_version or columns.described != columns.count)
                and not table.holds(images, False)
            )
        ):
            self.numbers.take(0)
            for k in range(columns.count):
                if columns.all[k].seen == columns.object_number:
                    self.numbers.append(k)
            images = table.layout(r, self.numbers, member, False, column_field, start)
        self.slots.append(cache.open(images, table, message))
        row = images.rows
        if row + 1 >= images.room:
            images.reserve(row + 1)
        self.fill(r, columns, images, row, column_field)
        images.rows = row + 1
        self.row_numbers.append(row)
        self.count = 1
        return 0

    def scan(
        self, r: RecordCursor, columns: TableColumns, field: cython.int, column_field: cython.int
    ) -> cython.Py_ssize_t:
        """Finds the values of the map at the cursor; returns their number."""
        found: cython.Py_ssize_t = 0
        items: cython.Py_ssize_t = r.block(field)
        start: cython.Py_ssize_t
        size: cython.Py_ssize_t
        k: cython.Py_ssize_t
        columns.object_number += 1
        columns.at_column = -1
        if columns.count > self.room:
            self.enlarge(columns.count)
        while items:
            found += items
            while items:
                start = r.pos
                size = r.length(field)
                k = columns.find(r, r.pos, r.pos + size)
                if k < 0:
                    k = self.learn(r, columns, r.pos, r.pos + size, column_field)
                r.pos += size
                columns.at_column = k
                if columns.all[k].seen == columns.object_number:
                    r.fail(DUPLICATE, column_field, start, 0, 0)
                columns.all[k].seen = columns.object_number
                self.find_value(r, k, column_field)
                items -= 1
            items = r.block(field)
        return found

    def learn(
        self,
        r: RecordCursor,
        columns: TableColumns,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.Py_ssize_t:
        """Adds a column named message[start:end] that the table's description lacks; returns its number. Rows with it
        are refused later.
        """
        k: cython.Py_ssize_t
        if not r.utf8(start, end):
            return r.fail(UTF8, field, start, end - start, 0)
        name: bytes = r.copy(start, end)
        columns.cache.num_columns += 1
        columns.cache.bytes += NAME_COPIES * (end - start)
        k = columns.add(name, name)
        if columns.count > self.room:
            self.enlarge(columns.count)
        return k

    def find_value(self, r: RecordCursor, k: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """Skips the value of column k at the cursor, and records its position."""
        kind: cython.int
        self.cells[k].offset = r.pos
        kind = self.kinds[r.branch(self.branches, field)]
        self.cells[k].kind = kind
        if kind == LONG_VALUE or kind == WRAPPED_VALUE:
            self.cells[k].number = r.varint(field)
        elif kind == STRING_VALUE or kind == BYTES_VALUE:
            self.cells[k].end = r.length(field)
            self.cells[k].start = r.pos
            self.cells[k].end += r.pos
            r.pos = self.cells[k].end
        elif kind == DOUBLE_VALUE:
            self.cells[k].real = r.float64(field)
        elif kind == FLOAT_VALUE:
            self.cells[k].real = r.float32(field)
        elif kind == LOCATED_VALUE:
            self.cells[k].end = r.length(field)
            r.pos += self.cells[k].end
            self.cells[k].end = r.length(field)
            self.cells[k].start = r.pos
            self.cells[k].end += r.pos
            r.pos = self.cells[k].end
        return 0

    def pass_over(self, r: RecordCursor, field: cython.int) -> cython.int:
        """Skips the map at the cursor, in a message whose kind has no such row."""
        items: cython.Py_ssize_t = r.block(field)
        size: cython.Py_ssize_t
        self.clear()
        if self.room == 0:
            self.enlarge(1)
        while items:
            while items:
                size = r.length(field)  # moves the cursor
                r.pos += size
                self.find_value(r, 0, field)
                items -= 1
            items = r.block(field)
        return 0

    def has(self, columns: TableColumns, images: RowLayoutBuilder, found: cython.Py_ssize_t) -> cython.bint:
        """Whether the columns of the scanned row are those of the images."""
        j: cython.Py_ssize_t
        if found != images.width:
            return False
        for j in range(images.width):
            if columns.all[images.columns_read[j].number].seen != columns.object_number:
                return False
        return True

    def fill(
        self,
        r: RecordCursor,
        columns: TableColumns,
        images: RowLayoutBuilder,
        row: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        """Puts the values that were found into a row of the images."""
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        kind: cython.int
        storage: cython.int
        size: cython.Py_ssize_t
        for j in range(images.width):
            k = images.columns_read[j].number
            kind = self.cells[k].kind
            storage = images.cells[j].storage
            columns.at_column = k
            if kind == NULL_VALUE:
                images.put_null(j, row)
            elif storage == INT and kind == LONG_VALUE:
                images.put_int(j, row, self.cells[k].number)
            elif storage == UINT and (kind == LONG_VALUE or kind == WRAPPED_VALUE):
                if self.cells[k].number < 0 and images.columns_read[j].codec == COUNT_FIELD:
                    r.refuse(VALUE, field, self.cells[k].offset, 0, f"{self.cells[k].number}", UNSIGNED)
                images.put_uint(j, row, self.wrapped(k))
            elif storage == UINT and kind == STRING_VALUE:
                images.put_uint(j, row, r.digits(self.cells[k].start, self.cells[k].end, field))
            elif storage == FLOAT and (kind == DOUBLE_VALUE or kind == FLOAT_VALUE):
                images.put_float(j, row, self.cells[k].real)
            elif (kind == images.columns_read[j].codec and (storage == TEXT or storage == RAW_TEXT)) or (
                storage == BYTES and kind == BYTES_VALUE
            ):
                if kind == LOCATED_VALUE:
                    self.agree(r, k, field)
                size = self.cells[k].end - self.cells[k].start
                images.put_bytes(j, row, r, self.cells[k].start, size, field)
            else:
                self.refuse_kind(r, k, storage, images.columns_read[j].codec, field)
        return 0

    def wrapped(self, k: cython.Py_ssize_t) -> cython.ulonglong:
        """The unsigned number of column k: negative ones stand for 2**63 and above."""
        if cython.compiled:
            return cython.cast(cython.ulonglong, self.cells[k].number)
        return int(self.cells[k].number % (1 << 64))

    def refuse_kind(
        self, r: RecordCursor, k: cython.Py_ssize_t, storage: cython.int, codec: cython.int, field: cython.int
    ) -> cython.int:
        """Raises the error of a value whose branch does not fit the column's type."""
        kind: str = NAMES[self.cells[k].kind]
        if storage == 0:
            return r.fail(UNKNOWN, field, self.cells[k].offset, 1, 0)
        needed: str = NAMES[LONG_VALUE if codec == COUNT_FIELD else codec]
        return r.refuse(KIND, field, self.cells[k].offset, 0, kind, needed)

    # ---- locations

    def agree(self, r: RecordCursor, k: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """Checks that column k's value has the same location as the row's other values."""
        end: cython.Py_ssize_t = r.pos
        own: Part
        r.pos = self.cells[k].offset
        r.branch(self.branches, field)
        own = self.location if self.location.start < 0 else Part()
        r.text(own, field)
        r.pos = end
        return self.same(r, own, field)

    def same(self, r: RecordCursor, other: Part, field: cython.int) -> cython.int:
        """Checks that a location is that of the row."""
        found = r.copy(other.start, other.end)
        before = r.copy(self.location.start, self.location.end)
        if found != before:
            return r.refuse(CONTRADICTION, field, other.start, 0, shown(found), f"`{shown(before)}`")
        return 0

    def put_location(
        self,
        r: RecordCursor,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
        other: RecordRows | None,
        field: cython.int,
    ) -> cython.int:
        """Puts the location of the row's values into a column of events; null if no value has one.

        Args:
            row: row in the column.
            other: the other row image of the event; its location must be the same.
            field: field of these values.
        """
        said: RecordRows = self
        if other is not None and other.location.start >= 0:
            if self.location.start < 0:
                said = other
            else:
                self.same(r, other.location, field)
        if said.location.start < 0:
            return columns.put_null(c, row)
        return r.put_text(columns, c, row, said.location, field)
