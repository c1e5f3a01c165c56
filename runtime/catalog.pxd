cimport cython

from tidewire.runtime.columns cimport Columns
from tidewire.runtime.index cimport Index
from tidewire.runtime.memory cimport Numbers
from tidewire.runtime.window cimport Window

@cython.final
cdef class RowImages(Columns):
    cdef tuple table, names, described
    cdef Py_ssize_t digest, batch, slot, place, message, mark
    cdef bint describes(self, object table, object names, Numbers types, Numbers flags) except -1

@cython.final
cdef class Match:
    cdef bytes image
    cdef Py_ssize_t size
    cdef RowImages images

@cython.final
cdef class Route:
    cdef long long schema_id, table_id
    cdef tuple table
    cdef Py_ssize_t era, place
    cdef Match last
    cdef list matches
    cdef RowImages match(self, Window r, Py_ssize_t width)
    cdef int learn(self, bytes image, RowImages images) except -1

@cython.final
cdef class Dictionary:
    cdef bytes image
    cdef Py_ssize_t size, count, era, at
    cdef list texts, recent
    cdef dict routes
    cdef long long schema_id, table_id
    cdef int check(self, Window r, Numbers ids, long long null_as, Py_ssize_t offset, int field) except -1
    cdef str text(self, long long number)
    cdef str name(self, long long number)
    cdef Py_ssize_t place(self, Catalog catalog, long long schema_id, long long table_id) except -1
    cdef Route route(self, Catalog catalog, long long schema_id, long long table_id)
    cdef Route route_of(self, object table)

@cython.final
cdef class Dictionaries:
    cdef Dictionary last
    cdef dict known
    cdef Py_ssize_t bytes
    cdef Dictionary find(self, Window r)
    cdef Dictionary learn(self, Window r, Py_ssize_t start, Numbers ends, int field)

@cython.final
cdef class Catalog:
    cdef Py_ssize_t batch, era, num_columns, first_table, first_layout
    cdef list places
    cdef dict routes
    cdef Index placed, known
    cdef readonly list tables, layouts
    cdef list remembered, touched
    cpdef int forget(self) except -1
    cpdef int begin(self) except -1
    cdef Dictionaries dictionaries(self)
    cdef object table(self, str schema, str name)
    cdef Route route_of(self, object table)
    cdef Py_ssize_t place(self, object table) except -1
    cdef Py_ssize_t place_of(self, Route route) except -1
    cdef RowImages find(self, object table, object names, Numbers types, Numbers flags)
    cdef RowImages layout(self, Window r, object table, object names, Numbers types, Numbers flags, object storages, Py_ssize_t offset, int field)
    cdef Py_ssize_t open(self, RowImages images, Route route, Py_ssize_t message) except -1
    cdef int start(self) except -1
    cdef int undo(self) except -1

cdef Py_ssize_t _digest(object table, object names, Numbers types, Numbers flags) except? -1
cdef bint _repeated(object names) except -1
