# Decimals of up to 128 bits as text, eight digits at a time. Compiled modules only.
from libc.string cimport memcpy, memset

from tidewire.runtime.wire.swar cimport first, load8

cdef extern from *:
    """
    /* The sixteen digits of a number below 10^16. */
    static CYTHON_INLINE void tidewire_sixteen_digits(unsigned char *p, unsigned long long number) {
        unsigned long long upper = number / 100000000;
        tw_eight_digits(p, (unsigned int)upper);
        tw_eight_digits(p + 8, (unsigned int)(number - 100000000 * upper));
    }

    /* Eight bytes, the first one lowest in `word`, as a big-endian number. */
    static CYTHON_INLINE unsigned long long tidewire_turned(unsigned long long word) {
    #if defined(__GNUC__) || defined(__clang__)
        return __builtin_bswap64(word);
    #else
        word = (word & 0x00FF00FF00FF00FFULL) << 8 | ((word >> 8) & 0x00FF00FF00FF00FFULL);
        word = (word & 0x0000FFFF0000FFFFULL) << 16 | ((word >> 16) & 0x0000FFFF0000FFFFULL);
        return word << 32 | word >> 32;
    #endif
    }

    /* Thirty-two digits of a 64-bit number. */
    static CYTHON_INLINE void tidewire_many_digits(unsigned char *p, unsigned long long number) {
        const unsigned long long part = 10000000000000000ULL;
        unsigned long long upper = number / part;
        memset(p, '0', 16);
        if (upper) tidewire_sixteen_digits(p, upper);
        tidewire_sixteen_digits(p + 16, number - part * upper);
    }

    /* Forty digits of a number, given as two halves. */
    static CYTHON_INLINE void tidewire_forty_digits(unsigned char *p, unsigned long long upper, unsigned long long lower) {
    #if defined(__SIZEOF_INT128__)
        const unsigned long long part = 10000000000000000ULL;
        unsigned __int128 number = (unsigned __int128)upper << 64 | lower, rest = number / part;
        unsigned long long last = (unsigned long long)(number - rest * part);
        memset(p, '0', 8);
        if (rest >= part) {
            unsigned long long first = (unsigned long long)(rest / part);
            tw_eight_digits(p, (unsigned int)first);
            rest -= (unsigned __int128)first * part;
        }
        tidewire_sixteen_digits(p + 8, (unsigned long long)rest);
        tidewire_sixteen_digits(p + 24, last);
    #else
        int k;
        for (k = 39; k >= 0; k--) {  /* 2^64 is 10 * 1844674407370955161 + 6 */
            unsigned long long digit = 6 * (upper % 10) + lower % 10;
            lower = lower / 10 + upper % 10 * 1844674407370955161ULL + digit / 10;
            upper /= 10;
            p[k] = (unsigned char)(48 + digit % 10);
        }
    #endif
    }
    """
    void many_digits "tidewire_many_digits"(unsigned char *p, unsigned long long number) noexcept nogil
    void forty_digits "tidewire_forty_digits"(unsigned char *p, unsigned long long upper, unsigned long long lower) noexcept nogil
    unsigned long long turned "tidewire_turned"(unsigned long long word) noexcept nogil

cdef enum:
    SHORT_SIZE = 16  # maximum bytes of a number for `short_decimal_text`
    SHORT_SCALE = 38  # maximum digits after the decimal point
    SHORT_ROOM = 96  # bytes that it overwrites, although the text has at most 42

# Writes the number in `size` bytes at p, 1 to SHORT_SIZE, as text with `scale` digits after the decimal point, 0 to
# SHORT_SCALE; overwrites SHORT_ROOM bytes at out. Eight bytes at p must be readable. Returns the size of the text.
cdef inline int short_decimal_text(unsigned char *out, const unsigned char *p, int size, int scale) noexcept nogil:
    cdef unsigned char digits[80]  # forty digits, and as many bytes behind them
    cdef unsigned long long word
    cdef unsigned long long zeros = 0x3030303030303030
    cdef unsigned long long upper = 0
    cdef unsigned long long lower = turned(load8(p if size <= 8 else p + size - 8))
    cdef bint negative = p[0] > 127
    cdef int at = 0  # offset of the first digit
    cdef int whole
    if size <= 8:
        lower = <unsigned long long>(<long long>lower >> (64 - 8 * size))
    else:
        upper = <unsigned long long>(<long long>turned(load8(p)) >> (128 - 8 * size))
    if negative:
        lower = 0 - lower
        upper = 0 if size <= 8 else ~upper + (lower == 0)
    memset(digits + 40, 48, 40)
    if upper:
        forty_digits(digits, upper, lower)
    else:
        memset(digits, 48, 8)
        many_digits(digits + 8, lower)
    while at < 32:
        word = load8(digits + at) ^ zeros
        if word:
            at += first(word)
            break
        at += 8
    if at == 32:
        word = load8(digits + 32) ^ zeros
        at = 32 + (first(word) if word else 7)
    if at > 39 - scale:  # at least one digit before the point
        at = 39 - scale
    out[0] = 45
    out += negative
    whole = 40 - scale - at
    memcpy(out, digits + at, 40)
    if scale:
        out[whole] = 46
        memcpy(out + whole + 1, digits + 40 - scale, 40)
        whole += 1 + scale
    return whole + negative
