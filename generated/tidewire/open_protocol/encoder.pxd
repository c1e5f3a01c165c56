# Generated from spec/open-protocol.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.json.encoders cimport FramesEncoder
from tidewire.runtime.json.sink cimport JsonSink
from tidewire.runtime.json.row_writer cimport WrittenRows

@cython.final
cdef class Encoder(FramesEncoder):
    cdef bint output_old_value
    cdef bint only_output_updated_columns
    cdef bint delete_only_output_handle_key_columns
    cdef Py_ssize_t max_batch_size
    cdef Py_ssize_t max_message_bytes
    cdef Py_ssize_t max_batched_bytes
    cdef bint as_tiflow, as_ticdc
    cdef int write_row_key(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_ddl_key(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_watermark_key(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_insert(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_update(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_delete(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_ddl(self, JsonSink s, Py_ssize_t event) except -1
