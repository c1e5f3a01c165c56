cimport cython

from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.wire.times cimport TimeConversion
from tidewire.runtime.labels cimport LabelNumbers
from tidewire.runtime.record.sink cimport RecordSink

cdef struct WriteOp:
    int codec, source, null, scale, size
    bint nullable

@cython.final
cdef class WrittenFields:
    cdef WriteOp *ops
    cdef readonly int width
    cdef readonly tuple fields
    cdef readonly str protocol
    cdef readonly list chosen, storages
    cdef list labels, null_defaults, times
    cdef bytes schema_text, table_text
    cdef readonly bytes head
    cdef readonly object names

@cython.final
cdef class RegisteredRows:
    cdef readonly WrittenFields fields
    cdef ColumnReader source
    cdef bytes head, schema_text, table_text
    cdef str zone
    cdef int write(self, RecordSink s, Py_ssize_t row) except -1
    cdef int write_time(self, RecordSink s, int i, Py_ssize_t row, bint null) except -1
    cdef int write_value(self, RecordSink s, int i, Py_ssize_t row) except -1
    cdef int write_bits(self, RecordSink s, int i, unsigned long long value) except -1
    cdef int refuse(self, int i, str reason) except -1
