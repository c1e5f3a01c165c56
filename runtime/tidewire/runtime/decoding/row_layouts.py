"""Layouts of row images that name their columns: number and codec of each column."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.batch import Column
from tidewire.runtime.decoding.layout_cache import LayoutBuilder
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.codec_ids import CALLED, ENUM_TEXT, SET_TEXT

if cython.compiled:
    from cython.cimports.cpython.mem import PyMem_Calloc, PyMem_Free
    from cython.cimports.tidewire.runtime.decoding.row_layouts import ReadColumn
    from cython.cimports.tidewire.runtime.wire.swar import Beginning, set_beginning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tidewire.runtime.arrow.memory import Numbers
    from tidewire.runtime.batch import TableName
    from tidewire.runtime.decoding.declared import DeclaredType
    from tidewire.runtime.decoding.names import Names
    from tidewire.runtime.wire.value_codec import ValueCodec


class _ReadColumn:
    """Interpreted replacement for the C struct of row_layouts.pxd."""

    __slots__ = ("codec", "marks", "number", "type")

    codec: int
    marks: int
    number: int
    type: int


class RowLayoutBuilder(LayoutBuilder):
    """Row images with the same columns in the same order, with the same descriptions.

    Attributes:
        columns_read: for each column, its number among the table's names, the number of its declared type, the name
            lists that contain it (one bit per list), and its codec number.
        beginnings: text before each value, after `begin_columns` was called; compiled only.
        lacking: numbers of the columns that the rows lack, as 64-bit numbers.
        called: codec of each column, if any codec has to be called; else None.
        labels: for each column, its label indexes; None if no column has labels.
        descriptions_version: the `descriptions_version` of the table's columns for which this layout was last valid.
    """

    def __init__(
        self,
        table: TableName,
        names: Names,
        types: Sequence[DeclaredType],
        key: Numbers,
        flags: Sequence[int],
        codecs: Sequence[ValueCodec],
        checked: bool,
        digest: cython.Py_ssize_t,
    ) -> None:
        """
        Args:
            table: table of the rows.
            names: names of the table's columns.
            types: declared types by number.
            key: three numbers for each column: its number, its declared type, its name lists as bits; then for each
                missing column: its number, -1, 0.
            flags: flags of each column.
            codecs: codec of each column.
            checked: whether UTF-8 of text is checked.
            digest: hash of the table and the key.
        """
        LayoutBuilder.__init__(self, table, [codec.stored(checked) for codec in codecs], digest)
        j: cython.Py_ssize_t
        declared: DeclaredType
        if cython.compiled:
            self.columns_read = cython.cast(
                cython.pointer(ReadColumn), PyMem_Calloc(max(self.width, 1), cython.sizeof(ReadColumn))
            )
            if not self.columns_read:
                raise MemoryError
        else:
            self.columns_read: list[Any] = [_ReadColumn() for _ in codecs]
        self.names = names
        self.types = types
        self.called: tuple[ValueCodec, ...] | None = None
        self.labels: list[Mapping[str, int] | None] | None = None
        self.descriptions_version = 0
        # as bytes, which are small: a hostile message can have a separate layout for each row, each with missing
        # columns
        self.lacking = b""
        if key.size > 3 * self.width:
            self.lacking = array("q", [key.i64[3 * j] for j in range(self.width, key.size // 3)]).tobytes()
            if self.lacking == names.lacking:
                self.lacking = names.lacking
            names.lacking = self.lacking
        for j in range(self.width):
            self.columns_read[j].number = key.i64[3 * j]
            self.columns_read[j].type = key.i64[3 * j + 1]
            self.columns_read[j].marks = key.u64[3 * j + 2]
            self.columns_read[j].codec = codecs[j].number if checked else codecs[j].unchecked
            declared = types[self.columns_read[j].type]
            self.marks[j].type = declared.type
            self.marks[j].flags = flags[j]
            if self.columns_read[j].codec == CALLED:
                self.called = tuple(codecs)
            if self.columns_read[j].codec == ENUM_TEXT or self.columns_read[j].codec == SET_TEXT:
                if self.labels is None:
                    self.labels = [None] * len(codecs)
                self.labels[j] = declared.labels

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.columns_read)
            PyMem_Free(self.beginnings)

    def begin_columns(self) -> cython.int:
        """Prepares the text before each value, for a layout that is used again."""
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        if cython.compiled and not self.beginnings:
            self.beginnings = cython.cast(
                cython.pointer(Beginning), PyMem_Calloc(max(self.width, 1), cython.sizeof(Beginning))
            )
            if not self.beginnings:
                raise MemoryError
            for j in range(self.width):
                k = self.columns_read[j].number
                set_beginning(
                    cython.address(self.beginnings[j]),
                    chars.COMMA if j else chars.OPEN_OBJECT,
                    self.names.pool.u8,
                    self.names.all[k].spelling,
                    self.names.all[k].size,
                )
        return 0

    def described_columns(self) -> list[Column]:
        """Name, type, flags and declared type of each column."""
        j: cython.Py_ssize_t
        declared: DeclaredType
        found = []
        for j in range(self.width):
            declared = self.types[self.columns_read[j].type]
            name = self.names.texts[self.columns_read[j].number]
            found.append(Column(name, declared.type, self.marks[j].flags, declared.text))
        return found

    @property
    def lacks(self) -> tuple[str, ...]:
        """Columns that the table has and these rows lack."""
        return tuple([self.names.texts[k] for k in memoryview(self.lacking).cast("q")])

    def lacks_these(self, numbers: Numbers) -> cython.bint:
        """Whether the rows lack exactly these columns."""
        if 8 * numbers.size != len(self.lacking):
            return False
        return numbers.size == 0 or numbers.image() == self.lacking

    def labels_of(self, j: cython.Py_ssize_t) -> Mapping[str, int] | None:
        """The index of each label of column j; None if it has no labels."""
        return None if self.labels is None else self.labels[j]

    def like(self, names: Names, key: Numbers) -> cython.bint:
        """Whether this is the layout that the key describes, for the table with these names."""
        j: cython.Py_ssize_t
        lacking: cython.Py_ssize_t = len(self.lacking) // 8
        if self.names is not names or 3 * (self.width + lacking) != key.size:
            return False
        if lacking:
            numbers = memoryview(self.lacking).cast("q")
            for j in range(lacking):
                # a column with a type is present, not missing
                if numbers[j] != key.i64[3 * (self.width + j)] or key.i64[3 * (self.width + j) + 1] != -1:
                    return False
        for j in range(self.width):
            if (
                self.columns_read[j].number != key.i64[3 * j]
                or self.columns_read[j].type != key.i64[3 * j + 1]
                or self.columns_read[j].marks != key.u64[3 * j + 2]
            ):
                return False
        return True
