cimport cython

from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.memory cimport Memory
from tidewire.reading.kernels.picked cimport Picked

cdef int _NULL, _VALUE, _NO_DAY, _NO_TEXT, _NO_ROOM
cdef long long _BAD_DAY, _BAD_TEXT, _DAY

@cython.final
cdef class Texts:
    cdef ColumnReader source
    cdef const unsigned char *u8
    cdef const int *ends
    cdef const unsigned char *bitmap
    cdef Py_ssize_t first
    cdef Py_ssize_t rows
    cdef bint nullable
    cdef Memory out
    cdef Memory state
    cdef Picked picked
    cdef int read(self, ColumnReader source, int c, Py_ssize_t rows) except -1
    cdef Py_ssize_t place(self, Py_ssize_t row) noexcept
    cdef bint null(self, Py_ssize_t place) noexcept
    cdef int begin(self, Py_ssize_t width) except -1
    cdef int put(self, Py_ssize_t row, long long value) except -1
    cdef long long digits(self, Py_ssize_t i, int n) noexcept
    cdef long long day(self, Py_ssize_t i) noexcept
    cdef long long clock(self, Py_ssize_t i, Py_ssize_t stop, int hours, int most) noexcept
    cdef int other_decimal(self, bytes text, Py_ssize_t row, int precision, int scale) except -1
    cdef int decimal(self, Py_ssize_t i, Py_ssize_t stop, Py_ssize_t row, int precision, int scale) except -1

@cython.final
cdef class Bits:
    cdef ColumnReader source
    cdef object array
