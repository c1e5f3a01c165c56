cimport cython

from tidewire.runtime.binary.described cimport DescribedTable, DescribedTables
from tidewire.runtime.catalog cimport Catalog
from tidewire.runtime.memory cimport Numbers
from tidewire.runtime.window cimport Window

cdef Py_ssize_t MOST_DICTIONARIES, MOST_OF_FEW, MOST_IMAGE, MOST_BYTES, TERM_BYTES, DICTIONARY_BYTES

@cython.final
cdef class Dictionary(DescribedTables):
    cdef bytes image
    cdef bint has_empty
    cdef Py_ssize_t size, count, slots, era, at
    cdef DescribedTable latest
    cdef list texts, recent
    cdef long long schema_id, table_id
    cdef int check(self, Window r, Numbers ids, long long null_as, Py_ssize_t offset, int field) except -1
    cdef str text(self, long long number)
    cdef bint unnamed(self, long long number) except -1
    cdef str name(self, long long number)
    cdef DescribedTable known(self, long long schema_id, long long table_id)
    cdef Py_ssize_t place(self, Catalog catalog, long long schema_id, long long table_id) except -1
    cdef DescribedTable described_table(self, Catalog catalog, long long schema_id, long long table_id)

@cython.final
cdef class Dictionaries:
    cdef Catalog catalog
    cdef Dictionary last
    cdef dict known, old
    cdef Py_ssize_t bytes, generation
    cdef Dictionary find(self, Window r)
    cdef Dictionary learn(self, Window r, Py_ssize_t start, Numbers ends, int field)
    cdef int remember(self, unsigned long long digest, Dictionary dictionary) except -1
    cdef int age(self) except -1
