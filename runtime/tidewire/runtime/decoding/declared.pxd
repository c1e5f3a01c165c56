cimport cython

from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.wire.value_codec cimport ValueCodec

@cython.final
cdef class DeclaredType:
    cdef readonly int number
    cdef readonly str text
    cdef readonly int type
    cdef readonly unsigned long long flags
    cdef readonly object labels
    cdef readonly ValueCodec codec

@cython.final
cdef class DeclaredTypes:
    cdef LayoutCache cache
    cdef object declared
    cdef dict known
    cdef list numbers
    cdef int undeclared
    cdef dict others
    cdef dict written
    cdef DeclaredType given(self, str text)
    cdef DeclaredType written_by(self, str text, ValueCodec codec)
    cdef DeclaredType add(self, str text, object declared, ValueCodec codec=*)
    cdef Py_ssize_t bytes
