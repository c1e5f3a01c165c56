# Generated from spec/debezium-avro.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.registered.decoder cimport RegisteredDecoder
from tidewire.runtime.registered.reading cimport RecordReader

cdef int KEY
cdef int COLUMN_OF_ROW_KEY
cdef int VALUE
cdef int COLUMN_OF_IMAGE
cdef int ROW_CONNECTOR
cdef int ROW_COMMIT_MS
cdef int ROW_DB
cdef int ROW_SOURCE_TABLE
cdef int ROW_COMMIT_TS
cdef int ROW_SCHEMA_INSIDE
cdef int ROW_COLLECTION
cdef int ROW_OP
cdef int ROW_STATEMENT
cdef int ROW_SENT
cdef int CONNECTOR_SLOT
cdef int COMMIT_MS_SLOT
cdef int DB_SLOT
cdef int SOURCE_TABLE_SLOT
cdef int COMMIT_TS_SLOT
cdef int SCHEMA_INSIDE_SLOT
cdef int COLLECTION_SLOT
cdef int OP_SLOT
cdef int STATEMENT_SLOT
cdef int SENT_SLOT

@cython.final
cdef class Decoder(RegisteredDecoder):
    pass
