cimport cython

from tidewire.runtime.columns cimport Columns
from tidewire.runtime.cursor cimport Cursor
from tidewire.runtime.memory cimport Numbers
from tidewire.runtime.window cimport Window

cdef class RowImages(Columns)

@cython.final
cdef class Table:
    cdef readonly str schema, name
    cdef Py_ssize_t batch, slot
    cdef RowImages last
    cdef dict layouts
    cdef RowImages find(self, object names, Numbers types, Numbers flags)

@cython.final
cdef class RowImages(Columns):
    cdef readonly Table table
    cdef readonly tuple columns
    cdef list names
    cdef Numbers types, flags
    cdef Py_ssize_t batch, slot, message, mark
    cdef bint describes(self, object names, Numbers types, Numbers flags) except -1

@cython.final
cdef class Match:
    cdef bytes image
    cdef Py_ssize_t size
    cdef RowImages images

@cython.final
cdef class Route:
    cdef long long schema_id, table_id
    cdef Table table
    cdef Match last
    cdef list matches
    cdef RowImages match(self, Cursor r, Py_ssize_t width)
    cdef int learn(self, bytes image, RowImages images) except -1

@cython.final
cdef class Dictionary:
    cdef bytes image
    cdef Py_ssize_t size, count
    cdef list texts, recent
    cdef dict routes, named
    cdef int check(self, Cursor r, Numbers ids, long long null_as, Py_ssize_t offset, int field) except -1
    cdef str text(self, long long number)
    cdef Route route(self, Catalog catalog, long long schema_id, long long table_id)
    cdef Route route_of(self, Table table)

@cython.final
cdef class Dictionaries:
    cdef Dictionary last
    cdef dict known
    cdef Py_ssize_t bytes
    cdef Dictionary find(self, Cursor r)
    cdef Dictionary learn(self, Cursor r, Py_ssize_t start, Numbers ends, int field)

@cython.final
cdef class Catalog:
    cdef Py_ssize_t batch, num_layouts, num_columns, first_table, first_layout
    cdef list places
    cdef dict known_tables, routes
    cdef readonly list tables, layouts
    cdef list touched
    cpdef int forget(self) except -1
    cpdef int begin(self) except -1
    cdef Dictionaries dictionaries(self)
    cdef Table table(self, str schema, str name)
    cdef Route route_of(self, Table table)
    cdef Py_ssize_t place(self, Table table) except -1
    cdef RowImages layout(self, Window r, Table table, list columns, object codecs, Py_ssize_t offset, int field)
    cdef Py_ssize_t open(self, RowImages images, Py_ssize_t message) except -1
    cdef int start(self) except -1
    cdef int undo(self) except -1
