from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.json.codec cimport JsonCodec
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.json.sink cimport JsonSink
from tidewire.runtime.labels cimport LabelNumbers

cdef class BoolBit(JsonCodec):
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
    cdef int write(self, JsonSink s, ColumnReader source, int c, Py_ssize_t row) except -1

cdef class BoolInt(JsonCodec):
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1

cdef class BitBytes(JsonCodec):
    cdef int length
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
    cdef int write(self, JsonSink s, ColumnReader source, int c, Py_ssize_t row) except -1

cdef class Wrapped(JsonCodec):
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
    cdef int write(self, JsonSink s, ColumnReader source, int c, Py_ssize_t row) except -1

cdef class Year(JsonCodec):
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
    cdef int write(self, JsonSink s, ColumnReader source, int c, Py_ssize_t row) except -1

cdef class Labels(JsonCodec):
    cdef bint several
    cdef LabelNumbers known
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
    cdef int write(self, JsonSink s, ColumnReader source, int c, Py_ssize_t row) except -1

cdef class Converted(JsonCodec):
    cdef object convert
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
