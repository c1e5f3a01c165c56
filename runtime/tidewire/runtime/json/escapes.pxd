# Unescapes strings, 64 bytes at a time: the special bytes of a block are found first, so that moving from one escape to
# the next does not wait for any byte to be examined.
from tidewire.runtime.wire.swar cimport plain

cdef extern from *:
    """
    /* The character of each one-letter escape, by the letter after the backslash; 0 for other letters, and for u. */
    static const unsigned char tw_short[256] = {
        ['"'] = '"', ['\\\\'] = '\\\\', ['/'] = '/', ['b'] = 8, ['f'] = 12, ['n'] = 10, ['r'] = 13, ['t'] = 9
    };

    /* 16 plus the value of a hexadecimal digit; 0 for other bytes. */
    static const unsigned char tw_digit[256] = {
        ['0'] = 16, ['1'] = 17, ['2'] = 18, ['3'] = 19, ['4'] = 20, ['5'] = 21, ['6'] = 22, ['7'] = 23, ['8'] = 24,
        ['9'] = 25, ['A'] = 26, ['B'] = 27, ['C'] = 28, ['D'] = 29, ['E'] = 30, ['F'] = 31, ['a'] = 26, ['b'] = 27,
        ['c'] = 28, ['d'] = 29, ['e'] = 30, ['f'] = 31
    };

    /* The value of four hexadecimal digits; -1 if any is not a digit. */
    static CYTHON_INLINE int tw_hex4(const unsigned char *p) {
        int a = tw_digit[p[0]], b = tw_digit[p[1]], c = tw_digit[p[2]], d = tw_digit[p[3]];
        if (!(a & b & c & d & 16)) return -1;
        return (a & 15) << 12 | (b & 15) << 8 | (c & 15) << 4 | (d & 15);
    }

    /* The code point of the valid \\uxxxx at p, or of the surrogate pair that starts there. A lone surrogate is its
       own code point. */
    static CYTHON_INLINE int tw_point(const unsigned char *p) {
        int low, u = tw_hex4(p + 2);
        if (u >= 0xD800 && u < 0xDC00 && p[6] == '\\\\' && p[7] == 'u') {
            low = tw_hex4(p + 8);
            if (low >= 0xDC00 && low < 0xE000) return 0x10000 + ((u - 0xD800) << 10) + (low - 0xDC00);
        }
        return u;
    }

    static CYTHON_INLINE int tw_short_of(unsigned char c) {
        return tw_short[c];
    }

    /* Writes a code point in UTF-8, also a lone surrogate; returns the position after it. */
    static CYTHON_INLINE unsigned char *tw_put(unsigned char *out, int u) {
        if (u < 0x80) {
            *out++ = (unsigned char)u;
        } else if (u < 0x800) {
            *out++ = (unsigned char)(0xC0 | u >> 6);
            *out++ = (unsigned char)(0x80 | (u & 63));
        } else if (u < 0x10000) {
            *out++ = (unsigned char)(0xE0 | u >> 12);
            *out++ = (unsigned char)(0x80 | (u >> 6 & 63));
            *out++ = (unsigned char)(0x80 | (u & 63));
        } else {
            *out++ = (unsigned char)(0xF0 | u >> 18);
            *out++ = (unsigned char)(0x80 | (u >> 12 & 63));
            *out++ = (unsigned char)(0x80 | (u >> 6 & 63));
            *out++ = (unsigned char)(0x80 | (u & 63));
        }
        return out;
    }

    /* Copies the n bytes at p, at most 64, and possibly bytes after them, at most 64 in total. */
    static CYTHON_INLINE void tw_move(unsigned char *out, const unsigned char *p, int n) {
        memcpy(out, p, 32);
        if (n > 32) memcpy(out + 32, p + 32, 32);
    }

    /* The backslashes that begin an escape: in a run the first, the third and so on. Adding its first bit to a run that
       starts at an even position makes the carry come out after the run's end, so runs are distinguished by the parity of
       their start. The first byte must not be escaped. */
    static CYTHON_INLINE unsigned long long tw_begins(unsigned long long backslashes) {
        const unsigned long long odd = 0xAAAAAAAAAAAAAAAAULL;
        return ((((backslashes << 1) | odd) - backslashes) ^ odd) & backslashes;
    }

    /* Scans a string from i to its closing quote; returns the quote's offset, or ~k if the byte at k is wrong: a
       control character, or an invalid escape. Sets *high to non-zero if a byte before the quote is not ASCII.

       out: receives the unescaped content, or NULL; up to 64 bytes after it are overwritten. 128 bytes are read from
            each offset.
       size: the number of bytes written.
       lone: the offset of the first lone surrogate; unchanged if there is none. */
    #if defined(__GNUC__) || defined(__clang__)
    __attribute__((always_inline))
    #endif
    static CYTHON_INLINE Py_ssize_t tw_string(const unsigned char *p, Py_ssize_t i, unsigned long long *high,
                                              unsigned char *out, Py_ssize_t *size, Py_ssize_t *lone) {
        unsigned char *first = out;
        for (;;) {
            const unsigned char *s = p + i;
            tw_block block;
            unsigned long long m;
            int done = 0, k, c, u, n;
            tw_look(&block, s);
            m = tw_begins(block.backslashes);
            m |= block.stops & ~(m << 1);
            while (m) {
                k = tw_lowest(m);
                if (first) {
                    tw_move(out, s + done, k - done);
                    out += k - done;
                }
                if (s[k] != '\\\\') {
                    *high |= block.high & (m - 1) & ~m;
                    if (first) {
                        *out = 0;
                        *size = out - first;
                    }
                    return s[k] == '"' ? i + k : ~(i + k);
                }
                c = tw_short[s[k + 1]];
                done = k + 2;
                if (c) {
                    if (first) *out++ = (unsigned char)c;
                } else {
                    if (s[k + 1] != 'u') return ~(i + k + 1);
                    if (tw_hex4(s + k + 2) < 0) {
                        for (n = k + 2; tw_digit[s[n]]; n++) {}
                        return ~(i + n);
                    }
                    done = k + 6;
                    if (first) {
                        u = tw_point(s + k);
                        out = tw_put(out, u);
                        if (u >= 0x10000) {
                            done = k + 12;
                            if (k < 58) m &= m - 1;  /* the second half of the pair */
                        }
                        if (u >= 0xD800 && u < 0xE000 && *lone < 0) *lone = i + k;
                    }
                }
                m &= m - 1;
            }
            *high |= block.high;
            if (done < 64) {
                if (first) {
                    tw_move(out, s + done, 64 - done);
                    out += 64 - done;
                }
                done = 64;
            }
            i += done;
        }
    }

    static CYTHON_UNUSED Py_ssize_t tw_pass(const unsigned char *p, Py_ssize_t i, unsigned long long *high) {
        return tw_string(p, i, high, NULL, NULL, NULL);
    }

    static CYTHON_UNUSED Py_ssize_t tw_unescape(const unsigned char *p, Py_ssize_t i, unsigned long long *high, unsigned char *out,
                                  Py_ssize_t *size, Py_ssize_t *lone) {
        return tw_string(p, i, high, out, size, lone);
    }
    """
    int point "tw_point"(const unsigned char *p) nogil
    int short "tw_short_of"(unsigned char c) nogil
    Py_ssize_t passed "tw_pass"(const unsigned char *p, Py_ssize_t i, unsigned long long *high) nogil
    Py_ssize_t unescaped "tw_unescape"(const unsigned char *p, Py_ssize_t i, unsigned long long *high, unsigned char *out, Py_ssize_t *size, Py_ssize_t *lone) nogil
