cimport cython

from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.wire.byte_sink cimport ByteSink

cdef Py_ssize_t FRAME_LENGTH, ROOM_BEHIND
cdef Numbers _PRINTABLE

@cython.final
cdef class JsonSink(ByteSink):
    cdef public str zone
    cdef readonly Py_ssize_t invalid
    cdef readonly bint html, separators
    cdef readonly int exponent
    cdef object actions
    cdef const unsigned char *action
    cpdef int raw(self, bytes image) except -1
    cpdef int comma(self) except -1
    cpdef int integer(self, long long value) except -1
    cpdef int unsigned(self, unsigned long long value) except -1
    cpdef int float64(self, double value) except -1
    cpdef int number64(self, double value) except -1
    cpdef int float32(self, double value) except -1
    cpdef int string(self, bytes text) except -1
    cpdef int mapped(self, bytes text) except -1
    cpdef int base64(self, bytes image) except -1
    cpdef Py_ssize_t open_frame(self) except -1
    cpdef int close_frame(self, Py_ssize_t start) except -1
    cpdef int take_out(self, Py_ssize_t at, Py_ssize_t size) except -1
    cpdef int replace(self, Py_ssize_t at, bytes image) except -1
    cdef int text_of(self, ColumnReader source, int c, Py_ssize_t row) except -1
    cdef int base64_of(self, ColumnReader source, int c, Py_ssize_t row) except -1
    cdef int escape(self, const unsigned char *data, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int _quoted(self, bytes text, bint mapped) except -1
    cdef int escape_mapped(self, const unsigned char *data, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int escape_quoted(self, const unsigned char *data, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int escape_base64(self, const unsigned char *data, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef Py_ssize_t escape_one(self, Py_ssize_t at, int byte) noexcept
