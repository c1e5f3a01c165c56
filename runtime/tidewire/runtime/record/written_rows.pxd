cimport cython

from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.encoding.chosen_columns cimport ChosenColumns
from tidewire.runtime.record.sink cimport RecordSink

@cython.final
cdef class RecordTexts(ChosenColumns):
    cdef bytes keys, head
    cdef Numbers ends, codes
    cdef int null

@cython.final
cdef class WrittenRecordRows:
    cdef readonly RecordTexts texts
    cdef readonly ColumnReader source
    cdef readonly Py_ssize_t rows
    cdef public bytes location
    cdef int write(self, RecordSink s, Py_ssize_t row) except -1
