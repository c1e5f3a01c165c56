# Reads bytes in the form of Go's strconv.Quote, without its quotes; interpreted code uses bytes_as_text.py.
from tidewire.runtime.json.escapes cimport point

cdef extern from *:
    """
    /* The value of n hexadecimal digits; -1 if any is not a digit. */
    static CYTHON_INLINE long long tw_hex(const unsigned char *p, int n) {
        long long v = 0;
        while (n--) {
            if (!tw_digit[*p]) return -1;
            v = v << 4 | (tw_digit[*p++] & 15);
        }
        return v;
    }

    /* Unquotes n characters at p; returns the number of bytes, -1 if they are malformed. What is written never
       reaches what is still to be read, so out may be p. */
    static Py_ssize_t tw_unquote(unsigned char *out, const unsigned char *p, Py_ssize_t n) {
        const unsigned char *stop = p + n;
        unsigned char *first = out;
        long long v;
        int size;
        while (p < stop) {
            if (*p != '\\\\') {
                if (*p == '"' || *p == '\\n') return -1;
                *out++ = *p++;
                continue;
            }
            if (stop - p < 2) return -1;
            p += 2;
            switch (p[-1]) {
            case 'a': *out++ = 7; continue;
            case 'b': *out++ = 8; continue;
            case 'f': *out++ = 12; continue;
            case 'n': *out++ = 10; continue;
            case 'r': *out++ = 13; continue;
            case 't': *out++ = 9; continue;
            case 'v': *out++ = 11; continue;
            case '"': *out++ = '"'; continue;
            case '\\\\': *out++ = '\\\\'; continue;
            case 'x': size = 2; break;
            case 'u': size = 4; break;
            case 'U': size = 8; break;
            case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7':
                if (stop - p < 2 || p[0] < '0' || p[0] > '7' || p[1] < '0' || p[1] > '7' || p[-1] > '3') return -1;
                *out++ = (unsigned char)((p[-1] - '0') << 6 | (p[0] - '0') << 3 | (p[1] - '0'));
                p += 2;
                continue;
            default: return -1;
            }
            if (stop - p < size) return -1;
            v = tw_hex(p, size);
            if (v < 0) return -1;
            p += size;
            if (size == 2) {
                *out++ = (unsigned char)v;
            } else {
                if (v > 0x10FFFF || (v >= 0xD800 && v < 0xE000)) return -1;
                out = tw_put(out, (int)v);
            }
        }
        return out - first;
    }
    """
    Py_ssize_t unquote "tw_unquote"(unsigned char *out, const unsigned char *p, Py_ssize_t n) nogil
