cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.decoding.index cimport Index
from tidewire.runtime.arrow.memory cimport Memory

cdef Py_ssize_t LOW_BITS, MOST_REMEMBERED, MOST_COLUMNS, MOST_BYTES, FEW_TOUCHED

cdef class LayoutBuilder(Columns):
    cdef tuple table, described
    cdef Py_ssize_t digest
    cdef int batch, slot, position, message, mark, generation
    cpdef list described_columns(self)

cdef class Table:
    cdef readonly tuple table
    cdef Py_ssize_t positions_version
    cdef int hashed, position

@cython.final
cdef class Layouts:
    cdef list images
    cdef Index index
    cdef int add(self, LayoutBuilder images) except -1

@cython.final
cdef class LayoutCache:
    cdef Py_ssize_t batch, positions_version, generation, num_columns, bytes, first_table, first_layout, first_description, digest, num_touched
    cdef Index table_index
    cdef Memory hashes
    cdef Layouts young, old
    cdef readonly list tables, layouts, descriptions
    cdef list touched
    cdef int forget(self) except -1
    cdef int age(self) except -1
    cpdef int begin(self) except -1
    cdef object table(self, str schema, str name)
    cdef Py_ssize_t position(self, object table) except -1
    cdef Py_ssize_t find(self, object table, int digest) except -1
    cdef Py_ssize_t position_of(self, Table known) except -1
    cdef int remember(self, LayoutBuilder images) except -1
    cdef Py_ssize_t open(self, LayoutBuilder images, Table known, Py_ssize_t message) except -1
    cpdef int start(self) except -1
    cpdef int undo(self) except -1
