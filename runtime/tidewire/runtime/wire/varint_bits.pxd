# Decodes varints without a loop over their bytes: the seven bits of all bytes are gathered at once.
from tidewire.runtime.wire.swar cimport first, load8

cdef extern from *:
    """
    /* The highest bits of those of eight bytes that end a varint. */
    static CYTHON_INLINE unsigned long long tidewire_varint_ends(unsigned long long word) {
        return ~word & 0x8080808080808080ULL;
    }

    /* The lower seven bits of each of eight bytes, concatenated. */
    static CYTHON_INLINE unsigned long long tidewire_varint_bits(unsigned long long word) {
        word &= 0x7F7F7F7F7F7F7F7FULL;
        word = (word & 0x007F007F007F007FULL) | ((word & 0x7F007F007F007F00ULL) >> 1);
        word = (word & 0x00003FFF00003FFFULL) | ((word & 0x3FFF00003FFF0000ULL) >> 2);
        return (word & 0x000000000FFFFFFFULL) | ((word & 0x0FFFFFFF00000000ULL) >> 4);
    }

    /* The same up to the first byte that ends the number, marked by a bit in `ends`. */
    static CYTHON_INLINE unsigned long long tidewire_ended_bits(unsigned long long word, unsigned long long ends) {
        return tidewire_varint_bits(word & (ends ^ (ends - 1)));
    }

    /* The same by a bit gather instruction (BMI2). AMD processors before Zen 3 have it, but execute it slower than
       all of the steps above. */
    #if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    static CYTHON_INLINE unsigned long long tidewire_gathered_bits(unsigned long long word) {
        unsigned long long bits;
        __asm__("pextq %2, %1, %0" : "=r"(bits) : "r"(word), "r"(0x7F7F7F7F7F7F7F7FULL));
        return bits;
    }

    static CYTHON_INLINE int tidewire_gathers_bits(void) {
        return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("amdfam15h") && !__builtin_cpu_is("znver1")
            && !__builtin_cpu_is("znver2");
    }
    #else
    #define tidewire_gathered_bits tidewire_varint_bits
    #define tidewire_gathers_bits() 0
    #endif

    /* The signed number that a zigzag number encodes. */
    static CYTHON_INLINE long long tidewire_unzigzag(unsigned long long word) {
        return (long long)((word >> 1) ^ (0 - (word & 1)));
    }
    """
    unsigned long long varint_ends "tidewire_varint_ends"(unsigned long long word) noexcept nogil
    unsigned long long varint_bits "tidewire_varint_bits"(unsigned long long word) noexcept nogil
    unsigned long long ended_bits "tidewire_ended_bits"(unsigned long long word, unsigned long long ends) noexcept nogil
    unsigned long long gathered_bits "tidewire_gathered_bits"(unsigned long long word) noexcept nogil
    # Whether this processor has the instruction of `gathered_bits`, and executes it fast.
    bint gathers_bits "tidewire_gathers_bits"() noexcept nogil
    long long unzigzag "tidewire_unzigzag"(unsigned long long word) noexcept nogil

# Decodes the zigzag varint at pos, which has two to nine bytes, into *value; returns the offset after it. Callers
# decode
# single bytes themselves, where a call would cost more. Returns 0 if `NumberReader.uvarint` must decode the number: it
# is
# truncated, has ten bytes or more, or is at the end of the buffer.
cdef inline Py_ssize_t varint(const unsigned char *p, Py_ssize_t pos, Py_ssize_t end, Py_ssize_t readable, long long *value) noexcept nogil:
    cdef unsigned long long word, ends
    cdef int size
    if pos + 9 > readable:
        return 0
    word = load8(p + pos)
    ends = varint_ends(word)
    if ends:
        size = first(ends) + 1
        if size > end - pos:
            return 0
        value[0] = unzigzag(ended_bits(word, ends))
        return pos + size
    if pos + 9 > end or p[pos + 8] >= 0x80:
        return 0
    value[0] = unzigzag(varint_bits(word) | <unsigned long long>p[pos + 8] << 56)
    return pos + 9
