cimport cython

from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.encoding.message_encoder cimport MessageEncoder
from tidewire.runtime.encoding.written_messages cimport WrittenMessages
from tidewire.runtime.record.sink cimport RecordSink
from tidewire.runtime.registered.written cimport WrittenFields, RegisteredRows

cdef class PreparedRows:
    cdef readonly RegisteredRows rows
    cdef Py_ssize_t changes
    cdef unsigned long long first, last

cdef class RegisteredEncoder(MessageEncoder):
    cdef object schema_writer, row_part, key_part, schemas_of, store, members, spelling
    cdef dict prepared_rows, young_fields, old_fields, last_fields
    cdef Py_ssize_t young_columns
    cdef list descriptions
    cdef object handle_key, index_flags
    cdef bint timed, no_key, no_value, no_message
    cdef object columns, connect_messages
    cdef str row_zone
    cdef unsigned long long time
    cdef int begin_event(self, Py_ssize_t event) except -1
    cdef int at_event(self, Py_ssize_t event, int column) except -1
    cdef int learn(self, Py_ssize_t event, int column) except -1
    cdef bint has_message(self, Py_ssize_t event) except -1
    cdef int write_message(self, RecordSink s, RecordSink key, Py_ssize_t event) except -1
    cdef RegisteredRows rows_of(self, Py_ssize_t layout, int way)
    cdef PreparedRows made_rows(self, Py_ssize_t number, int way)
    cdef int check_alike(self, RegisteredRows rows, RegisteredRows other, str image) except -1
    cdef int write_key(self, RecordSink key, Py_ssize_t layout, Py_ssize_t row, int way) except -1
    cdef int put_unsigned(self, RecordSink s, int column, str name, Py_ssize_t event) except -1
    cdef int put_digits(self, RecordSink s, int column, Py_ssize_t event) except -1
    cdef int put_truth(self, RecordSink s, int column, Py_ssize_t event) except -1
    cdef int put_number(self, RecordSink s, int column, Py_ssize_t event) except -1
    cdef str zone(self, Py_ssize_t event, int column)
    cdef int put_connect_message(self, RecordSink s, RecordSink key, Py_ssize_t event, str kind, Py_ssize_t table) except -1
    cdef int put_statement(self, RecordSink s, list values) except -1
    cdef object said_text(self, int column, Py_ssize_t event)
    cdef object said_int(self, int column, Py_ssize_t event)
    cdef object said_uint(self, int column, Py_ssize_t event)
    cdef object said_schema(self, Py_ssize_t table)
    cdef object said_table(self, Py_ssize_t table)
