from tidewire.runtime.json.text cimport JsonText

cdef bint all_digits(JsonText r, Py_ssize_t i, Py_ssize_t end) noexcept
cdef unsigned long long label(JsonText r, object labels, Py_ssize_t start, Py_ssize_t end, bint many, int field) except? 0
cdef double float64(JsonText r, Py_ssize_t start, Py_ssize_t end, int field) except? 0
cdef double float32(JsonText r, Py_ssize_t start, Py_ssize_t end, int field) except? 0
cdef Py_ssize_t usual_float(JsonText r, Py_ssize_t start, bint narrow, double *found) noexcept
cdef bytes plain_digits(bytes number)
