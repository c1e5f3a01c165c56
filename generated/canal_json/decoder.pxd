# Generated from spec/canal-json.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.catalog cimport Catalog, RowImages, Table
from tidewire.runtime.columns cimport Columns
from tidewire.runtime.json.cursor cimport JsonCursor, Part
from tidewire.runtime.json.names cimport Names
from tidewire.runtime.json.rows cimport Rows
from tidewire.runtime.json.tables cimport JsonTable, Tables

cdef int MESSAGE, MESSAGE_ID, MESSAGE_DATABASE, MESSAGE_TABLE, MESSAGE_PK_NAMES, MESSAGE_IS_DDL, MESSAGE_TYPE, MESSAGE_ES, MESSAGE_TS, MESSAGE_SQL, MESSAGE_SQL_TYPE, MESSAGE_MYSQL_TYPE, MESSAGE_DATA, MESSAGE_OLD, MESSAGE_TIDB, EXTENSION_COMMIT_TS, EXTENSION_WATERMARK_TS, EXTENSION_ONLY_HANDLE_KEY, EXTENSION_CLAIM_CHECK_LOCATION, EXTENSION_ROWKEY, MESSAGE_MYSQL_TYPE_COLUMN, MESSAGE_DATA_COLUMN, MESSAGE_OLD_COLUMN

@cython.final
cdef class Decoder:
    cdef bint replace_invalid
    cdef bytes terminator
    cdef Catalog catalog
    cdef Columns events
    cdef Tables tables
    cdef Names cases
    cdef Names message_members
    cdef Names extension_members
    cdef Part message_database
    cdef Part message_table
    cdef Part message_pk_names
    cdef Part message_type
    cdef bint has_message_es
    cdef long long message_es
    cdef bint has_message_ts
    cdef long long message_ts
    cdef Part message_sql
    cdef Part message_mysql_type
    cdef Part message_data
    cdef Part message_old
    cdef bint has_message_tidb
    cdef bint has_extension_commit_ts
    cdef unsigned long long extension_commit_ts
    cdef bint has_extension_watermark_ts
    cdef unsigned long long extension_watermark_ts
    cdef bint has_extension_only_handle_key
    cdef bint extension_only_handle_key
    cdef Part extension_claim_check_location
    cdef Part extension_rowkey
    cdef Rows data_rows
    cdef Rows old_rows
    cdef JsonTable columns
    cdef Py_ssize_t case
    cdef bint told
    cdef int read_value(self, JsonCursor r, Py_ssize_t message) except -1
    cdef int read_message(self, JsonCursor r, Py_ssize_t message) except -1
    cdef int recognize(self, JsonCursor r) except -1
    cdef int tell(self, JsonCursor r) except -1
    cdef int read_extension(self, JsonCursor r) except -1
    cdef int put_row(self, JsonCursor r, Py_ssize_t message, int kind, Rows new, int new_field, Rows old, int old_field) except -1
    cdef int put_ddl(self, JsonCursor r, Py_ssize_t message, int kind) except -1
    cdef int put_watermark(self, JsonCursor r, Py_ssize_t message, int kind) except -1
