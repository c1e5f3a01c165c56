cimport cython

@cython.final
cdef class Part:
    cdef Py_ssize_t start, end
    cdef bint escaped, high
    cdef int clear(self) except -1
