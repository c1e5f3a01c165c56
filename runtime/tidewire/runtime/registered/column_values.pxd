from tidewire.runtime.wire.times cimport TimeConversion
from tidewire.runtime.labels cimport LabelNumbers
from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.registered.plans cimport RecordPlan, RegisteredImages

cdef Py_ssize_t MOST_SHOWN

cdef int read_value(RecordCursor r, RecordPlan plan, int i, RegisteredImages images, Py_ssize_t row) except -1
cdef int put_label(RecordCursor r, RecordPlan plan, int c, RegisteredImages images, Py_ssize_t row, Py_ssize_t start, Py_ssize_t size, int field) except -1
cdef int put_nested(RecordCursor r, RecordPlan plan, int i, RegisteredImages images, Py_ssize_t row) except -1
cdef int read_time(RecordCursor r, RecordPlan plan, int i, RegisteredImages images, Py_ssize_t row) except -1
cdef int read_converted(RecordCursor r, RecordPlan plan, int i, RegisteredImages images, Py_ssize_t row) except -1
cdef int read_bits(RecordCursor r, RegisteredImages images, int c, Py_ssize_t row, bint little, int field) except -1
cdef int read_unsigned(RecordCursor r, RegisteredImages images, int c, Py_ssize_t row, int field) except -1
