cdef class ArrayView:
    cdef readonly Py_ssize_t rows
    cdef readonly object array
    cdef object owner
    cdef const unsigned char *u8
    cdef const int *i32
    cdef const long long *i64
    cdef const unsigned long long *u64
    cdef const int *ends
    cdef const unsigned char *valid
    cdef Py_ssize_t first
    cdef bint null(self, Py_ssize_t row) noexcept
