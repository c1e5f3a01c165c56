cimport cython

from tidewire.runtime.decoding.index cimport Index
from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.json.cursor cimport JsonCursor, Part
from tidewire.runtime.json.declared cimport DeclaredTypes
from tidewire.runtime.json.table cimport JsonTable, SharedByTables
from tidewire.runtime.json.table_columns cimport TableColumns
from tidewire.runtime.wire.byte_reader cimport ByteReader

cdef Py_ssize_t MOST_NAME, TABLE_BYTES, MOST_NAMES, MOST_OF_TYPES

@cython.final
cdef class Tables(SharedByTables):
    cdef Py_ssize_t generation, written
    cdef list spelled
    cdef Index index
    cdef dict known, old
    cdef object unnamed
    cdef JsonTable partly_named, named_whole
    cdef bint said
    cdef JsonTable named(self, JsonTable table)
    cdef int stay_unnamed(self, JsonTable table) except -1
    cdef int forget(self) except -1
    cdef int age(self) except -1
    cdef int spell(self, bytes raw, Py_ssize_t digest, JsonTable table) except -1
    cpdef int begin(self) except -1
    cdef JsonTable written_as(self, ByteReader r, Part schema, Part name)
    cdef int remember(self, ByteReader r, Part schema, Part name, JsonTable found) except -1
    cdef JsonTable find(self, JsonCursor r, Part schema, Part name, int schema_field, int name_field)
    cpdef JsonTable of(self, str schema, str name)
