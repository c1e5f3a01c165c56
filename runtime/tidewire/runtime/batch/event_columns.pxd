cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.arrow.column_reader cimport ColumnReader

@cython.final
cdef class EventColumns:
    cdef public list tables, layouts, errors, tombstones, descriptions
    cdef object made, batches
    cdef Columns filled
    cdef bytearray block
    cdef list data
    cdef Py_ssize_t rows, room
    cpdef bint laid(self) noexcept
    cpdef ColumnReader source(self, object names, object storages)
