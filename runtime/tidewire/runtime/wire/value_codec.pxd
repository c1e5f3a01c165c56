from tidewire.runtime.arrow.columns cimport Columns

cdef class ValueCodec:
    cdef readonly int storage, number, unchecked
    cdef readonly bint writes
    cpdef int stored(self, bint checked) except -1

cdef bint holds_text(Columns columns, int c, Py_ssize_t row) except -1
