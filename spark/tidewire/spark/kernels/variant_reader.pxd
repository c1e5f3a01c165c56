cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.wire.byte_reader cimport ByteReader

@cython.final
cdef class ObjectReader:
    cdef tuple names, storages
    cdef dict index
    cdef Py_ssize_t width
    cdef bytes image
    cdef Numbers columns
    cdef Numbers filled
    cdef int learn(self, ByteReader r) except -1
    cdef int object(self, ByteReader r, Columns out, Py_ssize_t row) except -1
    cdef int value(self, ByteReader r, Py_ssize_t start, Columns out, int c, Py_ssize_t row) except -1
    cdef int integer(self, ByteReader r, Py_ssize_t start, int width, Columns out, int c, Py_ssize_t row) except -1
    cdef int text(self, ByteReader r, Py_ssize_t start, Py_ssize_t n, Columns out, int c, Py_ssize_t row) except -1
    cdef int exact(self, ByteReader r, Py_ssize_t start, int width, Columns out, int c, Py_ssize_t row) except -1
    cdef int refuse(self, int c, int kind) except -1

cdef unsigned long long _number(ByteReader r, Py_ssize_t start, Py_ssize_t width) except? 0
