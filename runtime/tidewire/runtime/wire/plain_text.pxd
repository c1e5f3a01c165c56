# Common forms of dates, times and decimals as plain text in C, for compiled codecs. For anything else these functions
# return -1, and the codecs' Python reads it, writes it, or refuses it with a reason.
from tidewire.runtime.wire.floats cimport nearest
from tidewire.runtime.wire.swar cimport load8

cdef extern from *:
    """
    #include <string.h>

    typedef struct { unsigned char at[256]; } tw_plain_text;

    static const long long tw_parts_of_second[] = {
        1LL, 10LL, 100LL, 1000LL, 10000LL, 100000LL, 1000000LL, 10000000LL, 100000000LL, 1000000000LL
    };

    /* Writes the date `days` days after 1970-01-01, in the years 0 to 9999, as YYYY-MM-DD. Years start in March
       here, so that a leap day is the last day of its year; an era is 400 years. */
    static CYTHON_INLINE unsigned char *tw_put_date(unsigned char *p, long long days) {
        unsigned int shifted = (unsigned int)(days + 719468 + 146097), era = shifted / 146097, of_era = shifted % 146097;
        unsigned int year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
        unsigned int of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
        unsigned int day = of_year - (153 * month + 2) / 5 + 1;
        unsigned char digits[8];
        year += era * 400;
        month += 3;
        if (month > 12) { month -= 12; year++; }
        year -= 400;
        tw_eight_digits(digits, 10000 * year + 100 * month + day);
        memcpy(p, digits, 4);
        p[4] = '-';
        memcpy(p + 5, digits + 4, 2);
        p[7] = '-';
        memcpy(p + 8, digits + 6, 2);
        return p + 10;
    }

    /* Writes seconds as HH:MM:SS, less than 1000 hours. */
    static CYTHON_INLINE unsigned char *tw_put_clock(unsigned char *p, unsigned int seconds) {
        unsigned int minutes = seconds / 60, hours = minutes / 60;
        unsigned char digits[8];
        tw_eight_digits(digits, 10000 * hours + 100 * (minutes - 60 * hours) + seconds - 60 * minutes);
        if (hours >= 100) *p++ = digits[1];
        memcpy(p, digits + 2, 2);
        p[2] = ':';
        memcpy(p + 3, digits + 4, 2);
        p[5] = ':';
        memcpy(p + 6, digits + 6, 2);
        return p + 8;
    }

    /* Writes a point and `digits` digits of a fraction in units of 10^-width seconds; digits below 0: as many as
       needed, possibly none. Returns NULL if digits other than 0 would be cut off, or too many are requested. */
    static CYTHON_INLINE unsigned char *tw_put_fraction(unsigned char *p, long long parts, int width, int digits) {
        unsigned char all[16];
        if (width <= 8 && digits <= 8) {
            unsigned long long w = tw_digits_of_eight((unsigned int)(parts * tw_parts_of_second[8 - width]));
            if (digits < 0) digits = w ? tw_last(w) + 1 : 0;
            else if (digits < 8 && w >> 8 * digits) return NULL;
            *p = '.';
            tw_store8(p + 1, w + 0x3030303030303030ULL);
            return digits ? p + digits + 1 : p;
        }
        if (digits > 9) return NULL;
        if (!parts && digits <= 0) return p;
        if (digits < 0) {
            digits = width;
            while (parts % 10 == 0) { parts /= 10; digits--; }
        } else if (digits < width) {
            if (parts % tw_parts_of_second[width - digits]) return NULL;
            parts /= tw_parts_of_second[width - digits];
        } else {
            parts *= tw_parts_of_second[digits - width];
        }
        if (!digits) return p;
        *p = '.';
        if (digits > 8) all[7] = (unsigned char)('0' + parts / 100000000);
        tw_eight_digits(all + 8, (unsigned int)(parts % 100000000));
        memcpy(p + 1, all + 16 - digits, digits);
        return p + digits + 1;
    }

    static CYTHON_INLINE Py_ssize_t tw_day_text(tw_plain_text *out, long long days) {
        if (days < -719528 || days > 2932896) return -1;
        return tw_put_date(out->at, days) - out->at;
    }

    /* Splits a moment into seconds and a fraction; divides by constants to avoid slow divisions. */
    static CYTHON_INLINE long long tw_seconds_of(long long value, int width, long long *parts) {
        long long seconds, unit = tw_parts_of_second[width];
        if (width == 3) seconds = value / 1000;
        else if (width == 6) seconds = value / 1000000;
        else seconds = value / unit;
        *parts = value - seconds * unit;
        if (*parts < 0) {
            *parts += unit;
            seconds--;
        }
        return seconds;
    }

    static CYTHON_INLINE Py_ssize_t tw_moment_text(tw_plain_text *out, long long value, int width, int digits) {
        long long parts, seconds = tw_seconds_of(value, width, &parts), of_day, days;
        unsigned char *p;
        of_day = seconds % 86400;
        if (of_day < 0) of_day += 86400;
        days = (seconds - of_day) / 86400;
        if (days < -719528 || days > 2932896) return -1;
        p = tw_put_date(out->at, days);
        *p++ = ' ';
        p = tw_put_fraction(tw_put_clock(p, (unsigned int)of_day), parts, width, digits);
        return p ? p - out->at : -1;
    }

    static CYTHON_INLINE Py_ssize_t tw_clock_text(tw_plain_text *out, long long value, int width, int digits) {
        long long unit = tw_parts_of_second[width];
        unsigned char *p = out->at;
        if (value / unit > 3599999 || value / unit < -3599999) return -1;
        if (value < 0) { *p++ = '-'; value = -value; }
        p = tw_put_fraction(tw_put_clock(p, (unsigned int)(value / unit)), value % unit, width, digits);
        return p ? p - out->at : -1;
    }

    /* The value of n digits at p; -1 if any is not a digit. */
    static CYTHON_INLINE long long tw_digits_at(const unsigned char *p, int n) {
        long long found = 0;
        while (n--) {
            unsigned int digit = (unsigned int)*p++ - '0';
            if (digit > 9) return -1;
            found = 10 * found + digit;
        }
        return found;
    }

    /* The days from 1970-01-01 to the date YYYY-MM-DD at p, in a year from 100 on; -9223372036854775807 if it does
       not exist, or is earlier. Its digits are packed and parsed as one number. */
    static CYTHON_INLINE long long tw_days_at(const unsigned char *p) {
        static const unsigned char lengths[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        unsigned long long w = tw_load8(p);
        unsigned int date, year, month, day, shifted, era, of_era, of_year;
        if (p[4] != '-' || p[7] != '-') return -9223372036854775807LL;
        w = (w & 0xFFFFFFFFULL) | (w >> 8 & 0xFFFF00000000ULL) | (unsigned long long)p[8] << 48 |
            (unsigned long long)p[9] << 56;
        if (tw_leading_digits(w) != 8) return -9223372036854775807LL;
        date = tw_number(w, 8);
        year = date / 10000;
        date -= 10000 * year;
        month = date / 100;
        day = date - 100 * month;
        if (year < 100 || month < 1 || month > 12 || day < 1) return -9223372036854775807LL;
        if (day > lengths[month] + (unsigned int)(month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)))
            return -9223372036854775807LL;
        shifted = month > 2 ? year + 400 : year + 399;
        era = shifted / 400;
        of_era = shifted % 400;
        of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
        return ((long long)era - 1) * 146097 + (long long)(of_era * 365 + of_era / 4 - of_era / 100 + of_year) - 719468;
    }

    /* The seconds of HH:MM:SS at p; -1 if it is malformed. */
    static CYTHON_INLINE long long tw_seconds_at(const unsigned char *p) {
        unsigned long long w = tw_load8(p);
        unsigned int clock, hours, minutes, seconds;
        if (p[2] != ':' || p[5] != ':') return -1;
        w = (w & 0xFFFFULL) | (w >> 8 & 0xFFFF0000ULL) | (w >> 16 & 0xFFFF00000000ULL);
        if (tw_leading_digits(w) != 6) return -1;
        clock = tw_number(w, 6);
        hours = clock / 10000;
        clock -= 10000 * hours;
        minutes = clock / 100;
        seconds = clock - 100 * minutes;
        return hours > 23 || minutes > 59 || seconds > 59 ? -1 : 3600 * (long long)hours + 60 * minutes + seconds;
    }

    /* The fraction of a second in n bytes at p, in units of 10^-width seconds: a point and up to `width` digits, or
       nothing; -1 if it is malformed. */
    static CYTHON_INLINE long long tw_fraction_at(const unsigned char *p, Py_ssize_t n, int width) {
        long long found;
        if (!n) return 0;
        if (n < 2 || n > width + 1 || *p != '.') return -1;
        found = tw_digits_at(p + 1, (int)n - 1);
        return found < 0 ? -1 : found * tw_parts_of_second[width + 1 - n];
    }

    /* Whether n bytes at p are a date in a year from 100 on; stores its days in *found. */
    static CYTHON_INLINE int tw_day_of(const unsigned char *p, Py_ssize_t n, long long *found) {
        if (n != 10) return 0;
        *found = tw_days_at(p);
        return *found != -9223372036854775807LL;
    }

    /* The same for a date and time, in fractions of a second. */
    static CYTHON_INLINE int tw_moment_of(const unsigned char *p, Py_ssize_t n, int width, long long *found) {
        long long days, seconds, parts;
        if (n < 19 || width > 6) return 0;
        days = tw_days_at(p);
        seconds = tw_seconds_at(p + 11);
        parts = tw_fraction_at(p + 19, n - 19, width);
        if (days == -9223372036854775807LL || seconds < 0 || parts < 0) return 0;
        *found = (days * 86400 + seconds) * tw_parts_of_second[width] + parts;
        return 1;
    }

    /* Writes a whole JSON number with an exponent at k, whose first digit is not 0: all its digits, and `scale`
       zeros after a point; -1 if it is any other number, or too long. */
    static Py_ssize_t tw_raised_text(tw_plain_text *out, const unsigned char *p, Py_ssize_t n, Py_ssize_t k,
                                     Py_ssize_t point, int scale) {
        Py_ssize_t i = k + 1, fraction, end, power = 0;
        i += i < n && p[i] == '+';
        if (n - i < 1 || n - i > 2 || p[*p == '-'] == '0') return -1;
        for (; i < n; i++) {
            if (p[i] < '0' || p[i] > '9') return -1;
            power = 10 * power + p[i] - '0';
        }
        if (point > k) point = k;
        fraction = point < k ? k - point - 1 : 0;
        if (power < fraction || k + power > 160) return -1;
        memcpy(out->at, p, point);
        if (fraction) memcpy(out->at + point, p + point + 1, fraction);
        memset(out->at + point + fraction, '0', power - fraction);
        end = point + power;
        if (scale > 0) {
            out->at[end++] = '.';
            memset(out->at + end, '0', scale);
            end += scale;
        }
        return end;
    }

    /* Writes the JSON number at i as tw_decimal_text does, and sets *end to the offset of its end; -1 if there is no
       number, or it needs the slow path. 32 bytes must be readable at every byte of the number and after it. */
    static CYTHON_INLINE Py_ssize_t tw_number_text(tw_plain_text *out, const unsigned char *p, Py_ssize_t i, int scale,
                                                   Py_ssize_t *end) {
        Py_ssize_t first = i + (p[i] == '-'), point, k, size, power = 0;
        int n;
        for (point = first; (n = tw_leading_digits(tw_load8(p + point))) == 8;) point += 8;
        point += n;
        if (point == first || (p[first] == '0' && point > first + 1)) return -1;
        k = point;
        if (p[k] == '.') {
            for (k++; (n = tw_leading_digits(tw_load8(p + k))) == 8;) k += 8;
            k += n;
            if (k == point + 1) return -1;
        }
        size = k - i;
        if (size > 32 || scale > 65) return -1;
        memcpy(out->at, p + i, 32);
        if ((p[k] | 0x20) == 'e') {
            /* a whole number of few zeros: what stands behind the point moves over it */
            Py_ssize_t behind = k > point ? k - point - 1 : 0;
            if (p[first] == '0' || p[k + 1] == '-') return -1;
            k += 1 + (p[k + 1] == '+');
            n = tw_leading_digits(tw_load8(p + k));
            if (n < 1 || n > 2) return -1;
            power = n == 1 ? p[k] - '0' : 10 * (p[k] - '0') + p[k + 1] - '0';
            *end = k + n;
            if (power < behind || power - behind > 32) return -1;
            memcpy(out->at + (point - i), p + point + 1, 32);
            memset(out->at + (point - i) + behind, '0', 32);
            size = point - i + power;
            point = i + size;
        } else {
            *end = k;
            if (k > point && (scale < 0 || k - point - 1 > scale)) {
                while (out->at[size - 1] == '0') size--;
                if (out->at[size - 1] == '.') size--;
            }
        }
        if (scale > 0) {
            Py_ssize_t wanted = point - i + 1 + scale;
            if (size <= point - i) { size = point - i; out->at[size++] = '.'; }
            while (size < wanted) out->at[size++] = '0';
        }
        return size;
    }

    /* Writes a JSON number of n bytes with `digits` digits after the point, and more if further ones are not 0
       (below 0: those that it has, without trailing zeros); -1 if it has an exponent and is not whole, or is too
       long. */
    static CYTHON_INLINE Py_ssize_t tw_decimal_text(tw_plain_text *out, const unsigned char *p, Py_ssize_t n, int scale) {
        Py_ssize_t k, point = n, end = n;
        if (n > 160 || scale > 65) return -1;
        for (k = 0; k < n; k++) {
            if (p[k] == '.') point = k;
            else if (p[k] == 'e' || p[k] == 'E') return tw_raised_text(out, p, n, k, point, scale);
        }
        if (point < n && (scale < 0 || n - point - 1 > scale))
            while (p[end - 1] == '0') end--;
        if (end == point + 1) end = point;
        memcpy(out->at, p, end);
        if (scale > 0) {
            if (end <= point) { end = point; out->at[end++] = '.'; }
            while (end - point - 1 < scale) out->at[end++] = '0';
        }
        return end;
    }

    /* Whether n bytes at p are a decimal; copies them to out, followed by a NUL. */
    static CYTHON_INLINE int tw_is_decimal(tw_plain_text *out, const unsigned char *p, Py_ssize_t n) {
        Py_ssize_t k = n && *p == '-', first = k, point = -1;
        if (n > 160 || k == n) return 0;
        for (; k < n; k++) {
            if (p[k] == '.' && point < 0 && k > first && k + 1 < n) point = k;
            else if (p[k] < '0' || p[k] > '9') return 0;
        }
        memcpy(out->at, p, n);
        out->at[n] = 0;
        return 1;
    }

    /* Whether n bytes at p are a decimal without an exponent whose nearest double this fast path can decide; stores
       it in *found. If it has more than 19 digits, the first 19 are used: it lies between their number and the next
       one, so its double is certain if both have the same double. The powers of ten are those of floats.pxd. */
    static CYTHON_INLINE int tw_double_of(const unsigned char *p, Py_ssize_t n, const unsigned long long *upper,
                                          const unsigned long long *lower, double *found) {
        unsigned char text[112];
        unsigned long long v = 0;
        Py_ssize_t whole, behind = 0, end, first = 0, count, k;
        double next;
        int negative = n && *p == '-';
        p += negative;
        n -= negative;
        if (n < 1 || n > 65) return 0;  /* with more digits, `write` decides whether a double has them */
        memcpy(text, p, n);
        memset(text + n, 0, 16);
        whole = end = tw_more_digits(text, 0, &v);
        if (!whole) return 0;
        if (text[end] == '.') {
            end = tw_more_digits(text, whole + 1, &v);
            behind = end - whole - 1;
            if (!behind) return 0;
        }
        if (end != n) return 0;
        count = whole + behind;
        if (count > 19) {
            if (behind) memmove(text + whole, text + whole + 1, behind);
            while (count > 19 && text[first] == '0') { first++; count--; }
        }
        if (count <= 19) {
            if (!tw_nearest(v, (int)-behind, upper, lower, found)) return 0;
        } else {
            for (v = 0, k = first; k < first + 19; k++) v = 10 * v + (text[k] - '0');
            if (!tw_nearest(v, (int)(count - 19 - behind), upper, lower, found)) return 0;
            if (!tw_nearest(v + 1, (int)(count - 19 - behind), upper, lower, &next) || next != *found) return 0;
        }
        if (negative) *found = -*found;
        return 1;
    }
    """
    ctypedef struct PlainText "tw_plain_text":
        unsigned char at[256]
    Py_ssize_t day_text "tw_day_text"(PlainText *out, long long days) nogil
    Py_ssize_t moment_text "tw_moment_text"(PlainText *out, long long value, int width, int digits) nogil
    Py_ssize_t clock_text "tw_clock_text"(PlainText *out, long long value, int width, int digits) nogil
    bint day_of "tw_day_of"(const unsigned char *p, Py_ssize_t n, long long *found) nogil
    bint moment_of "tw_moment_of"(const unsigned char *p, Py_ssize_t n, int width, long long *found) nogil
    Py_ssize_t decimal_text "tw_decimal_text"(PlainText *out, const unsigned char *p, Py_ssize_t n, int scale) nogil
    Py_ssize_t number_text "tw_number_text"(PlainText *out, const unsigned char *p, Py_ssize_t i, int scale, Py_ssize_t *end) nogil
    bint is_decimal "tw_is_decimal"(PlainText *out, const unsigned char *p, Py_ssize_t n) nogil
    bint double_of "tw_double_of"(const unsigned char *p, Py_ssize_t n, const unsigned long long *upper, const unsigned long long *lower, double *found) nogil

cdef extern from "Python.h":
    double string_to_double "PyOS_string_to_double"(const char *text, char **end, void *overflow) except? -1.0
