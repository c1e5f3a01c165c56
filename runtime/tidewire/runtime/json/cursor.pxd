cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.decoding.names cimport Names
from tidewire.runtime.json.text cimport JsonText
from tidewire.runtime.wire.part cimport Part

@cython.final
cdef class JsonCursor(JsonText):
    cdef Py_ssize_t which, at, next, stop
    cdef int open(self, Names names, int field) except -1
    cdef bint member(self, Names names, int field, int first) except -1
    cdef bint given(self, int field) except -1
    cdef int text(self, Part part, int field) except -1
    cdef bint denied(self, Part part) noexcept
    cdef int no_row(self, Part part, int field) except -1
    cdef int checked_part(self, Part part, int field) except -1
    cdef int unread(self, Part part, int field) except -1
    cdef int part(self, Part part, int field) except -1
    cdef int passed(self, int field) except -1
    cdef int whole(self, int field) except -1
    cdef long long integer(self, int field) except? 0
    cdef unsigned long long uinteger(self, int field) except? 0
    cdef long long between(self, long long low, long long high, int field) except? 0
    cdef bint boolean(self, int field) except -1
    cdef int put_text(self, Columns columns, int c, Py_ssize_t row, Part part, int field) except -1
    cdef int put_base64(self, Columns columns, int c, Py_ssize_t row, Part part, int field) except -1
    cdef Py_ssize_t base64(self, Py_ssize_t start, Py_ssize_t size, int field) except -1
    cdef Py_ssize_t plain_text(self, Part part, int field) except -1
    cdef Py_ssize_t name_of(self, Names names, Part part, int field) except -1
    cdef bint says(self, Part part, bytes text, int field) except -1
    cdef long long signed_digits(self, Py_ssize_t i, Py_ssize_t end, int field) except? 0
    cdef unsigned long long digits(self, Py_ssize_t i, Py_ssize_t end, int field) except? 0
    cpdef int begin(self) except -1
    cpdef int expect_u64(self, unsigned long long value, int field) except -1
    cpdef bint more(self) except -1
    cpdef int frame(self, int field) except -1
    cdef int short(self, int field, Py_ssize_t start, unsigned long long size) except -1
    cdef unsigned long long head(self, int field) except? 0
    cpdef bint empty(self) except -1
    cpdef int close(self, int field) except -1
    cpdef int finished(self, int field) except -1
    cdef int ended(self, int field) except -1
    cdef bint separator(self, bytes terminator, int field) except -1
