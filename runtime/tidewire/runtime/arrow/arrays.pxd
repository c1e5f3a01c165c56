from tidewire.runtime.arrow.columns cimport Columns

cpdef list finished(Columns columns, bint replace_invalid=*)
cdef list arrays_of(Columns columns, bytearray block, object data, Py_ssize_t rows, Py_ssize_t room, bint replace_invalid)
cdef object batch_of(
    Columns columns, bytearray block, object data, Py_ssize_t rows, Py_ssize_t room, object schema, object positions, bytes absent
)
cdef list exported(Columns columns, bytearray block, object data, Py_ssize_t rows, Py_ssize_t room)
