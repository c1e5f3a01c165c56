cimport cython

from tidewire.runtime.wire.byte_reader cimport ByteReader

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    unsigned char *PyUnicode_1BYTE_DATA(object text)
    void untrack "PyObject_GC_UnTrack"(object)

cdef Py_ssize_t MOST_BYTES, FEW_ROWS, MOST_INLINE

cdef struct Cells:
    unsigned char *data
    int data_room
    short storage, codec  # codec: for those who read values into the column, who number them

cdef struct Marks:
    long long type
    unsigned long long flags

cdef union Pointers:
    unsigned char *u8
    int *i32
    long long *i64
    unsigned long long *u64
    double *f64

cdef class Columns:
    cdef Cells *cells
    cdef Marks *marks
    cdef Pointers values
    cdef unsigned char *valid
    cdef readonly int width
    cdef short inline, ended  # small, as a hostile message can have such columns for each of its rows
    cdef public Py_ssize_t rows
    cdef Py_ssize_t room, hint
    cdef bytearray block
    cdef list data
    cdef int fetch(self) except -1
    cpdef int begin(self) except -1
    cdef int end(self) except -1
    cpdef int reserve(self, Py_ssize_t rows) except -1
    cdef int move(self, Py_ssize_t target, Py_ssize_t start, Py_ssize_t size) except -1
    cdef int widen(self, int c, Py_ssize_t size) except -1
    cdef int fill_null(self, int c, Py_ssize_t row, Py_ssize_t stop) except -1
    cdef int put_null(self, int c, Py_ssize_t row) except -1
    cdef int put_int(self, int c, Py_ssize_t row, long long value) except -1
    cdef int put_uint(self, int c, Py_ssize_t row, unsigned long long value) except -1
    cdef int put_float(self, int c, Py_ssize_t row, double value) except -1
    cdef int put_bytes(self, int c, Py_ssize_t row, ByteReader r, Py_ssize_t start, Py_ssize_t size, int field) except -1
    cdef int put_known(self, int c, Py_ssize_t row, ByteReader r, Py_ssize_t start, Py_ssize_t size, int field) except -1
    cdef int put_text(self, int c, Py_ssize_t row, str text) except -1
    cdef int put_image(self, int c, Py_ssize_t row, bytes image) except -1
    cdef int put_memory(self, int c, Py_ssize_t row, const unsigned char *image, Py_ssize_t size) except -1
    cdef Py_ssize_t inlined(self, bytearray block, Py_ssize_t room) except -1
