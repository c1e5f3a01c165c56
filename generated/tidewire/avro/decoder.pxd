# Generated from spec/avro.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.registered.decoder cimport RegisteredDecoder
from tidewire.runtime.registered.columnar_reader cimport ColumnarReader
from tidewire.runtime.registered.reading cimport RecordReader

cdef int KEY
cdef int COLUMN_OF_ROW_KEY
cdef int VALUE
cdef int COLUMN_OF_ROW
cdef int COLUMN_OF_BEFORE
cdef int ROW_OP
cdef int ROW_COMMIT_TS
cdef int ROW_COMMIT_MS
cdef int ROW_CHECKSUM
cdef int ROW_DIFFERS
cdef int ROW_CHECKSUM_VERSION
cdef int STATEMENT_MARK
cdef int WATERMARK_MARK
cdef int DELETED_MARK
cdef int OP_SLOT
cdef int COMMIT_TS_SLOT
cdef int COMMIT_MS_SLOT
cdef int CHECKSUM_SLOT
cdef int DIFFERS_SLOT
cdef int CHECKSUM_VERSION_SLOT

@cython.final
cdef class Decoder(RegisteredDecoder):
    cdef int read_statement(self, RecordCursor r, Py_ssize_t message) except -1
    cdef int read_watermark(self, RecordCursor r, Py_ssize_t message) except -1
    cdef int read_deleted(self, RecordCursor key, bint has_key, RecordCursor r, Py_ssize_t message) except -1
    cdef int put_delete_of_key(self, Py_ssize_t message, bint has_commit_ts, unsigned long long commit_ts) except -1
    cdef int put_no_row(self, Py_ssize_t row) except -1
