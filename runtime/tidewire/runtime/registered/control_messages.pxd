from tidewire.runtime.decoding.message_decoder cimport KeyedDecoder
from tidewire.runtime.record.cursor cimport RecordCursor

cdef class ControlDecoder(KeyedDecoder):
    cdef str path
    cdef list members(self, RecordCursor r, object members, int field)
    cdef unsigned long long marked_number(self, RecordCursor r, int field) except? 0
    cdef Py_ssize_t said_table(self, object schema, object name) except -1
    cdef int put_said_text(self, int c, Py_ssize_t row, object said) except -1
    cdef int put_said_uint(self, int c, Py_ssize_t row, object said) except -1
    cdef int put_said_int(self, int c, Py_ssize_t row, object said, long long least, long long most, int field, str path) except -1
