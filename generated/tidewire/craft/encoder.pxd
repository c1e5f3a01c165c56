# Generated from spec/craft.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.binary.encoder cimport BinaryEncoder
from tidewire.runtime.binary.interning cimport Terms, WrittenColumns, WrittenImages
from tidewire.runtime.binary.sink cimport Sink

@cython.final
cdef class Encoder(BinaryEncoder):
    cdef Py_ssize_t max_batch_size
    cdef Py_ssize_t max_message_bytes
    cdef bint delete_only_output_handle_key_columns
    cdef str producer
    cdef Numbers sizes_meta
    cdef Numbers sizes_bodies
    cdef Numbers sizes_groups
    cdef Numbers sizes_groups_ends
    cdef Terms terms
    cdef WrittenImages images_of(self, Py_ssize_t event, int side)
    cdef bint gathered(self, Py_ssize_t event) noexcept
    cdef Py_ssize_t estimate(self, Py_ssize_t event) except -1
    cdef int write_header_columns(self, Sink s, Py_ssize_t first, Py_ssize_t stop) except -1
    cdef int write_column_group(self, Sink s, WrittenImages images, Py_ssize_t row, long long code) except -1
    cdef int write_row_body(self, Sink s, Py_ssize_t event) except -1
    cdef int write_ddl_body(self, Sink s, Py_ssize_t event) except -1
    cdef int write_body(self, Sink s, Py_ssize_t event) except -1
    cdef int write_dictionary(self, Sink s) except -1
    cdef int write_size_tables(self, Sink s) except -1
