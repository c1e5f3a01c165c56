cimport cython

from tidewire.runtime.wire.byte_reader cimport ByteReader

cdef class NumberReader(ByteReader):
    @cython.final
    cdef unsigned long long uvarint(self, int field) except? 0
    cdef long long varint(self, int field) except? 0
    cdef double float32(self, int field) except? 0
    cdef double float64(self, int field) except? 0
    @cython.final
    cdef double float64_at(self, Py_ssize_t start) noexcept
