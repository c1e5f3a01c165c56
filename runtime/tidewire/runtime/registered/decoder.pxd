cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.decoding.layout_cache cimport LayoutCache, Table
from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.registered.plans cimport RecordPlan, RegisteredImages
from tidewire.runtime.registered.reading cimport RecordReader
from tidewire.runtime.registered.batch_reader cimport RunDecoder

cdef Py_ssize_t LEAST_KEY

cdef class RegisteredDecoder(RunDecoder):
    cdef RecordReader key_record
    cdef RecordPlan key_plan
    cdef bint lost, is_other
    cdef Py_ssize_t unfilled, without_rare
    cdef object unknown, connect_messages, kinds, store, connect_message_reader, strange_keys
    cdef bytes strange_key
    cdef str why_strange
    cdef bytes last_accepted
    cdef int state_nothing(self, RecordCursor r, int slot, int field) except -1
    cdef int accept(self, RecordCursor r, int slot, object accepted, int field) except -1
    cdef RecordPlan plan_of_key(self, RecordCursor key, int field)
    cdef RecordPlan strange(self, RecordCursor key, Py_ssize_t start, str reason)
    cdef tuple event_fields
    cdef int read_messages(self, RecordCursor key, object keyless, RecordCursor r, object missing, list holes, Py_ssize_t k, Py_ssize_t base, object tombstones) except -1
    cdef Py_ssize_t begin_event(self) except -1
    cdef int fill_rows(self, Py_ssize_t row, Py_ssize_t stop) except -1
    cdef int fill_rare(self, Py_ssize_t row, Py_ssize_t stop) except -1
    cdef int read_message(self, RecordCursor key, bint has_key, RecordCursor r, bint has_value, Py_ssize_t message) except -1
    cdef int read_connect_message(self, RecordCursor key, bint has_key, int key_field, RecordCursor r, int field, Py_ssize_t message) except -1
    cdef int put_event(self, object event, Py_ssize_t message) except -1
    cdef int read_key(self, RecordCursor key, int field, Py_ssize_t message) except -1
    cdef int read_row(self, RecordCursor key, bint has_key, int key_field, RecordCursor r, int field, Py_ssize_t message) except -1
    cdef int operation(self, RecordCursor r, int slot, int field) except -2
    cdef int put_digits(self, RecordCursor r, int c, Py_ssize_t row, int slot, unsigned long long most, int field) except -1
    cdef int put_types(self, int c, Py_ssize_t row, RecordReader record) except -1
    cdef int put_utc(self, int c, Py_ssize_t row, RecordReader record) except -1
    cdef Py_ssize_t position_of(self, RecordReader record) except -1
    cdef int put_nothing(self) except -1
