from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.wire.byte_sink cimport NumberSink

cdef class Sink(NumberSink):
    cdef int byte(self, int value) except -1
    cdef int reversed_uvarint(self, unsigned long long value) except -1
    cdef int string(self, bytes image) except -1
    cdef int part(self, Sink other) except -1
    cdef int uvarints(self, Numbers numbers) except -1
    cdef int varints(self, Numbers numbers) except -1
    cdef int delta_uvarints(self, Numbers numbers) except -1
    cdef int delta_varints(self, Numbers numbers) except -1
    cdef int uvarints_of(self, Numbers numbers, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int varints_of(self, Numbers numbers, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int delta_uvarints_of(self, Numbers numbers, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int delta_varints_of(self, Numbers numbers, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int strings(self, object texts) except -1
