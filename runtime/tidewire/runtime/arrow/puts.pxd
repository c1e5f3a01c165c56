# How compiled code puts values into columns where a call for each of them would cost as much as the rest. Interpreted
# code has plain_puts.py instead.
from libc.string cimport memcpy

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.arrow.storage cimport TEXT
from tidewire.runtime.wire.byte_reader cimport ByteReader

cdef extern from *:
    """
    #if defined(__SSE2__) || defined(_M_X64)
    #include <emmintrin.h>
    #endif

    /* Whether one of the first n of 32 bytes is not ASCII. */
    static CYTHON_INLINE int tidewire_not_ascii(const unsigned char *p, Py_ssize_t n) {
    #if defined(__SSE2__) || defined(_M_X64)
        unsigned long long high = (unsigned int)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)p));
        high |= (unsigned long long)(unsigned int)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(p + 16))) << 16;
        return (high & ((1ULL << n) - 1)) != 0;
    #else
        unsigned char high = 0;
        Py_ssize_t k;
        for (k = 0; k < n; k++) high |= p[k];
        return high >= 0x80;
    #endif
    }
    """
    bint not_ascii "tidewire_not_ascii"(const unsigned char *p, Py_ssize_t n) noexcept nogil

cdef inline int put_int(Columns columns, int c, Py_ssize_t row, long long value) noexcept:
    cdef Py_ssize_t at = columns.room * c + row
    columns.values.i64[at] = value
    columns.valid[at] = 1
    return 0

cdef inline int put_uint(Columns columns, int c, Py_ssize_t row, unsigned long long value) noexcept:
    cdef Py_ssize_t at = columns.room * c + row
    columns.values.u64[at] = value
    columns.valid[at] = 1
    return 0

cdef inline int put_float(Columns columns, int c, Py_ssize_t row, double value) noexcept:
    cdef Py_ssize_t at = columns.room * c + row
    columns.values.f64[at] = value
    columns.valid[at] = 1
    return 0

cdef inline int put_null(Columns columns, int c, Py_ssize_t row) noexcept:
    cdef Py_ssize_t at = columns.room * c + row
    columns.valid[at] = 0
    if columns.cells[c].storage >= TEXT:
        at += columns.room * c
        columns.values.i32[at + 1] = columns.values.i32[at]
    else:
        columns.values.i64[at] = 0
    return 0

# Bytes that are known to be valid for the column, of a reader that keeps 32 bytes more than it reads: those of up to 32
# are copied as 32.
cdef inline int put_known(Columns columns, int c, Py_ssize_t row, ByteReader r, Py_ssize_t start, Py_ssize_t size, int field) except -1:
    cdef Py_ssize_t end = 2 * columns.room * c + row
    cdef Py_ssize_t pos = columns.values.i32[end]
    if size > 32 or pos + 32 > columns.cells[c].data_room:
        return columns.put_known(c, row, r, start, size, field)
    memcpy(columns.cells[c].data + pos, r.p + start, 32)
    columns.values.i32[end + 1] = <int>(pos + size)
    columns.valid[columns.room * c + row] = 1
    return 0

# Bytes in memory that is 32 bytes long at least, which are known to be valid for the column.
cdef inline int put_block(Columns columns, int c, Py_ssize_t row, const unsigned char *image, Py_ssize_t size) except -1:
    cdef Py_ssize_t end = 2 * columns.room * c + row
    cdef Py_ssize_t pos = columns.values.i32[end]
    if size > 32 or pos + 32 > columns.cells[c].data_room:
        return columns.put_memory(c, row, image, size)
    memcpy(columns.cells[c].data + pos, image, 32)
    columns.values.i32[end + 1] = <int>(pos + size)
    columns.valid[columns.room * c + row] = 1
    return 0

# The same where the column has room for 32 bytes more; else nothing is put, and False said.
cdef inline bint put_short(Columns columns, int c, Py_ssize_t row, const unsigned char *image, Py_ssize_t size) noexcept:
    cdef Py_ssize_t end = 2 * columns.room * c + row
    cdef Py_ssize_t pos = columns.values.i32[end]
    if size > 32 or pos + 32 > columns.cells[c].data_room:
        return False
    memcpy(columns.cells[c].data + pos, image, 32)
    columns.values.i32[end + 1] = <int>(pos + size)
    columns.valid[columns.room * c + row] = 1
    return True

# Values of up to 32 bytes of ASCII, as most are, are copied as 32 bytes where there is room: what is behind them is
# overwritten by the next value.
cdef inline int put_bytes(Columns columns, int c, Py_ssize_t row, ByteReader r, Py_ssize_t start, Py_ssize_t size, int field) except -1:
    cdef Py_ssize_t end = 2 * columns.room * c + row
    cdef Py_ssize_t pos = columns.values.i32[end]
    cdef const unsigned char *p = r.p + start
    if size > 32 or start + 32 > r.readable or pos + 32 > columns.cells[c].data_room:
        return columns.put_bytes(c, row, r, start, size, field)
    if columns.cells[c].storage == TEXT and not_ascii(p, size):
        return columns.put_bytes(c, row, r, start, size, field)
    memcpy(columns.cells[c].data + pos, p, 32)
    columns.values.i32[end + 1] = <int>(pos + size)
    columns.valid[columns.room * c + row] = 1
    return 0
