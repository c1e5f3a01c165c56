# Generated from spec/simple.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.json.encoders cimport ObjectEncoder
from tidewire.runtime.json.sink cimport JsonSink
from tidewire.runtime.json.row_writer cimport RowTexts, WrittenRows

@cython.final
cdef class Encoder(ObjectEncoder):
    cdef bint enable_row_checksum
    cdef str producer
    cdef int write_insert(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_update(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_delete(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_ddl(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_watermark(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_bootstrap(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_row_checksum(self, JsonSink s, Py_ssize_t event) except -1
