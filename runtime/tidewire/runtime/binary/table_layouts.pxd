cimport cython

from tidewire.runtime.decoding.layout_cache cimport LayoutCache, Layouts, LayoutBuilder, Table
from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.binary.codec cimport BinaryCodec
from tidewire.runtime.binary.cursor cimport Cursor
from tidewire.runtime.wire.byte_reader cimport ByteReader

cdef Py_ssize_t MOST_TABLES, MOST_MATCHES, MOST_IMAGE

@cython.final
cdef class BinaryImages(LayoutBuilder):
    cdef tuple names
    cdef Py_ssize_t read(self, Cursor r, Numbers sizes, int field) except -1
    cdef Py_ssize_t read_at(self, Cursor r, Numbers starts, Numbers sizes, int field) except -1
    cdef int call(self, Cursor r, Py_ssize_t start, Py_ssize_t size, int c, Py_ssize_t row, int field) except -1
    cdef bint describes(self, object table, object names, Numbers types, Numbers flags) except -1

@cython.final
cdef class LayoutMatch:
    cdef bytes image
    cdef Py_ssize_t size
    cdef BinaryImages images

@cython.final
cdef class TableLayouts(Table):
    cdef int schema_id, table_id, generation, size
    cdef bytes image
    cdef BinaryImages images
    cdef int repeat(self, LayoutMatch match) except -1
    cdef list matches
    cdef BinaryImages match(self, ByteReader r, Py_ssize_t width)
    cdef int learn(self, bytes image, BinaryImages images) except -1
    cdef BinaryImages find(self, LayoutCache cache, object names, Numbers types, Numbers flags)
    cdef BinaryImages seen(self, Layouts layouts, Py_ssize_t digest, object names, Numbers types, Numbers flags)
    cdef BinaryImages layout(self, ByteReader r, LayoutCache cache, object names, Numbers types, Numbers flags, object codecs, bint checked, Py_ssize_t offset, int field)

cdef class KnownTables:
    cdef Py_ssize_t generation
    cdef dict described, old
    cdef TableLayouts of(self, LayoutCache cache, long long schema_id, long long table_id, object table)
    cdef TableLayouts named(self, LayoutCache cache, object table)

cdef bint _repeated(object names) except -1
