cdef extern from *:
    """
    #include <string.h>

    /* Eight bytes that are 0 or 1 as bits, that of the first byte the lowest: a multiplication gathers them. */
    static CYTHON_INLINE unsigned char tidewire_packed(const unsigned char *p) {
        unsigned long long w;
        memcpy(&w, p, 8);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        w = __builtin_bswap64(w);
    #endif
        return (unsigned char)((w * 0x0102040810204080ULL) >> 56);
    }
    """
    unsigned char packed_bits "tidewire_packed"(const unsigned char *p) noexcept

cdef unsigned long long ONES

cdef Py_ssize_t count_nulls(const unsigned char *valid, Py_ssize_t rows) noexcept
cdef bytearray bitmap_of(const unsigned char *valid, Py_ssize_t rows)
