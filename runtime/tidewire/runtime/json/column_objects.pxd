cimport cython

from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.json.cells cimport RowCells
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.decoding.row_layouts cimport RowLayoutBuilder
from tidewire.runtime.decoding.names cimport Names
from tidewire.runtime.decoding.table_columns cimport TableColumns
from tidewire.runtime.decoding.row_table cimport RowTable
from tidewire.runtime.arrow.memory cimport Numbers

@cython.final
cdef class ColumnMembers:
    cdef Names names
    cdef Py_ssize_t type, flags, handle, value
    cdef unsigned long long handle_flag

@cython.final
cdef class ColumnObjects(RowCells):
    cdef ColumnMembers members
    cdef Numbers slots, row_numbers
    cdef readonly Py_ssize_t count, at_row
    cpdef int clear(self) except -1
    cpdef int read(self, JsonCursor r, RowTable table, LayoutCache cache, Py_ssize_t message, Py_ssize_t member, int field, int column_field) except -1
    cdef int open(self, RowLayoutBuilder images, RowTable table, LayoutCache cache, Py_ssize_t message) except -1
    cdef int scan(self, JsonCursor r, TableColumns names, int field, int column_field) except -1
    cdef int read_object(self, JsonCursor r, TableColumns names, Py_ssize_t n, Py_ssize_t start, int field) except -1
    cdef bint read_value(self, JsonCursor r, TableColumns names, Py_ssize_t n, Py_ssize_t start, int field) except -1
    cdef bint read_again(self, JsonCursor r, TableColumns names, RowLayoutBuilder images, int field) except -1
    cdef Py_ssize_t put_number(self, JsonCursor r, RowLayoutBuilder images, Py_ssize_t n, Py_ssize_t row, Py_ssize_t start, bint single, int field) except -2
    cdef Py_ssize_t put_string(self, JsonCursor r, RowLayoutBuilder images, Py_ssize_t n, Py_ssize_t row, Py_ssize_t start, int codec, int field) except -2
