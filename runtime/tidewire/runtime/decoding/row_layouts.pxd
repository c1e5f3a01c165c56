cimport cython

from tidewire.runtime.decoding.layout_cache cimport LayoutBuilder
from tidewire.runtime.decoding.names cimport Names
from tidewire.runtime.wire.swar cimport Beginning
from tidewire.runtime.arrow.memory cimport Numbers

cdef struct ReadColumn:
    Py_ssize_t number
    unsigned long long marks
    int type, codec

@cython.final
cdef class RowLayoutBuilder(LayoutBuilder):
    cdef ReadColumn *columns_read
    cdef Beginning *beginnings
    cdef Names names
    cdef list types, labels
    cdef bytes lacking
    cdef tuple called
    cdef int begin_columns(self) except -1
    cdef bint lacks_these(self, Numbers numbers) except -1
    cdef unsigned long long descriptions_version
    cdef object labels_of(self, Py_ssize_t j)
    cdef bint like(self, Names names, Numbers key) except -1
