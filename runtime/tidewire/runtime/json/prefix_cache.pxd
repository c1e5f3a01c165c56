cimport cython

from tidewire.runtime.arrow.memory cimport Memory, Numbers
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.decoding.names cimport Names

cdef Py_ssize_t MOST_OPENING, MOST_HOLES, MOST_MISSED, PAUSE

@cython.final
cdef class PrefixCache:
    cdef tuple rows
    cdef Memory text
    cdef Numbers values, starts, ends, which, members, others
    cdef Py_ssize_t start, end, size, last, missed, pause
    cdef bint valid, repeated
    cpdef int begin(self) except -1
    cdef bint repeats(self, JsonCursor r, Names names) except -1
    cdef bint stands(self, JsonCursor r) except -1
    cdef int mark(self, JsonCursor r, Py_ssize_t number) except -1
    cdef int cut(self, JsonCursor r, Names names, bint bare) except -1
    cdef int close(self, JsonCursor r, Names names) except -1
    cdef int learn(self, JsonCursor r, Names names) except -1
