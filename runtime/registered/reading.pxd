cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.labels cimport LabelNumbers
from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.registered.plans cimport RecordPlan, RegisteredImages

cdef int INNER, NUMBER, TEXT, BOOLEAN, SHORT
cdef Py_ssize_t MOST_SHOWN

cdef struct Slot:
    bint given
    long long number
    Py_ssize_t start, end

@cython.final
cdef class RecordReader:
    cdef Slot *slots
    cdef int count
    cdef Py_ssize_t layout, row, inner_layout, inner_row
    cdef RegisteredImages images, inner_images, inner_asked, outer_asked
    cdef bint alike
    cdef RecordPlan plan, at_plan
    cdef int at
    cdef int read(self, RecordCursor r, RecordPlan plan, RecordPlan key, LayoutCache cache, Py_ssize_t message) except -1
    cdef int read_fields(self, RecordCursor r, RecordPlan plan, RegisteredImages images, Py_ssize_t row, RecordPlan key, LayoutCache cache, Py_ssize_t message) except -1
    cdef int read_inner(self, RecordCursor r, RecordPlan plan, RecordPlan key, LayoutCache cache, Py_ssize_t message) except -1
    cdef int read_value(self, RecordCursor r, RecordPlan plan, int i, RegisteredImages images, Py_ssize_t row) except -1
    cdef int read_bits(self, RecordCursor r, RegisteredImages images, int c, Py_ssize_t row, int field) except -1
    cdef int forget_inner(self) except -1
