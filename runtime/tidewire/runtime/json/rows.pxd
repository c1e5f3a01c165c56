cimport cython

from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.decoding.table_columns cimport TableColumns
from tidewire.runtime.decoding.row_layouts cimport RowLayoutBuilder
from tidewire.runtime.decoding.row_table cimport RowTable
from tidewire.runtime.json.cells cimport RowCells
from tidewire.runtime.arrow.memory cimport Numbers

@cython.final
cdef class Rows(RowCells):
    cdef Numbers slots, row_numbers
    cdef readonly Py_ssize_t count, at_row
    cdef bint alone
    cdef Py_ssize_t bare
    cdef Py_ssize_t single
    cdef int among_others(self, JsonCursor r, int field) except -1
    cdef int clear(self) except -1
    cdef int columned(self, JsonCursor r, RowTable table, bint told, int field) except -1
    cdef int read(self, JsonCursor r, RowTable table, LayoutCache cache, Py_ssize_t message, Py_ssize_t member, bint whole, int field, int column_field) except -1
    cdef int read_single(self, JsonCursor r, RowTable table, LayoutCache cache, Py_ssize_t message, Py_ssize_t member, bint whole, int field, int column_field) except -1
    cdef int read_nothing(self, JsonCursor r, RowTable table, LayoutCache cache, Py_ssize_t message, Py_ssize_t member, int column_field) except -1
    cdef int row(self, JsonCursor r, RowTable table, LayoutCache cache, Py_ssize_t message, Py_ssize_t member, bint whole, int field, int column_field) except -1
    cdef int other_row(self, JsonCursor r, RowTable table, LayoutCache cache, Py_ssize_t message, Py_ssize_t member, bint whole, int field, int column_field) except -1
    cdef bint is_default_again(self, JsonCursor r, Py_ssize_t n, Py_ssize_t start, Py_ssize_t end) except -1
    cdef bint scan(self, JsonCursor r, TableColumns names, RowLayoutBuilder images, int field, int column_field) except -1
