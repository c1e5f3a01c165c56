# Generated from spec/debezium.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.json.connect_decoder cimport ConnectDecoder
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.wire.part cimport Part
from tidewire.runtime.decoding.names cimport Names
from tidewire.runtime.json.prefix_cache cimport PrefixCache
from tidewire.runtime.json.skip_cache cimport PassedMembers
from tidewire.runtime.json.rows cimport Rows
from tidewire.runtime.decoding.row_table cimport RowTable
from tidewire.runtime.decoding.row_tables cimport Tables

cdef int KEY
cdef int PAYLOAD
cdef int BLOCK
cdef int PAYLOAD_FIELD
cdef int PAYLOAD_SOURCE
cdef int PAYLOAD_SENT
cdef int PAYLOAD_TRANSACTION
cdef int PAYLOAD_OP
cdef int PAYLOAD_BEFORE
cdef int PAYLOAD_AFTER
cdef int PAYLOAD_DATABASE
cdef int PAYLOAD_SCHEMA_NAME
cdef int PAYLOAD_DDL
cdef int PAYLOAD_CHANGES
cdef int SOURCE_VERSION
cdef int SOURCE_CONNECTOR
cdef int SOURCE_NAME
cdef int SOURCE_COMMIT_MS
cdef int SOURCE_SNAPSHOT
cdef int SOURCE_DB
cdef int SOURCE_SEQUENCE
cdef int SOURCE_TABLE
cdef int SOURCE_SERVER_ID
cdef int SOURCE_GTID
cdef int SOURCE_FILE
cdef int SOURCE_POS
cdef int SOURCE_ROW
cdef int SOURCE_THREAD
cdef int SOURCE_QUERY
cdef int SOURCE_COMMIT_TS
cdef int SOURCE_START_TS
cdef int SOURCE_CLUSTER
cdef int SOURCE_SCHEMA_INSIDE
cdef int SOURCE_COLLECTION
cdef int COLUMN_OF_PAYLOAD_BEFORE
cdef int COLUMN_OF_PAYLOAD_AFTER
cdef int COLUMN_OF_PAYLOAD_CHANGES

@cython.final
cdef class Decoder(ConnectDecoder):
    cdef Tables tables
    cdef Names texts
    cdef RowTable table
    cdef Py_ssize_t case
    cdef bint types_read, has_images
    cdef Names names_of_payload
    cdef PassedMembers passed_in_payload
    cdef bint has_payload_source
    cdef bint has_payload_sent
    cdef long long payload_sent
    cdef Part payload_op
    cdef Part payload_before
    cdef bint reads_payload_before
    cdef Rows rows_in_payload_before
    cdef Part payload_after
    cdef bint reads_payload_after
    cdef Rows rows_in_payload_after
    cdef Part payload_ddl
    cdef Part payload_changes
    cdef Names names_of_source
    cdef PassedMembers passed_in_source
    cdef bint has_source_commit_ms
    cdef long long source_commit_ms
    cdef Part source_db
    cdef Part source_table
    cdef bint has_source_commit_ts
    cdef unsigned long long source_commit_ts
    cdef bint has_source_start_ts
    cdef unsigned long long source_start_ts
    cdef PrefixCache opening
    cdef int read_whole(self, JsonCursor key, bint there, JsonCursor r, Py_ssize_t message) except -1
    cdef int read_payload(self, JsonCursor r, Py_ssize_t message) except -1
    cdef int recognize(self, JsonCursor r) except -1
    cdef int tell(self, JsonCursor r) except -1
    cdef int read_source(self, JsonCursor r) except -1
    cdef int put_row(
        self, JsonCursor r, Py_ssize_t message, int kind, Rows new, int new_field, Rows old, int old_field
    ) except -1
    cdef int put_watermark(self, JsonCursor r, Py_ssize_t message, int kind) except -1
    cdef int put_ddl(self, JsonCursor r, Py_ssize_t message, int kind) except -1
    cdef int put_event(self, Py_ssize_t row, Py_ssize_t message, int kind) except -1
    cdef int put_no_row(self, Py_ssize_t row) except -1
