# Decimal text to floating-point numbers. Python's own conversion is correctly rounded and knows no locale.
cdef extern from *:
    """
    #include <string.h>

    static const double tw_powers[23] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

    /* Computes the double nearest to digits * 10^power into *value; returns 0 if this fast path cannot decide it.
       upper and lower are 10^k for k = -292 to 324 in 128 bits, rounded up, with the highest bit set; they are exact
       from 0 to 55.

       Small numbers are products or quotients of two exact doubles, and rounded once (Clinger). For others, the
       first 128 bits of the 192-bit product are used, as in Eisel and Lemire's algorithm: with a power that was
       rounded up, the true product is less than one of these bits smaller, so the result is certain unless the bits
       after the double's are all zeros or all ones. */
    static int tw_nearest(unsigned long long digits, int power, const unsigned long long *upper,
                          const unsigned long long *lower, double *value) {
        if (digits <= 9007199254740992ULL && power >= -22 && power <= 22) {
            *value = power < 0 ? (double)digits / tw_powers[-power] : (double)digits * tw_powers[power];
            return 1;
        }
    #if defined(__SIZEOF_INT128__)
        if (digits && power >= -292 && power <= 288) {
            int zeros = __builtin_clzll(digits), exact = power >= 0 && power <= 55, top, shift, exponent;
            unsigned __int128 high = (unsigned __int128)(digits << zeros) * upper[power + 292];
            unsigned __int128 low = (unsigned __int128)(digits << zeros) * lower[power + 292];
            unsigned long long first, behind, rest, mask, mantissa;
            high += (unsigned long long)(low >> 64);
            first = (unsigned long long)(high >> 64);
            rest = (unsigned long long)high;
            top = (int)(first >> 63);
            shift = 9 + top;  /* the remaining bits are the double's 53, and the one that decides the rounding */
            mask = (1ULL << shift) - 1;
            behind = first & mask;
            mantissa = first >> shift;
            if (!exact && ((behind == 0 && rest <= 1) || (behind == mask && rest == ~0ULL))) return 0;
            if (mantissa & 1 && (behind || rest || (unsigned long long)low || mantissa & 2)) mantissa++;
            mantissa >>= 1;
            /* the power's highest bit is that of 2^floor(power * log2(10)) */
            exponent = (int)(((long long)power * 217706) >> 16) - zeros + 11 + top;
            if (exponent < -1073 || exponent > 969) return 0;
            mantissa += (unsigned long long)(exponent + 1074) << 52;
            memcpy(value, &mantissa, 8);
            return 1;
        }
    #endif
        return 0;
    }

    /* Rounds the double in *value to the float32 nearest to its decimal. Returns 0 if it overflows, or if the double
       is exactly halfway between two float32 values, so that its own rounding does not decide. */
    static CYTHON_INLINE int tw_single(double *value) {
        float near = (float)*value;
        double other = *value + (*value - near);
        if (near - near != 0) return 0;
        if (near != *value && (float)other == other) return 0;
        *value = near;
        return 1;
    }
    """
    bint nearest "tw_nearest"(unsigned long long digits, int power, const unsigned long long *upper, const unsigned long long *lower, double *value) nogil
    bint single "tw_single"(double *value) nogil

cdef extern from "Python.h":
    double string_to_double "PyOS_string_to_double"(const char *text, char **end, void *overflow) except? -1.0
