# Generated from spec/simple.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.wire.part cimport Part
from tidewire.runtime.decoding.row_table cimport RowTable
from tidewire.runtime.decoding.row_tables cimport Tables
from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.record.decoder cimport RecordDecoder
from tidewire.runtime.record.rows cimport RecordRows

cdef int MESSAGE_FIELD
cdef int MESSAGE_VERSION
cdef int MESSAGE_DATABASE
cdef int MESSAGE_TABLE
cdef int MESSAGE_TABLE_ID
cdef int MESSAGE_TYPE
cdef int MESSAGE_SQL
cdef int MESSAGE_COMMIT_TS
cdef int MESSAGE_BUILD_TS
cdef int MESSAGE_SCHEMA_VERSION
cdef int MESSAGE_CLAIM_CHECK
cdef int MESSAGE_HANDLE_KEY_ONLY
cdef int MESSAGE_CHECKSUM
cdef int MESSAGE_DATA
cdef int MESSAGE_OLD
cdef int MESSAGE_TABLE_SCHEMA
cdef int MESSAGE_PRE_TABLE_SCHEMA
cdef int CHECKSUM_VERSION_FIELD
cdef int CHECKSUM_CORRUPTED_FIELD
cdef int CHECKSUM_CURRENT
cdef int CHECKSUM_PREVIOUS
cdef int COLUMN_OF_MESSAGE_DATA
cdef int COLUMN_OF_MESSAGE_OLD
cdef int COLUMN_OF_MESSAGE_TABLE_SCHEMA
cdef int COLUMN_OF_MESSAGE_PRE_TABLE_SCHEMA

@cython.final
cdef class Decoder(RecordDecoder):
    cdef RowTable table
    cdef Py_ssize_t symbol
    cdef Part message_database
    cdef Part message_table
    cdef bint has_message_table_id
    cdef long long message_table_id
    cdef Part message_sql
    cdef bint has_message_commit_ts
    cdef unsigned long long message_commit_ts
    cdef bint has_message_build_ts
    cdef long long message_build_ts
    cdef bint has_message_schema_version
    cdef unsigned long long message_schema_version
    cdef Part message_claim_check
    cdef bint has_message_handle_key_only
    cdef bint message_handle_key_only
    cdef bint has_message_checksum
    cdef RecordRows rows_in_message_data
    cdef RecordRows rows_in_message_old
    cdef object message_table_schema
    cdef object message_pre_table_schema
    cdef bint has_checksum_version
    cdef long long checksum_version
    cdef bint has_checksum_corrupted
    cdef bint checksum_corrupted
    cdef bint has_checksum_current
    cdef unsigned long long checksum_current
    cdef bint has_checksum_previous
    cdef unsigned long long checksum_previous
    cdef int read_whole(self, RecordCursor r, Py_ssize_t message) except -1
    cdef int read_watermark(self, RecordCursor r, Py_ssize_t message) except -1
    cdef int read_bootstrap(self, RecordCursor r, Py_ssize_t message) except -1
    cdef int read_ddl(self, RecordCursor r, Py_ssize_t message) except -1
    cdef int read_row(self, RecordCursor r, Py_ssize_t message) except -1
    cdef int read_checksum(self, RecordCursor r) except -1
    cdef int put_row(
        self, RecordCursor r, Py_ssize_t message, int kind, RecordRows new, int new_field, RecordRows old, int old_field
    ) except -1
    cdef int put_watermark(self, RecordCursor r, Py_ssize_t message, int kind) except -1
    cdef int put_bootstrap(self, RecordCursor r, Py_ssize_t message, int kind) except -1
    cdef int put_ddl(self, RecordCursor r, Py_ssize_t message, int kind) except -1
    cdef int put_event(self, RecordCursor r, Py_ssize_t row, Py_ssize_t message, int kind) except -1
    cdef int put_no_row(self, Py_ssize_t row) except -1
