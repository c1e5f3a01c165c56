cimport cython

from tidewire.runtime.batch.columns_cache cimport ColumnsCache
from tidewire.runtime.arrow.column_reader cimport ColumnReader

@cython.final
cdef class RowNames:
    cdef readonly tuple columns
    cdef list names
    cdef dict positions, template
    cdef bytes texts
    cdef bytes texts_of(self, object storage)

cdef ColumnsCache _known
cdef RowNames row_names(tuple columns)

@cython.final
cdef class RowSet:
    cdef RowNames names
    cdef readonly tuple lacks
    cdef int width
    cdef ColumnReader source
    cdef dict latest
    cdef Py_ssize_t latest_row
    cdef dict as_dict(self, Py_ssize_t row)

# Nothing that a row refers to refers to rows: it needs no garbage collector, which would count and look at all of them.
@cython.final
@cython.no_gc
cdef class Row:
    cdef RowSet rows
    cdef Py_ssize_t row
    cpdef dict to_dict(self)
