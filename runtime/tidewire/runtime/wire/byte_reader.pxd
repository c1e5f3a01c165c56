cimport cython

from tidewire.runtime.arrow.memory cimport Numbers

cdef Py_ssize_t FEW, MOST_TOGETHER

cdef class ByteReader:
    cdef const unsigned char *p
    cdef const unsigned char *base
    cdef public Py_ssize_t pos, end
    cdef Py_ssize_t readable
    cdef const long long *i64
    cdef const int *i32
    cdef bint wide
    cdef Py_ssize_t size
    cdef readonly Py_ssize_t messages
    cdef object owner
    cdef list held
    cpdef int attach(self, memoryview data, memoryview offsets) except -1
    cpdef object receive(self, object values)
    cpdef object receive_together(self, object values)
    cpdef int load(self, Py_ssize_t message) except -1
    cdef int fail(self, int code, int field, Py_ssize_t offset, long long needed, long long available) except -1
    cdef int refuse(self, int code, int field, Py_ssize_t offset, long long needed, str found, str expected) except -1
    cdef str found(self, int code, Py_ssize_t offset, long long size)
    cdef long long clamped(self, unsigned long long value) noexcept
    cdef int select(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef Py_ssize_t extent(self, Py_ssize_t start, long long size, Py_ssize_t limit, int field) except -1
    cdef Py_ssize_t extents(self, Py_ssize_t start, Numbers sizes, Py_ssize_t limit, int field) except -1
    cdef Py_ssize_t extents_of(self, Py_ssize_t start, Numbers sizes, Py_ssize_t first, Py_ssize_t stop, Py_ssize_t limit, int field) except -1
    cdef Py_ssize_t before(self, Py_ssize_t stop, unsigned long long size, int field) except -1
    cdef int consumed(self, int field) except -1
    cdef int meet(self, Py_ssize_t front, Py_ssize_t back, int field) except -1
    cdef int u8(self, int field) except -1
    cdef unsigned long long big_endian(self, int size, int field) except? 0
    cdef unsigned long long u64be(self, int field) except? 0
    cdef bytes copy(self, Py_ssize_t start, Py_ssize_t stop)
    cdef str decoded(self, Py_ssize_t start, Py_ssize_t stop, int field)
    cdef bint matches(self, bytes image, Py_ssize_t size) noexcept
    cdef unsigned long long digest(self, Py_ssize_t start, Py_ssize_t stop) noexcept
    cdef bint utf8(self, Py_ssize_t start, Py_ssize_t stop) noexcept

cdef bint all_bytes(object values) except -1
