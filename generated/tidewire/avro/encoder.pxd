# Generated from spec/avro.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.record.sink cimport RecordSink
from tidewire.runtime.registered.encoder cimport RegisteredEncoder
from tidewire.runtime.registered.written cimport RegisteredRows

@cython.final
cdef class Encoder(RegisteredEncoder):
    cdef bint enable_tidb_extension
    cdef bint enable_row_checksum
    cdef bint avro_enable_watermark
    cdef bint avro_include_before_value
    cdef bint as_ticdc
    cdef int write_insert(self, RecordSink s, Py_ssize_t event) except -1
    cdef int write_update(self, RecordSink s, Py_ssize_t event) except -1
    cdef int write_delete(self, RecordSink s, Py_ssize_t event) except -1
    cdef int write_ddl(self, RecordSink s, Py_ssize_t event) except -1
    cdef int write_watermark(self, RecordSink s, Py_ssize_t event) except -1
