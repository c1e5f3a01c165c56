cimport cython

from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.memory cimport Memory, Numbers

cdef unsigned long long _MOST_INT

@cython.final
cdef class Objects:
    cdef Memory out
    cdef readonly bytes metadata
    cdef readonly Py_ssize_t rows
    cdef ColumnReader columns
    cdef ColumnReader valid
    cdef Numbers ids
    cdef Numbers sizes
    cdef int id_size
    cdef Py_ssize_t width
    cdef bint is_text(self, Py_ssize_t c, Py_ssize_t row) noexcept
    cdef Py_ssize_t size(self, Py_ssize_t row) except -1
    cdef Py_ssize_t write(self, Py_ssize_t row, Py_ssize_t total, Py_ssize_t at) except -1
    cdef Py_ssize_t number(self, Py_ssize_t at, unsigned long long bits, int width) noexcept
    cdef Py_ssize_t integer(self, Py_ssize_t at, long long value) noexcept
    cdef Py_ssize_t payload(self, Py_ssize_t at, Py_ssize_t c, Py_ssize_t row, bint text) noexcept

cdef int _int_width(long long value) noexcept
cdef int _offset_width(Py_ssize_t value) noexcept
