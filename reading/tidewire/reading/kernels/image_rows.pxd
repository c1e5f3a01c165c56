cimport cython

from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.memory cimport Memory, Numbers

cdef int _KIND, _NEW_LAYOUT, _NEW_ROW, _OLD_LAYOUT, _OLD_ROW, _MESSAGE, _COMMIT_TS, _COMMIT_MS, _KEY_ONLY, _CLAIM
cdef int _BITS
cdef unsigned long long _MOST_VERSION
cdef long long _MOST_TIME

@cython.final
cdef class ImageRows:
    cdef ColumnReader source
    cdef Numbers bases
    cdef Memory event, image, rank, message, version, time, versioned, timed
    cdef Py_ssize_t count
    cdef bint odd
    cpdef bint mixed(self)
    cpdef bint partial(self)
    cdef int put(self, Py_ssize_t event, long long image, int rank) except -1
    cdef int put_facts(self) except -1

cdef object _nullable(Memory values, Memory valid, Py_ssize_t rows, object kind)
