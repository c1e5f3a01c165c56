cimport cython

from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.batch.building cimport EventBuilder
from tidewire.runtime.batch.event_columns cimport EventColumns
from tidewire.runtime.batch.rows cimport Row, RowSet

cdef class EventObject:
    pass

cdef class EventView:
    cdef readonly EventColumns columns
    cdef ColumnReader source
    cdef Py_ssize_t rows
    cdef unsigned long long rare
    cdef list tables
    cdef list row_sets
    cdef object event(self, Py_ssize_t k)
    cdef object image(self, Py_ssize_t layout, Py_ssize_t row)
    cdef RowSet row_set(self, Py_ssize_t number)
    cdef object truth(self, int c, Py_ssize_t k)
    cdef bint said(self, int c) noexcept
    cdef object description(self, int c, Py_ssize_t k)
    cdef object layout_columns(self, Py_ssize_t layout)
