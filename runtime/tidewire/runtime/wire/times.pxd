from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.wire.calendar cimport clock_text, date_text, days_of, fraction_text, is_date, number_at

cdef long long NO_TIME

cdef class TimeConversion:
    cdef long long per_second
    cdef int width, digits
    cdef readonly bint nullable, numeric, writes
    cpdef TimeConversion for_column(self, object facts)
    cdef Py_ssize_t read_usual(self, const unsigned char *p, Py_ssize_t i, Columns columns, int c, Py_ssize_t row) noexcept
    cdef Py_ssize_t write_usual(self, unsigned char *out, Py_ssize_t at, const unsigned char *text, Py_ssize_t size) except -2
    cdef int place(self, Columns columns, int c, Py_ssize_t row, long long value) except -1
    cdef long long moment(self, ColumnReader source, int c, Py_ssize_t row) except? -1
    cdef int place_text(self, Columns columns, int c, Py_ssize_t row, bytes text) except -1
    cdef bytes spelled(self, bytes text, str zone)

cdef class Days(TimeConversion):
    cdef Py_ssize_t read_usual(self, const unsigned char *p, Py_ssize_t i, Columns columns, int c, Py_ssize_t row) noexcept
    cdef Py_ssize_t write_usual(self, unsigned char *out, Py_ssize_t at, const unsigned char *text, Py_ssize_t size) except -2
    cdef int place(self, Columns columns, int c, Py_ssize_t row, long long value) except -1
    cdef long long moment(self, ColumnReader source, int c, Py_ssize_t row) except? -1

cdef class EpochTime(TimeConversion):
    cdef Py_ssize_t read_usual(self, const unsigned char *p, Py_ssize_t i, Columns columns, int c, Py_ssize_t row) noexcept
    cdef Py_ssize_t write_usual(self, unsigned char *out, Py_ssize_t at, const unsigned char *text, Py_ssize_t size) except -2
    cdef int place(self, Columns columns, int c, Py_ssize_t row, long long value) except -1
    cdef long long moment(self, ColumnReader source, int c, Py_ssize_t row) except? -1

cdef class TimeOfDay(TimeConversion):
    cdef Py_ssize_t read_usual(self, const unsigned char *p, Py_ssize_t i, Columns columns, int c, Py_ssize_t row) noexcept
    cdef int place(self, Columns columns, int c, Py_ssize_t row, long long value) except -1
    cdef long long moment(self, ColumnReader source, int c, Py_ssize_t row) except? -1

cdef class ZonedTime(TimeConversion):
    cdef int place_text(self, Columns columns, int c, Py_ssize_t row, bytes text) except -1
    cdef bytes spelled(self, bytes text, str zone)

cdef class IsoText(TimeConversion):
    cdef int place_text(self, Columns columns, int c, Py_ssize_t row, bytes text) except -1
