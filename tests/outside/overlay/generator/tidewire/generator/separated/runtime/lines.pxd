cimport cython

from tidewire.runtime.binary.cursor cimport Cursor
from tidewire.runtime.binary.interning cimport WrittenImages
from tidewire.runtime.binary.table_layouts cimport BinaryImages
from tidewire.runtime.binary.sink cimport Sink
from tidewire.runtime.wire.byte_reader cimport ByteReader
from tidewire.runtime.arrow.memory cimport Numbers

@cython.final
cdef class LineReader(ByteReader):
    cdef int separator
    cdef Py_ssize_t first, stop
    cdef list names
    cdef bytearray payload
    cdef Cursor cells
    cdef Numbers types, flags, sizes, type_places, value_places
    cdef int next(self, int field) except -1
    cdef bint is_text(self, bytes wanted) noexcept
    cdef str text(self, int field)
    cdef unsigned long long number(self, Py_ssize_t first, Py_ssize_t stop, unsigned long long most, int field) except? 0
    cdef bint marked(self, int mark) noexcept
    cdef Py_ssize_t gather(self, int mark, int field) except -1
    cdef Py_ssize_t last(self, int character, Py_ssize_t first, Py_ssize_t stop, int field) except -1
    cdef int value(self, Py_ssize_t first, Py_ssize_t stop, int field) except -1
    cdef int digit(self, Py_ssize_t at, int field) except -1
    cdef Py_ssize_t row(self, BinaryImages images, int field) except -1

@cython.final
cdef class LineWriter:
    cdef public Py_ssize_t begin
    cdef int separator
    cdef readonly Sink out
    cdef Sink cells
    cdef Cursor sizes
    cdef Numbers found
    cdef int field(self, bytes image) except -1
    cdef int image(self, str mark, WrittenImages images, Py_ssize_t row) except -1
