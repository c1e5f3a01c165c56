# The seven bits of each byte of a varint put together, without a step for each byte.
from tidewire.runtime.json.swar cimport first

cdef extern from *:
    """
    /* The highest bits of those of eight bytes that end a varint. */
    static CYTHON_INLINE unsigned long long tidewire_varint_ends(unsigned long long word) {
        return ~word & 0x8080808080808080ULL;
    }

    /* The bits of the first `size` bytes, 1 to 8. */
    static CYTHON_INLINE unsigned long long tidewire_varint_bits(unsigned long long word, int size) {
        word &= 0x7F7F7F7F7F7F7F7FULL >> (64 - 8 * size);
        word = (word & 0x007F007F007F007FULL) | ((word & 0x7F007F007F007F00ULL) >> 1);
        word = (word & 0x00003FFF00003FFFULL) | ((word & 0x3FFF00003FFF0000ULL) >> 2);
        return (word & 0x000000000FFFFFFFULL) | ((word & 0x0FFFFFFF00000000ULL) >> 4);
    }
    """
    unsigned long long varint_ends "tidewire_varint_ends"(unsigned long long word) noexcept nogil
    unsigned long long varint_bits "tidewire_varint_bits"(unsigned long long word, int size) noexcept nogil

# How many of the first eight bytes belong to a varint that ends in them; 0: it does not end there.
cdef inline int varint_size(unsigned long long word) noexcept nogil:
    cdef unsigned long long ends = varint_ends(word)
    return first(ends) + 1 if ends else 0
