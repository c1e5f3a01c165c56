# Scans text eight bytes at a time ("SIMD within a register"). The first byte is the lowest one, on big-endian machines
# too.
# All functions may read 8 bytes from any offset up to the message's end, so at least 16 NULs must follow it. `plain`
# may
# read 128 bytes: what follows the NULs is arbitrary, but must be the reader's own memory.
cdef extern from *:
    """
    #include <string.h>

    #if defined(__SSE2__) || defined(_M_X64)
    #include <emmintrin.h>
    #endif

    static CYTHON_INLINE unsigned long long tw_load8(const unsigned char *p) {
        unsigned long long w;
        memcpy(&w, p, 8);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        w = __builtin_bswap64(w);
    #endif
        return w;
    }

    /* The index of the lowest non-zero byte of m; m is not 0. */
    static CYTHON_INLINE int tw_first(unsigned long long m) {
    #if defined(__GNUC__) || defined(__clang__)
        return __builtin_ctzll(m) >> 3;
    #else
        int n = 0;
        while (!(m & 0xFF)) { m >>= 8; n++; }
        return n;
    #endif
    }

    /* The index of the highest non-zero byte of m; m is not 0. */
    static CYTHON_INLINE int tw_last(unsigned long long m) {
    #if defined(__GNUC__) || defined(__clang__)
        return 7 - (__builtin_clzll(m) >> 3);
    #else
        int n = 7;
        while (!(m >> 8 * n)) n--;
        return n;
    #endif
    }

    /* Classifies 64 bytes: quotes and control characters, backslashes, non-ASCII bytes; one bit for each byte, the
       first byte is the lowest bit. */
    typedef struct {
        unsigned long long stops, backslashes, high;
    } tw_block;

    static CYTHON_INLINE void tw_look(tw_block *block, const unsigned char *p) {
        unsigned long long stops = 0, backslashes = 0, above = 0;
        int k;
    #if defined(__SSE2__) || defined(_M_X64)
        const __m128i quote = _mm_set1_epi8(0x22), backslash = _mm_set1_epi8(0x5C), control = _mm_set1_epi8(0x1F);
    #pragma GCC unroll 4
        for (k = 0; k < 64; k += 16) {
            __m128i v = _mm_loadu_si128((const __m128i *)(p + k));
            __m128i m = _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(_mm_min_epu8(v, control), v));
            stops |= (unsigned long long)(unsigned int)_mm_movemask_epi8(m) << k;
            m = _mm_cmpeq_epi8(v, backslash);
            backslashes |= (unsigned long long)(unsigned int)_mm_movemask_epi8(m) << k;
            above |= (unsigned long long)(unsigned int)_mm_movemask_epi8(v) << k;
        }
    #else
        /* Of a byte w below 0x80, w + 0x60 reaches 0x80 when it is no control character, and (w ^ x) + 0x7F when it is
           not x: no carry leaves a byte, so all bits are right. The multiplication gathers the bits of eight bytes. */
        const unsigned long long ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;
        const unsigned long long gather = 0x0102040810204080ULL;
    #pragma GCC unroll 8
        for (k = 0; k < 64; k += 8) {
            unsigned long long w = tw_load8(p + k), low = w & ~tops;
            unsigned long long m = (low + ones * 0x60) & ((low ^ ones * 0x22) + ~tops);
            stops |= ((~(m | w) & tops) >> 7) * gather >> 56 << k;
            m = (low ^ ones * 0x5C) + ~tops;
            backslashes |= ((~(m | w) & tops) >> 7) * gather >> 56 << k;
            above |= ((w & tops) >> 7) * gather >> 56 << k;
        }
    #endif
        block->stops = stops;
        block->backslashes = backslashes;
        block->high = above;
    }

    /* The index of the lowest set bit of m; m is not 0. */
    static CYTHON_INLINE int tw_lowest(unsigned long long m) {
    #if defined(__GNUC__) || defined(__clang__)
        return __builtin_ctzll(m);
    #else
        int n = 0;
        while (!(m & 0xFF)) { m >>= 8; n += 8; }
        while (!(m & 1)) { m >>= 1; n++; }
        return n;
    #endif
    }

    /* Continues tw_plain in a long string. */
    static Py_ssize_t tw_plain_far(const unsigned char *p, Py_ssize_t i, unsigned long long *high) {
        for (;;) {
            tw_block block;
            unsigned long long m;
            tw_look(&block, p + i);
            m = block.stops | block.backslashes;
            if (m) {
                *high |= block.high & (m - 1) & ~m;
                return i + tw_lowest(m);
            }
            *high |= block.high;
            i += 64;
        }
    }

    /* The offset of the first quote, backslash or control character from i on; sets *high to non-zero if a byte
       before it is not ASCII. With SSE2, 32 bytes are tested at once, so that short strings cause no mispredicted
       branches by their length. */
    static CYTHON_INLINE Py_ssize_t tw_plain(const unsigned char *p, Py_ssize_t i, unsigned long long *high) {
    #if defined(__SSE2__) || defined(_M_X64)
        const __m128i quote = _mm_set1_epi8(0x22), backslash = _mm_set1_epi8(0x5C), control = _mm_set1_epi8(0x1F);
        const __m128i v = _mm_loadu_si128((const __m128i *)(p + i)), w = _mm_loadu_si128((const __m128i *)(p + i + 16));
        __m128i a = _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash));
        __m128i b = _mm_or_si128(_mm_cmpeq_epi8(w, quote), _mm_cmpeq_epi8(w, backslash));
        unsigned long long m, above;
        a = _mm_or_si128(a, _mm_cmpeq_epi8(_mm_min_epu8(v, control), v));
        b = _mm_or_si128(b, _mm_cmpeq_epi8(_mm_min_epu8(w, control), w));
        m = (unsigned int)_mm_movemask_epi8(a) | (unsigned long long)(unsigned int)_mm_movemask_epi8(b) << 16;
        above = (unsigned int)_mm_movemask_epi8(v) | (unsigned long long)(unsigned int)_mm_movemask_epi8(w) << 16;
        if (m) {
            *high |= above & (m - 1) & ~m;
            return i + tw_lowest(m);
        }
        *high |= above;
        return tw_plain_far(p, i + 32, high);
    #else
        /* In each of the three tests the lowest set bit is correct; those above it may be wrong. */
        const unsigned long long ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;
        Py_ssize_t far = i + 64;
        for (;;) {
            unsigned long long w = tw_load8(p + i);
            unsigned long long q = w ^ (ones * 0x22), b = w ^ (ones * 0x5C);
            unsigned long long m = (((q - ones) & ~q) | ((b - ones) & ~b) | ((w - ones * 0x20) & ~w)) & tops;
            if (m) {
                *high |= w & tops & (m - 1) & ~m;
                return i + tw_first(m);
            }
            *high |= w & tops;
            i += 8;
            if (i == far) return tw_plain_far(p, i, high);
        }
    #endif
    }

    /* Whether the n bytes at p equal those at image; w is the first 8 bytes of the image, as far as the mask has
       them. At least 8 bytes after the image must be readable. */
    static CYTHON_INLINE int tw_same(const unsigned char *p, const unsigned char *end, unsigned long long w,
                                     unsigned long long mask, const unsigned char *image, Py_ssize_t n) {
        if ((tw_load8(p) ^ w) & mask) return 0;
        if (n <= 8) return 1;
        if (n <= 16) return tw_load8(p + n - 8) == tw_load8(image + n - 8);
        return n <= end - p && memcmp(p + 8, image + 8, n - 8) == 0;
    }

    /* The number of leading digits in eight bytes. */
    static CYTHON_INLINE int tw_leading_digits(unsigned long long w) {
        unsigned long long d = w ^ 0x3030303030303030ULL;
        unsigned long long m = (d | (d + 0x0606060606060606ULL)) & 0xF0F0F0F0F0F0F0F0ULL;
        return m ? tw_first(m) : 8;
    }

    /* The value of the first n of eight bytes, 1 to 8 digits: combines pairs of digits, then pairs of pairs, and so
       on. */
    static CYTHON_INLINE unsigned int tw_number(unsigned long long w, int n) {
        w = (w ^ 0x3030303030303030ULL) << (64 - 8 * n);
        w = (w & 0x0F0F0F0F0F0F0F0FULL) * (10 * 256 + 1) >> 8;
        w = (w & 0x00FF00FF00FF00FFULL) * (100 * 65536 + 1) >> 16;
        return (unsigned int)((w & 0x0000FFFF0000FFFFULL) * (10000 * 4294967296ULL + 1) >> 32);
    }

    /* The eight digits of a number below 10^8 as bytes of values 0 to 9, the first digit in the lowest byte. */
    static CYTHON_INLINE unsigned long long tw_digits_of_eight(unsigned int number) {
        unsigned long long upper = number / 10000, lower = number % 10000;
        unsigned long long w = upper | lower << 32, tens;
        tens = (w * 10486 >> 20) & 0x0000007F0000007FULL;          /* divides each 32 bits by 100 */
        w = tens | (w - 100 * tens) << 16;
        tens = (w * 103 >> 10) & 0x000F000F000F000FULL;            /* divides each 16 bits by 10 */
        return tens | (w - 10 * tens) << 8;
    }

    static CYTHON_INLINE void tw_store8(unsigned char *p, unsigned long long w) {
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        w = __builtin_bswap64(w);
    #endif
        memcpy(p, &w, 8);
    }

    /* Writes eight digits of a number below 10^8 to p. */
    static CYTHON_INLINE void tw_eight_digits(unsigned char *p, unsigned int number) {
        tw_store8(p, tw_digits_of_eight(number) + 0x3030303030303030ULL);
    }

    /* Writes the digits of a number below 10^8 without leading zeros, at least one, to p, where there is room for
       eight bytes; returns their number. */
    static CYTHON_INLINE int tw_first_digits(unsigned char *p, unsigned int number) {
        unsigned long long w = tw_digits_of_eight(number);
        int zeros = tw_first(w | 1ULL << 56);
        tw_store8(p, (w + 0x3030303030303030ULL) >> 8 * zeros);
        return 8 - zeros;
    }

    /* Writes a number at `at`, where there is room for 20 bytes; returns the offset of its end. */
    static CYTHON_INLINE Py_ssize_t tw_put_unsigned(unsigned char *out, Py_ssize_t at, unsigned long long value) {
        unsigned long long upper;
        if (value < 100000000) return at + tw_first_digits(out + at, (unsigned int)value);
        upper = value / 100000000;
        if (upper < 100000000) {
            at += tw_first_digits(out + at, (unsigned int)upper);
        } else {
            at += tw_first_digits(out + at, (unsigned int)(upper / 100000000));
            tw_eight_digits(out + at, (unsigned int)(upper % 100000000));
            at += 8;
        }
        tw_eight_digits(out + at, (unsigned int)(value % 100000000));
        return at + 8;
    }

    /* Powers of ten, to append the digits of eight bytes to a number. */
    static const unsigned long long tw_shifts[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

    /* Parses the 64-bit integer at i, a sign and at most 19 digits; returns the offset after it, -1 if there is
       none. */
    static CYTHON_INLINE Py_ssize_t tw_small(const unsigned char *p, Py_ssize_t i, long long *value) {
        int negative = p[i] == '-', n;
        unsigned long long w = tw_load8(p + (i += negative)), v;
        n = tw_leading_digits(w);
        if (!n) return -1;
        v = tw_number(w, n);
        i += n;
        if (n == 8) {
            w = tw_load8(p + i);
            n = tw_leading_digits(w);
            if (n) {
                v = v * tw_shifts[n] + tw_number(w, n);
                i += n;
            }
            if (n == 8) {
                w = tw_load8(p + i);
                n = tw_leading_digits(w);
                if (n > 3) return -1;
                if (n) {
                    v = v * tw_shifts[n] + tw_number(w, n);
                    i += n;
                    if (v > 0x7FFFFFFFFFFFFFFFULL + negative) return -1;
                }
            }
        }
        *value = (long long)(negative ? 0 - v : v);
        return i;
    }

    /* The same for an integer in JSON: no leading zeros, no fraction and no exponent. */
    static CYTHON_INLINE Py_ssize_t tw_plain_whole(const unsigned char *p, Py_ssize_t i, long long *value) {
        Py_ssize_t end = tw_small(p, i, value), first = i + (p[i] == '-');
        if (end < 0 || (p[first] == '0' && end > first + 1) || p[end] == '.' || (p[end] | 0x20) == 'e') return -1;
        return end;
    }

    /* Appends the digits at i to *value; returns the offset after them. Bits beyond 64 are lost. */
    static CYTHON_INLINE Py_ssize_t tw_more_digits(const unsigned char *p, Py_ssize_t i, unsigned long long *value) {
        unsigned long long v = *value;
        for (;;) {
            unsigned long long w = tw_load8(p + i);
            int n = tw_leading_digits(w);
            if (n) v = v * tw_shifts[n] + tw_number(w, n);
            i += n;
            if (n < 8) break;
        }
        *value = v;
        return i;
    }

    /* A mask of the first n bytes, at most 8. */
    static CYTHON_INLINE unsigned long long tw_mask(Py_ssize_t n) {
        return n >= 8 ? ~0ULL : (1ULL << (8 * n)) - 1;
    }

    /* The offset after the JSON integer at i, if it has at most 18 digits or fits 64 bits; else -1. */
    static CYTHON_INLINE Py_ssize_t tw_whole(const unsigned char *p, Py_ssize_t i, int sign, unsigned long long *value) {
        int negative = sign && p[i] == '-';
        unsigned long long v = 0, most = negative ? 1ULL << 63 : sign ? (1ULL << 63) - 1 : ~0ULL;
        Py_ssize_t first = i += negative;
        unsigned int d;
        while ((d = (unsigned int)p[i] - '0') <= 9) {
            if (i - first >= 18 && (v > most / 10 || v * 10 > most - d)) return -1;
            v = v * 10 + d;
            i++;
        }
        if (i == first || (p[first] == '0' && i - first > 1)) return -1;
        *value = negative ? 0 - v : v;
        return i;
    }

    /* Behind the number at i, as JSON writes it, if no float of 64 bits is too small for it: with 300 digits at most and
       two of an exponent; else -1. *value is its digits, *power the power of ten, both right when there are 19 digits at
       most, which *digits says; zeros before all others are not counted where there are more. */
    static CYTHON_INLINE Py_ssize_t tw_decimal(const unsigned char *p, Py_ssize_t i, unsigned long long *value, int *power,
                                               int *digits) {
        unsigned long long v = 0;
        Py_ssize_t start = i += p[i] == '-', first;
        unsigned int d;
        int e = 0, down;
        *power = 0;
        i = tw_more_digits(p, i, &v);
        if (i == start || i - start > 300 || (p[start] == '0' && i - start > 1)) return -1;
        *digits = (int)(i - start);
        if (p[i] == '.') {
            first = ++i;
            i = tw_more_digits(p, i, &v);
            if (i == first || i - first > 300) return -1;
            *digits += (int)(i - first);
            *power = (int)(first - i);
        }
        if (*digits > 19)
            while (*digits > 1 && (p[start] == '0' || p[start] == '.')) *digits -= p[start++] == '0';
        if ((p[i] | 0x20) == 'e') {
            i++;
            down = p[i] == '-';
            i += down || p[i] == '+';
            first = i;
            while ((d = (unsigned int)p[i] - '0') <= 9 && i - first < 3) {
                e = e * 10 + (int)d;
                i++;
            }
            if (i == first || i - first > 2) return -1;
            *power += down ? -e : e;
        }
        *value = v;
        return i;
    }

    /* Whether the n bytes at image, none of which is 0, are at p. A NUL must be at p or after it; 16 bytes or more
       must be readable from there, and after the image. */
    static CYTHON_INLINE int tw_begins_with(const unsigned char *p, const unsigned char *image, Py_ssize_t n) {
        unsigned long long a = 0;
        Py_ssize_t k = 0;
        while (n - k > 16) {
            if ((tw_load8(p + k) ^ tw_load8(image + k)) | (tw_load8(p + k + 8) ^ tw_load8(image + k + 8))) return 0;
            k += 16;
        }
        a = tw_load8(p + k) ^ tw_load8(image + k);
        if (n - k <= 8) return n > 0 && !(a & (n - k == 8 ? ~0ULL : (1ULL << (8 * (n - k))) - 1));
        k += 8;
        a |= (tw_load8(p + k) ^ tw_load8(image + k)) & (n - k == 8 ? ~0ULL : (1ULL << (8 * (n - k))) - 1);
        return !a;
    }

    /* The text before a value of a row, a comma or brace and the column's name: its first 16 bytes, and the position
       of the rest. */
    typedef struct {
        unsigned long long first, first_mask, second, second_mask;
        Py_ssize_t size, rest;
    } tw_beginning;

    /* Sets it to a byte, followed by n bytes of a pool from `spelling` on; 16 bytes more must be readable there. */
    static CYTHON_INLINE void tw_set_beginning(tw_beginning *one, unsigned char before, const unsigned char *pool,
                                               Py_ssize_t spelling, Py_ssize_t n) {
        one->size = n + 1;
        one->first_mask = tw_mask(n + 1);
        one->second_mask = n > 7 ? tw_mask(n - 7) : 0;
        one->first = (tw_load8(pool + spelling) << 8 | before) & one->first_mask;
        one->second = tw_load8(pool + spelling + 7) & one->second_mask;
        one->rest = spelling + 15;
    }

    /* Whether it is at p; requirements as in tw_begins_with. */
    static CYTHON_INLINE int tw_is_begun(const unsigned char *p, const tw_beginning *one, const unsigned char *pool) {
        if (((tw_load8(p) ^ one->first) & one->first_mask) | ((tw_load8(p + 8) ^ one->second) & one->second_mask)) return 0;
        return one->size <= 16 || tw_begins_with(p + 16, pool + one->rest, one->size - 16);
    }

    /* Whether null is at p. */
    static CYTHON_INLINE int tw_is_null(const unsigned char *p) {
        return ((tw_load8(p) ^ 0x6C6C756EULL) & 0xFFFFFFFFULL) == 0;
    }

    /* Whether n bytes are equal; 8 bytes or more must be readable in both. */
    static CYTHON_INLINE int tw_equal(const unsigned char *a, const unsigned char *b, Py_ssize_t n) {
        return n <= 8 ? !((tw_load8(a) ^ tw_load8(b)) & tw_mask(n)) : memcmp(a, b, n) == 0;
    }

    /* A hash of n bytes; with a secret seed, attackers cannot choose collisions. */
    static CYTHON_INLINE unsigned long long tw_hash(unsigned long long seed, const unsigned char *p, Py_ssize_t n) {
        const unsigned long long mix = 0xFF51AFD7ED558CCDULL;
        unsigned long long h = seed ^ (unsigned long long)n;
        while (n > 8) {
            h = (h ^ tw_load8(p)) * mix;
            h ^= h >> 32;
            p += 8;
            n -= 8;
        }
        h = (h ^ (tw_load8(p) & tw_mask(n))) * mix;
        return h ^ (h >> 32);
    }
    """
    ctypedef struct Beginning "tw_beginning":
        Py_ssize_t size
    unsigned long long load8 "tw_load8"(const unsigned char *p) nogil
    int first "tw_first"(unsigned long long m) nogil
    Py_ssize_t plain "tw_plain"(const unsigned char *p, Py_ssize_t i, unsigned long long *high) nogil
    bint same "tw_same"(const unsigned char *p, const unsigned char *end, unsigned long long w, unsigned long long mask, const unsigned char *image, Py_ssize_t n) nogil
    unsigned long long mask_of "tw_mask"(Py_ssize_t n) nogil
    unsigned long long hash_of "tw_hash"(unsigned long long seed, const unsigned char *p, Py_ssize_t n) nogil
    bint equal "tw_equal"(const unsigned char *a, const unsigned char *b, Py_ssize_t n) nogil
    Py_ssize_t small "tw_small"(const unsigned char *p, Py_ssize_t i, long long *value) nogil
    Py_ssize_t plain_whole "tw_plain_whole"(const unsigned char *p, Py_ssize_t i, long long *value) nogil
    void set_beginning "tw_set_beginning"(Beginning *one, unsigned char before, const unsigned char *pool, Py_ssize_t spelling, Py_ssize_t n) noexcept nogil
    bint is_begun "tw_is_begun"(const unsigned char *p, const Beginning *one, const unsigned char *pool) nogil
    bint is_null "tw_is_null"(const unsigned char *p) nogil
    bint begins "tw_begins_with"(const unsigned char *p, const unsigned char *image, Py_ssize_t n) nogil
    Py_ssize_t whole "tw_whole"(const unsigned char *p, Py_ssize_t i, int sign, unsigned long long *value) nogil
    Py_ssize_t decimal "tw_decimal"(const unsigned char *p, Py_ssize_t i, unsigned long long *value, int *power, int *digits) nogil
    Py_ssize_t write_unsigned "tw_put_unsigned"(unsigned char *out, Py_ssize_t at, unsigned long long value) noexcept nogil
