# Generated from spec/debezium.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.json.connect_encoder cimport ConnectEncoder
from tidewire.runtime.json.sink cimport JsonSink
from tidewire.runtime.json.row_writer cimport RowTexts, WrittenRows

@cython.final
cdef class Encoder(ConnectEncoder):
    cdef bint enable_tidb_extension
    cdef bint debezium_disable_schema
    cdef bint debezium_output_old_value
    cdef bint debezium_include_start_ts
    cdef str cluster_id
    cdef str producer
    cdef int write_insert(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_update(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_delete(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_ddl(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_watermark(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_row_source(self, JsonSink s, Py_ssize_t event) except -1
