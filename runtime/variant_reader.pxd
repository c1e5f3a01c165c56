cimport cython

from tidewire.runtime.columns cimport Columns
from tidewire.runtime.cursor cimport Cursor
from tidewire.runtime.memory cimport Numbers

@cython.final
cdef class ObjectReader:
    cdef tuple names, codecs
    cdef dict index
    cdef Py_ssize_t width
    cdef bytes image
    cdef Numbers places
    cdef Numbers filled
    cdef int learn(self, Cursor r) except -1
    cdef int object(self, Cursor r, Columns out, Py_ssize_t row) except -1
    cdef int value(self, Cursor r, Py_ssize_t start, Columns out, int c, Py_ssize_t row) except -1
    cdef int integer(self, Cursor r, Py_ssize_t start, int width, Columns out, int c, Py_ssize_t row) except -1
    cdef int text(self, Cursor r, Py_ssize_t start, Py_ssize_t n, Columns out, int c, Py_ssize_t row) except -1
    cdef int exact(self, Cursor r, Py_ssize_t start, int width, Columns out, int c, Py_ssize_t row) except -1
    cdef int refuse(self, int c, int kind) except -1

cdef unsigned long long _number(Cursor r, Py_ssize_t start, Py_ssize_t width) except? 0
