cimport cython

from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.memory cimport Memory

@cython.final
cdef class RecordSink(Memory):
    cdef public Py_ssize_t pos
    cdef int raw(self, bytes image) except -1
    cdef int u64be(self, unsigned long long value) except -1
    cdef int integer(self, long long value) except -1
    cdef int wrapped(self, unsigned long long value) except -1
    cdef int boolean(self, bint value) except -1
    cdef int float32(self, double value) except -1
    cdef bint single(self, double value) except -1
    cdef int widen(self) except -1
    cdef int float64(self, double value) except -1
    cdef int digits(self, unsigned long long value) except -1
    cdef int text_of(self, ColumnReader source, int c, Py_ssize_t row) except -1
