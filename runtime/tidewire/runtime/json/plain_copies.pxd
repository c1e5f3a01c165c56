# Copies text that needs no escapes into JSON, many bytes at a time.
from tidewire.runtime.wire.swar cimport load8

cdef extern from *:
    """
    #include <string.h>

    #if defined(__SSE2__) || defined(_M_X64)
    #include <emmintrin.h>
    #endif

    /* Non-zero if any of 8 bytes may need an escape or is not ASCII: a control character, one of " \\\\ & < >, or
       above 127. Two characters that differ in one bit are found by one test. */
    static CYTHON_INLINE unsigned long long tw_trouble(const unsigned char *p) {
        const unsigned long long ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;
        unsigned long long w, a, b, c;
        memcpy(&w, p, 8);
        a = (w | (ones * 0x04)) ^ (ones * 0x26);  /* " and & */
        b = (w | (ones * 0x02)) ^ (ones * 0x3E);  /* < and > */
        c = w ^ (ones * 0x5C);
        return (w | ((w - ones * 0x20) & ~w) | ((a - ones) & ~a) | ((b - ones) & ~b) | ((c - ones) & ~c)) & tops;
    }

    /* Copies the first of n bytes at p that need no escape, possibly with some after them, for which there must be
       room (16 bytes more than n); returns their number. A byte needs no escape if its action is 0, or if it is
       above 127 and `trusted` is set. Nothing after p + n is read. */
    static CYTHON_INLINE Py_ssize_t tw_copied(unsigned char *out, const unsigned char *p, Py_ssize_t n,
                                              const unsigned char *action, int trusted) {
        Py_ssize_t k = 0;
    #if defined(__SSE2__) || defined(_M_X64)
        const __m128i quote = _mm_set1_epi8(0x22), backslash = _mm_set1_epi8(0x5C), control = _mm_set1_epi8(0x1F);
        const __m128i two = _mm_set1_epi8(0x02), greater = _mm_set1_epi8(0x3E), ampersand = _mm_set1_epi8(0x26);
        const int html = action['<'];
        while (n >= 16) {
            __m128i v, t;
            unsigned int m;
            if (k > n - 16) k = n - 16;  /* copies some bytes again */
            v = _mm_loadu_si128((const __m128i *)(p + k));
            t = _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash));
            t = _mm_or_si128(t, _mm_cmpeq_epi8(_mm_min_epu8(v, control), v));
            if (html) {
                t = _mm_or_si128(t, _mm_cmpeq_epi8(_mm_or_si128(v, two), greater));
                t = _mm_or_si128(t, _mm_cmpeq_epi8(v, ampersand));
            }
            m = (unsigned int)_mm_movemask_epi8(t);
            if (!trusted) m |= (unsigned int)_mm_movemask_epi8(v);
            _mm_storeu_si128((__m128i *)(out + k), v);
            if (m) {
                return k + tw_lowest(m);
            }
            k += 16;
            if (k >= n) return n;
        }
    #endif
        while (k + 8 <= n && !tw_trouble(p + k)) {
            memcpy(out + k, p + k, 8);
            k += 8;
        }
        while (k < n && (!action[p[k]] || (trusted && p[k] >= 0x80))) {
            out[k] = p[k];
            k++;
        }
        return k;
    }
    """
    Py_ssize_t copied "tw_copied"(unsigned char *out, const unsigned char *p, Py_ssize_t n, const unsigned char *action, bint trusted) nogil
