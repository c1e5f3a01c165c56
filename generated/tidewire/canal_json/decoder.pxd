# Generated from spec/canal-json.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.decoding.message_decoder cimport MessageDecoder
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.wire.part cimport Part
from tidewire.runtime.decoding.names cimport Names
from tidewire.runtime.json.rows cimport Rows
from tidewire.runtime.decoding.row_table cimport RowTable
from tidewire.runtime.decoding.row_tables cimport Tables

cdef int MESSAGE_FIELD
cdef int MESSAGE_ID
cdef int MESSAGE_DATABASE
cdef int MESSAGE_TABLE
cdef int MESSAGE_PK_NAMES
cdef int MESSAGE_IS_DDL
cdef int MESSAGE_TYPE
cdef int MESSAGE_ES
cdef int MESSAGE_TS
cdef int MESSAGE_SQL
cdef int MESSAGE_SQL_TYPE
cdef int MESSAGE_MYSQL_TYPE
cdef int MESSAGE_DATA
cdef int MESSAGE_OLD
cdef int MESSAGE_TIDB
cdef int EXTENSION_COMMIT_TS
cdef int EXTENSION_WATERMARK_TS
cdef int EXTENSION_ONLY_HANDLE_KEY
cdef int EXTENSION_CLAIM_CHECK_LOCATION
cdef int EXTENSION_ROWKEY
cdef int COLUMN_OF_MESSAGE_MYSQL_TYPE
cdef int COLUMN_OF_MESSAGE_DATA
cdef int COLUMN_OF_MESSAGE_OLD

@cython.final
cdef class Decoder(MessageDecoder):
    cdef bytes terminator
    cdef Tables tables
    cdef Names texts
    cdef RowTable table
    cdef Py_ssize_t case
    cdef bint types_read, has_images
    cdef Names names_of_message
    cdef Part message_database
    cdef Part message_table
    cdef Part message_pk_names
    cdef Part message_is_ddl
    cdef Part message_type
    cdef bint has_message_es
    cdef long long message_es
    cdef bint has_message_ts
    cdef long long message_ts
    cdef Part message_sql
    cdef Part message_sql_type
    cdef Part message_mysql_type
    cdef Part message_data
    cdef bint reads_message_data
    cdef Rows rows_in_message_data
    cdef Part message_old
    cdef bint reads_message_old
    cdef Rows rows_in_message_old
    cdef bint has_message_tidb
    cdef Names names_of_extension
    cdef bint has_extension_commit_ts
    cdef unsigned long long extension_commit_ts
    cdef bint has_extension_watermark_ts
    cdef unsigned long long extension_watermark_ts
    cdef bint has_extension_only_handle_key
    cdef bint extension_only_handle_key
    cdef Part extension_claim_check_location
    cdef Part extension_rowkey
    cdef int read_whole(self, JsonCursor r, Py_ssize_t message) except -1
    cdef int read_message(self, JsonCursor r, Py_ssize_t message) except -1
    cdef int recognize(self, JsonCursor r) except -1
    cdef int tell(self, JsonCursor r) except -1
    cdef int read_extension(self, JsonCursor r) except -1
    cdef int put_row(
        self, JsonCursor r, Py_ssize_t message, int kind, Rows new, int new_field, Rows old, int old_field
    ) except -1
    cdef int put_watermark(self, JsonCursor r, Py_ssize_t message, int kind) except -1
    cdef int put_ddl(self, JsonCursor r, Py_ssize_t message, int kind) except -1
    cdef int put_event(self, Py_ssize_t row, Py_ssize_t message, int kind) except -1
    cdef int put_no_row(self, Py_ssize_t row) except -1
