from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.columns cimport Columns

cdef long long DECIMAL

cpdef bint has_other(Columns columns) except -1
cpdef bint reads_other(ColumnReader source) except -1
