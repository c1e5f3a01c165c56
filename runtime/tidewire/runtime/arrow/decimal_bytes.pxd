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

# Of bytes from '-' to '9': how many are points, and in the upper half how many are signs or slashes. Those that are no
# digits lack the bit 0x10, and of those the point alone lacks the bit 0x01. A product sums eight bytes of 0 or 1.
cdef inline unsigned long long count_signs(const unsigned char* p, Py_ssize_t size) noexcept nogil:
    cdef unsigned long long word, others, points = 0, signs = 0
    cdef Py_ssize_t i = 0
    while i + 8 <= size:
        memcpy(&word, p + i, 8)
        others = (~word >> 4) & 0x0101010101010101ULL
        points += ((others & ~word) * 0x0101010101010101ULL) >> 56
        signs += ((others & word) * 0x0101010101010101ULL) >> 56
        i += 8
    while i < size:
        if p[i] == 0x2E:
            points += 1
        elif p[i] < 0x30:
            signs += 1
        i += 1
    return points + (signs << 32)
