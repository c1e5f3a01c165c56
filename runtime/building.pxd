cimport cython

from tidewire.runtime.columns cimport Columns
from tidewire.runtime.event_columns cimport EventColumns

@cython.final
cdef class Shape:
    cdef tuple given, columns
    cdef Py_ssize_t digest
    cdef list names, storages
    cdef int describe(self, object storage) except -1

@cython.final
cdef class BuiltRows(Columns):
    cdef Py_ssize_t table, number
    cdef Shape shape

@cython.final
cdef class EventBuilder:
    cdef dict kinds, places, shapes, equal, fields_of
    cdef object storage, batches
    cdef list storages, fields
    cdef list fields_said(self, object kind)
    cdef int remember(self, Shape shape) except -1

@cython.final
cdef class Building:
    cdef EventBuilder builder
    cdef Columns out
    cdef int message, kind, table, new_layout, new_row, old_layout, old_row
    cdef dict tables
    cdef list known, layouts, alive, values, unspeakable
    cdef object last_schema, last_name
    cdef Py_ssize_t last_table
    cdef int add(self, Py_ssize_t index, object event) except -1
    cdef object code(self, Py_ssize_t index, object event)
    cdef Py_ssize_t place(self, Py_ssize_t index, object schema, object name) except -1
    cdef int put_image(self, Py_ssize_t index, object event, object image, Py_ssize_t table, int layout, int place) except -1
    cdef BuiltRows find(self, Py_ssize_t index, object event, object image, Py_ssize_t table)
    cdef BuiltRows keep(self, dict known, Py_ssize_t table, Shape shape)
    cdef BuiltRows rows_of(self, Py_ssize_t index, Py_ssize_t table, tuple columns)
    cdef bint fetch(self, object image, Shape shape) except -1
    cdef int put_value(self, Py_ssize_t index, BuiltRows rows, int c, Py_ssize_t at, object value) except -1
    cdef int put_field(self, Py_ssize_t index, int place, str name, str kind, object value) except -1
    cdef EventColumns finish(self)
