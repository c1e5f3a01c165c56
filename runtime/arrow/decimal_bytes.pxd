from libc.string cimport memcpy

# Whether all of these bytes are from '-' to '9': no sign +, no exponent, no space. Eight at a time.
cdef inline bint are_plain(const unsigned char* p, Py_ssize_t size) noexcept nogil:
    cdef unsigned long long word, bad = 0
    cdef Py_ssize_t i = 0
    while i + 8 <= size:
        memcpy(&word, p + i, 8)
        bad |= word | (word + 0x4646464646464646ULL) | ~((word | 0x8080808080808080ULL) - 0x2D2D2D2D2D2D2D2DULL)
        i += 8
    while i < size:
        if p[i] < 0x2D or p[i] > 0x39:
            return False
        i += 1
    return not bad & 0x8080808080808080ULL
