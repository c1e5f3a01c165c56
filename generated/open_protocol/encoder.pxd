# Generated from spec/open-protocol.yaml by "make generate". Do not edit.
cimport cython

from tidewire.open_protocol.name_numbers cimport (
    KIND, COMMIT_TS, TABLE, PARTITION_ID, ROW_ID, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_TYPE, QUERY, NEW_LAYOUT, NEW_ROW,
    OLD_LAYOUT, OLD_ROW, ALL_COLUMNS, HANDLE_KEY_COLUMNS
)
from tidewire.name_numbers cimport INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP, HANDLE_KEY
from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.json.sink cimport JsonSink
from tidewire.runtime.json.written cimport WrittenRows
from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.encoding.written_messages cimport WrittenMessages

@cython.final
cdef class Encoder:
    cdef bint output_old_value
    cdef bint only_output_updated_columns
    cdef bint delete_only_output_handle_key_columns
    cdef Py_ssize_t max_batch_size
    cdef Py_ssize_t max_message_bytes
    cdef Py_ssize_t max_batched_bytes
    cdef bint as_tiflow, as_ticdc
    cdef object compress, spelling
    cdef Py_ssize_t most
    cdef long long now
    cdef ColumnReader events
    cdef Numbers named, layout_rows
    cdef list table_names, schemas, tables, layouts, images, known
    cpdef WrittenMessages write(self, object columns, bint alone=*)
    cdef int check_event(self, Py_ssize_t event) except -1
    cdef int check_image(self, Py_ssize_t event, int side, int place) except -1
    cdef WrittenRows prepare(self, Py_ssize_t event, int side, int way)
    cdef bint gathered(self, Py_ssize_t event) noexcept
    cdef int write_event(self, JsonSink key, JsonSink s, Py_ssize_t event) except -1
    cdef int write_row_key(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_ddl_key(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_watermark_key(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_insert(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_update(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_delete(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_ddl(self, JsonSink s, Py_ssize_t event) except -1
