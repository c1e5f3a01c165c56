cimport cython

@cython.final
cdef class CachedColumns:
    cdef tuple columns
    cdef object known

@cython.final
cdef class ColumnsCache:
    cdef CachedColumns last
    cdef dict young, old
    cdef Py_ssize_t count, size
    cpdef object clear(self)
    cpdef object find(self, tuple columns)
    cdef CachedColumns equal(self, tuple columns)
    cpdef object remember(self, tuple columns, object known)
    cdef object keep(self, CachedColumns entry)

cdef Py_ssize_t weight(tuple columns) except -1
