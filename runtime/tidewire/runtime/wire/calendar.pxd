cdef long long FIRST_DAY, LAST_DAY, DAY
cpdef bytes date_text(long long days)
cpdef long long days_of(long long year, long long month, long long day)
cpdef bint is_date(long long year, long long month, long long day)
cpdef long long number_at(bytes text, Py_ssize_t start, Py_ssize_t end)
cpdef bytes clock_text(long long seconds)
cpdef bytes fraction_text(long long parts, int width, int digits)
