from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.record.sink cimport RecordSink

cdef int put_decimal(Columns columns, int c, Py_ssize_t row, RecordCursor r, Py_ssize_t start, Py_ssize_t size, int scale, int field) except -1
cdef int put_digits(Columns columns, int c, Py_ssize_t row, long long value, int scale) except -1
cdef int write_decimal(RecordSink s, ColumnReader source, int c, Py_ssize_t row, int scale) except -1
cdef int _write_number(RecordSink s, long long value) except -1
