cimport cython

from tidewire.runtime.decoding.index cimport Index
from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.wire.part cimport Part
from tidewire.runtime.decoding.declared cimport DeclaredTypes
from tidewire.runtime.decoding.row_table cimport RowTable, SharedByTables
from tidewire.runtime.decoding.table_columns cimport TableColumns
from tidewire.runtime.wire.byte_reader cimport ByteReader

cdef Py_ssize_t MOST_NAME, TABLE_BYTES, MOST_NAMES, MOST_OF_TYPES

@cython.final
cdef class Tables(SharedByTables):
    cdef Py_ssize_t generation, written
    cdef list spelled
    cdef Index index
    cdef dict known, old
    cdef object unnamed
    cdef RowTable partly_named, named_whole
    cdef bint said
    cdef RowTable named(self, RowTable table)
    cdef int stay_unnamed(self, RowTable table) except -1
    cdef int forget(self) except -1
    cdef int age(self) except -1
    cdef int spell(self, bytes raw, Py_ssize_t digest, RowTable table) except -1
    cpdef int begin(self) except -1
    cdef RowTable written_as(self, ByteReader r, Part schema, Part name)
    cdef int remember(self, ByteReader r, Part schema, Part name, RowTable found) except -1
    cpdef RowTable of(self, str schema, str name)
