# Base64 (RFC 4648, section 4, with padding), strict: only the canonical text of some bytes is accepted.
cdef extern from *:
    """
    static const unsigned char tw_base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    /* The value of each base64 digit; 64 or more for all other bytes. */
    static unsigned char tw_base64_values[256];

    static CYTHON_INLINE void tw_base64_fill(void) {
        int k;
        memset(tw_base64_values, 64, 256);
        for (k = 0; k < 64; k++) tw_base64_values[tw_base64_digits[k]] = (unsigned char)k;
    }

    /* Decodes n base64 characters at p; returns the number of bytes, -1 if they are not valid base64. What is
       written never reaches what is still to be read, so out may be p. */
    static CYTHON_INLINE Py_ssize_t tw_base64_decode(unsigned char *out, const unsigned char *p, Py_ssize_t n) {
        const unsigned char *v = tw_base64_values, *stop;
        unsigned char *first = out;
        unsigned int a, b, c, d;
        if (n & 3) return -1;
        if (n == 0) return 0;
        if (!v['B']) tw_base64_fill();
        for (stop = p + n - 4; p < stop; p += 4) {
            a = v[p[0]], b = v[p[1]], c = v[p[2]], d = v[p[3]];
            if ((a | b | c | d) & 64) return -1;
            *out++ = (unsigned char)(a << 2 | b >> 4);
            *out++ = (unsigned char)(b << 4 | c >> 2);
            *out++ = (unsigned char)(c << 6 | d);
        }
        a = v[p[0]], b = v[p[1]], c = v[p[2]], d = v[p[3]];
        if ((a | b) & 64) return -1;
        if (p[3] == '=') {
            if (p[2] == '=') {
                if (b & 15) return -1;
                *out++ = (unsigned char)(a << 2 | b >> 4);
                return out - first;
            }
            if (c & 67) return -1;
            *out++ = (unsigned char)(a << 2 | b >> 4);
            *out++ = (unsigned char)(b << 4 | c >> 2);
            return out - first;
        }
        if ((c | d) & 64) return -1;
        *out++ = (unsigned char)(a << 2 | b >> 4);
        *out++ = (unsigned char)(b << 4 | c >> 2);
        *out++ = (unsigned char)(c << 6 | d);
        return out - first;
    }

    /* Encodes n bytes in base64; returns the number of characters, four for every three bytes. */
    static CYTHON_INLINE Py_ssize_t tw_base64_encode(unsigned char *out, const unsigned char *p, Py_ssize_t n) {
        const unsigned char *digits = tw_base64_digits;
        unsigned char *first = out;
        unsigned int w;
        for (; n >= 3; n -= 3, p += 3, out += 4) {
            w = (unsigned int)p[0] << 16 | (unsigned int)p[1] << 8 | p[2];
            out[0] = digits[w >> 18];
            out[1] = digits[w >> 12 & 63];
            out[2] = digits[w >> 6 & 63];
            out[3] = digits[w & 63];
        }
        if (n) {
            w = (unsigned int)p[0] << 16 | (n == 2 ? (unsigned int)p[1] << 8 : 0);
            out[0] = digits[w >> 18];
            out[1] = digits[w >> 12 & 63];
            out[2] = n == 2 ? digits[w >> 6 & 63] : '=';
            out[3] = '=';
            out += 4;
        }
        return out - first;
    }
    """
    Py_ssize_t decode64 "tw_base64_decode"(unsigned char *out, const unsigned char *p, Py_ssize_t n) nogil
    Py_ssize_t encode64 "tw_base64_encode"(unsigned char *out, const unsigned char *p, Py_ssize_t n) nogil
