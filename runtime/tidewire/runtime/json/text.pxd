cimport cython

from tidewire.runtime.decoding.names cimport Names
from tidewire.runtime.json.strings cimport JsonStrings

cdef int MOST_DEPTH, MOST_AROUND

cdef class JsonText(JsonStrings):
    cdef unsigned long long kinds[9]
    cdef int deepest
    cdef Py_ssize_t number(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t literal(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t key(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t name(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t match(self, Names names, Py_ssize_t i, int field) except -2
    cdef Py_ssize_t match_end(self, Names names, Py_ssize_t i, Py_ssize_t end, int field) except -2
    cdef Py_ssize_t pass_over(self, Py_ssize_t i, int field) except -1
    cdef Py_ssize_t skip(self, Py_ssize_t i, int field) except -1
