cimport cython

from tidewire.runtime.json.codec cimport JsonCodec
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.wire.part cimport Part
from tidewire.runtime.decoding.names cimport Names
from tidewire.runtime.decoding.row_layouts cimport RowLayoutBuilder
from tidewire.runtime.decoding.table_columns cimport TableColumns
from tidewire.runtime.arrow.memory cimport Memory, Numbers

# Form of a cell, as bits; 0 is null.
cdef enum:
    STRING = 1
    ESCAPED = 2
    HIGH = 4
    NUMBER = 8
    OTHER = 16
    WHOLE = 32  # with NUMBER: an integer that fits 64 bits, at most 19 digits, already parsed

cdef struct Cell:
    Py_ssize_t start, end
    Py_ssize_t kept_at, size  # offset and size of the unescaped text, if the value has escapes
    long long whole
    int form
    bint lone

cdef class RowCells:
    cdef Numbers numbers
    cdef Memory memory
    cdef Cell *cells
    cdef Py_ssize_t room
    cdef bint strict
    cdef Names located_names
    cdef Part location, own_location, located
    cdef int put_located(self, JsonCursor r, RowLayoutBuilder images, Py_ssize_t j, Py_ssize_t row, int field) except -1
    cdef int agree(self, JsonCursor r, Part other, int field) except -1
    cdef int put_location(self, JsonCursor r, Columns columns, int c, Py_ssize_t row, RowCells other, int field) except -1
    cdef int enlarge(self) except -1
    cdef Py_ssize_t find_value(self, JsonCursor r, Py_ssize_t n, Py_ssize_t i, int field) except -1
    cdef int fill(self, JsonCursor r, TableColumns names, RowLayoutBuilder images, Py_ssize_t row, int field) except -1
    cdef int put_bare(self, JsonCursor r, RowLayoutBuilder images, Py_ssize_t j, Py_ssize_t row, int codec, int field) except -1
    cdef int unescape(self, JsonCursor r, Py_ssize_t j, int codec, int field) except -1
    cdef int put(self, JsonCursor r, RowLayoutBuilder images, Py_ssize_t j, Py_ssize_t row, int codec, int field) except -1
    cdef int call(self, JsonCursor r, RowLayoutBuilder images, Py_ssize_t j, Py_ssize_t row, int field) except -1
    cdef int put_exact(self, JsonCursor r, RowLayoutBuilder images, Py_ssize_t j, Py_ssize_t row, int codec, int field) except -1
