cimport cython

from tidewire.runtime.wire.byte_reader cimport ByteReader
from tidewire.runtime.arrow.memory cimport Memory, Numbers

cdef unsigned long long SEED

# Fields used for every member come first, then those used for every declared type.
cdef struct Name:
    unsigned long long word, mask
    Py_ssize_t spelling, size
    Py_ssize_t next
    unsigned long long seen
    unsigned long long described
    Py_ssize_t next_described
    unsigned long long type_word, type_mask
    Py_ssize_t type_start, type_size
    unsigned long long hash
    Py_ssize_t start, length
    unsigned long long flags
    Py_ssize_t type_room
    int type, undeclared

cdef class Names:
    cdef Name *all
    cdef readonly list texts
    cdef readonly Py_ssize_t count
    cdef Py_ssize_t room, used
    cdef Memory pool
    cdef Numbers slots
    cdef dict numbers, spelled
    cdef bytes lacking
    cdef Py_ssize_t last
    cdef unsigned long long object_number
    cdef Py_ssize_t find(self, ByteReader r, Py_ssize_t start, Py_ssize_t end) noexcept
    cdef Py_ssize_t add(self, bytes name, bytes spelling) except -1
    cdef Py_ssize_t keep(self, bytes image) except -1
    cdef int enlarge(self) except -1
    cdef int insert(self, Py_ssize_t k) except -1
    cdef Py_ssize_t begin(self) except -1
    cdef int again(self, Py_ssize_t k) except -1
