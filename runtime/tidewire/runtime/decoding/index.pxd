cimport cython

cdef Py_ssize_t FEWEST, MOST_KEPT

@cython.final
cdef class Index:
    cdef bytearray slots
    cdef int *positions
    cdef Py_ssize_t size, count
    cdef int clear(self) except -1
    cdef int empty(self) except -1
    cdef int room(self, Py_ssize_t size) except -1
    cdef bint full(self) noexcept
    cdef Py_ssize_t slot(self, Py_ssize_t digest) noexcept
    cdef Py_ssize_t after(self, Py_ssize_t slot) noexcept
    cdef int add(self, Py_ssize_t digest, Py_ssize_t position) except -1
    cdef int remove(self, Py_ssize_t digest, Py_ssize_t position) except -1
