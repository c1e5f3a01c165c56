cimport cython

from tidewire.runtime.arrow.memory cimport Memory

cdef class ByteSink(Memory):
    cdef public Py_ssize_t pos
    cpdef bytes written(self, Py_ssize_t start)
    cdef int raw(self, bytes image) except -1
    cdef int u64be(self, unsigned long long value) except -1
    @cython.final
    cdef int put_u64be(self, Py_ssize_t at, unsigned long long value) except -1

cdef class NumberSink(ByteSink):
    @cython.final
    cdef int uvarint(self, unsigned long long value) except -1
    cdef int varint(self, long long value) except -1
    cdef int float32(self, double value) except -1
    cdef int float64(self, double value) except -1
