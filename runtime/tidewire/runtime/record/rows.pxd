cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.arrow.memory cimport Memory, Numbers
from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.wire.part cimport Part
from tidewire.runtime.decoding.row_layouts cimport RowLayoutBuilder
from tidewire.runtime.decoding.row_table cimport RowTable
from tidewire.runtime.decoding.table_columns cimport TableColumns
from tidewire.runtime.record.cursor cimport RecordCursor

cdef struct RecordCell:
    Py_ssize_t offset, start, end  # offset of the branch; start and end of a string or bytes
    long long number
    double real
    int kind

@cython.final
cdef class RecordRows:
    cdef const unsigned char[:] kinds
    cdef int branches
    cdef RecordCell *cells
    cdef Memory memory
    cdef Numbers numbers, slots, row_numbers
    cdef Part location
    cdef readonly Py_ssize_t count
    cdef Py_ssize_t bare
    cdef Py_ssize_t room
    cdef int clear(self) except -1
    cdef int columned(self, RecordCursor r, int field) except -1
    cdef int enlarge(self, Py_ssize_t columns) except -1
    cdef int read(self, RecordCursor r, RowTable table, LayoutCache cache, Py_ssize_t message, Py_ssize_t member, int field, int column_field) except -1
    cdef Py_ssize_t scan(self, RecordCursor r, TableColumns columns, int field, int column_field) except -1
    cdef Py_ssize_t learn(self, RecordCursor r, TableColumns columns, Py_ssize_t start, Py_ssize_t end, int field) except -1
    cdef int find_value(self, RecordCursor r, Py_ssize_t k, int field) except -1
    cdef int pass_over(self, RecordCursor r, int field) except -1
    cdef bint has(self, TableColumns columns, RowLayoutBuilder images, Py_ssize_t found) except -1
    cdef int fill(self, RecordCursor r, TableColumns columns, RowLayoutBuilder images, Py_ssize_t row, int field) except -1
    cdef unsigned long long wrapped(self, Py_ssize_t k) noexcept
    cdef int refuse_kind(self, RecordCursor r, Py_ssize_t k, int storage, int codec, int field) except -1
    cdef int agree(self, RecordCursor r, Py_ssize_t k, int field) except -1
    cdef int same(self, RecordCursor r, Part other, int field) except -1
    cdef int put_location(self, RecordCursor r, Columns columns, int c, Py_ssize_t row, RecordRows other, int field) except -1
