# Writes bytes in the form of Go's strconv.Quote, without its quotes; interpreted code uses bytes_as_text.py.
cdef extern from *:
    """
    /* Whether a code point is printable: starts are those of printable.py. */
    static CYTHON_INLINE int tw_printable(const long long *starts, int count, int u) {
        int low = 0, high = count;
        while (low < high) {
            int middle = (low + high) >> 1;
            if (starts[middle] <= u) low = middle + 1; else high = middle;
        }
        return low & 1;
    }

    /* The size in bytes of the well-formed character at p, 0 if there is none; u is its code point. */
    static CYTHON_INLINE int tw_character(const unsigned char *p, Py_ssize_t left, int *u) {
        int c = p[0];
        if (c < 0xC2 || c > 0xF4 || left < 2 || (p[1] & 0xC0) != 0x80) return 0;
        if (c < 0xE0) {
            *u = (c & 31) << 6 | (p[1] & 63);
            return 2;
        }
        if (left < 3 || (p[2] & 0xC0) != 0x80) return 0;
        if (c < 0xF0) {
            *u = (c & 15) << 12 | (p[1] & 63) << 6 | (p[2] & 63);
            return *u < 0x800 || (*u >= 0xD800 && *u < 0xE000) ? 0 : 3;
        }
        if (left < 4 || (p[3] & 0xC0) != 0x80) return 0;
        *u = (c & 7) << 18 | (p[1] & 63) << 12 | (p[2] & 63) << 6 | (p[3] & 63);
        return *u < 0x10000 || *u > 0x10FFFF ? 0 : 4;
    }

    static CYTHON_INLINE unsigned char *tw_put_hex(unsigned char *out, unsigned int u, int digits) {
        while (digits--) *out++ = "0123456789abcdef"[u >> (4 * digits) & 15];
        return out;
    }

    /* Writes bytes from *at on as the content of a JSON string, up to the end or until less than 16 bytes of room
       are left; returns the number of bytes written. */
    static Py_ssize_t tw_quote(unsigned char *out, Py_ssize_t room, const unsigned char *data, Py_ssize_t *at,
                               Py_ssize_t stop, const long long *starts, int count, int html) {
        static const char letters[] = "abtnvfr";  /* escapes of the characters 7 to 13 */
        unsigned char *first = out;
        Py_ssize_t i = *at;
        int u = 0, size;
        while (i < stop && out - first + 16 <= room) {
            int c = data[i];
            if (c >= 0x80) {
                size = tw_character(data + i, stop - i, &u);
                if (size && tw_printable(starts, count, u)) {
                    for (i += size; size; size--) *out++ = data[i - size];
                    continue;
                }
                *out++ = '\\\\';
                *out++ = '\\\\';
                if (!size) {
                    *out++ = 'x';
                    out = tw_put_hex(out, (unsigned int)c, 2);
                    i++;
                } else {
                    *out++ = size == 4 ? 'U' : 'u';
                    out = tw_put_hex(out, (unsigned int)u, size == 4 ? 8 : 4);
                    i += size;
                }
                continue;
            }
            i++;
            if (c < 0x20 || c == 0x7F) {
                *out++ = '\\\\';
                *out++ = '\\\\';
                if (c >= 7 && c <= 13) {
                    *out++ = (unsigned char)letters[c - 7];
                } else {
                    *out++ = 'x';
                    out = tw_put_hex(out, (unsigned int)c, 2);
                }
            } else if (c == '"' || c == '\\\\') {
                *out++ = '\\\\';
                *out++ = '\\\\';
                *out++ = '\\\\';
                *out++ = (unsigned char)c;
            } else if (html && (c == '&' || c == '<' || c == '>')) {
                *out++ = '\\\\';
                *out++ = 'u';
                out = tw_put_hex(out, (unsigned int)c, 4);
            } else {
                *out++ = (unsigned char)c;
            }
        }
        *at = i;
        return out - first;
    }
    """
    Py_ssize_t quote "tw_quote"(unsigned char *out, Py_ssize_t room, const unsigned char *data, Py_ssize_t *at, Py_ssize_t stop, const long long *starts, int count, int html) nogil
