cimport cython

from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.encoding.written_messages cimport WrittenMessages
from tidewire.runtime.json.encoders cimport ObjectEncoder
from tidewire.runtime.json.sink cimport JsonSink
from tidewire.runtime.json.row_writer cimport RowTexts

@cython.final
cdef class LayoutBlocks:
    cdef Py_ssize_t table, changes
    cdef object described
    cdef unsigned long long first, last
    cdef bytes value, key

cdef class ConnectEncoder(ObjectEncoder):
    cdef object connect, store, change_words, ddl_type_of, types_of_tables
    cdef bint with_blocks, timed
    cdef unsigned long long time
    cdef Py_ssize_t last_layout
    cdef LayoutBlocks last_blocks
    cdef dict known_texts, known_blocks, row_blocks, value_blocks, key_blocks
    cpdef WrittenMessages write(self, object columns)
    cdef int write_block(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_key_block(self, JsonSink s, Py_ssize_t event) except -1
    cdef str zone(self, Py_ssize_t event, int column)
    cdef bytes value_block_of_row(self, str cls, Py_ssize_t table, Py_ssize_t layout)
    cdef bytes key_block_of_row(self, str cls, Py_ssize_t table, Py_ssize_t layout)
    cdef int forget_blocks(self) except -1
    cdef LayoutBlocks blocks_of(self, Py_ssize_t table, Py_ssize_t number)
    cdef bytes row_block(self, object block, LayoutBlocks known, Py_ssize_t number)
    cdef bytes value_block(self, str cls)
    cdef bytes key_block(self, str cls)
    cdef bytes changes(self, Py_ssize_t event, int after, int table, int ddl_type, int query, int before)
    cdef bint has_changes(self, Py_ssize_t event, int ddl_type, int query) except? True
    cdef object action(self, Py_ssize_t event, int ddl_type, int query)
    cdef int begin_event(self, Py_ssize_t event) except -1
    cdef int learn(self, object description) except -1
    cdef bint untold(self, Py_ssize_t layout) except -1
    cdef int at_event(self, Py_ssize_t event, int column) except -1
