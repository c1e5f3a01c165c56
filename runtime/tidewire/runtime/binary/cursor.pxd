cimport cython

from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.wire.number_reader cimport NumberReader

cdef class Cursor(NumberReader):
    cdef unsigned long long reversed_uvarint(self, int field) except? 0
    cdef Py_ssize_t count(self, int field) except -1
    cdef Py_ssize_t within(self, long long value, Py_ssize_t offset, int field) except -1
    cdef long long limited(self, unsigned long long value, unsigned long long most, Py_ssize_t offset, int field) except? 0
    cdef long long limited_signed(self, long long value, long long most, Py_ssize_t offset, int field) except? 0
    cdef int one_of(self, Numbers numbers, object members, Py_ssize_t offset, int field) except -1
    cdef int undefined(self, unsigned long long value, Py_ssize_t offset, int field) except -1
    cdef int expect(self, unsigned long long value, unsigned long long wanted, Py_ssize_t offset, int field) except -1
    cdef int expect_bytes(self, bytes wanted, Py_ssize_t start, int field) except -1
    cdef int expect_float(self, double wanted, int field) except -1
    cdef int at_most(self, Numbers numbers, unsigned long long most, Py_ssize_t offset, int field) except -1
    cdef Py_ssize_t string(self, int field) except -1
    cdef int uvarints(self, Py_ssize_t n, Numbers out, int field) except -1
    cdef int varints(self, Py_ssize_t n, Numbers out, int field) except -1
    cdef int delta_uvarints(self, Py_ssize_t n, Numbers out, int field) except -1
    cdef int delta_varints(self, Py_ssize_t n, Numbers out, int field) except -1
    @cython.final
    cdef Py_ssize_t room_for(self, Py_ssize_t n, Numbers out, int field) except -1
    cdef int append_uvarints(self, Py_ssize_t n, Numbers out, int field) except -1
    cdef int append_varints(self, Py_ssize_t n, Numbers out, int field) except -1
    cdef int append_delta_uvarints(self, Py_ssize_t n, Numbers out, int field) except -1
    cdef int append_delta_varints(self, Py_ssize_t n, Numbers out, int field) except -1
    cdef int nullable_sizes(self, Py_ssize_t n, Numbers out, int field) except -1
    cdef int strings(self, Py_ssize_t n, Numbers ends, int field) except -1
    cdef unsigned long long cell_uvarint(self, Py_ssize_t start, Py_ssize_t size, int field) except? 0
