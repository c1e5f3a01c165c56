cimport cython

from tidewire.runtime.arrow.memory cimport Memory, Numbers
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.decoding.names cimport Names

cdef Py_ssize_t MOST, MOST_RUN, MOST_MEMBERS, MOST_MISSED

@cython.final
cdef class Passed:
    cdef Memory memory
    cdef Py_ssize_t size
    cdef int skip(self, JsonCursor r, int field) except -1

@cython.final
cdef class PassedMembers:
    cdef Names names
    cdef Memory texts, members
    cdef Numbers sizes, counts, missed, watched
    cdef dict accepted
    cdef set right
    cdef Py_ssize_t first, start, end
    cdef unsigned long long object_number
    cdef int skip(self, JsonCursor r, int field) except -1
    cdef int look_at(self, JsonCursor r, Py_ssize_t k, Py_ssize_t start) except -1
    cdef bint passes(self, JsonCursor r, Py_ssize_t k) except -1
    cdef int learn(self, JsonCursor r, Py_ssize_t k, Py_ssize_t start) except -1
