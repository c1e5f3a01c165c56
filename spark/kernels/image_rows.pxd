cimport cython

from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.memory cimport Memory, Numbers

cdef int _KIND, _NEW_LAYOUT, _NEW_ROW, _OLD_LAYOUT, _OLD_ROW

@cython.final
cdef class ImageRows:
    cdef ColumnReader source
    cdef Numbers bases
    cdef Memory event, image, rank
    cdef Py_ssize_t count
    cdef int put(self, Py_ssize_t event, long long image, int rank) except -1
