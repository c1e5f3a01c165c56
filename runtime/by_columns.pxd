cimport cython

@cython.final
cdef class Remembered:
    cdef tuple columns
    cdef object known

@cython.final
cdef class ByColumns:
    cdef Remembered last
    cdef dict young, old
    cdef Py_ssize_t count, size
    cpdef object clear(self)
    cpdef object find(self, tuple columns)
    cdef Remembered equal(self, tuple columns)
    cpdef object remember(self, tuple columns, object known)
    cdef object keep(self, Remembered entry)

cdef Py_ssize_t weight(tuple columns) except -1
