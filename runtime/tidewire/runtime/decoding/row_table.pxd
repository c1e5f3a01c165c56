cimport cython

from tidewire.runtime.decoding.layout_cache cimport LayoutCache, Layouts, Table
from tidewire.runtime.decoding.declared cimport DeclaredType, DeclaredTypes
from tidewire.runtime.decoding.table_columns cimport TableColumns
from tidewire.runtime.decoding.row_layouts cimport RowLayoutBuilder
from tidewire.runtime.wire.byte_reader cimport ByteReader
from tidewire.runtime.arrow.memory cimport Memory, Numbers

cdef Py_ssize_t VERSION_BYTES

cdef class SharedByTables:
    cdef LayoutCache cache
    cdef object given, codec_of, store
    cdef int declared_field
    cdef bint checked
    cdef tuple named_flags
    cdef Py_ssize_t members, passed, batch
    cdef DeclaredTypes types
    cdef Numbers key, lacked
    cdef int forget_types(self) except -1

@cython.final
cdef class RowTable(Table):
    cdef SharedByTables tables
    cdef TableColumns columns
    cdef bytes raw
    cdef Py_ssize_t digest
    cdef int position, generation
    cdef bint partly_named
    cdef list last, passed
    cdef dict versions, described
    cdef object version
    cdef Py_ssize_t told_block, told_key, told_changes, told_batch
    cdef unsigned long long told_first, told_last
    cdef bint is_told(self, Py_ssize_t block, Py_ssize_t key, Py_ssize_t changes, unsigned long long time) noexcept
    cdef int tell(self, Py_ssize_t block, Py_ssize_t key, Py_ssize_t changes, unsigned long long first, unsigned long long last) except -1
    cdef int forget_versions(self) except -1
    cdef readonly str source
    cdef readonly bint zoned
    cdef int take_columns(self, object asked, TableColumns columns) except -1
    cdef bint is_read_by(self, object asked) except -1
    cdef int read_by(self, object asked, object found, object codecs, str source, object kept) except -1
    cdef int described_by(self, bint known, unsigned long long version) except -1
    cdef bint holds(self, RowLayoutBuilder images, bint whole) except -1
    cdef RowLayoutBuilder layout(self, ByteReader r, Numbers numbers, Py_ssize_t member, bint whole, int field, Py_ssize_t offset)
    cdef RowLayoutBuilder layout_of_objects(self, ByteReader r, Numbers numbers, Py_ssize_t member, int field, Py_ssize_t offset)
    cdef RowLayoutBuilder layout_of_key(self, ByteReader r, Py_ssize_t width, Py_ssize_t member, int field, Py_ssize_t offset)
    cdef RowLayoutBuilder seen(self, Layouts layouts, Py_ssize_t digest)
    cdef RowLayoutBuilder new_layout(self, ByteReader r, Py_ssize_t digest, Py_ssize_t width, int field, Py_ssize_t offset)
