from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.json.codec cimport JsonCodec
from tidewire.runtime.json.cursor cimport JsonCursor

cdef class NestedValue(JsonCodec):
    cdef object text_of
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
