cdef long long NO_VECTOR
cdef unsigned long long EXACT
cdef long long vector_state(unsigned int state, const unsigned char *data, Py_ssize_t start, Py_ssize_t size) except? -1
cdef double power_of_ten(Py_ssize_t exponent) noexcept
cdef bint fits(double value) noexcept
