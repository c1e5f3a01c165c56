cimport cython

from tidewire.runtime.memory cimport Numbers

@cython.final
cdef class WrittenMessages:
    cdef bytearray data
    cdef Numbers ends, firsts, counts
    cdef readonly Py_ssize_t size
    cpdef list rows(self)
    cdef bytes value(self, Py_ssize_t k)
    cpdef Py_ssize_t longest(self)
