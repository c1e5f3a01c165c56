cimport cython

from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.decoding.declared cimport DeclaredTypes
from tidewire.runtime.decoding.names cimport Names
from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.wire.byte_reader cimport ByteReader

cdef Py_ssize_t MOST_IMAGE, NAME_COPIES, MOST_LACKED

@cython.final
cdef class TableColumns(Names):
    cdef LayoutCache cache
    cdef DeclaredTypes types
    cdef unsigned long long descriptions_version, message
    cdef int described, outlines
    cdef Py_ssize_t at_column
    cdef list named, marked
    cdef object given
    cdef Py_ssize_t first
    cdef str source
    cdef object kept
    cdef bint zoned, takes_first, bare
    cdef int lacked(self, Numbers found) except -1
    cdef int type_of(self, Py_ssize_t k) except -2
    cdef int undeclared(self, Py_ssize_t k) except -2
    cdef int set_type(self, Py_ssize_t k, int number) except -1
    cpdef str at_name(self)
    cdef int undescribed(self) except -1
    cdef int describe_all(self, object columns, object codecs) except -1
    cdef int keep_type(self, ByteReader r, Py_ssize_t k, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int learn_object(self, ByteReader r, Py_ssize_t k, Py_ssize_t start, Py_ssize_t end, int type, unsigned long long flags) except -1
