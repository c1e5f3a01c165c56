# Generated from spec/canal-json.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.json.encoders cimport ObjectEncoder
from tidewire.runtime.json.sink cimport JsonSink
from tidewire.runtime.json.row_writer cimport MappedTexts, RowTexts, WrittenRows

@cython.final
cdef class RowMembers(RowTexts):
    cdef bytes message_pk_names
    cdef MappedTexts message_sql_type
    cdef bytes message_mysql_type

@cython.final
cdef class Encoder(ObjectEncoder):
    cdef bint enable_tidb_extension
    cdef bint content_compatible
    cdef bint only_output_updated_columns
    cdef bint delete_only_output_handle_key_columns
    cdef bint output_row_key
    cdef str terminator
    cdef str producer
    cdef bytes empty_message_mysql_type
    cdef int write_insert(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_update(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_delete(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_ddl(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_watermark(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_row_extension(self, JsonSink s, Py_ssize_t event) except -1
