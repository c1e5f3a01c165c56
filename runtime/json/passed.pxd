cimport cython

from tidewire.runtime.arrow.memory cimport Memory
from tidewire.runtime.json.cursor cimport JsonCursor

cdef Py_ssize_t MOST

@cython.final
cdef class Passed:
    cdef Memory memory
    cdef Py_ssize_t size
    cdef int skip(self, JsonCursor r, int field) except -1
