cimport cython

from tidewire.runtime.cursor cimport Cursor
from tidewire.runtime.memory cimport Memory, Numbers
from tidewire.runtime.window cimport Window

cdef struct Cells:
    long long *i64
    unsigned long long *u64
    double *f64
    int *ends
    unsigned char *valid
    unsigned char *data
    Py_ssize_t data_room
    int codec

cdef class Columns:
    cdef Cells *cells
    cdef readonly tuple codecs
    cdef readonly int width
    cdef public Py_ssize_t rows
    cdef Py_ssize_t room, hint
    cdef Memory values, valid
    cdef list data
    cpdef int begin(self) except -1
    cpdef int reserve(self, Py_ssize_t rows) except -1
    cdef int widen(self, int c, Py_ssize_t size) except -1
    cdef int put_null(self, int c, Py_ssize_t row) except -1
    cdef int put_int(self, int c, Py_ssize_t row, long long value) except -1
    cdef int put_uint(self, int c, Py_ssize_t row, unsigned long long value) except -1
    cdef int put_float(self, int c, Py_ssize_t row, double value) except -1
    cdef int put_bytes(self, int c, Py_ssize_t row, Window r, Py_ssize_t start, Py_ssize_t size, int field) except -1
    cdef int put_known(self, int c, Py_ssize_t row, Window r, Py_ssize_t start, Py_ssize_t size, int field) except -1
    cdef int put_text(self, int c, Py_ssize_t row, str text) except -1
    cdef object array(self, int c, object values, bint replace_invalid)
    cdef bytearray bits(self, int c)
    cdef Py_ssize_t nulls(self, int c) noexcept
    cdef Py_ssize_t read_row(self, Cursor r, Numbers sizes, int field) except -1
