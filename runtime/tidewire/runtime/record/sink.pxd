cimport cython

from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.wire.byte_sink cimport NumberSink

@cython.final
cdef class RecordSink(NumberSink):
    cdef int wrapped(self, unsigned long long value) except -1
    cdef int boolean(self, bint value) except -1
    cdef bint single(self, double value) except -1
    cdef int widen(self) except -1
    cdef int digits(self, unsigned long long value) except -1
    cdef int value_of(self, ColumnReader source, int c, Py_ssize_t row, int codec) except -1
    cdef int text_of(self, ColumnReader source, int c, Py_ssize_t row) except -1
