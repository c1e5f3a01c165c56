# Generated from spec/open-protocol.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.json.column_objects cimport ColumnObjects
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.wire.part cimport Part
from tidewire.runtime.decoding.names cimport Names
from tidewire.runtime.decoding.row_table cimport RowTable
from tidewire.runtime.decoding.row_tables cimport Tables
from tidewire.runtime.decoding.message_decoder cimport KeyedDecoder

cdef int KEY
cdef int KEY_VERSION
cdef int KEY_FRAME
cdef int KEY_COMMIT_TS
cdef int KEY_SCHEMA
cdef int KEY_TABLE
cdef int KEY_ROW_ID
cdef int KEY_PARTITION
cdef int KEY_TYPE
cdef int KEY_HANDLE_KEY_ONLY
cdef int KEY_CLAIM_CHECK
cdef int VALUE
cdef int VALUE_FRAME
cdef int ROW_NEW
cdef int ROW_OLD
cdef int ROW_DELETED
cdef int STATEMENT_QUERY
cdef int STATEMENT_TYPE
cdef int COLUMN_OF_ROW_NEW
cdef int TYPE_OF_ROW_NEW
cdef int HANDLE_KEY_OF_ROW_NEW
cdef int FLAGS_OF_ROW_NEW
cdef int VALUE_OF_ROW_NEW
cdef int COLUMN_OF_ROW_OLD
cdef int TYPE_OF_ROW_OLD
cdef int HANDLE_KEY_OF_ROW_OLD
cdef int FLAGS_OF_ROW_OLD
cdef int VALUE_OF_ROW_OLD
cdef int COLUMN_OF_ROW_DELETED
cdef int TYPE_OF_ROW_DELETED
cdef int HANDLE_KEY_OF_ROW_DELETED
cdef int FLAGS_OF_ROW_DELETED
cdef int VALUE_OF_ROW_DELETED

@cython.final
cdef class Decoder(KeyedDecoder):
    cdef Tables tables
    cdef RowTable table
    cdef Py_ssize_t item
    cdef Names names_of_key
    cdef bint has_key_commit_ts
    cdef unsigned long long key_commit_ts
    cdef Part key_schema
    cdef Part key_table
    cdef bint has_key_row_id
    cdef long long key_row_id
    cdef bint has_key_partition
    cdef long long key_partition
    cdef bint has_key_type
    cdef long long key_type
    cdef bint has_key_handle_key_only
    cdef bint key_handle_key_only
    cdef Part key_claim_check
    cdef Names names_of_row
    cdef ColumnObjects row_new
    cdef ColumnObjects row_old
    cdef ColumnObjects row_deleted
    cdef Names names_of_statement
    cdef Part statement_query
    cdef bint has_statement_type
    cdef long long statement_type
    cdef int read_whole(self, JsonCursor key, JsonCursor r, Py_ssize_t message) except -1
    cdef int read_key(self, JsonCursor r) except -1
    cdef int read_row(self, JsonCursor r, Py_ssize_t message) except -1
    cdef int read_statement(self, JsonCursor r) except -1
    cdef int take_row(self, JsonCursor key, JsonCursor r, Py_ssize_t message) except -1
    cdef int take_ddl(self, JsonCursor key, JsonCursor r, Py_ssize_t message) except -1
    cdef int take_watermark(self, JsonCursor key, JsonCursor r, Py_ssize_t message) except -1
    cdef int put_row(
        self, JsonCursor key, JsonCursor r, Py_ssize_t message, int kind, ColumnObjects new, ColumnObjects old
    ) except -1
    cdef int put_ddl(self, JsonCursor key, JsonCursor r, Py_ssize_t message, int kind) except -1
    cdef int put_watermark(self, JsonCursor key, JsonCursor r, Py_ssize_t message, int kind) except -1
    cdef int put_event(self, JsonCursor key, Py_ssize_t row, Py_ssize_t message, int kind) except -1
    cdef int put_no_row(self, Py_ssize_t row) except -1
