cimport cython

cdef unsigned long long STEPS[256]
cdef unsigned long long BAD
cdef Py_ssize_t MANY
cdef unsigned long long WIDE, WIDE_MASK

cdef bint well_formed(const unsigned char *p, Py_ssize_t i, Py_ssize_t end) noexcept
