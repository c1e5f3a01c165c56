# Generated from spec/simple.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.decoding.described_decoder cimport DescribedDecoder
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.wire.part cimport Part
from tidewire.runtime.decoding.names cimport Names
from tidewire.runtime.json.prefix_cache cimport PrefixCache
from tidewire.runtime.json.rows cimport Rows
from tidewire.runtime.decoding.row_table cimport RowTable
from tidewire.runtime.decoding.row_tables cimport Tables

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
cdef class Decoder(DescribedDecoder):
    cdef Tables tables
    cdef Names texts
    cdef RowTable table
    cdef Py_ssize_t case
    cdef bint types_read, has_images
    cdef Names names_of_message
    cdef Part message_database
    cdef Part message_table
    cdef bint has_message_table_id
    cdef long long message_table_id
    cdef Part message_type
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
    cdef Part message_data
    cdef bint reads_message_data
    cdef Rows rows_in_message_data
    cdef Part message_old
    cdef bint reads_message_old
    cdef Rows rows_in_message_old
    cdef Part message_table_schema
    cdef Part message_pre_table_schema
    cdef Names names_of_checksum
    cdef bint has_checksum_version
    cdef long long checksum_version
    cdef bint has_checksum_corrupted
    cdef bint checksum_corrupted
    cdef bint has_checksum_current
    cdef unsigned long long checksum_current
    cdef bint has_checksum_previous
    cdef unsigned long long checksum_previous
    cdef PrefixCache opening
    cdef int read_whole(self, JsonCursor r, Py_ssize_t message) except -1
    cdef int read_message(self, JsonCursor r, Py_ssize_t message) except -1
    cdef int recognize(self, JsonCursor r) except -1
    cdef int tell(self, JsonCursor r) except -1
    cdef int read_checksum(self, JsonCursor r) except -1
    cdef int put_row(
        self, JsonCursor r, Py_ssize_t message, int kind, Rows new, int new_field, Rows old, int old_field
    ) except -1
    cdef int put_watermark(self, JsonCursor r, Py_ssize_t message, int kind) except -1
    cdef int put_bootstrap(self, JsonCursor r, Py_ssize_t message, int kind) except -1
    cdef int put_ddl(self, JsonCursor r, Py_ssize_t message, int kind) except -1
    cdef int put_event(self, JsonCursor r, Py_ssize_t row, Py_ssize_t message, int kind) except -1
    cdef int put_no_row(self, Py_ssize_t row) except -1
