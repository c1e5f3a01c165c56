cimport cython

from tidewire.runtime.catalog cimport Catalog, Layouts, RowImages, Table
from tidewire.runtime.memory cimport Numbers
from tidewire.runtime.window cimport Window

cdef Py_ssize_t MOST_TABLES, MOST_MATCHES, MOST_IMAGE

@cython.final
cdef class DescribedImages(RowImages):
    cdef tuple names
    cdef bint describes(self, object table, object names, Numbers types, Numbers flags) except -1

@cython.final
cdef class Match:
    cdef bytes image
    cdef Py_ssize_t size
    cdef DescribedImages images

@cython.final
cdef class DescribedTable(Table):
    cdef int schema_id, table_id, generation, size
    cdef bytes image
    cdef DescribedImages images
    cdef int repeat(self, Match match) except -1
    cdef list matches
    cdef DescribedImages match(self, Window r, Py_ssize_t width)
    cdef int learn(self, bytes image, DescribedImages images) except -1
    cdef DescribedImages find(self, Catalog catalog, object names, Numbers types, Numbers flags)
    cdef DescribedImages seen(self, Layouts layouts, Py_ssize_t digest, object names, Numbers types, Numbers flags)
    cdef DescribedImages layout(self, Window r, Catalog catalog, object names, Numbers types, Numbers flags, object storages, Py_ssize_t offset, int field)

cdef class DescribedTables:
    cdef Py_ssize_t generation
    cdef dict described, old
    cdef DescribedTable of(self, Catalog catalog, long long schema_id, long long table_id, object table)
    cdef DescribedTable named(self, Catalog catalog, object table)

cdef bint _repeated(object names) except -1
