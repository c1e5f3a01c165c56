from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.json.cursor cimport JsonCursor, Part
from tidewire.runtime.json.described_decoder cimport DescribedDecoder
from tidewire.runtime.json.envelopes cimport Envelopes
from tidewire.runtime.json.table cimport JsonTable
from tidewire.runtime.wire.byte_reader cimport ByteReader

cdef Py_ssize_t MOST_KEY, MOST_KEY_VALUES

cdef class ConnectDecoder(DescribedDecoder):
    cdef readonly Envelopes envelopes
    cdef readonly Envelopes key_envelopes
    cdef object connect, unknown
    cdef int key_field
    cdef Py_ssize_t key_number, last_number
    cdef bytes last_names
    cdef list key_pieces
    cdef Numbers key_values
    cdef object strange_keys
    cdef bytes strange_key
    cdef bint begins_object(self, JsonCursor key) except -1
    cdef int strange(self, JsonCursor key) except -1
    cdef int unnamed(self, ByteReader r, int field, str option) except -1
    cdef int keep_key(self, JsonCursor key) except -1
    cdef bint is_like_the_last(self, JsonCursor key) noexcept
    cdef dict key_numbers, key_columns
    cdef Py_ssize_t keys_seen
    cdef readonly Py_ssize_t renamed
    cdef bint looks_again(self) except -1
    cdef bint keys_checked
    cdef int read_key(self, JsonCursor key, bint there, bint checked) except -1
    cdef Py_ssize_t behind(self, JsonCursor key, Py_ssize_t i) except -1
    cdef Py_ssize_t named_in(self, JsonCursor key) except -2
    cdef bint named_alike(self, JsonCursor key) except -1
    cdef Py_ssize_t number_of(self, object names) except -1
    cdef int put_known_by(self, int c, Py_ssize_t row, JsonTable table) except -1
    cdef int put_utc(self, int c, Py_ssize_t row, JsonTable table) except -1
    cdef Py_ssize_t changed(self, JsonCursor r, Part part, int field, int path_field, JsonTable table, bint known, unsigned long long version, bint timed, long long milliseconds) except -2
