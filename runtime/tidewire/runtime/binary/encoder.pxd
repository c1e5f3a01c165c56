from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.binary.interning cimport Terms, WrittenColumns, WrittenImages
from tidewire.runtime.binary.sink cimport Sink
from tidewire.runtime.encoding.message_encoder cimport MessageEncoder
from tidewire.runtime.encoding.written_messages cimport WrittenMessages

cdef class BinaryEncoder(MessageEncoder):
    cdef Numbers chunk, codes, schema_positions, table_positions
    cdef list dictionaries
    cdef Terms schema_terms, table_terms, column_terms
    cdef Py_ssize_t limit, at_event
    cdef bint measured, shared
    cpdef WrittenMessages write(self, object columns)
    cdef int check_image(self, long long layout, long long row) except -1
    cdef Py_ssize_t position(self, Terms terms, str name) except -2
    cdef Py_ssize_t message_end(self, Py_ssize_t first) except -1
    cdef Py_ssize_t most_bytes(self) except -1
    cdef int write_message(self, Sink s, Py_ssize_t first, Py_ssize_t stop) except -1
