# Generated from spec/craft.yaml by "make generate". Do not edit.
cimport cython

from tidewire.craft.name_numbers cimport (
    KIND, COMMIT_TS, TABLE, PARTITION_ID, DDL_TYPE, QUERY, NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW, EVENT_TYPE_ROW,
    EVENT_TYPE_DDL, EVENT_TYPE_RESOLVED, IMAGE_KIND_NEW, IMAGE_KIND_OLD
)
from tidewire.name_numbers cimport INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP, HANDLE_KEY
from tidewire.runtime.binary.interning cimport Terms, WrittenColumns, WrittenImages
from tidewire.runtime.binary.sink cimport Sink
from tidewire.runtime.batch.columns_cache cimport ColumnsCache
from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.encoding.written_messages cimport WrittenMessages
from tidewire.runtime.arrow.column_reader cimport ColumnReader

@cython.final
cdef class Encoder:
    cdef Py_ssize_t max_batch_size
    cdef Py_ssize_t max_message_bytes
    cdef bint delete_only_output_handle_key_columns
    cdef str producer
    cdef Numbers chunk, codes, schema_places, table_places
    cdef list named, schema_names, table_names, images
    cdef ColumnsCache described
    cdef object layouts
    cdef Numbers sizes_meta
    cdef Numbers sizes_bodies
    cdef Numbers sizes_groups
    cdef Numbers sizes_groups_ends
    cdef Terms terms
    cdef list kept_delete_only_output_handle_key_columns
    cdef ColumnsCache described_delete_only_output_handle_key_columns
    cdef bint measured, shared
    cdef Py_ssize_t at_event
    cdef ColumnReader events
    cpdef WrittenMessages write(self, object columns)
    cdef WrittenImages images_of(self, Py_ssize_t event, int side)
    cdef int check_event(self, Py_ssize_t event) except -1
    cdef int check_images(self, Py_ssize_t event, int side, int place) except -1
    cdef Py_ssize_t message_end(self, Py_ssize_t first) except -1
    cdef bint gathered(self, Py_ssize_t event) noexcept
    cdef Py_ssize_t estimate(self, Py_ssize_t event) except -1
    cdef Py_ssize_t most_bytes(self) except -1
    cdef int write_message(self, Sink s, Py_ssize_t first, Py_ssize_t stop) except -1
    cdef int write_header_columns(self, Sink s, Py_ssize_t first, Py_ssize_t stop) except -1
    cdef int write_column_group(self, Sink s, WrittenImages images, Py_ssize_t row, long long code) except -1
    cdef int write_row_body(self, Sink s, Py_ssize_t event) except -1
    cdef int write_ddl_body(self, Sink s, Py_ssize_t event) except -1
    cdef int write_body(self, Sink s, Py_ssize_t event) except -1
    cdef int write_dictionary(self, Sink s) except -1
    cdef int write_size_tables(self, Sink s) except -1
