cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.registered.plans cimport RecordPlan, RegisteredImages

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
    cdef bint alike, told
    cdef RecordPlan plan, at_plan
    cdef int at
    cdef int read(self, RecordCursor r, RecordPlan plan, RecordPlan key, LayoutCache cache, Py_ssize_t message) except -1
    cdef int read_fields(self, RecordCursor r, RecordPlan plan, RegisteredImages images, Py_ssize_t row, RecordPlan key, LayoutCache cache, Py_ssize_t message, int first, int last) except -1
    cdef int read_other(self, RecordCursor r, RecordPlan plan, int i, RecordPlan key, LayoutCache cache, Py_ssize_t message) except -1
    cdef int read_first(self, RecordCursor r, RecordPlan plan, RecordPlan key, LayoutCache cache, Py_ssize_t message) except -1
    cdef int read_inside(self, RecordCursor r, RecordPlan plan, int place, RecordPlan key, LayoutCache cache, Py_ssize_t message) except -1
    cdef int read_second(self, RecordCursor r, RecordPlan plan, RecordPlan key, LayoutCache cache, Py_ssize_t message) except -1
    cdef bint fits(self, RecordCursor r, RecordPlan plan, Py_ssize_t changes) except -1
    cdef unsigned long long time(self, RecordPlan plan) except? 0
    cdef bint has_name(self, RecordCursor r, int slot, bytes name) except -1
    cdef bytes name_at(self, RecordCursor r, int slot)
    cdef int forget_inner(self) except -1
