cimport cython

from tidewire.runtime.layout_cache cimport LayoutCache
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.json.table_columns cimport TableColumns
from tidewire.runtime.json.images cimport JsonImages
from tidewire.runtime.json.tables cimport JsonTable
from tidewire.runtime.memory cimport Memory, Numbers

# What a cell is: bits, 0 for null.
cdef enum:
    STRING = 1
    ESCAPED = 2
    HIGH = 4
    NUMBER = 8
    OTHER = 16

cdef struct Cell:
    Py_ssize_t start, end
    Py_ssize_t place, size  # where it is without its escapes, when it has some
    int form
    bint lone

@cython.final
cdef class Rows:
    cdef Numbers slots, places, numbers
    cdef Memory memory
    cdef Cell *cells
    cdef Py_ssize_t room
    cdef readonly Py_ssize_t count, at_row
    cdef int clear(self) except -1
    cdef int enlarge(self) except -1
    cdef int read(self, JsonCursor r, JsonTable table, LayoutCache cache, Py_ssize_t message, Py_ssize_t member, bint whole, int field, int column_field) except -1
    cdef bint scan(self, JsonCursor r, TableColumns names, JsonImages images, int field, int column_field) except -1
    cdef int fill(self, JsonCursor r, TableColumns names, JsonImages images, Py_ssize_t row, int field) except -1
    cdef int put_bare(self, JsonCursor r, JsonImages images, Py_ssize_t j, Py_ssize_t row, int codec, int field) except -1
    cdef int unescape(self, JsonCursor r, Py_ssize_t j, int codec, int field) except -1
    cdef int put(self, JsonCursor r, JsonImages images, Py_ssize_t j, Py_ssize_t row, int codec, int field) except -1
