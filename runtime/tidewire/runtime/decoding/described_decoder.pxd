from tidewire.runtime.decoding.message_decoder cimport MessageDecoder
from tidewire.runtime.wire.part cimport Part
from tidewire.runtime.decoding.row_table cimport RowTable
from tidewire.runtime.wire.byte_reader cimport ByteReader

cdef int _SHIFT
cdef unsigned long long _LAST
cdef long long _LAST_MS

cdef class DescribedDecoder(MessageDecoder):
    cdef readonly object store
    cdef readonly object reader
    cdef Py_ssize_t store_changes, asked_batch
    cdef Py_ssize_t changes_of_store(self, RowTable table) except -1
    cdef object described(self, ByteReader r, Part part, int field, int path_field)
    cdef Py_ssize_t learned(self, object found, int field, Py_ssize_t start) except -2
    cdef Py_ssize_t position_described(self, Py_ssize_t description, Py_ssize_t other) except -1
    cdef int put_described(self, int c, Py_ssize_t row, Py_ssize_t description) except -1
    cdef int read_by(self, ByteReader r, RowTable table, bint known, unsigned long long version, int field) except -1
    cdef int read_by_time(self, ByteReader r, RowTable table, bint known, unsigned long long version, bint timed, long long milliseconds, int field) except -1
