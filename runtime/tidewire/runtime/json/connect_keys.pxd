cimport cython

from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.json.envelopes cimport Envelopes

cdef Py_ssize_t MOST_KEY, MOST_KEY_VALUES

@cython.final
cdef class ConnectKeys:
    cdef readonly Envelopes envelopes
    cdef object names_in, strange_keys
    cdef int field
    cdef Py_ssize_t number, last_number, seen
    cdef bint checked
    cdef bytes last_names, strange
    cdef list pieces
    cdef Numbers values
    cdef dict numbers, columns
    cdef int read(self, JsonCursor key, bint there, bint checked) except -1
    cdef int read_object(self, JsonCursor key) except -1
    cdef bint begins_object(self, JsonCursor key) except -1
    cdef int take_strange(self, JsonCursor key) except -1
    cdef int keep_key(self, JsonCursor key) except -1
    cdef bint is_like_the_last(self, JsonCursor key) noexcept
    cdef Py_ssize_t behind(self, JsonCursor key, Py_ssize_t i) except -1
    cdef Py_ssize_t named_in(self, JsonCursor key) except -2
    cdef bint named_alike(self, JsonCursor key) except -1
    cdef Py_ssize_t number_of(self, object names) except -1
