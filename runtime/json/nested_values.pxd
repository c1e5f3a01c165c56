from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.json.codec cimport JsonCodec
from tidewire.runtime.json.cursor cimport JsonCursor

cdef class JsonValue(JsonCodec):
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1

cdef class VectorArray(JsonCodec):
    cdef bint single
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1

cdef class ScaledDecimal(JsonCodec):
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
