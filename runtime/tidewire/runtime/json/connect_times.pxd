from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.json.calendar cimport clock_text, date_text, days_of, fraction_text, is_date, number_at
from tidewire.runtime.json.codec cimport JsonCodec
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.json.sink cimport JsonSink

cdef long long NO_TIME

cdef class ConnectTime(JsonCodec):
    cdef long long per_second
    cdef int width, digits
    cdef readonly bint nullable
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
    cdef int write(self, JsonSink s, ColumnReader source, int c, Py_ssize_t row) except -1
    cdef int place(self, Columns columns, int c, Py_ssize_t row, long long value) except -1
    cdef long long moment(self, ColumnReader source, int c, Py_ssize_t row) except? -1
    cdef int place_text(self, Columns columns, int c, Py_ssize_t row, bytes text) except -1
    cdef bytes spelled(self, bytes text, str zone)

cdef class Days(ConnectTime):
    cdef Py_ssize_t read_usual(self, const unsigned char *p, Py_ssize_t i, Columns columns, int c, Py_ssize_t row) noexcept
    cdef Py_ssize_t write_usual(self, JsonSink s, Py_ssize_t at, const unsigned char *text, Py_ssize_t size) except -2
    cdef int place(self, Columns columns, int c, Py_ssize_t row, long long value) except -1
    cdef long long moment(self, ColumnReader source, int c, Py_ssize_t row) except? -1

cdef class EpochTime(ConnectTime):
    cdef Py_ssize_t read_usual(self, const unsigned char *p, Py_ssize_t i, Columns columns, int c, Py_ssize_t row) noexcept
    cdef Py_ssize_t write_usual(self, JsonSink s, Py_ssize_t at, const unsigned char *text, Py_ssize_t size) except -2
    cdef int place(self, Columns columns, int c, Py_ssize_t row, long long value) except -1
    cdef long long moment(self, ColumnReader source, int c, Py_ssize_t row) except? -1

cdef class TimeOfDay(ConnectTime):
    cdef Py_ssize_t read_usual(self, const unsigned char *p, Py_ssize_t i, Columns columns, int c, Py_ssize_t row) noexcept
    cdef int place(self, Columns columns, int c, Py_ssize_t row, long long value) except -1
    cdef long long moment(self, ColumnReader source, int c, Py_ssize_t row) except? -1

cdef class ZonedTime(ConnectTime):
    cdef int fill(self, JsonSink s, bytes default) except -1
    cdef int place_text(self, Columns columns, int c, Py_ssize_t row, bytes text) except -1
    cdef bytes spelled(self, bytes text, str zone)

cdef class IsoText(ConnectTime):
    cdef int place_text(self, Columns columns, int c, Py_ssize_t row, bytes text) except -1
