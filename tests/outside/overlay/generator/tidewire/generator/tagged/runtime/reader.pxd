from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.binary.cursor cimport Cursor

cdef class Fields:
    cdef public bint skips
    cdef readonly int own, first
    cdef object wires, repeated
    cdef Numbers numbers, found, values, sizes, windows
    cdef Py_ssize_t find(self, unsigned long long number) noexcept
    cdef int clear(self) except -1

cdef class TaggedReader(Cursor):
    cdef list names
    cdef Numbers types, flags, starts, lengths
    cdef int read(self, Fields fields) except -1
    cdef int skip(self, int wire, int field) except -1
    cdef unsigned long long fixed64(self, int field) except? 0
    cdef int require(self, Fields fields, Py_ssize_t k) except -1
    cdef int forbid(self, Fields fields, Py_ssize_t k) except -1
    cdef long long limit(self, Fields fields, Py_ssize_t k, unsigned long long most) except? 0
    cdef str text(self, Fields fields, Py_ssize_t k)
    cdef Py_ssize_t gather(self, Fields fields, Py_ssize_t k, Fields column, object facts) except -1
