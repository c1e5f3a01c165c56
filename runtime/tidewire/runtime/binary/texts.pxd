from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.binary.codec cimport BinaryCodec
from tidewire.runtime.binary.cursor cimport Cursor
from tidewire.runtime.binary.sink cimport Sink

cdef class Digits(BinaryCodec):
    cdef int read(self, Cursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
    cdef int write(self, Sink s, ColumnReader source, int c, Py_ssize_t row) except -1

cdef class FloatText(BinaryCodec):
    cdef int read(self, Cursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
    cdef int write(self, Sink s, ColumnReader source, int c, Py_ssize_t row) except -1
