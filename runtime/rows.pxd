cimport cython

from tidewire.runtime.source cimport Source

@cython.final
cdef class RowSet:
    cdef readonly tuple columns, lacks
    cdef list names
    cdef dict places
    cdef int width
    cdef Source source

@cython.final
cdef class Row:
    cdef RowSet rows
    cdef Py_ssize_t row
    cpdef dict to_dict(self)
