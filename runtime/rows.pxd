cimport cython

from tidewire.runtime.source cimport Source

@cython.final
cdef class RowNames:
    cdef readonly tuple columns
    cdef list names
    cdef dict places, template

cdef dict _known
cdef RowNames row_names(tuple columns)

@cython.final
cdef class RowSet:
    cdef RowNames names
    cdef readonly tuple lacks
    cdef int width
    cdef Source source

@cython.final
cdef class Row:
    cdef RowSet rows
    cdef Py_ssize_t row
    cpdef dict to_dict(self)
