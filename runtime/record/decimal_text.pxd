# Decimals of 64 bits as text, eight digits at a time. Compiled modules alone have it.
from libc.string cimport memcpy, memset

from tidewire.runtime.json.swar cimport load8

cdef extern from *:
    """
    /* Eight digits of a number below 10^8, in the order in which they are read, written to p. */
    static CYTHON_INLINE void tidewire_eight_digits(unsigned char *p, unsigned int number) {
        unsigned long long upper = number / 10000, lower = number % 10000;
        unsigned long long w = upper | lower << 32, tens;
        tens = (w * 10486 >> 20) & 0x0000007F0000007FULL;          /* each 32 bits by 100 */
        w = tens | (w - 100 * tens) << 16;
        tens = (w * 103 >> 10) & 0x000F000F000F000FULL;            /* each 16 bits by 10 */
        w = (tens | (w - 10 * tens) << 8) + 0x3030303030303030ULL;
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        w = __builtin_bswap64(w);
    #endif
        memcpy(p, &w, 8);
    }

    /* The first `size` of eight bytes, 1 to 8, as a number in two's complement; word has the first byte as its lowest one. */
    static CYTHON_INLINE long long tidewire_signed(unsigned long long word, int size) {
    #if defined(__GNUC__) || defined(__clang__)
        word = __builtin_bswap64(word);
    #else
        word = (word & 0x00FF00FF00FF00FFULL) << 8 | ((word >> 8) & 0x00FF00FF00FF00FFULL);
        word = (word & 0x0000FFFF0000FFFFULL) << 16 | ((word >> 16) & 0x0000FFFF0000FFFFULL);
        word = word << 32 | word >> 32;
    #endif
        return (long long)word >> (64 - 8 * size);
    }
    """
    void eight_digits "tidewire_eight_digits"(unsigned char *p, unsigned int number) noexcept nogil
    long long signed_of "tidewire_signed"(unsigned long long word, int size) noexcept nogil

cdef enum:
    SMALL_ROOM = 64  # bytes that a small decimal is written over, though it takes up 21 at most
    SMALL_SCALE = 18  # digits behind the point that a small decimal has at most

# A number of `size` bytes, 1 to 8, at p, of which eight can be read, as a text with so many of its digits behind the point, 0
# to 18; over SMALL_ROOM bytes at out. Returns how many bytes it takes up.
cdef inline int small_decimal_text(unsigned char *out, const unsigned char *p, int size, int scale) noexcept nogil:
    cdef unsigned char digits[48]
    cdef unsigned long long number, upper
    cdef long long value = signed_of(load8(p), size)
    cdef int negative = value < 0
    cdef int at = 24  # of the first digit
    cdef int whole
    number = 0 - <unsigned long long>value if negative else <unsigned long long>value
    memset(digits, 48, sizeof(digits))
    while number >= 100000000:
        upper = number // 100000000
        at -= 8
        eight_digits(digits + at, <unsigned int>(number - 100000000 * upper))
        number = upper
    eight_digits(digits + at - 8, <unsigned int>number)
    at -= 8
    while digits[at] == 48 and at < 23:
        at += 1
    if at > 23 - scale:  # a digit before the point at least
        at = 23 - scale
    out[0] = 45
    out += negative
    whole = 24 - scale - at
    memcpy(out, digits + at, 24)
    if scale:
        out[whole] = 46
        memcpy(out + whole + 1, digits + 24 - scale, 24)
        whole += 1 + scale
    return whole + negative
