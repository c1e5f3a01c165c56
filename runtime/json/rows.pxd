cimport cython

from tidewire.runtime.catalog cimport Catalog, RowImages
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.json.tables cimport JsonTable, RowLayout
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
    int form

@cython.final
cdef class Rows:
    cdef Numbers slots, places, numbers
    cdef Memory memory
    cdef Cell *cells
    cdef Py_ssize_t room
    cdef readonly Py_ssize_t count, at_row
    cdef int clear(self) except -1
    cdef int enlarge(self) except -1
    cdef int read(self, JsonCursor r, JsonTable table, Catalog catalog, Py_ssize_t message, Py_ssize_t member, int field, int column_field) except -1
    cdef bint scan(self, JsonCursor r, JsonTable table, RowLayout layout, int field, int column_field) except -1
    cdef int fill(self, JsonCursor r, JsonTable table, RowLayout layout, Py_ssize_t row, int field) except -1
    cdef int put(self, JsonCursor r, RowLayout layout, Py_ssize_t j, Py_ssize_t row, int codec, int field) except -1
    cdef double float64(self, JsonCursor r, Py_ssize_t start, Py_ssize_t end, int field) except? 0
    cdef double float32(self, JsonCursor r, Py_ssize_t start, Py_ssize_t end, int field) except? 0
    cdef unsigned long long label(self, JsonCursor r, object labels, Py_ssize_t start, Py_ssize_t end, bint many, int field) except? 0
