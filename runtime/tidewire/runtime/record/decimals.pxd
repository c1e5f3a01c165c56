from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.record.sink cimport RecordSink

cdef enum:
    LIMBS = 8
    BILLION = 1000000000

cdef int put_decimal(Columns columns, int c, Py_ssize_t row, RecordCursor r, Py_ssize_t start, Py_ssize_t size, int scale, int field) except -1
cdef int write_decimal(RecordSink s, ColumnReader source, int c, Py_ssize_t row, int scale) except -1
cdef int _refuse_text(ColumnReader source, int c, Py_ssize_t row) except -1
cdef int _refuse_number(bytes text) except -1
