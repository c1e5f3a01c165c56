# Inlined versions of cursor methods, where calls would cost as much as the work. Compiled modules only.
from libc.string cimport memcpy

from tidewire.runtime.wire.swar cimport load8
from tidewire.runtime.wire.byte_reader cimport ByteReader

# Reads a float64 at p, little-endian; eight bytes are available.
cdef inline double float64_at(const unsigned char *p) noexcept nogil:
    cdef unsigned long long bits = load8(p)
    cdef double value = 0.0
    memcpy(&value, &bits, 8)
    return value

# Reads a float32 at p, little-endian; four bytes are available.
cdef inline double float32_at(const unsigned char *p) noexcept nogil:
    cdef unsigned int bits = p[0] | p[1] << 8 | p[2] << 16 | <unsigned int>p[3] << 24
    cdef float value = 0.0
    memcpy(&value, &bits, 4)
    return value

# `ByteReader.load` for the common case; it calls that for lists, 64-bit offsets, and malformed offsets.
cdef inline int load(ByteReader r, Py_ssize_t message) except -1:
    cdef Py_ssize_t start, stop
    if r.held is not None or r.wide or message < 0 or message >= r.messages:
        return r.load(message)
    start = r.i32[message]
    stop = r.i32[message + 1]
    if start < 0 or start > stop or stop > r.size:
        return r.load(message)
    r.p = r.base + start
    r.pos = 0
    r.end = stop - start
    r.readable = r.size - start
    return 0

# `RecordCursor.numbered`: the number of the record's schema, -1 if there is none.
cdef inline long long numbered(ByteReader r) noexcept:
    cdef const unsigned char *p = r.p + r.pos
    if r.end - r.pos < 5 or p[0] != 0:
        return -1
    return <long long>p[1] << 24 | p[2] << 16 | p[3] << 8 | p[4]
