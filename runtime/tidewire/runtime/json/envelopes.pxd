cimport cython

from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.decoding.names cimport Names

cdef Py_ssize_t MOST_RECENT, MOST_BYTES, BEGINNING, MOST_ALIKE, NOT_BLOCK
cdef bytes PAYLOAD_FIRST, SCHEMA_FIRST, BEHIND

@cython.final
cdef class KnownBlock:
    cdef readonly object block
    cdef readonly bytes before, behind
    cdef readonly bint whole
    cdef readonly Py_ssize_t number
    cdef public Py_ssize_t key
    cdef bint is_in(self, JsonCursor r, Py_ssize_t start, Py_ssize_t end) except -1

@cython.final
cdef class Envelopes:
    cdef object read
    cdef int payload_field, block_field
    cdef Names names
    cdef dict blocks, others
    cdef list recent
    cdef Py_ssize_t held, stop, rest, count
    cdef readonly KnownBlock known
    cdef readonly bint bare, block_first
    cdef public bint guessed, careful
    cdef bint blockless, cut
    cdef int load(self, JsonCursor r, Py_ssize_t message) except -1
    cdef bint begins(self, JsonCursor r, Py_ssize_t i) except -1
    cdef int open(self, JsonCursor r) except -1
    cdef int use(self, KnownBlock one, Py_ssize_t k) except -1
    cdef int take_apart(self, JsonCursor r, Py_ssize_t start) except -1
    cdef int without(self, JsonCursor r, Py_ssize_t start) except -1
    cdef bint finds(self, JsonCursor r, Py_ssize_t i) except -1
    cdef int learn(self, JsonCursor r, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int forget_keys(self) except -1
    cdef int renew(self, KnownBlock one) except -1
    cdef int close(self, JsonCursor r) except -1
