# Decimal text to floating-point numbers. Python's own conversion is correctly rounded and knows no locale.
cdef extern from *:
    """
    static const double tw_powers[23] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    """
    const double *POWERS "tw_powers"

cdef extern from "Python.h":
    double string_to_double "PyOS_string_to_double"(const char *text, char **end, void *overflow) except? -1.0
