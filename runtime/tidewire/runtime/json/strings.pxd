cimport cython

from tidewire.runtime.arrow.memory cimport Memory
from tidewire.runtime.wire.byte_reader cimport ByteReader

cdef Py_ssize_t PADDING
cdef Py_ssize_t SLACK

cdef class JsonStrings(ByteReader):
    cdef Memory scratch
    cdef Py_ssize_t free, behind, origin, kept_at, size_kept
    cdef bint escaped, high, lone
    cpdef int load(self, Py_ssize_t message) except -1
    cdef int look(self, Py_ssize_t message) except -1
    cdef int take(self, Py_ssize_t size) except -1
    cdef int fail(self, int code, int field, Py_ssize_t offset, long long needed, long long available) except -1
    cdef str found(self, int code, Py_ssize_t offset, long long size)
    cdef Py_ssize_t broken(self, int code, int field, Py_ssize_t offset) except -1
    cdef Py_ssize_t another(self, int field, Py_ssize_t offset, str expected) except -1
    cdef str token(self, Py_ssize_t start, Py_ssize_t offset)
    cdef Py_ssize_t space(self, Py_ssize_t i) noexcept
    cdef Py_ssize_t string(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t string_on(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t unescape(self, Py_ssize_t i, Py_ssize_t end, int codec, int field) except -1
    cdef Py_ssize_t keep(self, Py_ssize_t i, Py_ssize_t j, bint high, int field) except -1
    cdef int release(self) noexcept
    cdef Py_ssize_t unescape_kept(self, Py_ssize_t i, Py_ssize_t end, Py_ssize_t kept_at, Py_ssize_t size, bint lone, int codec, int field) except -1
    cdef str content(self, Py_ssize_t start, Py_ssize_t end, int field)
    cdef int check_utf8(self, Py_ssize_t start, Py_ssize_t end, int field) except -1
