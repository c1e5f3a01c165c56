cimport cython

from tidewire.runtime.decoding.message_decoder cimport KeyedDecoder
from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.registered.plans cimport RecordPlan
from tidewire.runtime.registered.reading cimport RecordReader
from tidewire.runtime.registered.schema_plans cimport SchemaPlans

cdef class RegisteredDecoder(KeyedDecoder):
    cdef SchemaPlans plans
    cdef RecordReader record, key_record
    cdef RecordPlan key_plan
    cdef tuple operations
    cdef str path
    cdef bint lost
    cdef object strangers, kinds, store, stranger_reader
    cdef tuple event_fields
    cdef int read_message(self, RecordCursor key, bint has_key, RecordCursor r, bint has_value, Py_ssize_t message) except -1
    cdef int read_stranger(self, RecordCursor key, bint has_key, int key_field, RecordCursor r, int field, Py_ssize_t message) except -1
    cdef int put_event(self, object event, Py_ssize_t message) except -1
    cdef int read_key(self, RecordCursor key, int field, Py_ssize_t message) except -1
    cdef int tell_key(self, RecordCursor key, bint has_key, int field) except -1
    cdef int read_row(self, RecordCursor key, bint has_key, int key_field, RecordCursor r, int field, Py_ssize_t message) except -1
    cdef int operation(self, RecordCursor r, int slot, int field) except -2
    cdef int put_number(self, int c, Py_ssize_t row, int slot) except -1
    cdef int put_unsigned(self, int c, Py_ssize_t row, int slot) except -1
    cdef bint has_text(self, int slot) except -1
    cdef int put_digits(self, RecordCursor r, int c, Py_ssize_t row, int slot, unsigned long long most, int field) except -1
    cdef int put_image(self, int layout, int image, Py_ssize_t row, Py_ssize_t where, Py_ssize_t number) except -1
    cdef int put_types(self, int c, Py_ssize_t row, RecordReader record) except -1
    cdef int put_utc(self, int c, Py_ssize_t row, RecordReader record) except -1
    cdef Py_ssize_t position_of(self, RecordReader record) except -1
    cdef int put_nothing(self) except -1
    cdef list members(self, RecordCursor r, object members, int field)
    cdef unsigned long long marked_number(self, RecordCursor r, int field) except? 0
    cdef Py_ssize_t said_table(self, object schema, object name) except -1
    cdef int put_said_text(self, int c, Py_ssize_t row, object said) except -1
    cdef int put_said_uint(self, int c, Py_ssize_t row, object said) except -1
    cdef int put_said_int(self, int c, Py_ssize_t row, object said, long long least, long long most, int field, str path) except -1
