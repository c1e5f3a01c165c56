cimport cython

from tidewire.runtime.arrow.columns cimport Columns

cdef struct ColumnView:
    const unsigned char *bitmap
    const long long *i64
    const unsigned long long *u64
    const double *f64
    const int *ends
    const unsigned char *data
    Py_ssize_t first, nulls
    int storage
    bint nullable

@cython.final
cdef class ColumnReader:
    cdef ColumnView *values
    cdef readonly int width
    cdef readonly Py_ssize_t rows
    cdef list owners
    cdef int _begin(self, int width, Py_ssize_t rows) except -1
    cdef int _lay(self, int c, int storage, Columns columns, int position, bytearray block, list data, Py_ssize_t room) except -1
    cpdef bint has_values(self, int c) noexcept
    cdef int _point(self, int c, const unsigned char *image) noexcept
    cdef int _bind(self, int c, int storage, object array) except -1
    cdef bint null_at(self, int c, Py_ssize_t row) noexcept
    cdef bint same_number(self, int c, Py_ssize_t row, Py_ssize_t other) noexcept
    cdef long long int_at(self, int c, Py_ssize_t row) noexcept
    cdef unsigned long long uint_at(self, int c, Py_ssize_t row) noexcept
    cdef long long *ints(self, int c) noexcept
    cdef bytes binary(self, int c, Py_ssize_t row)
    cdef str text(self, int c, Py_ssize_t row)
    cpdef object value(self, int c, Py_ssize_t row)
    cdef int fill(self, dict found, list names, Py_ssize_t row, Py_ssize_t before) except -1
    cdef long long variable_bytes(self) noexcept
    cdef const unsigned char *place(self, int c, Py_ssize_t row) noexcept
    cdef Py_ssize_t size(self, int c, Py_ssize_t row) noexcept
    cdef unsigned long long zigzag(self, int c, Py_ssize_t i) noexcept

cdef bint fits(int held, int storage) noexcept
