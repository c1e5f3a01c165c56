cimport cython

cdef bytearray resized(bytearray data, Py_ssize_t size)

cdef class Memory:
    cdef readonly bytearray data
    cdef unsigned char *u8
    cdef int *i32
    cdef long long *i64
    cdef unsigned long long *u64
    cdef double *f64
    cdef Py_ssize_t room
    cdef int reserve(self, Py_ssize_t room) except -1
    cdef int fill(self, Py_ssize_t start, Py_ssize_t stop, int byte) except -1

@cython.final
cdef class Numbers(Memory):
    cdef Py_ssize_t size
    cdef int take(self, Py_ssize_t size) except -1
    cdef bytes image(self)
    cdef int append(self, long long value) except -1
