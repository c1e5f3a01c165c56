# Generated from spec/simple.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.record.encoder cimport RecordEncoder
from tidewire.runtime.record.sink cimport RecordSink
from tidewire.runtime.record.written_rows cimport RecordTexts, WrittenRecordRows

@cython.final
cdef class Encoder(RecordEncoder):
    cdef bint enable_row_checksum
    cdef str producer
    cdef int write_insert(self, RecordSink s, Py_ssize_t event) except -1
    cdef int write_update(self, RecordSink s, Py_ssize_t event) except -1
    cdef int write_delete(self, RecordSink s, Py_ssize_t event) except -1
    cdef int write_ddl(self, RecordSink s, Py_ssize_t event) except -1
    cdef int write_watermark(self, RecordSink s, Py_ssize_t event) except -1
    cdef int write_bootstrap(self, RecordSink s, Py_ssize_t event) except -1
    cdef int write_checksum_record(self, RecordSink s, Py_ssize_t event) except -1
