cimport cython

from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.json.text cimport JsonText

@cython.final
cdef class Declared:
    cdef readonly int number
    cdef readonly str text
    cdef readonly int type
    cdef readonly unsigned long long flags
    cdef readonly object labels

@cython.final
cdef class DeclaredTypes:
    cdef LayoutCache cache
    cdef object declared
    cdef dict known
    cdef list numbers
    cdef int undeclared
    cdef dict others
    cdef Declared given(self, str text)
    cdef Declared add(self, str text, object declared)
    cdef Py_ssize_t bytes
    cdef Declared of(self, JsonText r, Py_ssize_t start, Py_ssize_t end, int field)
