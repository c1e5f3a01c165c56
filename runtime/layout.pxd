cimport cython

from tidewire.runtime.columns cimport Columns

@cython.final
cdef class Layout:
    cdef public Py_ssize_t table, num_rows
    cdef tuple named
    cdef public tuple lacks
    cdef list made
    cdef Columns images
    cdef bytearray block
    cdef list data
    cdef Py_ssize_t room
    cdef bint replace_invalid
