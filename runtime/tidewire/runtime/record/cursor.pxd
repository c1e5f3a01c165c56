cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.wire.part cimport Part
from tidewire.runtime.wire.number_reader cimport NumberReader

cdef long long INT32

@cython.final
cdef class RecordCursor(NumberReader):
    cdef long long between(self, long long low, long long high, int field) except? 0
    cdef long long int32(self, int field) except? 0
    cdef unsigned long long natural(self, int field) except? 0
    cdef bint boolean(self, int field) except -1
    cdef unsigned long long u32be(self, int field) except? 0
    cdef long long numbered(self) noexcept
    cdef bint begins(self, int mark) noexcept
    cdef int branch(self, int count, int field) except -1
    cdef bint given(self, int field) except -1
    cdef int same_branch(self, int wanted, int field) except -1
    cdef Py_ssize_t block(self, int field) except -1
    cdef Py_ssize_t length(self, int field) except -1
    cdef int string(self, Part part, int field) except -1
    cdef int text(self, Part part, int field) except -1
    cdef int check_text(self, Part part, int field) except -1
    cdef int put_text(self, Columns columns, int c, Py_ssize_t row, Part part, int field) except -1
    cdef unsigned long long digits(self, Py_ssize_t start, Py_ssize_t end, int field) except? 0
