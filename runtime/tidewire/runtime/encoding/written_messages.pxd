cimport cython

from tidewire.runtime.arrow.memory cimport Numbers

@cython.final
cdef class WrittenMessages:
    cdef readonly bytearray data, keys, nulls
    cdef readonly Numbers ends, firsts, counts, key_ends
    cdef readonly Py_ssize_t size, longest_event
    cdef int check(self, str protocol, Numbers ends) except -1
    cpdef list rows(self)
    cdef bytes part(self, bytearray data, Numbers ends, Py_ssize_t k)
    cpdef Py_ssize_t longest(self)
