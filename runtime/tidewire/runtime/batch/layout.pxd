cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.arrow.column_reader cimport ColumnReader

@cython.final
cdef class Layout:
    cdef public Py_ssize_t table, num_rows
    cdef tuple named, named_lacks
    cdef list made
    cdef Columns images
    cdef bytearray block
    cdef list data
    cdef Py_ssize_t room
    cdef bint replace_invalid
    cpdef bint laid(self) noexcept
    cdef bint is_own(self) except -1
    cpdef bint holds(self, int storage) except -1
    cpdef ColumnReader whole(self, bytes texts)
    cpdef list storages(self)
    cpdef bint lies(self, object chosen, object storages) except -1
    cpdef ColumnReader lying(self, object chosen, object storages)
    cpdef ColumnReader source(self, object chosen, object storages)
