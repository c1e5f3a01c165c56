cimport cython

from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.messages.checksums.zones cimport Zone

cdef long long NO_ZONE, NO_TIME, MALFORMED, DAYS_BEFORE
cdef unsigned long long EXPONENT

@cython.final
cdef class RowSums:
    cdef ColumnReader reader
    cdef bytes ways
    cdef int width
    cdef readonly int at
    cdef Py_ssize_t rows
    cdef bytearray buffer
    cpdef long long of(self, Py_ssize_t row, Zone zone) except *
    cdef unsigned int text(self, unsigned int state, int c, Py_ssize_t i) noexcept
    cdef long long local(self, unsigned int state, int c, Py_ssize_t i, Zone zone) except *
    cdef int pair(self, const unsigned char *data, Py_ssize_t at) noexcept
    cdef int write(self, long long seconds) except -1
    cdef int put(self, Py_ssize_t at, long long number, int behind) except -1
    cdef long long vector(self, unsigned int state, int c, Py_ssize_t i) except *

cdef long long day_number(long long year, int month, int day) noexcept
cdef int days_of(long long year, int month) noexcept
cdef unsigned long long single(double value) noexcept
