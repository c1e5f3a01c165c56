# Generated from spec/debezium-avro.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.record.sink cimport RecordSink
from tidewire.runtime.registered.encoder cimport RegisteredEncoder
from tidewire.runtime.registered.written cimport RegisteredRows

@cython.final
cdef class Encoder(RegisteredEncoder):
    cdef bint avro_enable_watermark
    cdef bint debezium_output_old_value
    cdef bytes text_of_cluster_id
    cdef int write_insert(self, RecordSink s, Py_ssize_t event) except -1
    cdef int write_update(self, RecordSink s, Py_ssize_t event) except -1
    cdef int write_delete(self, RecordSink s, Py_ssize_t event) except -1
    cdef int write_ddl(self, RecordSink s, RecordSink key, Py_ssize_t event) except -1
    cdef int write_watermark(self, RecordSink s, RecordSink key, Py_ssize_t event) except -1
