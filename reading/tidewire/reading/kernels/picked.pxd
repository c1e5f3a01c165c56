cimport cython

from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.memory cimport Memory

cdef long long _MOST_BYTES

@cython.final
cdef class Picked:
    cdef ColumnReader source
    cdef object rows
    cdef const int *at
    cdef Py_ssize_t count
    cdef object finish(self, Memory values, int c, object kind, Memory ends=*)
