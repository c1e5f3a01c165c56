from tidewire.runtime.json.connect_keys cimport ConnectKeys
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.wire.part cimport Part
from tidewire.runtime.decoding.described_decoder cimport DescribedDecoder
from tidewire.runtime.json.envelopes cimport Envelopes, KnownBlock
from tidewire.runtime.decoding.row_table cimport RowTable
from tidewire.runtime.wire.byte_reader cimport ByteReader

cdef class ConnectDecoder(DescribedDecoder):
    cdef int ended(self, JsonCursor r, int field) except -1
    cdef readonly Envelopes envelopes
    cdef readonly ConnectKeys keys
    cdef object connect, unknown
    cdef frozenset misfits
    cdef bint has_misfits
    cdef Py_ssize_t misfit_message
    cdef readonly Py_ssize_t renamed
    cdef bint looks_again(self, object error, Py_ssize_t message) except -1
    cdef bint is_misfit(self, object error, Py_ssize_t message) except -1
    cdef bint tells_key(self, RowTable table) except -1
    cdef int read_anew_by(self, ByteReader r, RowTable table, bint known, unsigned long long version, int field, KnownBlock block, Py_ssize_t number, Py_ssize_t changes) except -1
    cdef int unnamed(self, ByteReader r, int field, str option) except -1
    cdef int put_known_by(self, int c, Py_ssize_t row, RowTable table) except -1
    cdef int put_utc(self, int c, Py_ssize_t row, RowTable table) except -1
    cdef Py_ssize_t changed(self, JsonCursor r, Part part, int field, int path_field, RowTable table, bint known, unsigned long long version, bint timed, long long milliseconds) except -2
