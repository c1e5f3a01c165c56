cimport cython

from tidewire.runtime.memory cimport Memory
from tidewire.runtime.window cimport Window

cdef int MOST_DEPTH
cdef Py_ssize_t PADDING

cdef class JsonText(Window):
    cdef Memory scratch
    cdef Py_ssize_t free, origin
    cdef bint escaped, high
    cdef unsigned long long kinds[8]
    cpdef int load(self, Py_ssize_t message) except -1
    cdef int fail(self, int code, int field, Py_ssize_t offset, long long needed, long long available) except -1
    cdef Py_ssize_t broken(self, int code, int field, Py_ssize_t offset) except -1
    cdef Py_ssize_t space(self, Py_ssize_t i) noexcept
    cdef Py_ssize_t string(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t string_on(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t escape(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t number(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t literal(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t key(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t name(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t pass_over(self, Py_ssize_t i, int field) except -1
    cdef int check_utf8(self, Py_ssize_t start, Py_ssize_t end, int field) except -1
    cdef Py_ssize_t skip(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t unescape(self, Py_ssize_t i, Py_ssize_t end, int codec, int field) except -1
    cdef str content(self, Py_ssize_t start, Py_ssize_t end, int field)
