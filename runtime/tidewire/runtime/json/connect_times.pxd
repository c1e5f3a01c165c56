from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.json.codec cimport JsonCodec
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.json.sink cimport JsonSink
from tidewire.runtime.wire.times cimport TimeConversion

cdef class ConnectTime(JsonCodec):
    cdef TimeConversion times
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
    cdef int fill(self, JsonSink s, bytes default) except -1
    cdef int write(self, JsonSink s, ColumnReader source, int c, Py_ssize_t row) except -1
    cdef Py_ssize_t write_usual(self, JsonSink s, Py_ssize_t at, const unsigned char *text, Py_ssize_t size) except -2
    cdef Py_ssize_t read_usual(self, const unsigned char *p, Py_ssize_t i, Columns columns, int c, Py_ssize_t row) noexcept
