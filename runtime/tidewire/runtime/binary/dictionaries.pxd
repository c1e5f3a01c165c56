cimport cython

from tidewire.runtime.binary.table_layouts cimport TableLayouts, KnownTables
from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.wire.byte_reader cimport ByteReader

cdef Py_ssize_t MOST_DICTIONARIES, MOST_OF_FEW, MOST_IMAGE, MOST_BYTES, TERM_BYTES, DICTIONARY_BYTES

@cython.final
cdef class Dictionary(KnownTables):
    cdef bytes image
    cdef bint has_empty
    cdef Py_ssize_t size, count, slots, positions_version, at
    cdef TableLayouts latest
    cdef list texts, recent
    cdef long long schema_id, table_id
    cdef int check(self, ByteReader r, Numbers ids, long long absent, Py_ssize_t offset, int field) except -1
    cdef str text(self, long long number)
    cdef bint unnamed(self, long long number) except -1
    cdef str name(self, long long number)
    cdef TableLayouts known(self, long long schema_id, long long table_id)
    cdef Py_ssize_t position(self, LayoutCache cache, long long schema_id, long long table_id) except -1
    cdef TableLayouts described_table(self, LayoutCache cache, long long schema_id, long long table_id)

@cython.final
cdef class Dictionaries:
    cdef LayoutCache cache
    cdef Dictionary last
    cdef dict known, old
    cdef Py_ssize_t bytes, generation
    cdef Dictionary find(self, ByteReader r)
    cdef Dictionary learn(self, ByteReader r, Py_ssize_t start, Numbers ends, int field)
    cdef int remember(self, unsigned long long digest, Dictionary dictionary) except -1
    cdef int age(self) except -1
