cimport cython

from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.json.codec cimport JsonCodec
from tidewire.runtime.json.text cimport JsonText

@cython.final
cdef class DeclaredType:
    cdef readonly int number
    cdef readonly str text
    cdef readonly int type
    cdef readonly unsigned long long flags
    cdef readonly object labels
    cdef readonly JsonCodec codec

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
    cdef DeclaredType written_by(self, str text, JsonCodec codec)
    cdef DeclaredType add(self, str text, object declared, JsonCodec codec=*)
    cdef Py_ssize_t bytes
    cdef DeclaredType of(self, JsonText r, Py_ssize_t start, Py_ssize_t end, int field)
