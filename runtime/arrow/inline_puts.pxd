# How compiled code puts values into columns where a call for each of them would cost as much as the rest. Interpreted
# code has column_puts.py instead.
from libc.string cimport memcpy

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.arrow.storage_numbers cimport TEXT
from tidewire.runtime.wire.byte_reader cimport ByteReader

cdef extern from *:
    """
    /* The highest bits of the first n bytes of eight in memory, 1 to 8. */
    static CYTHON_INLINE unsigned long long tidewire_tops(int n) {
        const unsigned long long all = 0x8080808080808080ULL;
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        return all << (64 - 8 * n);
    #else
        return all >> (64 - 8 * n);
    #endif
    }
    """
    unsigned long long tops "tidewire_tops"(int n) noexcept nogil

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

# Values of up to 32 bytes of ASCII, as most are, are copied as 32 bytes where there is room: what is behind them is
# overwritten by the next value.
cdef inline int put_bytes(Columns columns, int c, Py_ssize_t row, ByteReader r, Py_ssize_t start, Py_ssize_t size, int field) except -1:
    cdef Py_ssize_t end = 2 * columns.room * c + row
    cdef Py_ssize_t pos = columns.values.i32[end]
    cdef const unsigned char *p = r.p + start
    cdef unsigned long long eight = 0
    cdef unsigned long long high = 0
    cdef Py_ssize_t k = 0
    if size > 32 or start + 32 > r.readable or pos + 32 > columns.cells[c].data_room:
        return columns.put_bytes(c, row, r, start, size, field)
    if columns.cells[c].storage == TEXT:
        while k + 8 <= size:
            memcpy(&eight, p + k, 8)
            high |= eight & tops(8)
            k += 8
        if k < size:
            memcpy(&eight, p + k, 8)
            high |= eight & tops(<int>(size - k))
        if high:
            return columns.put_bytes(c, row, r, start, size, field)
    memcpy(columns.cells[c].data + pos, p, 32)
    columns.values.i32[end + 1] = <int>(pos + size)
    columns.valid[columns.room * c + row] = 1
    return 0
