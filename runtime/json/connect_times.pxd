from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.json.calendar cimport DAY, clock_text, date_text, days_of, fraction_text, is_date, number_at
from tidewire.runtime.json.codec cimport JsonCodec
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.json.sink cimport JsonSink

cdef class _Time(JsonCodec):
    cdef long long per_second
    cdef int width, digits
    cdef bint nullable

cdef class Days(_Time):
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
    cdef int write(self, JsonSink s, ColumnReader source, int c, Py_ssize_t row) except -1

cdef class EpochTime(_Time):
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
    cdef int write(self, JsonSink s, ColumnReader source, int c, Py_ssize_t row) except -1

cdef class TimeOfDay(_Time):
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
    cdef int write(self, JsonSink s, ColumnReader source, int c, Py_ssize_t row) except -1

cdef class ZonedTime(_Time):
    cdef int fill(self, JsonSink s, bytes default) except -1
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
    cdef int write(self, JsonSink s, ColumnReader source, int c, Py_ssize_t row) except -1

cdef class IsoText(JsonCodec):
    cdef int digits
    cdef int read(self, JsonCursor r, Py_ssize_t start, Py_ssize_t size, Columns columns, int c, Py_ssize_t row, int field) except -1
