# The seven bits of each byte of a varint put together, without a step for each byte.
cdef extern from *:
    """
    #include <string.h>

    static CYTHON_INLINE unsigned long long tidewire_eight(const unsigned char *p) {
        unsigned long long word;
        memcpy(&word, p, 8);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
    #endif
        return word;
    }

    /* How many of the first eight bytes belong to a varint that ends in them; 0: it does not end there. */
    static CYTHON_INLINE int tidewire_varint_size(unsigned long long word) {
        const unsigned long long last = ~word & 0x8080808080808080ULL;
        return last ? (__builtin_ctzll(last) >> 3) + 1 : 0;
    }

    /* The bits of the first `size` bytes, 1 to 8. */
    static CYTHON_INLINE unsigned long long tidewire_varint_bits(unsigned long long word, int size) {
        word &= 0x7F7F7F7F7F7F7F7FULL >> (64 - 8 * size);
        word = (word & 0x007F007F007F007FULL) | ((word & 0x7F007F007F007F00ULL) >> 1);
        word = (word & 0x00003FFF00003FFFULL) | ((word & 0x3FFF00003FFF0000ULL) >> 2);
        return (word & 0x000000000FFFFFFFULL) | ((word & 0x0FFFFFFF00000000ULL) >> 4);
    }
    """
    unsigned long long eight_bytes "tidewire_eight"(const unsigned char *p) noexcept nogil
    int varint_size "tidewire_varint_size"(unsigned long long word) noexcept nogil
    unsigned long long varint_bits "tidewire_varint_bits"(unsigned long long word, int size) noexcept nogil
