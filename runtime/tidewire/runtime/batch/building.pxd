cimport cython

from tidewire.runtime.batch.built_rows cimport BuiltRows, RowSchema
from tidewire.runtime.batch.columns_cache cimport ColumnsCache
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.batch.event_columns cimport EventColumns

@cython.final
cdef class Field:
    cdef readonly str name
    cdef str kind
    cdef int position, storage
    cdef bint truth
    cdef readonly bint describes

@cython.final
cdef class Fields:
    cdef list there, absent, named

@cython.final
cdef class EventBuilder:
    cdef dict kinds, positions, fields_of
    cdef ColumnsCache shapes
    cdef readonly tuple names
    cdef readonly list storages
    cdef readonly tuple rare
    cdef readonly object storage, schema
    cdef object batches
    cdef list fields, describing
    cdef Fields fields_said(self, object kind)
    cdef RowSchema shape(self, Py_ssize_t index, tuple columns)

@cython.final
cdef class GivenColumns:
    cdef tuple columns
    cdef list names
    cdef RowSchema shape
    cdef BuiltRows rows, part
    cdef dict parts

@cython.final
cdef class TableRows:
    cdef Py_ssize_t number
    cdef tuple given
    cdef GivenColumns last
    cdef dict known, rows

@cython.final
cdef class Building:
    cdef EventBuilder builder
    cdef Columns out
    cdef int message, kind, table, new_layout, new_row, old_layout, old_row
    cdef dict tables, descriptions
    cdef list layouts
    cdef object last_schema, last_name
    cdef TableRows last_table
    cdef int add(self, Py_ssize_t index, object event) except -1
    cdef bint described(self, object event, tuple columns) except -1
    cdef object code(self, Py_ssize_t index, object event)
    cdef TableRows table_of(self, Py_ssize_t index, object schema, object name)
    cdef int put_image(self, Py_ssize_t index, object event, object image, TableRows table, int layout, int position) except -1
    cdef GivenColumns known_columns(self, Py_ssize_t index, TableRows table, tuple columns)
    cdef GivenColumns looked_up(self, Py_ssize_t index, TableRows table, tuple columns)
    cdef BuiltRows search(self, Py_ssize_t index, object image, TableRows table, GivenColumns known)
    cdef int keep(self, TableRows table, BuiltRows rows) except -1
    cdef BuiltRows rows_of(self, Py_ssize_t index, TableRows table, tuple columns)
    cdef int put_field(self, Py_ssize_t index, Field field, object value) except -1
    cdef EventColumns finish(self)

cdef tuple _columns(Py_ssize_t index, object owner)
cdef bint _same(object one, object other)
