cimport cython

from tidewire.runtime.arrow.memory cimport Memory, Numbers

cdef extern from *:
    """
    /* The upper half of a 128-bit product. */
    static CYTHON_INLINE unsigned long long tw_high(unsigned long long a, unsigned long long b) {
    #if defined(__SIZEOF_INT128__)
        return (unsigned long long)(((unsigned __int128)a * b) >> 64);
    #else
        unsigned long long al = a & 0xFFFFFFFFULL, ah = a >> 32, bl = b & 0xFFFFFFFFULL, bh = b >> 32;
        unsigned long long middle = ah * bl + (al * bl >> 32);
        unsigned long long other = al * bh + (middle & 0xFFFFFFFFULL);
        return ah * bh + (middle >> 32) + (other >> 32);
    #endif
    }

    /* The number of decimal digits of a number. */
    static CYTHON_INLINE int tw_digits(unsigned long long v, const unsigned long long *powers) {
    #if defined(__GNUC__) || defined(__clang__)
        int n = ((64 - __builtin_clzll(v | 1)) * 1233) >> 12;
        return n + (n < 20 && v >= powers[n]) + (v == 0);
    #else
        int n = 1;
        while (n < 20 && v >= powers[n]) n++;
        return n;
    #endif
    }
    """
    int digits_of "tw_digits"(unsigned long long v, const unsigned long long *powers) nogil
    unsigned long long high "tw_high"(unsigned long long a, unsigned long long b) nogil

cdef Py_ssize_t put_unsigned(unsigned char *out, Py_ssize_t at, unsigned long long value) noexcept
cdef Py_ssize_t put_integer(unsigned char *out, Py_ssize_t at, long long value) noexcept
cdef Py_ssize_t put_float64(unsigned char *out, Py_ssize_t at, double value) except -1
cdef Py_ssize_t put_float32(unsigned char *out, Py_ssize_t at, double value) except -1
cdef Py_ssize_t put_number64(unsigned char *out, Py_ssize_t at, double value, int exponent) except -1
cdef Py_ssize_t put_number32(unsigned char *out, Py_ssize_t at, double value, int exponent) except -1
cdef Py_ssize_t _shorten(unsigned char *out, Py_ssize_t at, Py_ssize_t end, int least) noexcept
cdef Py_ssize_t _put_float(unsigned char *out, Py_ssize_t at, double value, bint single) except -1
cdef Py_ssize_t _put_digits(unsigned char *out, Py_ssize_t at, unsigned long long digits, int exponent) noexcept
cdef Py_ssize_t _put_shortest(unsigned char *out, Py_ssize_t at, unsigned long long c, int q, bint closer, bint single) noexcept

cdef int MOST_TRIED
cdef Numbers _POWERS
cdef Numbers _TENS
cdef Numbers UPPER_HALVES
cdef Numbers LOWER_HALVES
